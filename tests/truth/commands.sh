# commands.sh: what is recorded is changed from outside while programs run: regions by name and pattern, groups, one process of several.
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/commanded.sh"
cd "$T" || exit 1

# For each N that it reads the program makes N rounds and prints the number of all rounds; for N < 0 also in a function that it never
# called before, and in a region that it has not named before. Two threads do the same.
cat >rounds.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include "tau.h"
static pthread_barrier_t at;
static int n;
static volatile int sink;
#define NOINLINE __attribute__((noinline, noclone))
NOINLINE void inner_one(void) { sink++; }
NOINLINE void inner_two(void) { sink++; }
NOINLINE void late(void)
{
	TAU_START("late region");
	TAU_STOP("late region");
}
NOINLINE void round_of(int last)
{
	TAU_START("named");
	inner_one();
	inner_two();
	if (last)
		late();
	TAU_STOP("named");
}
NOINLINE void rounds(void)
{
	for (int i = 0; i < (n < 0 ? -n : n); i++)
		round_of(n < 0);
}
static void *side(void *p)
{
	for (;;) {
		pthread_barrier_wait(&at);
		if (!n)
			return p;
		rounds();
		pthread_barrier_wait(&at);
	}
}
int main(void)
{
	int all = 0;
	pthread_t t;
	pthread_barrier_init(&at, NULL, 2);
	pthread_create(&t, NULL, side, NULL);
	while (scanf("%d", &n) == 1) {
		pthread_barrier_wait(&at);
		rounds();
		pthread_barrier_wait(&at);
		printf("%d\n", all += n < 0 ? -n : n);
		fflush(stdout);
	}
	n = 0;
	pthread_barrier_wait(&at);
	pthread_join(t, NULL);
	return 0;
}
END
${CC:-cc} -O1 -g -I"$TOP/record" -finstrument-functions rounds.c -o rounds -lpthread || skip_all "no compiler"
mkfifo in
feed() {	# waits until the program has made its rounds, and a little more, so that its threads have been idle
	lines=$(wc -l <out)
	echo "$1" >&3
	until [ "$(wc -l <out)" -gt "$lines" ]; do sleep 0.02; done
	sleep 0.01
}
begin() {	# RUN OPTIONS...
	run=$1; shift
	: >out
	tau-record "$@" -o "$run" ./rounds <in >out 2>"$run.err" &
	recorder=$!
	exec 3>in
}
# calls REGION: of both threads
calls() { tau-trace2profile -f csv "$run" 2>/dev/null | sed 's/"\([^"]*\) \[[^"]*"/\1/' |
	awk -F, -v name="$1" '$5 == "timer" { n = $6; gsub(/"/, "", n); if (n == name) c += $8 } END { print c + 0 }'; }
# after REGION: calls of both threads that begin after the mark
after() { awk -F, -v r="$1" '$4 == "mark" && $5 == "here" { if ($3 > t) t = $3 } { time[NR] = $3; kind[NR] = $4; name[NR] = $5 }
	END { for (i in time) { n = name[i]; sub(/ \[.*/, "", n); gsub(/"/, "", n); if (kind[i] == "enter" && n == r && time[i] > t) c++ } print c + 0 }' "$run.csv"; }
# Excluded calls read no clock: what makes only those looks for commands once in 1,024 calls.
again() { feed 1100; send mark here; feed 1; feed 3; }
all() { for r in round_of inner_one inner_two named late "late region"; do printf '%s=%s ' "$(echo $r | tr ' ' _)" "$(calls "$r")"; done; }

# The plain way of recording, and the one with filters; commands need no option.
for options in "" "--metrics LOGICAL_CLOCK"; do
	begin "run$(echo "$options" | tr -dc a-z)" $options
	feed 10
	send exclude 'inner#'
	feed 5
	send include inner_two
	feed 3
	send exclude named
	feed 2
	send include 'inner#'
	send include named
	feed 1
	send exclude 'late#'	# before the program has called or named either
	feed -4
	send include 'late region'
	feed -3
	send include late
	feed -2
	send exclude '#'
	feed 7
	is "$run: calls of both threads" "$(all)" \
		"round_of=$(((10 + 5 + 3 + 2 + 1 + 4 + 3 + 2) * 2)) inner_one=$(((10 + 1 + 4 + 3 + 2) * 2)) inner_two=$(((10 + 3 + 2 + 1 + 4 + 3 + 2) * 2)) named=$(((10 + 5 + 3 + 1 + 4 + 3 + 2) * 2)) late=$((2 * 2)) late_region=$(((3 + 2) * 2)) "
	send include '#'
	again
	end
	tau-convert "$run" "$run.csv" 2>/dev/null
	for r in round_of inner_one named; do	# the other thread may have begun a round before the mark
		case $(after $r) in 7 | 8) pass "$run: all of $r is recorded again" ;; *) fail "$run: after the mark $(after $r) calls of $r" ;; esac
	done
done

# Groups, in both ways; what is open then stays whole.
for options in "" "--depth 100"; do
	begin "group$(echo "$options" | tr -dc a-z)" $options
	feed 10
	send no-group TAU_USER
	feed 5
	send mark here
	is "$run: calls of both threads" "$(all)" "round_of=20 inner_one=20 inner_two=20 named=20 late=0 late_region=0 "
	send group TAU_USER
	again
	end
	tau-convert "$run" "$run.csv" 2>/dev/null
	for r in round_of inner_one named; do	# the other thread may have begun a round before the mark
		case $(after $r) in 7 | 8) pass "$run: all of $r is recorded again" ;; *) fail "$run: after the mark $(after $r) calls of $r" ;; esac
	done
done

# A function that is open when it is excluded is recorded until it is left.
cat >open.c <<'END'
#include <stdio.h>
__attribute__((noinline)) int tick(int i) { return i + 1; }
__attribute__((noinline)) int outer(int turns)
{
	char line[80];
	int n = 0;
	for (int i = 0; i < turns; i++) {
		puts("ready");
		fflush(stdout);
		if (!fgets(line, sizeof(line), stdin))
			return 0;
		for (int k = 0; k < 5000; k++)
			n = tick(n);
	}
	return n;
}
int main(void)
{
	int n = outer(2);
	for (int k = 0; k < 3000; k++)	/* after so many calls the thread has looked for what is excluded */
		n = tick(n);
	for (int i = 0; i < 3; i++)
		n += outer(0);
	outer(1);
	return n == 0;
}
END
${CC:-cc} -O1 -g -finstrument-functions open.c -o open
mkfifo in2
: >out
run=open.run
tau-record -o $run ./open <in2 >out 2>open.run.err &
recorder=$!
exec 3>in2
ready() { until [ "$(grep -c ready out)" -ge "$1" ]; do sleep 0.02; done; }
ready 1
send exclude outer
echo >&3
ready 2
echo >&3
ready 3
send include outer
echo >&3
end
is "a function that is open is recorded up to its end, later calls are not" "$(calls outer) $(calls tick)" "1 18000"

# One process of several, and the answers of --wait.
mkfifo in3
: >out
run=two.run
cat >two.sh <<'END'
mkfifo a b
./open <a & ./open <b &
exec 4>a 5>b
read x; echo >&4; echo >&5
read x; echo >&4; echo >&5
read x; echo >&4; echo >&5
exec 4>&- 5>&-
wait
END
tau-record -w process -o $run sh two.sh <in3 >out 2>two.run.err &
recorder=$!
exec 3>in3
ready 2
set -- $(pgrep -x open)
is "the command is for one of two processes" "$(send --pid "$1" --wait 50ms exclude tick 2>&1; echo $?) " \
	"process $1: not executed; it has made no call since
1 "
echo >&3
ready 4
like "which has executed it now" "$(send --pid "$1" status)" "^process $1: 1 of 1 commands executed\$"
echo >&3
ready 6
echo >&3
end
is "only it has excluded the function" "$(tau-trace2profile -f csv $run 2>/dev/null | sed 's/"\([^"]*\) \[[^"]*"/\1/' |
	awk -F, '$5 == "timer" && $6 == "tick" { print $8 }' | sort -n | tr '\n' ' ')" "18000 "
like "a process that is not there is reported" "$(send --pid 1 off 2>&1; echo $?)" 'no process that runs on this host is selected
2'
like "--rank without --control is refused" "$(tau-record --rank 0 true 2>&1)" '^tau-record: --rank is for --control RUN'
like "a time that is none" "$(send --wait x off 2>&1)" "^tau-record: --wait: 'x' is not a time"

# In a run without commands the page costs one look in 1,024 records. Counted in instructions.
if [ -n "$TAU_TEST_INSIDE" ]; then
	skip "what the page costs" "a sanitizer's build"
	skip "instructions" "a sanitizer's build"
elif command -v valgrind >/dev/null; then
	cat >tiny.c <<'END'
#include <stdlib.h>
__attribute__((noinline)) int tiny(int i) { return i + 1; }
__attribute__((no_instrument_function)) int main(int argc, char **argv)
{
	int n = 0;
	for (int i = 0; i < atoi(argv[1]); i++)
		n = tiny(n);
	return argc > 5 ? n : 0;
}
END
	${CC:-cc} -O1 -finstrument-functions tiny.c -o tiny
	counted() {	# NAME COMMAND...
		name=$1; shift
		tau-record -o "$name.run" "$@" valgrind --tool=callgrind --callgrind-out-file="$name.cg" ./tiny 60000 >/dev/null 2>"$name.err"
		# Paths of sources are those below the top, where annotated lines have the numbers of calls.
		(at=$PWD; cd "$TOP" && callgrind_annotate --threshold=100 --show-percs=no --inclusive=yes "$at/$name.cg") 2>/dev/null >"$name.cost"
	}
	hooks() { sed -n 's/^ *\([0-9,]*\) .*hooks\.c:__cyg_profile_func_[a-z]* \[.*/\1/p' "$1.cost" | tr -d , | awk '{ n += $1 } END { print n + 0 }'; }
	looks() { sed -n 's/.*commands\.c:commands_look (\([0-9]*\)x).*/\1/p' page.cost | sort -n | tail -n 1; }
	counted page env
	counted none env -u TAU_RECORD_WATCH
	ok "120,000 calls and returns look for commands at most 125 times ($(looks))" test "$(looks)" -gt 50 -a "$(looks)" -le 125
	ok "that is less than 0.1 instructions each ($(hooks page) instead of $(hooks none))" \
		test "$(hooks none)" -gt 1200000 -a $(($(hooks page) - $(hooks none))) -lt 12000
else
	skip "what the page costs" "no valgrind"
	skip "instructions" "no valgrind"
fi
tap_end
