# reconfigured.sh: the sampling period, metrics and copies of a run are controlled from outside; programs print their own truth.
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/commanded.sh"
cd "$T" || exit 1

# For each "NAME MS" that it reads the program uses MS ms of CPU time in work_NAME; then it prints NAME and the us that it used. It makes no
# call that is recorded.
cat >works.c <<'END'
#include <stdio.h>
#include <time.h>
static volatile double sink;
static long us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}
#define WORK(name) \
	__attribute__((noinline, noclone)) long work_##name(long ms) \
	{ \
		long begin = us(); \
		while (us() < begin + ms * 1000) \
			for (int i = 0; i < 20000; i++) \
				sink = sink * 0.5 + i; \
		return us() - begin; \
	}
WORK(a) WORK(b) WORK(c) WORK(x)
int main(void)
{
	char name;
	long ms;
	while (scanf(" %c %ld", &name, &ms) == 2) {
		long n = name == 'a' ? work_a(ms) : name == 'b' ? work_b(ms) : name == 'c' ? work_c(ms) : work_x(ms);
		printf("%c %ld\n", name, n);
		fflush(stdout);
	}
	return 0;
}
END
${CC:-cc} -O1 -g works.c -o works || skip_all "no compiler"
mkfifo in
feed() {	# waits until the program has read it and done it
	lines=$(wc -l <out)
	echo "$1" >&3
	until [ "$(wc -l <out)" -gt "$lines" ]; do sleep 0.02; done
}
begin() {	# RUN PROGRAM OPTIONS...
	run=$1 program=$2; shift 2
	: >out
	tau-record "$@" -o "$run" "./$program" <in >out 2>"$run.err" &
	recorder=$!
	exec 3>in
}
obeyed() {	# the program works a little, until it has executed all commands
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		send status >/dev/null && return
		feed "$1"
	done
}

begin sampled works --sample=10ms
feed "a 400"
send no-sample
obeyed "x 100"
is "the command is acknowledged" "$(send status | sed 's/^process [0-9]*: //')" "1 of 1 commands executed"
feed "b 400"
send sample 2ms
obeyed "x 400"
feed "c 400"
like "a period has its limits" "$(send sample 1us 2>&1)" "'1us' is not a time from 50us to 1000s"
like "without --metrics they cannot begin" "$(send metrics 2>&1)" 'sampled: it was recorded without --metrics, which cannot begin now'
end
# "NAME SAMPLES US" of the functions' samples
tau-trace2profile -f csv --sample-resolution function sampled 2>/dev/null | awk -F, '$5 == "timer" && $6 ~ /^"?\[SAMPLE\] work_/ {
	name = $6; sub(/.*work_/, "", name); i = 7
	while (i < NF && $i !~ /^TAU_/) i++
	n[substr(name, 1, 1)] += $(i + 1); us[substr(name, 1, 1)] += $(i + 3) }
	END { for (k in n) print k, n[k], us[k] }' | sort >samples
sed 's/^/# /' out samples
is "no sample was taken in the function that ran without samples" "$(grep -c '^b' samples)" 0
# Periods that passed while the machine stood still have no samples, so there may be fewer.
share() { awk -v name="$1" 'FNR == NR { if ($1 == name) cpu += $2; next } $1 == name { s = $3 } END { print int(100 * s / cpu) }' out samples; }
for name in a c; do
	ok "samples of work_$name are its CPU time ($(share $name) %)" test "$(share $name)" -ge 60 -a "$(share $name)" -le 112
done
ok "10 ms before, and less after the command" awk '$1 == "a" { a = $3 / $2 } $1 == "c" { c = $3 / $2 } END { exit !(a >= 10000 && c >= 2000 && c < a * 0.9) }' samples
like "profiles name the commands" "$(tau-trace2profile sampled 2>&1 >/dev/null | tr '\n' ' ')" \
	"command 1: without samples from [0-9.]+ m?s on.*command 2: samples every '2ms' from [0-9.]+ m?s on"

# Each step takes 5 us by the program's own clock. After N steps of both threads it prints how many there were so far.
cat >steps.c <<'END'
#include <stdio.h>
#include "tau.h"

static double clock_us;
int main(void)
{
	uint32_t step = tau_region("step", "TAU_USER", 0, 0);
	int n, all = 0;
	while (scanf("%d", &n) == 1) {
		for (int i = 0; i < n; i++) {
			tau_enter(step);
			Tau_set_user_clock(clock_us += 5);
			tau_leave(step);
		}
		printf("%d\n", all += n);
		fflush(stdout);
	}
	return 0;
}
END
${CC:-cc} -O1 -g -I"$TOP/record" steps.c -o steps -L"$B" -ltau -Wl,-rpath,"$B"
# RUN: calls of step, and its USER_CLOCK
clock() { tau-trace2profile -f csv "$1" 2>/dev/null | tr -d '\r' | awk -F, '$5 == "timer" && $6 == "step" { print $8, $NF }'; }

begin metered steps --metrics USER_CLOCK
feed 10
sleep 0.01
send no-metrics
feed 7
sleep 0.01
send metrics
feed 5
end
is "each step is recorded, and the metric of those that were made while metrics were read" "$(clock metered)" "22 75"

# Copies while the flight recorder removes what is old.
begin flown steps --flight 100KB
feed 10
is "a process that waits has not acknowledged the copy" "$(send dump idle | sed 's/[0-9][0-9]*/N/')" "process N: not executed; it has made no call since"
is "the copy has all steps" "$(tau-trace2profile -f csv idle 2>/dev/null | awk -F, '$6 == "step" { print $8 }')" "$(tail -n 1 out)"
ok "and is a whole trace" tau-dump --check idle
like "a directory that is there is kept" "$(feed 1; send dump idle 2>&1)" 'idle: File exists'
echo 40000000 >&3
for i in 1 2 3 4 5 6; do
	send --wait 60 dump copy$i
	is "copy $i is acknowledged" $? 0
	ok "and is a whole trace" tau-dump --check copy$i
done
like "its reports name the copy before" "$(tau-report copy6 2>/dev/null)" "command 6: the run was copied to 'copy5' at"
end
tap_end
