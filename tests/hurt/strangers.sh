# strangers.sh: programs that bring a runtime of their own along run under the recorder as without it: sanitizers, other
# allocators, another C library, no loader at all; so do programs that a recorded one starts.
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
# What cannot be recorded runs as ever, and so does what a recorded program starts of it.
cat >kid.c <<'END'
#include <stdio.h>
int main(int n, char **v) { (void)v; printf("kid %d\n", n); return 6; }
END
kid() {	# WHAT COMPILER WHY NOISE: NOISE is what the loader itself says of a child that it cannot preload into
	$2 kid.c -o kid 2>/dev/null && ./kid >/dev/null 2>&1
	[ $? -eq 6 ] || { skip "$1" "cannot be built here"; return; }
	is "$1: it runs" "$(tau-record -o run ./kid 2>err; echo $?)" "kid 1
6"
	like "$1: and why it is not recorded is said" "$(cat err)" "^tau-record: [^ ]*kid: $3, so it cannot be recorded; it runs unrecorded\$"
	rm -rf run
	is "$1: started by a recorded program it runs" \
		"$(tau-record -o run --wrap pthread,io,process,memory sh -c './kid x; echo $?' 2>err)" "kid 2
6"
	is "$1: and nothing else is said" "$(grep -cvE "^tau-record: |$4" err)" 0
	rm -rf run
}
kid "a program of another C library" musl-gcc "is built for another C library than the recorder" "^\$"
kid "a program of another C library, without loader" "musl-gcc -static" "is statically linked" "^\$"
kid "a 32-bit program" "cc -m32" "is not a 64-bit program" "from LD_PRELOAD cannot be preloaded .*: ignored"
kid "a 32-bit program without loader" "cc -m32 -static" "is not a 64-bit program" "^\$"

# The loader splits its list at spaces and colons.
mkdir "a folder" && cp "$B/tau-record" "$B"/libtau*.so "a folder"
is "a recorder in a folder that the loader cannot take runs nothing" "$("a folder/tau-record" ./plain 2>err; echo $?)" 125
like "and says so" "$(cat err)" 'a folder/libtau.so: the loader preloads nothing from a folder with a space or a colon in its name$'
tap_end
