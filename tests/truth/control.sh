# control.sh: what the options of tau-record exclude is not recorded, and the rest is exact.
. "$(dirname "$0")/../expect.sh"

# counts NAME: calls of each region of the control program, in one line
regions="outer pair middle leaf deep"
profile() { tau-trace2profile --callpath=2 --format csv "$T/$1.run" >"$T/$1.csv" 2>"$T/$1.why"; }
counts() {
	profile "$1" || { cat "$T/$1.why"; return; }
	for r in $regions; do n=$(calls "$1" $r); printf '%s=%s ' $r "${n:-0}"; done | sed 's/ $//'
}
whole="outer=100 pair=100 middle=200 leaf=600 deep=180"
checked() { ok "$1: the trace is sound" tau-dump --check "$T/$1.run"; }

# rows NAME: name, group, calls, exclusive and inclusive us of every timer, with tabs between
rows() {
	awk -F '"' '!/,timer,/ { next }
		NF > 1 { split($3, v, ","); print $2 "\t" v[2] "\t" v[3] "\t" v[5] "\t" v[6]; next }
		{ split($0, v, ","); print v[6] "\t" v[7] "\t" v[8] "\t" v[10] "\t" v[11] }' "$T/$1.csv"
}
paths() { rows "$1" | awk -F '\t' '{ print $1, $3 }' | sort; }
# what exclusive times miss of the root's inclusive time, in ns
imbalance() {
	rows "$1" | awk -F '\t' '$2 !~ /TAU_CALLPATH/ { sum += $4 } $1 == ".TAU application" { root = $5 }
		END { printf "%d\n", (sum - root) * 1000 }'
}
records() { tau-dump "$T/$1.run" | grep -c '^  #'; }

# ---- selection ----
select_with() { name=$1; shift; printf '%s\n' "$@" >"$T/$name.sel"; record $name --select "$T/$name.sel" "$B/apps/control" 100; }

select_with exclude '# a comment' BEGIN_EXCLUDE_LIST '  le#f' '"pair"' END_EXCLUDE_LIST
is "exclude list: names with # and quotes" "$(counts exclude)" "outer=100 pair=0 middle=200 leaf=0 deep=180"
checked exclude
select_with include BEGIN_INCLUDE_LIST 'm#' 'deep' END_INCLUDE_LIST
is "include list: only these" "$(counts include)" "outer=0 pair=0 middle=200 leaf=0 deep=180"
select_with both BEGIN_INCLUDE_LIST '"#e#' END_INCLUDE_LIST BEGIN_EXCLUDE_LIST '"#l#"' END_EXCLUDE_LIST
is "what is in both lists is out" "$(counts both)" "outer=100 pair=0 middle=0 leaf=0 deep=180"
select_with files BEGIN_FILE_EXCLUDE_LIST '*cont?ol.hook.c' END_FILE_EXCLUDE_LIST
is "file exclude list: * and ?; a region without a file stays" "$(counts files)" "outer=0 pair=100 middle=0 leaf=0 deep=0"
select_with filesin BEGIN_FILE_INCLUDE_LIST 'control.*' END_FILE_INCLUDE_LIST
is "file include list" "$(counts filesin)" "$whole"
select_with section BEGIN_INSTRUMENT_SECTION 'loops routine="#"' END_INSTRUMENT_SECTION
is "an instrumentation section changes nothing" "$(counts section)" "$whole"
like "and is named" "$(cat "$T/section.err")" 'BEGIN_INSTRUMENT_SECTION is ignored .*1'
TAU_SELECT_FILE=$T/exclude.sel record variable "$B/apps/control" 100
is "TAU_SELECT_FILE is an alias" "$(counts variable)" "outer=100 pair=0 middle=200 leaf=0 deep=180"
printf 'BEGIN_EXCLUDE_LIST\nleaf\n' >"$T/bad.sel"
record bad --select "$T/bad.sel" "$B/apps/control" 1
is "a file without its END is refused" "$code" 125
like "in a sentence" "$(cat "$T/bad.err")" 'bad.sel: END_EXCLUDE_LIST is missing'

# ---- depth, throttle, groups ----
run() { name=$1; shift; record $name "$@"; }
run depth --depth 3 "$B/apps/control" 100
is "depth 3" "$(counts depth)" "outer=100 pair=100 middle=200 leaf=0 deep=0"
checked depth
TAU_DEPTH_LIMIT=4 run depth4 "$B/apps/control" 100
is "TAU_DEPTH_LIMIT is an alias" "$(counts depth4)" "outer=100 pair=100 middle=200 leaf=600 deep=0"
run throttle --throttle=150:1000000000 "$B/apps/control" 100
is "throttled regions end at the limit, their callers and callees do not" "$(counts throttle)" \
	"outer=100 pair=100 middle=151 leaf=151 deep=153"
like "and are named at the end" "$(cat "$T/throttle.err")" 'Throttled: leaf .* after 151 calls'
tau-trace2profile --format json "$T/throttle.run" >"$T/throttle.json"
like "whoever reads the run is told" "$(tau-trace2profile -f csv -o /dev/null "$T/throttle.run" 2>&1)" \
	'throttle.run: recording of 3 regions was stopped to save time, so later calls of them are not included: leaf, middle, deep$'
tau-trace2profile -o "$T/throttle.tau" "$T/throttle.run" 2>/dev/null
like "of a profile of it, too" "$(tau-trace2profile -f csv -o /dev/null "$T/throttle.tau" 2>&1)" 'later calls of them are not included: deep, leaf, middle$'
mkdir "$T/disabled"
printf '2 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls #\n"main" 1 1 5 9 0 GROUP="G"\n"tiny [THROTTLED]" 1 0 4 4 0 GROUP="TAU_DISABLE"\n0 aggregates\n0 userevents\n' >"$T/disabled/profile.0.0.0"
like "and of one that TAU wrote" "$(tau-trace2profile -f csv -o /dev/null "$T/disabled" 2>&1)" 'later calls of it are not included: tiny'
printf 'BEGIN_INCLUDE_LIST\nnosuchfunction\nEND_INCLUDE_LIST\n' >"$T/none.select"
for option in "--groups NOSUCH" "--start nosuch" "--select $T/none.select"; do
	like "a selection that matches nothing: ${option%% *}" "$(tau-record -o "$T/none${option%% *}.run" $option "$B/apps/hooks" 2>&1 >/dev/null)" \
		": no events recorded: no region that the program entered passes $option\$"
done
like "and in the metadata" "$(cat "$T/throttle.json")" '"TAU Throttled: leaf'
checked throttle
run slow --throttle=10:0 "$B/apps/control" 100
is "calls that take longer are not throttled" "$(counts slow)" "$whole"
TAU_THROTTLE=1 TAU_THROTTLE_NUMCALLS=99 TAU_THROTTLE_PERCALL=1000000000 run throttlevar "$B/apps/control" 50
is "TAU's variables throttle too" "$(counts throttlevar)" "outer=50 pair=50 middle=100 leaf=100 deep=90"
run groups --groups OTHER "$B/apps/control" 100
is "only regions of the groups named" "$(counts groups)" "outer=0 pair=0 middle=0 leaf=0 deep=0"
run nogroups --no-groups OTHER,TAU_IO "$B/apps/control" 100
is "no regions of the groups named" "$(counts nogroups)" "$whole"

# ---- fold ----
run full "$B/apps/control" 100
for f in 10000000 1; do
	TAU_RECORD_MONOTONIC=1 run fold --fold $f "$B/apps/control" 100
	is "fold $f: every call is counted" "$(counts fold)" "$whole"
	checked fold
	tau-trace2profile --callpath=5 --format csv "$T/fold.run" >"$T/fold.csv"
	tau-trace2profile --callpath=5 --format csv "$T/full.run" >"$T/full.csv"
	is "fold $f: every call path has its calls" "$(paths fold)" "$(paths full)"
	is "fold $f: exclusive times add up to the root's inclusive time" "$(imbalance fold)" 0
done
ok "a folded trace has fewer records" test "$(records fold)" -lt $(($(records full) * 2 / 3))

# ---- when ----
run start --start middle "$B/apps/control" 100
is "recording inside of one region" "$(counts start)" "outer=0 pair=0 middle=200 leaf=600 deep=180"
checked start
run startstop --start pair --stop leaf "$B/apps/control" 100
is "from one region to the end of another" "$(counts startstop)" "outer=0 pair=100 middle=100 leaf=100 deep=0"
run often --start middle --stop leaf --metrics LOGICAL_CLOCK "$B/apps/control" 20000
# Where chunks end depends on the clock, so that one that begins while recording is off is likely and not sure.
checked often
run stop --stop outer "$B/apps/control" 100
is "until a region ends" "$(counts stop)" "outer=1 pair=1 middle=2 leaf=6 deep=0"
run signal --toggle-signal USR2 "$B/apps/control" 100 signal
is "a signal stops recording" "$(counts signal)" "outer=50 pair=50 middle=100 leaf=300 deep=90"
is "and ends nothing else" "$code $(grep -c EXPECT "$T/signal.out")" "0 5"
run delay --delay 1h "$B/apps/control" 100
is "a delay that never ends" "$(counts delay)" "outer=0 pair=0 middle=0 leaf=0 deep=0"
run duration --duration 1us "$B/apps/control" 100
like "a duration that is over at once" "$(counts duration)" "outer=[01] pair=[01] middle=[012] "
# Values are times since the machine started, in ms; a program that is stopped for a while continues with the same values.
cat >"$T/clocked.c" <<'END'
#include <time.h>
#include "tau.h"
int main(void)
{
	struct timespec pause = {0, 1000000}, t;

	for (int i = 0; i < 400; i++) {
		clock_gettime(CLOCK_BOOTTIME, &t);
		TAU_TRIGGER_EVENT("clock", (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6);
		nanosleep(&pause, NULL);
	}
	return 0;
}
END
ok "a program with a clock builds" ${CC:-cc} -I"$TOP/record" "$T/clocked.c" -o "$T/clocked"
read -r launch rest </proc/uptime
run between --delay 150ms --duration 100ms "$T/clocked"
profile between
set -- $(grep ',counter,clock,' "$T/between.csv" | awk -F, '{ print $12, $14, $13 }')
ok "after a delay, for so long: $1 values from $2 to $3 ms, started at $launch s" \
	awk -v n="$1" -v low="$2" -v high="$3" -v from="$launch" \
	'BEGIN { exit !(n > 0 && n < 102 && low >= from * 1000 + 150 && high - low < 101) }'
run size --max-size 20K "$B/apps/control" 50000
like "a run that reaches its size says so" "$(cat "$T/size.err")" 'tau: the run has reached [0-9]+ bytes'
size=$(cat "$T"/size.run/*.tau | wc -c)
ok "and is not much larger ($size)" test "$size" -gt 20000 -a "$size" -lt 60000
checked size

# ---- flight recorder ----
run flight --flight 60K "$B/apps/control" 60000
checked flight
bytes=$(cat "$T"/flight.run/*.tau | wc -c)
chunk=$(tau-dump --only chunks "$T/flight.run" | sed -n 's/.* at offset [0-9]*, \([0-9]*\) bytes:.*/\1/p' | sort -n | tail -n 1)
ok "the flight recorder keeps so many bytes ($bytes) and a chunk ($chunk)" test "$bytes" -ge 60000 -a "$bytes" -le $((62000 + chunk))
profile flight
set -- $(calls flight outer) $(calls flight middle) $(calls flight leaf) $(calls flight deep)
ok "it keeps the end: $*" test "$1" -lt 20000 -a "$1" -gt 1000 -a $((2 * $1 - $2)) -ge -2 -a $((3 * $2 - $3)) -ge -3
is "up to the last event" "$(grep ',step,' "$T/flight.csv" | head -n 1 | cut -d , -f 13)" 59999
run last --flight 60K --toggle-signal USR2 "$B/apps/control" 60000 signal
profile last
is "a signal stops it, and what came before is kept" \
	"$(grep ',step,' "$T/last.csv" | head -n 1 | cut -d , -f 13)" 29999
run moment --flight 1ms "$B/apps/control" 60000
checked moment
ok "a time can be kept as well" test "$(cat "$T"/moment.run/*.tau | wc -c)" -lt 60000
# at_work: waits until the program has counted calls in the file counts; sets $pid to its process
number_at() { od -An -tu8 -j "$1" -N8 "$T/counts" 2>/dev/null | tr -d ' '; }
at_work() { until pid=$(number_at 448) && [ "${pid:-0}" -gt 0 ] && [ "$(number_at 0)" -gt 0 ] || ! kill -0 $!; do sleep 0.02; done; }
gone() { while [ -n "$(tr -d '\0' 2>/dev/null <"/proc/$1/cmdline")" ]; do sleep 0.02; done; }
kills=0
for life in 0 0.01 0.03 0.09 0.2; do
	rm -rf "$T/killed.run" "$T/counts"
	tau-record -o "$T/killed.run" --flight 30K "$B/apps/killed" "$T/counts" 2 >"$T/killed.out" 2>&1 &
	at_work
	sleep $life
	kill -KILL $!
	wait $! 2>/dev/null
	gone "$pid"
	tau-dump --check "$T/killed.run" >"$T/killed.check" 2>&1 && [ "$(cat "$T"/killed.run/*.tau | wc -c)" -lt 400000 ] &&
		kills=$((kills + 1))
done 2>/dev/null
is "killed at any moment it is a whole trace" "$kills" 5

# ---- budget and estimate ----
run estimate --estimate "$B/apps/control" 20000
like "an estimate knows the number of events" "$(cat "$T/estimate.err")" \
	'a full trace would have about 512001 events and [0-9.]+ [KM]B, and take [0-9.e-]+ s '
is "and counts every call" "$(counts estimate)" "outer=20000 pair=20000 middle=40000 leaf=120000 deep=36000"
checked estimate
run budget --budget 0.1% "$B/apps/control" 20000
like "what is over the budget is dropped and named" "$(cat "$T/budget.err")" 'Dropped: leaf .* after [0-9]+ calls'
profile budget
ok "after at most a few thousand calls" test "$(calls budget leaf)" -lt 20000
checked budget
run again --select "$T/budget.run/select.txt" "$B/apps/control" 100
like "the selection file that it leaves keeps that out" "$(counts again)" 'leaf=0 '
# With prices that make it so, which are shares of what a call takes here: when folding is enough, nothing is dropped, and all is exact.
cat >"$T/load.c" <<'END'
#include <stdio.h>
#include <time.h>
static volatile unsigned long sink;
__attribute__((noinline, noclone)) void leaf(void)
{
	for (int i = 0; i < 400; i++)
		sink = sink * 6364136223846793005u + 1;
}
__attribute__((noinline, noclone)) void caller(void)
{
	for (int i = 0; i < 100; i++)
		leaf();
}
int main(int argc, char **argv)
{
	double least = 1e18;
	struct timespec a, b;

	(void)argv;
	for (int i = 0; i < 500; i++) {
		double ps;

		clock_gettime(CLOCK_MONOTONIC, &a);
		caller();
		clock_gettime(CLOCK_MONOTONIC, &b);
		ps = ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) * 10;
		least = ps < least ? ps : least;
	}
	if (argc > 1)
		printf("%.0f\n", least);
	return 0;
}
END
ok "a program of short calls builds" ${CC:-cc} -O1 -finstrument-functions "$T/load.c" -o "$T/load"
third=$(($("$T/load" time) / 3))
load() { profile "$1"; echo "$(calls "$1" caller) $(calls "$1" leaf) $(imbalance "$1")"; }
export TAU_RECORD_CALL_COST=$third:$((third / 100)):$((third / 100))
run folds --budget 5% "$T/load"
like "what can be folded is folded" "$(cat "$T/folds.err")" 'Folded: leaf .* after [0-9]+ calls'
is "and not dropped" "$(grep -c 'Dropped\|hooks remain' "$T/folds.err")" 0
is "every call is counted, and its time is there" "$(load folds)" "500 50000 0"
is "leaves are no messages" "$(tau-dump "$T/folds.run" | sed -n 's/.*Budget Records Never Dropped[^0-9]*\([0-9]*\).*/\1/p')" 0
checked folds
like "the selection file names it, and leaves it in" "$(cat "$T/folds.run/select.txt")" '^# folded: leaf$'
TAU_RECORD_CALL_COST=$third:$((third / 10 * 9)):$((third / 100)) run drops --budget 5% "$T/load"
like "when folding is not enough, the worst is dropped" "$(cat "$T/drops.err")" 'Dropped: leaf .* after [0-9]+ calls'
like "what it cost is said" "$(cat "$T/drops.err")" "recording cost about [0-9.e+-]+ % of the program's own CPU time; the budget is 5 %"
TAU_RECORD_CALL_COST=$third:$((third / 10 * 9)):$((third / 2)) run remains --budget 5% "$T/load"
like "and what it costs that the hooks of dropped functions remain" "$(cat "$T/remains.err")" \
	"calls of dropped functions, whose hooks remain, took about [0-9.]+ % of the program's own CPU time"
# However dear calls are taken for, the program has used a hundredth of its CPU time itself.
shares() { grep -o '[0-9.e+-]* % of the program' "$T/$1.err" | awk '$1 > 9900 { print "more:", $0 } { n++ } END { print n " shares" }'; }
TAU_RECORD_CALL_COST=$((third * 1000)):$((third * 1000)):$((third * 1000)) run dear --budget 5% "$T/load"
is "prices that cannot be make no shares that cannot be" "$(shares dear)" "3 shares"
# A budget together with throttling or folding: each function ends in one state, which is reported once and is in the selection file.
# both NAME PRICES OPTIONS: calls of caller and leaf; the message about leaf; the file's lines on it
both() {
	name=$1; TAU_RECORD_CALL_COST=$2; shift 2
	run $name --budget 5% "$@" "$T/load"
	load $name | cut -d ' ' -f 1,2
	sed -n 's/tau-record: \([A-Z][a-z]*\): leaf .*after \([0-9]*\) calls.*/\1 \2/p' "$T/$name.err"
	grep leaf "$T/$name.run/select.txt" || :
}
is "throttled within the budget" "$(both bt 1000:1000:1000 --throttle=1000:1000000)" "500 1001
Throttled 1001
\"leaf"
is "folded for the budget, and throttled later" "$(both fbt $third:$((third / 100)):$((third / 100)) --throttle=5000:1000000)" "500 5001
Throttled 5001
\"leaf"
is "folded anyway: the budget has nothing to do" "$(both bf $third:$((third / 100)):$((third / 100)) --fold 1000000 2>/dev/null)" "500 50000"
is "folded, and throttled" "$(both bft $third:$((third / 100)):$((third / 100)) --fold 1000000 --throttle=5000:1000000)" "500 5001
Throttled 5001
\"leaf"
dropped=$(both bfd $third:$((third / 10 * 9)):$((third / 100)) --fold 1000000 --throttle=5000:1000000)
n=$(calls bfd leaf)
is "folding too dear: dropped, before it is throttled" "$dropped" "500 $n
Dropped $n
\"leaf"
ok "which is when somebody looks ($n calls)" test "$n" -lt 5000
for name in bt fbt bf bft bfd; do checked $name; done
cat >"$T/blocks.c" <<'END'
#include <stdlib.h>
__attribute__((noinline, noclone)) void caller(int n)
{
	void *volatile p[20];
	for (int i = 0; i < 20; i++)
		p[i] = malloc((size_t)(n % 7 * 40 + i + 100));
	for (int i = 0; i < 20; i++)
		free(p[i]);
}
int main(void)
{
	for (int i = 0; i < 2000; i++)
		caller(i);
	return 0;
}
END
${CC:-cc} -O1 -finstrument-functions "$T/blocks.c" -o "$T/blocks"
# Blocks are dear here: memory is stopped. What is not recorded is counted, what was there before is followed.
cat >"$T/keeps.c" <<'END'
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#define FAR (256l << 20)
static void *old[500], *grown[10], *apart[3];
static void *churn(void *n)
{
	for (long i = 0; i < (long)n; i++) {
		void *volatile p = malloc((size_t)(i % 7 * 40 + 100));
		free(p);
	}
	return NULL;
}
/* Other ways to small blocks and to large ones; what fails is no block. */
static void ways(void)
{
	volatile size_t too_much = PTRDIFF_MAX, wraps = SIZE_MAX / 2 + 2;
	for (size_t i = 0; i < 2000; i++) {
		void *volatile p = calloc(i, 3);
		void *volatile q = realloc(realloc(NULL, i * 7), i * 5 + 1);
		void *volatile none = i % 3 ? i % 3 > 1 ? malloc(too_much) : calloc(wraps, 2) : realloc(NULL, too_much);
		free(none);
		free(p);
		free(q);
	}
}
static void crowd(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, churn, (void *)50000l);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
}
static void *frees(void *p)
{
	free(p);
	return NULL;
}
/* Ends of blocks from before that are easily missed: what is left of them is one of 64 bytes more, and 3 less. */
static void ends(void)
{
	volatile size_t too_much = PTRDIFF_MAX;
	void *volatile p = realloc(old[450], too_much);
	pthread_t t;

	free(p ? p : old[450]);
	free(old[451]);
	for (int i = 0; i < 3; i++)
		free(p = malloc(1451));	/* in the same place */
	pthread_create(&t, NULL, frees, old[452]);
	pthread_join(t, NULL);
	free(apart[0]);
	free(apart[1]);
}
int main(int argc, char **argv)
{
	for (int i = 0; i < 500; i++)
		old[i] = malloc(1000 + (size_t)i);
	for (int i = 0; i < 3 && argc > 1 && argv[1][0] == 's'; i++)
		apart[i] = aligned_alloc(FAR, 64);
	for (int i = 0; i < 10; i++)
		grown[i] = malloc(30000);
	churn((void *)200000l);
	for (int i = 0; i < 400; i++)
		free(old[i]);
	for (int i = 0; i < 5; i++)
		grown[i] = realloc(grown[i], 50000);
	ways();
	switch (argc > 1 ? argv[1][0] : 0) {
	case 't':
		crowd();
		break;
	case 's':
		ends();
		break;
	case 'f':
		if (fork() == 0)
			churn((void *)1000l);
		else
			wait(NULL);
		break;
	case 'e':
		_exit(0);
	}
	return 0;
}
END
${CC:-cc} -O1 "$T/keeps.c" -o "$T/keeps" -lpthread
# counter NAME FIELD: a field of the row of that counter, 0 without one; 12: how many, 15: mean
counter() { tau-trace2profile -f csv "$T/$1.run" 2>/dev/null |
	awk -F, -v name="$2" -v at="$3" '$5 == "counter" && $6 == name { v += at == 15 ? $12 * $15 : $at } END { printf "%.0f\n", v }'; }
told() { tau-dump "$T/$1.run" 2>/dev/null | sed -n "s/.*META name=\"$2\" value=\"\([0-9]*\)\".*/\1/p" | awk '{ n += $1 } END { print n + 0 }'; }
for way in "" s t f e; do
	TAU_RECORD_CALL_COST=1000:1000:1000:1000:100000:1000 TAU_TRACK_MEMORY_LEAKS=1 \
		run "keeps$way" --budget 5% --memory=types --wrap process "$T/keeps" $way
	run "whole$way" --memory=types --wrap process "$T/keeps" $way
	left=$(told "keeps$way" "TAU Memory Blocks Not Recorded") left_bytes=$(told "keeps$way" "TAU Memory Bytes Not Recorded")
	ok "keeps $way: memory was stopped ($left blocks)" test "$left" -gt 100000
	is "keeps $way: with the blocks that are counted it is all" \
		"$(($(counter "keeps$way" "Heap Allocate" 12) + left)) $(($(counter "keeps$way" "Heap Allocate" 15) + left_bytes))" \
		"$(counter "whole$way" "Heap Allocate" 12) $(counter "whole$way" "Heap Allocate" 15)"
	live="105 294950"; [ "$way" != s ] || live="103 290661"
	[ "$way" = f ] || is "keeps $way: live is what was there before and is not freed" \
		"$(counter "keeps$way" "live objects untyped [keeps]" 14) $(counter "keeps$way" "live untyped [keeps]" 14)" "$live"
	checked "keeps$way"
done
like "stopped memory is said at the end" "$(cat "$T/keeps.err")" \
	'Memory of node 0: recorded only for blocks allocated in the first [0-9.e-]+ s; [0-9]+ blocks of [0-9.]+ MB were allocated later'
like "and in the selection file" "$(cat "$T/keeps.run/select.txt")" '^# memory: recording it was stopped in 1 process$'
like "and in reports" "$(tau-report memory "$T/keeps.run")" \
	'budget stopped recording memory in 1 of 1 process, first after [0-9.e-]+ s: earlier blocks are recorded until they are freed; [0-9]+ blocks of [0-9]+ bytes'
like "leaks are not told from what is no longer known" "$(tau-report leaks "$T/keeps.run" 2>&1)" \
	'leaks were not searched, because --budget had stopped the recording of memory'
TAU_RECORD_CALL_COST=1000:1000:1000:1000:100000:1000 run heap --budget 5% --memory=heap "$T/keeps"
is "the meter of the heap needs every block, and has it" "$(counter heap "Heap Allocate" 12)" "$(counter whole "Heap Allocate" 12)"
like "which is said" "$(cat "$T/heap.err")" 'records cannot be dropped: they are messages and events .*, or allocations that the heap metrics need'
TAU_RECORD_CALL_COST=1000:1000:1000:1000:100000:1000 run unsaid --budget 5% --memory=types "$T/keeps" e
like "where nobody is left to say how many blocks there were, this is said" "$(cat "$T/unsaid.err")" \
	'Memory of node 0: recorded only for blocks allocated in the first [0-9.e-]+ s; the number of those allocated later is unknown'
like "and in reports" "$(tau-report memory "$T/unsaid.run")" 'are not included, and an unknown number of others'
# A function that a wrapper wraps is dropped together with the events that it records; the wrapper then only calls it.
cat >"$T/seeks.c" <<'END'
#include <fcntl.h>
#include <unistd.h>
int main(void)
{
	char c;
	dup2(open("/dev/zero", O_RDONLY), 0);
	for (int i = 0; i < 20000; i++) {
		lseek(0, 0, SEEK_SET);
		if (read(0, &c, 1) != 1)
			return 1;
	}
	return 0;
}
END
${CC:-cc} -O1 "$T/seeks.c" -o "$T/seeks"
TAU_RECORD_CALL_COST=1000000:1000000:100:1000000:1000:1000 run seeks --budget 1% --wrap io "$T/seeks"
like "a wrapped function is dropped" "$(cat "$T/seeks.err")" 'Dropped: read\(\) of node 0, after [0-9]+ calls of thread 0; [0-9]+ calls more not recorded'
profile seeks
is "all of its calls are counted" "$(($(calls seeks 'read()') + $(told seeks 'TAU Calls Not Recorded: read()')))" 20000
is "what was recorded of it is whole" "$(counter seeks "Bytes Read" 12)" "$(calls seeks 'read()')"
checked seeks
unset TAU_RECORD_CALL_COST
run rich --budget 100000% "$B/apps/control" 100
is "within the budget nothing is dropped" "$(counts rich)" "$whole"

# ---- compensation ----
meta() { tr , '\n' <"$T/$1.json" | sed -n "s/^.*\"$2\": \"\([0-9.]*\)\".*/\1/p" | tail -n 1; }
# A processor that does the program's work beside that of the hooks may hide all of their cost but the doubt of it.
price() { inside=$(meta full 'TAU Call Cost Inside (ps)') outside=$(meta full 'TAU Call Cost Outside (ps)'); }
for try in 1 2 3 4 5 6 7 8 9; do
	tau-trace2profile --compensate --format json "$T/full.run" >"$T/full.json"
	price
	[ $((inside * outside)) -eq 0 ] || break
	run full "$B/apps/control" 100
done
doubt=$(tau-dump --only definitions "$T/full.run" | sed -n 's/.*"TAU Call Cost Spread (ps)" value="\([0-9]*\)".*/\1/p' | head -n 1)
TAU_COMPENSATE=1 tau-trace2profile --callpath=5 --format csv "$T/full.run" >"$T/paid.csv"
tau-trace2profile --callpath=5 --format csv "$T/full.run" >"$T/full.csv"
ok "a call has a cost inside and outside ($inside, $outside ps, in doubt $doubt)" \
	test "$inside" -gt 0 -a "$outside" -gt 0 -a $((inside + outside + doubt)) -gt 1000
is "compensation takes the cost of all calls" "$(meta full 'TAU Compensated (us)')" \
	"$(awk "BEGIN { printf \"%.3f\", ($inside + $outside) * 1180 / 1e6 }")"
like "and says so" "$(tau-trace2profile --compensate -f csv "$T/full.run" 2>&1 >/dev/null)" \
	'the times are without [0-9.]+ ms of recording cost, plus or minus [0-9.]+ ms'
ok "and says how far off it may be" test -n "$(meta full 'TAU Compensation Error (us)')"
is "which is asked again at the end" "$(tau-dump --only definitions "$T/full.run" | grep 'TAU Call Cost Spread' |
	awk '{ split($0, w, "\""); v[NR] = w[4] } END { print NR, (v[2] + 0 >= v[1] + 0 && v[1] + 0 > 0 ? "not less" : v[1] " " v[2]) }')" \
	"2 not less"
rows full >"$T/before"
rows paid >"$T/after"
is "from each region what its calls and those that it made cost" \
	"$(paste "$T/before" "$T/after" | awk -F '\t' -v in_ps="$inside" -v out_ps="$outside" '
		{ made["outer"] = 100; made["pair"] = 200; made["middle"] = 600; made["leaf"] = 60; made["deep"] = 120 }
		$2 !~ /CALLPATH/ && $1 !~ /TAU application/ {
			split($1, w, " ")
			want = ($3 * in_ps + made[w[1]] * out_ps) / 1e6
			if ($4 - $9 < want - 0.002 || $4 - $9 > want + 0.002) print w[1], $4 - $9, want
		}')" ""
paid=$(TAU_COMPENSATE=1 tau-trace2profile --format csv "$T/fold.run" | sed 's/"[^"]*"/q/g' |
	awk -F, '$6 == ".TAU application" { root = $11 } $5 == "timer" { sum += $10 } END { printf "%d", (sum - root) * 100 }')
is "a folded trace is compensated and adds up" "$paid" 0

# If there are several chunks, later ones hold the cost of a call at that time.
run chunks "$B/apps/control" 6000
tau-trace2profile --compensate --format json "$T/chunks.run" >"$T/chunks.json" 2>/dev/null
is "a call costs what was measured last, and storing chunks its time" "$(tau-dump "$T/chunks.run" | awk -v is="$(meta chunks 'TAU Compensated (us)')" '
	/TAU Call Cost (Inside|Outside)/ { split($0, w, "\""); price += w[4] }
	/one tick is/ { sub(/.*one tick is /, ""); tick = $1 }
	/storing the previous chunk took/ { stored += $(NF - 1) }
	/snapshot: a call costs/ { price = $5 + $10; said++ }
	/ ENTER / { paid += price }
	END { off = paid / 1e6 + stored * tick / 1e3 - is; print (said > 1 ? "said" : "not said"), (off < 0.05 && off > -0.05 ? "exact" : off " us off") }')" \
	"said exact"

# ---- from outside ----
mkfifo "$T/in" "$T/out"
outside() {	# NAME COMMAND...: given when half is done
	name=$1; shift
	rm -rf "$T/$name.run"
	tau-record -o "$T/$name.run" "$B/apps/control" 100 wait <"$T/in" >"$T/out" 2>"$T/$name.err" &
	exec 3>"$T/in" 4<"$T/out"
	read -r line <&4
	tau-record --control "$T/$name.run" "$@" || echo "cannot: $line"
	echo go >&3
	cat <&4 >/dev/null
	exec 3>&- 4<&-
	wait $!
}
outside off off
is "switched off from outside" "$(counts off)" "outer=50 pair=50 middle=100 leaf=300 deep=90"
outside group no-group TAU_USER
is "a group switched off from outside" "$(counts group)" "outer=50 pair=50 middle=100 leaf=300 deep=90"
is "a command that is none is refused" "$(tau-record --control "$T/off.run" stop 2>&1; echo $?)" \
	"tau-record: --control: 'stop' is not on, off, flush, status, no-sample, metrics, no-metrics, memory, no-memory, group, no-group, exclude, include, mark, sample or dump
125"
is "one that is nearly there has a suggestion" "$(tau-record --control "$T/off.run" no-grup X 2>&1)" \
	"tau-record: --control: 'no-grup' is not on, off, flush, status, no-sample, metrics, no-metrics, memory, no-memory, group, no-group, exclude, include, mark, sample or dump; did you mean 'no-group'?"
is "a group without its name is refused" "$(tau-record --control "$T/off.run" group 2>&1; echo $?)" \
	"tau-record: --control: the command is on, off, flush, status, group NAME, no-group NAME, exclude PATTERN, include PATTERN, mark NAME, sample PERIOD, no-sample, metrics, no-metrics, memory, no-memory or dump DIRECTORY
125"
like "so is a run that has ended" "$(tau-record --control "$T/full.run" on 2>&1)" 'this run takes no commands, or has ended without one'
for o in start stop groups no-groups; do
	like "--$o with no name is refused" "$(tau-record -o "$T/none" --$o '' true 2>&1)" "^tau-record: --$o: '' is not a name"
done
for o in "--depth x" "--throttle=a:b" "--fold -1" "--delay 3x" "--toggle-signal KILL" "--max-size 0" "--flight 10" "--budget 0"; do
	like "$o is refused" "$(tau-record -o "$T/none" $o true 2>&1)" "^tau-record: ${o%%[ =]*}: '"
done
# ---- reports name what is not included ----
cat >"$T/odd.c" <<'END'
#include <time.h>
#include "tau.h"
int main(void)
{
	TAU_START("open");
	for (int i = 0; i < 2; i++) {
		TAU_DISABLE_INSTRUMENTATION();
		nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
		TAU_ENABLE_INSTRUMENTATION();
	}
	TAU_STOP("open");
	TAU_STOP("never started");
	TAU_STOP("open");
	TAU_DISABLE_INSTRUMENTATION();
	return 0;
}
END
ok "a program that switches recording off and stops what does not run" ${CC:-cc} -I"$TOP/record" "$T/odd.c" -o "$T/odd"
run odd "$T/odd"
tau-trace2profile --format csv "$T/odd.run" >/dev/null 2>"$T/odd.profile"
tau-report series "$T/odd.run" >"$T/odd.report" 2>/dev/null
for by in err profile report; do
	said=$(cat "$T/odd.$by")
	like "how often it was off ($by)" "$said" 'recording was off 2 times, [0-9.]+ s in all: the region MEASUREMENT OFF has that time$'
	ok "and for how long ($by)" test "$(echo "$said" | sed -n 's/.*off 2 times, \([0-9.]*\) s.*/\1/p' | awk '{ print ($1 >= .2) }')" = 1
	like "what was stopped that did not run ($by)" "$said" '2 stops of timers that were not running were not recorded$'
done
tau-trace2profile --format tau -o "$T/odd.tau" "$T/odd.run" 2>/dev/null
tau-db import --db "$T/odd.db" "$T/odd.run" >/dev/null 2>&1
for of in "$T/odd.tau" "--db $T/odd.db"; do
	like "reports know it of what is no trace any more ($of)" "$(tau-report series $of)" \
		': recording was off at times \(metadata TAU Recording Paused\): the region MEASUREMENT OFF has that time$'
done
# "open" is open for as long as the two pauses take, which no event divides, and nearly nothing of it is its own.
profile odd
set -- $(rows odd | awk -F '\t' '$1 == "MEASUREMENT OFF" { n = $3 } $1 == "open => MEASUREMENT OFF" { off = $4 } $1 == "open" { own = $4; all = $5 }
	END { print n, (off >= 200000), (own < off / 4), (all >= off) }')
is "the time is a region's own, and no open region's" "$*" "2 1 1 1"
# Off up to the end, which is no event: the time goes on to the end of each thread, and is no open region's.
cat >"$T/end.c" <<'END'
#include <pthread.h>
#include <time.h>
#include "tau.h"
static void nap(void) { nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL); }
static void *side(void *unused) { TAU_START("side"); nap(); return unused; }
int main(void)
{
	pthread_t t;
	TAU_START("open");
	pthread_create(&t, NULL, side, NULL);
	nap();
	TAU_DISABLE_INSTRUMENTATION();
	nap();
	pthread_join(t, NULL);
	nap();
	return 0;
}
END
ok "a program that records nothing at its end" ${CC:-cc} -I"$TOP/record" "$T/end.c" -o "$T/end" -lpthread
end_off() {	# NAME LEAST: of each thread the calls of MEASUREMENT OFF, and its time if it is less than LEAST us
	tau-trace2profile --format csv "$T/$1.run" 2>/dev/null | awk -F , '$5 == "timer" && $6 == "MEASUREMENT OFF" { print $4, $8, ($11 >= '"$2"' ? "long" : $11) }'
}
run end "$T/end"
checked end
is "time without recording goes on to the end of the process" "$(end_off end 100000 | sed -n '/^0 /p')" "0 1 long"
is "and the file ends with it" "$(tau-dump "$T"/end.run/*.0.0.tau | awk '/ (OFF|METRICS|ENTER|LEAVE)/ { last = before; before = $0 } END { sub(/.* ns /, "", last); sub(/.* ns /, "", before); print last, before }')" \
	"OFF METRICS"
run start --start nothing "$T/end"
checked start
is "a region that starts the recording and never comes leaves all time off" "$(end_off start 150000 | sed -n '/^0 /p')" "0 1 long"
like "and that is said" "$(cat "$T/start.err")" 'no events recorded: no region that the program entered passes --start nothing'
run over --duration 20ms "$T/end"
checked over
is "a duration ends without an event, too" "$(end_off over 80000 | sed -n '/^0 /p')$(end_off over 30000 | sed -n '/^1 /p')" "0 1 long1 1 long"
# Chunks begin wherever they are full: also between the records of going off.
run offs --metrics LOGICAL_CLOCK --start middle "$B/apps/control" 30000
checked offs
tau-trace2profile --callpath --format csv "$T/offs.run" >"$T/offs.csv" 2>"$T/offs.why"
is "nothing has to be repaired, however chunks end" "$(grep -c repaired "$T/offs.why")" 0
is "what is open begins only while recording is on" \
	"$(rows offs | awk -F '\t' '$1 ~ /MEASUREMENT OFF =>/' | wc -l)" 0
chunks=$(tau-dump --only chunks "$T/offs.run" | grep -c '^chunk')
ok "there are several chunks ($chunks)" test "$chunks" -gt 2
half() { tau-trace2profile --format csv $2 "$T/offs.run" 2>/dev/null | awk -F , -v f="$1" '$6 == "MEASUREMENT OFF" { s += $f } END { printf "%.0f\n", s }'; }
is "windows of it add up" "$(( $(half 8 "--window :40%") + $(half 8 "--window 40%:") ))" "$(half 8)"
is "what is off up to the end is no pause, and not said" "$(grep -c 'recording was off' "$T/signal.err")" 0

tap_end
