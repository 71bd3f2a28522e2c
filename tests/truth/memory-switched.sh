# memory-switched.sh: recording of memory is switched off and on from outside; the program knows which of its blocks are recorded.
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/commanded.sh"
cd "$T" || exit 1

# a: allocates a set of blocks in different ways; f, t: frees every second block that is left, of all sets, in the first thread or a new
# one; r: makes those that are left larger; n, y: blocks are not recorded from now on, or are; k: forks a child that does the rest.
# Its answer is the recorded blocks that are live, their bytes, and how many were recorded.
cat >blocks.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tau.h"
#define MOST 4000
static struct { char *p; size_t size; int recorded; } block[MOST];
static int n, on = 1;
static long allocated;
static void note(int i, void *p, size_t size)
{
	block[i].p = p;
	block[i].size = size;
	block[i].recorded = on;
	allocated += on;
}
static void allocate(void)
{
	static int turn;
	for (int i = 0; i < 300; i++, turn++) {
		size_t size = turn % 7 == 6 ? 40000 + (size_t)i : turn % 7 == 5 ? 5000 : 40 + (size_t)turn % 5 * 48;
		void *p = NULL;
		switch (turn % 4) {
		case 0: p = calloc(1, size); break;
		case 1: p = posix_memalign(&p, 64, size) ? NULL : p; break;
		case 2: p = realloc(NULL, size); break;
		default: p = malloc(size);
		}
		note(n++, p, size);
	}
	for (int i = 0; i < 3000; i++)	/* none of these stays */
		free(realloc(malloc(100 + (size_t)i % 4), 300));
	allocated += on * 6000;
}
static void *half(void *unused)
{
	for (int i = 0, k = 0; i < n; i++)
		if (block[i].p && k++ % 2) {
			free(block[i].p);
			block[i].p = NULL;
		}
	return unused;
}
static void larger(void)
{
	for (int i = 0; i < n; i++)
		if (block[i].p)
			note(i, realloc(block[i].p, block[i].size + 600), block[i].size + 600);
}
int main(int argc, char **argv)
{
	static char out[200];
	uint32_t step = argc > 1 ? 0 : tau_region("step", "TAU_USER", 0, 0);
	char c;
	pthread_t t;
	setvbuf(stdout, out, _IOLBF, sizeof(out));
	while (read(0, &c, 1) == 1) {
		long live = 0, bytes = 0;
		usleep(2000);
		if (step) {
			tau_enter(step);
			tau_leave(step);
		}
		switch (c) {
		case 'a': allocate(); break;
		case 'f': half(NULL); break;
		case 't': pthread_create(&t, NULL, half, NULL); pthread_join(t, NULL); break;
		case 'r': larger(); break;
		case 'n': on = 0; break;
		case 'y': on = 1; break;
		case 'k':
			if (fork()) {
				wait(NULL);
				return 0;
			}
			for (int i = 0; i < n; i++)	/* the parent's */
				block[i].recorded = 0;
			allocated = 0;
			break;
		}
		for (int i = 0; i < n; i++)
			if (block[i].p && block[i].recorded) {
				live++;
				bytes += (long)block[i].size;
			}
		printf("%ld %ld %ld\n", live, bytes, allocated);
	}
	return 0;
}
END
${CC:-cc} -O1 -g -fno-builtin -I"$TOP/record" blocks.c -o blocks -L"$B" -ltau -Wl,-rpath,"$B" -lpthread || skip_all "no compiler"
mkfifo in
feed() {
	for letter; do
		lines=$(wc -l <out)
		printf %s "$letter" >&3
		until [ "$(wc -l <out)" -gt "$lines" ]; do sleep 0.02; done
	done
}
off() { send no-memory; feed n; }
on() { send memory; feed y; }
begin() {	# RUN OPTIONS... PROGRAM
	run=$1; shift
	: >out
	tau-record -o "$run" "$@" <in >out 2>"$run.err" &
	recorder=$!
	exec 3>in
}
# counter NAME FIELD of the program's own blocks; 12: how many, 14: the last value
counter() { tau-trace2profile ${node:+--rank "$node"} -f csv "$run" 2>/dev/null |
	awk -F, -v name="$1" -v at="$2" '$5 == "counter" && $6 == name { v += $at } END { printf "%.0f", v }'; }
recorded() { echo "$(counter "live objects untyped [blocks]" 14) $(counter "live untyped [blocks]" 14) $(counter "alloc untyped [blocks]" 12)"; }

for words in types types,maps stacks:4 leaks; do
	begin "run-$(echo "$words" | tr -dc a-z)" --memory=$words ./blocks
	feed a f
	off
	feed a t r a	# what is larger now is not recorded any more
	on
	feed f a r a	# and now it is
	off; feed f t a
	on; feed a t f
	if [ $words = types ]; then off; feed a f; fi	# it ends without
	truth=$(tail -n 1 out)
	end
	case $words in
	types*) is "$run: blocks and bytes that are live, and allocations" "$(recorded)" "$truth" ;;
	esac
	tau-report memory "$run" 2>&1 | tr -s ' \n' '  ' >shown
	like "$run: reports say from when on it was off" "$(cat shown)" "command 1: without memory tracking from [0-9.]* m?s on"
	like "$run: and from when on it was on" "$(cat shown)" "command 2: with memory tracking from [0-9.]* m?s on"
	like "$run: and how much is missing" "$(cat shown)" \
		"[0-9]+ blocks of [0-9]+ bytes, allocated in 1 of 1 process while memory tracking was off, are not included"
	is "$run: no block came twice without a free" "$(tau-dump "$run" 2>/dev/null | sed -n 's/.*"TAU Memory Lost Frees" value="\([0-9]*\)".*/\1/p')" 0
done
like "leaks are not searched if blocks are missing" "$(tau-report leaks run-leaks 2>&1)" \
	'leaks were not searched, because memory tracking was off for a time'

begin searched --memory=leaks ./blocks
feed a
off
on
end
is "leaks are searched if no block is missing" "$(tau-report leaks searched 2>&1 | grep -c 'not searched')" 0

# The child of a fork begins as its parent is.
begin forked --memory=types --wrap process ./blocks
feed a
off
feed k a
on
feed a f
truth=$(tail -n 1 out)
end
node=1
is "a child records no memory, too, until it is switched on" "$(recorded)" "$truth"
node=

# A program without any other event executes the command, too.
begin alone --memory=types ./blocks none
feed a
off; feed a
on; feed a a
like "allocations alone look for commands" "$(send status)" "2 of 2 commands executed"
end

# Four threads pass blocks to each other while it is switched: at the end all are freed, so none is live.
cat >crowd.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void *shelf[512];
static volatile int over;
static void *passes(void *seed)
{
	unsigned x = (unsigned)(long)seed;
	while (!over) {
		void *p;
		x = x * 1103515245 + 12345;
		p = x >> 28 ? malloc(24 + x / 65536 % 5 * 32) : malloc(5000 + x / 65536 % 5 * 32);
		if (x >> 16 & 1)
			p = realloc(p, 200);
		free(__atomic_exchange_n(&shelf[x / 65536 % 512], p, __ATOMIC_ACQ_REL));
		if (x >> 20 == 0)
			usleep(20000);
	}
	return NULL;
}
int main(void)
{
	pthread_t t[4];
	char c;
	for (long i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, passes, (void *)(i + 7));
	puts("ready");
	fflush(stdout);
	over = read(0, &c, 1) == 0;
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 512; i++)
		free(shelf[i]);
	return 0;
}
END
${CC:-cc} -O1 -g -fno-builtin crowd.c -o crowd -lpthread
begin passed --memory=types ./crowd
until [ -s out ] || [ -s passed.err ]; do sleep 0.02; done
for i in 1 2 3 4 5 6 7 8; do
	send --wait 20 no-memory || fail "no-memory was not executed"
	send --wait 20 memory || fail "memory was not executed"
done
end
is "passed: no block is live, and none came twice without a free" \
	"$(tau-trace2profile -f csv passed 2>/dev/null | awk -F, '$5 == "counter" && $6 == "live objects untyped [crowd]" { v += $14 } END { print v + 0 }') $(
	tau-dump passed 2>/dev/null | sed -n 's/.*"TAU Memory Lost Frees" value="\([0-9]*\)".*/\1/p')" "0 0"

begin heap --memory=heap ./blocks
feed a
like "a heap that is counted needs each block" "$(send no-memory 2>&1; echo $?)" 'the heap use is recorded, which needs each block; no-memory is not possible
125'
end
begin none ./blocks
feed a
like "without --memory there is nothing to switch" "$(send memory 2>&1)" 'it was recorded without --memory, which cannot begin now'
end
tap_end
