# control.sh: what the options of tau-record exclude is not recorded, and the rest is exact.
. "$(dirname "$0")/../controlled.sh"

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
if command -v clang >/dev/null; then
	clang -O1 -gdwarf-5 -finstrument-functions -Irecord fixtures/apps/control.hook.c -o "$T/control5"
	record file0 --select "$T/files.sel" "$T/control5" 100
	is "and where the file's number is 0, as clang has it in DWARF 5" "$(counts file0)" "outer=0 pair=100 middle=0 leaf=0 deep=0"
else
	skip "and where the file's number is 0, as clang has it in DWARF 5" "no clang"
fi
select_with filesin BEGIN_FILE_INCLUDE_LIST 'control.*' END_FILE_INCLUDE_LIST
is "file include list" "$(counts filesin)" "$whole"
select_with section BEGIN_INSTRUMENT_SECTION 'loops routine="#"' 'static timer routine="#"' 'dynamic  phase routine="int middle(int)#"' \
	'static phase routine="SOLVE"' 'static phase name="part" file="a.c" line=3 to line=5' 'memory file="#"' 'io file="#"' END_INSTRUMENT_SECTION
is "an instrumentation section changes nothing" "$(counts section)" "$whole"
says() { like "section: $1" "$(cat "$T/section.err")" "^tau-record: .*section.sel: $1.*: $2"; }
says 'loops' 'loops are not found without a change of the source'
says 'dynamic  phase' "each call is a window of every trace: tau-trace2profile --window 'middle'\$"
says 'static phase routine' "tau-trace2profile --window 'solve_#\*'\$"
says 'static phase name' 'lines of a function are no timer without a change of the source'
says 'memory' '.*--memory$'
says 'io' '.*--wrap io$'
is "what is done anyway has no message" "$(grep -c '\.sel: static timer' "$T/section.err")" 0
is "and the window has each call" "$(tau-trace2profile -f csv --window middle "$T/section.run" 2>/dev/null | cut -d, -f1 | sort -u | grep -c '^"*middle')" 200
select_with source BEGIN_EXCLUDE_LIST 'int  middle(int)#' 'void leaf(void) C' 'int deep2(int)' END_EXCLUDE_LIST
is "names as TAU's parser of sources writes them" "$(counts source)" "outer=100 pair=100 middle=0 leaf=0 deep=180"
TAU_SELECT_FILE=$T/exclude.sel record variable "$B/apps/control" 100
is "TAU_SELECT_FILE is an alias" "$(counts variable)" "outer=100 pair=0 middle=200 leaf=0 deep=180"
printf 'BEGIN_EXCLUDE_LIST\nleaf\n' >"$T/bad.sel"
record bad --select "$T/bad.sel" "$B/apps/control" 1
is "a file without its END is refused" "$code" 125
like "in a sentence" "$(cat "$T/bad.err")" 'bad.sel: END_EXCLUDE_LIST is missing'

# ---- depth, throttle, groups ----
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
like "each program that reads the run reports it" "$(tau-trace2profile -f csv -o /dev/null "$T/throttle.run" 2>&1)" \
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

	for (int i = 0; i < 1500; i++) {
		clock_gettime(CLOCK_BOOTTIME, &t);
		TAU_TRIGGER_EVENT("clock", (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6);
		nanosleep(&pause, NULL);
	}
	return 0;
}
END
ok "a program with a clock builds" ${CC:-cc} -I"$TOP/record" "$T/clocked.c" -o "$T/clocked"
read -r launch rest </proc/uptime
run between --delay 150ms --duration 1s "$T/clocked" # a loaded machine stops a process for tenths of a second
profile between
set -- $(grep ',counter,clock,' "$T/between.csv" | awk -F, '{ print $12, $14, $13 }')
ok "after a delay, for so long: $1 values from $2 to $3 ms, started at $launch s" \
	awk -v n="$1" -v low="$2" -v high="$3" -v from="$launch" \
	'BEGIN { exit !(n > 0 && n < 1002 && low >= from * 1000 + 150 && high - low < 1001) }'
run size --max-size 20K "$B/apps/control" 50000
like "a run that reaches its size reports it" "$(cat "$T/size.err")" 'tau: the run has reached [0-9]+ bytes'
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
like "so is a run that has ended" "$(tau-record --control "$T/full.run" on 2>&1)" 'this run takes no commands on this host, or has ended without one'
(cd "$T/full.run" && ln -s nothing ".watch.$(uname -n)")
like "a command file that cannot be opened is no damaged one" "$(tau-record --control "$T/full.run" on 2>&1)" 'its command file cannot be used: Too many levels of symbolic links$'
for o in start stop groups no-groups; do
	like "--$o with no name is refused" "$(tau-record -o "$T/none" --$o '' true 2>&1)" "^tau-record: --$o: '' is not a name"
done
for o in "--depth x" "--throttle=a:b" "--fold -1" "--delay 3x" "--toggle-signal KILL" "--max-size 0" "--flight 10" "--budget 0"; do
	like "$o is refused" "$(tau-record -o "$T/none" $o true 2>&1)" "^tau-record: ${o%%[ =]*}: '"
done
tap_end
