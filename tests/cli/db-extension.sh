# db-extension.sh: libtau_sqlite.so gives any program with SQLite the tables event and call: the same rows as tau-db query --run, also
# joined with a store; and a window of a large trace reads little of it.
. "$(dirname "$0")/../tap.sh"
unset TAUDB
cd "$T" || exit 1

tau-record -o run "$B/apps/hooks" >/dev/null 2>&1
tau-record --wrap pthread -o threads "$B/apps/threads" >/dev/null 2>&1

# A trace with many chunks; a window of 1 ms needs one or two of them.
cat >loop.c <<-'END'
	#include <TAU.h>
	int main(void)
	{
		unsigned v = 1;
		for (int i = 0; i < 2400000; i++) {
			v = v * 1664525 + 1013904223;
			TAU_START(v >> 31 ? "odd" : "even");
			TAU_TRIGGER_EVENT("value", v >> 8);
			TAU_STOP(v >> 31 ? "odd" : "even");
		}
		return 0;
	}
END
cc -O1 -I"$TOP/record" loop.c -o loop && tau-record -o large ./loop >/dev/null 2>&1
size=$(cat large/*.tau | wc -c)
# The time of an event: a loaded machine may let the program wait for longer than a window.
time_of() { tau-db query -f csv --run "$1" "SELECT printf('%.3f', time) FROM event WHERE kind = 'enter' LIMIT 1 OFFSET $2" 2>/dev/null | tr -d '\r' | tail -n 1; }
at=$(time_of large 1000000)
window="time >= $at AND time < $at + 1000"
tau-db query -f csv --stats --run large "SELECT count(*) FROM event WHERE $window" >got.window 2>err
n=$(sed -n 's/.* read \([0-9]*\) of .*/\1/p' err)
ok "a window of a trace of $size bytes reads $n bytes, less than 2 %" test "$((${n:-$size} * 50))" -lt "$size"
ok "and has rows: $(tail -n 1 got.window)" test "$(tail -n 1 got.window | tr -d '\r')" -gt 0

if command -v sqlite3 >/dev/null && sqlite3 :memory: ".load $B/libtau_sqlite" "SELECT 1" >/dev/null 2>&1; then
	shell() { sqlite3 "${db:-:memory:}" ".load $B/libtau_sqlite" "$@" 2>&1; }
	for run in run threads; do
		at=$(time_of $run 10)
		for table in event call; do
			for where in "1" "time >= $at AND time < $at + 500" "thread = 0" "rank = 0 AND thread >= 1" "region LIKE 'f%'"; do
				sql="SELECT rank, thread, printf('%.3f', time), kind, region, depth, callpath, printf('%.3f', duration), peer, tag, bytes, value
					FROM $table WHERE run = '$run' AND $where"
				shell "SELECT count(*), coalesce(group_concat(x, ';'), '') FROM (SELECT rank || ' ' || thread || ' ' || t || ' ' || kind || ' ' ||
					coalesce(region, '-') || ' ' || coalesce(callpath, '-') || ' ' || coalesce(d, '-') AS x FROM (SELECT *, printf('%.3f', time) AS t,
					printf('%.3f', duration) AS d FROM $table WHERE run = '$run' AND $where))" >got
				tau-db query -f csv --run $run "SELECT count(*) || '|' || coalesce(group_concat(x, ';'), '') AS y FROM (SELECT rank || ' ' || thread || ' ' || t ||
					' ' || kind || ' ' || coalesce(region, '-') || ' ' || coalesce(callpath, '-') || ' ' || coalesce(d, '-') AS x FROM (SELECT *,
					printf('%.3f', time) AS t, printf('%.3f', duration) AS d FROM $table WHERE $where))" 2>/dev/null |
					tr -d '\r' | tail -n +2 | sed 's/^"//; s/"$//; s/""/"/g' >expected
				ok "$table of $run where $where: $(cut -d '|' -f 1 got) rows" cmp got expected
			done
		done
	done
	is "another run has other rows" "$(shell "SELECT count(*) FROM event WHERE run = 'run' AND run = 'threads'")" 0
	is "two runs in one query" "$(shell "SELECT group_concat(run, ' ') FROM (SELECT run FROM event WHERE run IN ('run', 'threads') GROUP BY 1)")" "run threads"
	tau-db import -d tau.db run threads >/dev/null 2>&1
	db=tau.db
	is "joined with a store by its origin" \
		"$(shell "SELECT t.name, count(*) FROM trial t JOIN event e ON e.run = t.source_path GROUP BY 1 ORDER BY 1")" \
		"run|$(db= shell "SELECT count(*) FROM event WHERE run = 'run'")
threads|$(db= shell "SELECT count(*) FROM event WHERE run = 'threads'")"
	db=
	like "a query that names no run is an error" "$(shell "SELECT count(*) FROM event")" "name the run"
	like "and so is a run that is not there" "$(shell "SELECT count(*) FROM event WHERE run = 'none'")" "none"
	like "the tables cannot be written" "$(shell "INSERT INTO event (run) VALUES ('x')")" "may not be modified"
	# The kernel counts what the shell has read before and after.
	sqlite3 :memory: ".load $B/libtau_sqlite" '.system grep rchar /proc/$PPID/io' "SELECT count(*) FROM event WHERE run = 'large' AND $window" \
		'.system grep rchar /proc/$PPID/io' >io 2>&1
	n=$(awk '/rchar/ { n = $2 - first; first = $2 } END { print n }' io)
	if grep -q rchar io; then
		ok "the kernel has seen less than 2 % being read: $n bytes" test "$((${n:-$size} * 50))" -lt "$size"
	else
		skip "the kernel has seen less than 2 % being read" "no /proc/PID/io"
	fi
	is "and the rows are the same" "$(grep -v rchar io)" "$(tail -n 1 got.window | tr -d '\r')"
	if command -v valgrind >/dev/null; then
		valgrind -q --error-exitcode=9 sqlite3 :memory: ".load $B/libtau_sqlite" "SELECT count(*) FROM call WHERE run = 'run'" >got 2>&1
		is "it touches no foreign memory" "$? $(tail -n 1 got)" "0 $(shell "SELECT count(*) FROM call WHERE run = 'run'")"
	else
		skip "it touches no foreign memory" "no valgrind"
	fi
else
	skip "the extension" "no sqlite3 that loads it"
fi
is "tau-db query --run: a condition on run selects one of several" \
	"$(tau-db query -f csv --run run --run threads "SELECT count(*) FROM event WHERE run = 'threads'" 2>/dev/null | tail -n 1)" \
	"$(tau-db query -f csv --run threads "SELECT count(*) FROM event" 2>/dev/null | tail -n 1)"
tap_end
