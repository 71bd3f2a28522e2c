# processors.sh: programs that compute all the time know how long they had no processor: what passed less what they used. The trace
# and the overview have the same, and name the reason.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1
command -v taskset >/dev/null || skip_all "no taskset"
[ -r /proc/self/schedstat ] || skip_all "this kernel does not count how long threads wait for a processor"
cat >spin.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double want;

/* Computes, and adds what it waited to *waited. */
static void *spin(void *waited)
{
	double begin = now(CLOCK_MONOTONIC), used = now(CLOCK_THREAD_CPUTIME_ID);

	while (now(CLOCK_THREAD_CPUTIME_ID) - used < want)
		;
	*(double *)waited += now(CLOCK_MONOTONIC) - begin - (now(CLOCK_THREAD_CPUTIME_ID) - used);
	return NULL;
}

static void *spin_and_stay(void *waited)
{
	spin(waited);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	double waited[2] = {0};
	pthread_t t;

	want = atof(argv[1]) * 1e3;
	if (argc > 2)
		pthread_create(&t, NULL, spin_and_stay, &waited[1]);
	spin(&waited[0]);
	if (argc > 2)
		usleep(500000);
	printf("%.0f\n", waited[0] + waited[1]);
	return 0;
}
C
ok "the program builds" ${CC:-cc} -O1 -o spin spin.c -lpthread

told() { tau-dump --only definitions "$1" | sed -n 's/.*Waiting To Run (us): [0-9]*" value="\([0-9]*\)".*/\1/p' | awk '{ s += $1 } END { print s + 0 }'; }
# What the recorder's own start and end wait is counted, too: on a busy machine up to a few time slices.
near() { [ "$1$2" ] && awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; exit !(d <= 0.1 * b + 60000 && d >= -0.1 * b - 20000) }' || { echo "# trace: $1 us, program: $2 us"; false; }; }

first=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
taskset -c "$first" sh -c 'tau-record -o one ./spin 600 >one.waited 2>/dev/null & tau-record -o two ./spin 600 >two.waited 2>/dev/null & wait'
for run in one two; do
	ok "two programs on one processor: $run" near "$(told $run)" "$(cat $run.waited)"
done
ok "which waited" awk 'BEGIN { exit !('"$(told one)"' > 200000) }'
tau-report one >text
is "the overview has it among what the run waited for" "$(grep -c '^  for a processor  *[0-9.]* m*s ' text)" 1
is "and as a finding that names other work" "$(grep -c '^  [0-9]*\. other work on the processors: ' text)" 1
is "text and CSV agree" "$(tau-report one -f csv | tr -d '\r' | grep ',for a processor,' | grep -c "$(told one)")" 1
is "by rank: the share of the time" "$(tau-report profile --by rank -f csv one | tr -d '\r' | awk -F, -v us="$(told one)" '
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
	NR == 2 { d = $(at["no_processor_pct"]) - 100 * us / $(at["time_us"]); print (d < 1e-6 && d > -1e-6) }')" 1
tau-db import -d store.db -w : one >/dev/null
is "a store has the same" "$(tau-report --db store.db one -f csv | tr -d '\r' | grep ',for a processor,' | grep -c "$(told one)")" 1
is "which has no window" "$(tau-report --db store.db one | grep -c window)" 0
is "a window has none" "$(tau-report -w :50% one | grep -c 'for a processor')" 0

taskset -c "$first" tau-record -w pthread -o bound ./spin 400 more >bound.waited 2>/dev/null
ok "two threads that are bound to one processor" near "$(told bound)" "$(cat bound.waited)"
if [ "$(nproc)" -gt 1 ]; then
	like "the overview reports it" "$(tau-report bound | tr '\n' ' ')" 'too few processors: .*threads of rank 0 are bound to 1 processor of '
else
	like "the overview reports it" "$(tau-report bound | tr '\n' ' ')" 'too few processors: .*threads at once share 1 processor of '
fi

# Threads that end before the process does, which binds itself to one processor; the first sleeps until they have ended.
cat >ended.c <<'C'
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double waited[4], lived[4];

static void *spin(void *x)
{
	double begin = now(CLOCK_MONOTONIC), used = now(CLOCK_THREAD_CPUTIME_ID);
	int i = (int)(long)x;

	while (now(CLOCK_THREAD_CPUTIME_ID) - used < 300e3)
		;
	lived[i] = now(CLOCK_MONOTONIC) - begin;
	waited[i] = lived[i] - (now(CLOCK_THREAD_CPUTIME_ID) - used);
	return NULL;
}

int main(void)
{
	pthread_t t[4];
	cpu_set_t one;
	double begin = now(CLOCK_MONOTONIC);

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	for (long i = 0; i < 4; i++)
		pthread_create(t + i, NULL, spin, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("%.0f %.0f\n", waited[0] + waited[1] + waited[2] + waited[3], now(CLOCK_MONOTONIC) - begin);
	return 0;
}
C
ok "a program whose threads end builds" ${CC:-cc} -D_GNU_SOURCE -O1 -o ended ended.c -lpthread
tau-record -o ended.run ./ended >ended.out 2>/dev/null
read -r waited slept <ended.out
ok "threads that ended count" near "$(told ended.run)" "$waited"
like "and are bound to one processor" "$(tau-report ended.run | tr '\n' ' ')" 'too few processors: .* threads of rank 0 are bound to 1 processor of '
ok "the first thread slept until then" near "$(tau-dump --only definitions ended.run | sed -n 's/.*Asleep (us): 0" value="\([0-9]*\)".*/\1/p')" "$slept"
like "which is a finding, with the option that records why" "$(tau-report ended.run | tr '\n' ' ')" \
	'asleep outside of recorded calls: .*thread 0\.0 longest, .*tau-record --wrap io,pthread'
is "with locks recorded, it is none" "$(tau-record -w pthread -o joined.run ./ended >/dev/null 2>&1; tau-report joined.run | grep -c '^  [0-9]*\. asleep outside')" 0

# What the recorder waits at its own end is not the program's: a short program cannot wait longer than it lasts.
echo 'int main(void) { return 0; }' >short.c
${CC:-cc} -O1 -finstrument-functions -o short short.c
for i in 1 2 3 4; do taskset -c "$first" ./spin 60000 & spins="$spins $!"; done >/dev/null 2>&1
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	rm -rf short.run
	taskset -c "$first" tau-record -o short.run ./short 2>/dev/null
	tau-report profile --by rank -f csv short.run | tr -d '\r' | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		NR == 2 { print ($(at["no_processor_pct"]) > 100) }'
done >over
kill $spins
is "short programs on a busy processor" "$(grep -c . over) $(awk '{ s += $1 } END { print (s > 2) }' over)" "12 0"

# Three times as many in one run as there are processors.
n=$(($(nproc) * 3))
tau-record -o many sh -c 'i=0; while [ $i -lt '$n' ]; do i=$((i + 1)); ./spin 300 >many.waited.$i & done; wait' >/dev/null 2>&1
is "all of them are in the run" "$(ls many.waited.* | wc -l)" "$n"
ok "more programs than processors" near "$(told many)" "$(cat many.waited.* | awk '{ s += $1 } END { print s }')"
like "the overview reports it" "$(tau-report many | tr '\n' ' ')" "too few processors: .* threads at once share $(nproc) processors? of "
tap_end
