# strangers.sh: programs that bring a runtime of their own along run under the recorder as without it: sanitizers, other
# allocators, no loader at all.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1

cat >work.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void *run(void *n)
{
	for (int i = 0; i < 1000; i++)
		free(malloc((size_t)i));
	return n;
}
int main(void)
{
	pthread_t t[4];
	char *p = calloc(10, 10);
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, run, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("end %d\n", p[99]);
	free(p);
	return 3;
}
END

# same WHAT PROGRAM: with each set of wrappers the output and status of the program alone
same() {
	plain="$(timeout 60 "$2" 2>&1) $?"
	for wrap in none pthread,io,process,memory; do
		rm -rf run
		with="$(timeout 60 tau-record -o run --sample --wrap $wrap "$2" 2>err) $?"
		grep -Ev '^tau-record: ' err >talk
		is "$1, --wrap $wrap" "$with$(cat talk)" "$plain"
	done
}
for s in address thread leak undefined; do
	cc -g -fsanitize=$s work.c -o $s -lpthread 2>/dev/null || { skip "a program with -fsanitize=$s" "no such library"; continue; }
	[ "$(./$s 2>/dev/null)" = "end 0" ] || { skip "a program with -fsanitize=$s" "it does not run here"; continue; }
	same "a program with -fsanitize=$s" "$T/$s"
done
like "what a sanitizer's allocator leaves out is said" \
	"$(tau-record -o said --wrap memory "$T/address" 2>&1)" 'memory is not recorded, because libasan.so has'
cc -g work.c -o plain -lpthread
for l in libjemalloc.so.2 libtcmalloc.so.4 libtcmalloc_minimal.so.4; do
	LD_PRELOAD=$l ./plain 2>&1 | grep -q 'cannot be preloaded' && continue
	export LD_PRELOAD=$l
	same "a program with $l" "$T/plain"
	unset LD_PRELOAD
done
if cc -static work.c -o static -lpthread 2>/dev/null; then
	same "a static program" "$T/static"
	like "that it cannot be recorded is said" "$(cat err)" '^tau-record: .*/static: is statically linked, so it cannot be recorded'
else
	skip "a static program" "no static libc"
fi
tap_end
