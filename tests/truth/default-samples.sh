# default-samples.sh: samples without an option: functions and call paths of any program, regions as without them, threads and
# processes that do little cost nothing, no system call is interrupted, and who does not want them, or would see them, has none.
. "$(dirname "$0")/../expect.sh"
unset TAU_SAMPLING
cd "$T" || exit 1

cat >plain.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static long long cpu(void) { struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return t.tv_sec * 1000000000ll + t.tv_nsec; }
static volatile double s;
static __attribute__((noinline)) void turn(int n) { for (int i = 0; i < n; i++) s = s + i; }
static __attribute__((noinline)) void light(void) { turn(100000); s = 0; }
static __attribute__((noinline)) void heavy(void) { turn(300000); s = 0; }
int main(int argc, char **argv)
{
	long long t[3] = {0}, end = cpu() + atoi(argv[argc > 1]) * 1000000ll;

	while (cpu() < end) {
		long long a = cpu(), b;

		light(); b = cpu(); t[0] += b - a;
		heavy(); t[1] += cpu() - b;
	}
	printf("%lld %lld\n", t[0], t[1]);
	return 0;
}
END
ok "a plain program builds" ${CC:-cc} -g -O1 -fno-ipa-cp -fno-inline plain.c -o plain
tau-record -o plain.run ./plain 1500 >plain.out 2>plain.err
is "tau-record prints its line only" "$(wc -l <plain.err)" 1
tau-report plain.run >overview 2>&1
like "the overview names the function, with its file" "$(sed -n '/^Samples/,/^$/p' overview)" '^  turn \(plain\.c\) .* [0-9]+ samples?'
is "and nothing has a path of folders" "$(grep -c "$T" overview)" 0
like "a finding is about it" "$(cat overview)" '[0-9]\. most time in turn \(plain\.c\)'
# Callers have the shares of the CPU time that the program's clock gave them, within 4 standard deviations.
tau-trace2profile -f csv --sample-resolution function plain.run 2>/dev/null | awk -F, '$5 == "timer" && $6 ~ /UNWIND\] (light|heavy) / { split($6, w, " "); n[w[2]] += $8 }
	END { print n["light"] + 0, n["heavy"] + 0 }' >hits
verdict=$(awk 'NR == FNR { n = $1 + $2; k = $1; next } { p = $1 / ($1 + $2); d = k - n * p; if (d < 0) d = -d
	print (n > 100 && d <= 4 * sqrt(n * p * (1 - p)) + 1) ? "good" : "BAD: " k " of " n ", true " p }' hits plain.out)
is "callers have the shares that the program measured" "$verdict" good

tau-record -o short.run true 2>short.err
like "a program shorter than a period" "$(sed 1d short.err)" 'no events recorded: .*; no thread ran as long as a period of samples, 10.00 ms\. Try: --sample=1ms'
tau-record --sample=1s -o long.run true 2>long.err
like "a period of an option that is too long" "$(sed 1d long.err)" 'no samples: no thread ran as long as a period of samples, 1\.000 s\. Try: --sample=100ms$'
tau-record --sample=1s -o killed.run sh -c 'kill -9 $$' 2>killed.err || :
is "... is not stated of a program that was killed" "$(grep -c 'no samples' killed.err)" 0
tau-record --sample=1ms -o enough.run ./plain 100 >/dev/null 2>enough.err
is "... nor with samples" "$(grep -c 'no samples' enough.err)" 0
tau-record --sample=none -o none.run ./plain 100 >/dev/null 2>none.err
is "--sample=none takes none" "$(tau-dump --only records none.run | grep -c SAMPLE)" 0
like "and says what does" "$(cat none.err)" 'Try: without --sample=none'
is "--sample=none --unwind is refused" "$(tau-record --sample=none --unwind true 2>&1; echo $?)" "tau-record: --unwind: --sample=none takes no samples
125"
is "TAU_SAMPLING=0 is the same" "$(TAU_SAMPLING=0 tau-record -n -o no ./plain | grep -c SAMPLE)" 0
is "--estimate takes none either" "$(tau-record --estimate -n -o no ./plain | grep -c SAMPLE)" 0
is "nor does a tau-record inside another" "$(tau-record -o outer tau-record --sample=none -n -o no ./plain 2>/dev/null | grep -c SAMPLE)" 0
like "-n shows them" "$(tau-record -n -o no ./plain)" '^TAU_RECORD_SAMPLE=10000'

# ---- regions ----
regions() { tau-trace2profile -f csv "$1" 2>/dev/null | awk -F, '$5 == "timer" && $6 !~ /\[(SAMPLE|CONTEXT|UNWIND)\]/ { print $6, $8 }' | sort; }
tau-record -o with.run "$B/apps/hooks" >/dev/null 2>&1
tau-record --sample=none -o without.run "$B/apps/hooks" >/dev/null 2>&1
is "regions have the same calls with samples" "$(regions with.run)" "$(regions without.run)"

# ---- threads and processes ----
cat >threads.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static volatile double s;
static void burn(long ms)
{
	struct timespec t;
	do {
		for (int i = 0; i < 10000; i++) s = s + i;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	} while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < ms);
}
static void *work(void *ms) { burn((long)ms); return NULL; }
static pthread_barrier_t all;
static void *meet(void *x) { pthread_barrier_wait(&all); return x; }
int main(int argc, char **argv)
{
	pthread_t t[64];

	for (int i = 0; i < 500; i++) { pthread_create(t, NULL, work, (void *)0); pthread_join(*t, NULL); }
	pthread_barrier_init(&all, NULL, 64);
	for (int i = 0; i < 64; i++) pthread_create(t + i, NULL, meet, NULL);
	for (int i = 0; i < 64; i++) pthread_join(t[i], NULL);
	for (int i = 0; i < 2; i++) pthread_create(t + i, NULL, work, (void *)200);
	for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
	for (int i = 0; i < 20; i++) {
		pid_t p = fork();
		if (!p) { if (i == 7) burn(300); _exit(0); }
		waitpid(p, NULL, 0);
	}
	return argc > 5 && argv[1][0];
}
END
ok "a program with threads and children builds" ${CC:-cc} -g -O1 threads.c -o threads -pthread
tau-record -o threads.run ./threads 2>threads.err
is "it has a trace for each thread and process that ran for a period" "$(ls threads.run/*.tau | wc -l)" 4
is "each of these has samples" "$(for f in threads.run/*.tau; do tau-dump --only records "$f" | grep -c SAMPLE; done | awk '$1 >= 10 { n++ } END { print n + 0 }')" 3
ok "the files are sound" tau-dump --check threads.run

# ---- nothing is interrupted ----
cat >polls.c <<'END'
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
int main(void)
{
	struct pollfd p[500];
	int fd[2];
	long interrupted = 0;

	if (pipe(fd)) return 1;
	for (int i = 0; i < 500; i++) p[i] = (struct pollfd){fd[0], POLLIN, 0};
	while (clock() < 2 * CLOCKS_PER_SEC)
		interrupted += poll(p, 500, 0) < 0 && errno == EINTR;
	printf("%ld\n", interrupted);
	return 0;
}
END
${CC:-cc} -O1 polls.c -o polls
tau-record -o polls.run ./polls >polls.out 2>/dev/null
is "no call of poll(2) is interrupted" "$(cat polls.out)" 0
ok "though there were samples" test "$(tau-dump --only records polls.run | grep -c SAMPLE)" -gt 50

# ---- who would see the signals ----
watched() {	# NAME COMMAND...
	name=$1; shift
	command -v "$1" >/dev/null || { skip "$name: no samples" "it is not installed"; return; }
	tau-record -o "$name.run" "$@" >"$name.out" 2>"$name.err"
	like "$name: no samples, and the reason" "$(cat "$name.err")" 'no samples of 1 process, because a debugger, a tracer or valgrind ran them; --sample takes them nevertheless'
}
watched strace strace -o strace.txt ./plain 100
[ ! -e strace.txt ] || is "strace sees no timer and no signal" "$(grep -c 'timer_create\|SIGRT' strace.txt)" 0
watched valgrind valgrind -q --tool=callgrind --callgrind-out-file=cg ./plain 100
tap_end
