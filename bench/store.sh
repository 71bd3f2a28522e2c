#!/bin/sh
# store.sh: what the commands of tau-db cost in CPU seconds: import, merge, query, list of many trials, check and exports.
. "$(dirname "$0")/common"
$CC -O2 -o "$W/cost" "$TOP/bench/cost.c" || die "cannot build the meter"
$CC -O2 -o "$W/inserts" "$TOP/bench/inserts.c" -lsqlite3 || die "cannot build the loop of inserts"
# cpu COMMAND...: CPU seconds
cpu() { "$W/cost" "$@" 2>"$T/cost" >/dev/null || die "failed: $* $(cat "$T/cost")"; tail -n 1 "$T/cost" | cut -d ' ' -f 1; }
# profile DIR RANKS TIMERS
profile() {
	mkdir -p "$1"
	awk -v dir="$1" -v ranks="$2" -v timers="$3" 'BEGIN { for (n = 0; n < ranks; n++) {
		f = dir "/profile." n ".0.0"
		print timers " templated_functions_MULTI_TIME" >f
		print "# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Metric Name</name><value>TIME</value></attribute></metadata>" >f
		for (t = 0; t < timers; t++) printf "\"timer_%d\" %d 0 %d %d 0 GROUP=\"TAU_USER\" \n", t, n + t, n * t + 1, n * t + 2 >f
		print "0 aggregates" >f
		close(f)
	} }'
}
profile "$T/p64" 64 500
profile "$T/p256" 256 1000
profile "$T/p1" 1 3
goal "import of 64 ranks x 500 timers" "$(cpu tau-db import -d "$T/a.db" "$T/p64")" most 0.12 "s of CPU"
goal "import of 256 ranks x 1000 timers" "$(cpu tau-db import -d "$T/b.db" "$T/p256")" most 0.8 "s of CPU"
goal "size of that store" "$(calc %.1f "$(stat -c %s "$T/b.db") / 1e6")" most 20 MB
cp "$T/b.db" "$T/c.db"
goal "merge of 256 ranks x 1000 timers, of the CPU time of its import" \
	"$(calc %.2f "$(cpu tau-db merge --again "$T/c.db" "$T/b.db") / $(cpu tau-db import -d "$T/d.db" "$T/p256")")" most 1 ""
goal "query hot-timers in two such trials" "$(cpu tau-db query -d "$T/c.db" hot-timers trial=1)" most 0.1 "s of CPU"
goal "check of one such trial" "$(cpu tau-db check -d "$T/b.db")" most 2 "s of CPU"
goal "export of one such trial as tidy CSV, million values per second" \
	"$(calc %.2f "1.024 / $(cpu tau-db export -d "$T/b.db" --to tidy -o "$T/b.csv")")" least 1.5 ""
goal "export of one such trial for PostgreSQL" "$(cpu tau-db export -d "$T/b.db" -o "$T/b.sql")" most 1 "s of CPU"
tau-db import -d "$T/m.db" -a lu "$T/p1" >/dev/null
for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14; do	# 8192 trials, and 2048
	[ $n -eq 14 ] && cp "$T/k.db" "$T/n.db" || cp "$T/m.db" "$T/n.db"
	[ $n -eq 12 ] && cp "$T/m.db" "$T/k.db"
	tau-db merge --again "$T/m.db" "$T/n.db" >/dev/null || die "merge"
done
seconds=$(cpu tau-db list -d "$T/m.db" -W 'application=lu and pes>=1' -s -started)
goal "list of $(tau-db query -d "$T/m.db" -f csv "SELECT count(*) FROM trial" | tail -n 1 | tr -d '\r') trials with a condition and sorted" "$seconds" \
	most 0.3 "s of CPU"
# Of less than 20 ms, a ratio has no meaning: sqlite3 prints the trials five times.
rows=$(cpu sqlite3 "$T/m.db" "SELECT t.*, m.value FROM trial t JOIN primary_metadata m ON m.trial = t.id AND m.name = 'Application'
	CROSS JOIN (VALUES (1), (2), (3), (4), (5))")
goal "list of them, of the CPU time in which sqlite3 prints them" "$(calc %.1f "5 * $seconds / $rows")" most 10 "" "$(calc %.3f "$rows / 5") s"

# plain FILE: CPU seconds of the shell of sqlite for a sum over all values of all timers
plain() { cpu sqlite3 "$1" "SELECT count(*), sum(d.calls), sum(v.inclusive_value), sum(v.exclusive_value)
	FROM timer_value v JOIN timer_call_data d ON d.id = v.timer_call_data"; }

# A large trial: TAU_BENCH_RANKS of 1000 timers.
ranks=${TAU_BENCH_RANKS:-4096}
rm -f "$T"/*.db
profile "$T/large" "$ranks" 1000
seconds=$(cpu tau-db import -d "$T/l.db" "$T/large")
goal "import of $ranks ranks x 1000 timers, million value rows per second of CPU" "$(calc %.2f "$ranks * 1000 / 1e6 / $seconds")" least 1.5 "" "$seconds s"
loop=$(cpu "$W/inserts" "$T/loop.db" "$ranks" 1000)
goal "that import, of the CPU time in which a loop of sqlite3 inserts the same rows without reading files" "$(calc %.2f "$seconds / $loop")" \
	most 1 "" "$loop s"
rm -f "$T/loop.db"
for q in hot-timers imbalance pes "timer-threads timer=timer_7"; do
	goal "query ${q%% *} in it" "$(cpu tau-db query -d "$T/l.db" $q)" most 1 "s of CPU"
done
rows=$(plain "$T/l.db")
goal "query pes in it, of the CPU time in which sqlite3 sums up its values" "$(calc %.2f "$(cpu tau-db query -d "$T/l.db" pes) / $rows")" most 3 "" "$rows s"
goal "tau-db show of it, of the CPU time in which sqlite3 sums up its values" \
	"$(calc %.2f "$(cpu tau-db show -d "$T/l.db" 1) / $rows")" most 3 "" "$rows s"
goal "tau-report of it, of the CPU time in which sqlite3 sums up its values" \
	"$(calc %.2f "$(cpu tau-report --db "$T/l.db" 1) / $rows")" most 5 "" "$rows s"
goal "its export as tidy CSV, million values per second of CPU" \
	"$(calc %.2f "$ranks * 4000 / 1e6 / $(cpu tau-db export -d "$T/l.db" --to tidy -o "$T/l.csv")")" least 1.5 ""

# Many large trials: 10 here, so the goals are a fifth of those for 50 of $ranks ranks x 1000 timers (5 s of CPU), and the memory of 50.
profile "$T/half" $((ranks / 2)) 1000
tau-db import -d "$T/h.db" "$T/half" >/dev/null || die "import"
mv "$T/l.db" "$T/many.db"
tau-db merge --again "$T/many.db" "$T/h.db" >/dev/null || die "merge"
cp "$T/many.db" "$T/h.db"
for n in 1 2 3 4; do
	tau-db merge --again "$T/many.db" "$T/h.db" >/dev/null || die "merge"
done
goal "scaling over $(tau-db query -d "$T/many.db" -f csv "SELECT count(*) FROM trial" | tail -n 1 | tr -d '\r') trials of up to $ranks ranks x 1000 timers" \
	"$(cpu tau-report scaling --db "$T/many.db")" most 1 "s of CPU"
goal "its memory" "$(tail -n 1 "$T/cost" | cut -d ' ' -f 3)" most 500 MB
