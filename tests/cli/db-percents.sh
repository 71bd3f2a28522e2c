# db-percents.sh: percentages of timers, which timer_value computes: the same as if they were stored, in new and older databases, for who
# writes to timer_value, and after merge and gc.
. "$(dirname "$0")/../tap.sh"
unset TAUDB
cd "$T" || exit 1
command -v sqlite3 >/dev/null || skip_all "no sqlite3"

# Two metrics, two windows of a trace, a call path with the largest value, a thread without any time.
for metric in TIME PAPI_TOT_INS; do
	mkdir -p "p/MULTI__$metric"
	for n in 0 1 2; do
		cat >"p/MULTI__$metric/profile.$n.0.0" <<-END
			4 templated_functions_MULTI_$metric
			# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Metric Name</name><value>$metric</value></attribute></metadata>
			"main" 1 2 $((n * 30)).7 $((n * 100 * ${#metric})).1 0 GROUP="TAU_USER" 
			"foo" 3 0 $((n * 70)) $((n * 70)) 0 GROUP="TAU_USER" 
			"main => foo" 3 0 $((n * 7)) $((n * 1000)) 0 GROUP="TAU_USER|TAU_CALLPATH" 
			"idle" 1 0 0 0 0 GROUP="TAU_USER" 
			0 aggregates
		END
	done
done
sed -i 's/ [0-9]*\.7 [0-9]*\.1 / 0 0 /' p/*/profile.0.0.0
tau-record -o run "$B/apps/hooks" >/dev/null 2>&1
tau-db import -d tau.db p >/dev/null
tau-db import -d tau.db --slices 3 run >/dev/null
tau-db import -d tau.db --summary p >/dev/null
values() { sqlite3 "$1" ".mode quote" "SELECT * FROM timer_value ORDER BY 1, 2"; }
# bare FILE SQL: the text of the result
bare() { sqlite3 "$1" "$2"; }

# What is stored otherwise, bit for bit: 100 * value / the largest one of the thread.
recomputed() {
	bare "$1" "SELECT count(*) FROM (SELECT v.*, max(v.inclusive_value) OVER (PARTITION BY d.thread, d.time_range, v.metric) AS most, h.node_rank
		FROM timer_value v JOIN timer_call_data d ON d.id = v.timer_call_data JOIN thread h ON h.id = d.thread) WHERE node_rank >= 0
		AND inclusive_percent IS 100.0 * inclusive_value / nullif(most, 0) AND exclusive_percent IS 100.0 * exclusive_value / nullif(most, 0)"
}
rows=$(bare tau.db "SELECT count(*) FROM timer_value v JOIN timer_call_data d ON d.id = v.timer_call_data JOIN thread h ON h.id = d.thread
	WHERE h.node_rank >= 0")
ok "values of threads" test "$rows" -gt 30
is "percentages of threads" "$(recomputed tau.db)" "$rows"
stored="FROM timer_value_base b JOIN timer_call_data d ON d.id = b.timer_call_data JOIN thread h ON h.id = d.thread
	JOIN timer_value v ON v.timer_call_data = b.timer_call_data AND v.metric = b.metric WHERE
	(b.inclusive_percent IS NOT NULL OR b.exclusive_percent IS NOT NULL)"
is "are not stored" "$(bare tau.db "SELECT count(*) $stored AND h.node_rank >= 0")" 0
is "those of derived threads are" "$(bare tau.db "SELECT count(*) > 50, sum(b.inclusive_percent IS v.inclusive_percent AND
	b.exclusive_percent IS v.exclusive_percent) = count(*) $stored")" "1|1"
is "unknown without time" "$(bare tau.db "SELECT count(*), count(inclusive_percent) FROM timer_value v JOIN timer_call_data d
	ON d.id = v.timer_call_data WHERE d.thread = 1")" "8|0"
is "TAU's view shows them" "$(bare tau.db "SELECT count(*), sum(inclusive_percentage IS NOT NULL) FROM interval_event_value WHERE node = 1")" "8|8"

# An earlier version: a table with all percentages, no largest values.
cp tau.db old.db
bare old.db "CREATE TABLE x AS SELECT * FROM timer_value; DROP VIEW timer_value; DROP TABLE timer_value_base;
	CREATE TABLE timer_value (timer_call_data INT NOT NULL, metric INT NOT NULL, inclusive_value DOUBLE PRECISION,
	exclusive_value DOUBLE PRECISION, inclusive_percent DOUBLE PRECISION, exclusive_percent DOUBLE PRECISION,
	sum_exclusive_squared DOUBLE PRECISION, PRIMARY KEY (timer_call_data, metric)) WITHOUT ROWID;
	INSERT INTO timer_value SELECT * FROM x; DROP TABLE x;
	DROP INDEX thread_sum_place; CREATE INDEX thread_sum_thread ON thread_sum (thread); ALTER TABLE thread_sum DROP COLUMN largest"
values tau.db >want
values old.db >got
ok "an older database has the same values" cmp want got
for what in check export show; do
	case $what in
	show) set -- 1 -p timers ;;
	export) set -- --to tidy ;;
	*) set -- ;;
	esac
	tau-db $what -d tau.db "$@" 2>&1 | sed 's/tau\.db//' >new
	tau-db $what -d old.db "$@" 2>&1 | sed 's/old\.db//' >before
	ok "$what reads it as it is" cmp new before
done
is "and leaves it" "$(bare old.db "SELECT type FROM sqlite_master WHERE name = 'timer_value'")" table
cp old.db moved.db
tau-db tag -d moved.db moved 1 >/dev/null
is "the next write makes timer_value a view" "$(bare moved.db "SELECT type FROM sqlite_master WHERE name = 'timer_value'")" view
values moved.db >got
ok "with the same values" cmp want got
tau-db gc -d moved.db >/dev/null
values moved.db >got
ok "gc keeps them" cmp want got
is "and stores those of derived threads only" "$(bare moved.db "SELECT count(*), min(h.node_rank), max(h.node_rank) $stored")" \
	"$(bare tau.db "SELECT count(*), -7, -1 $stored")"
tau-db merge from-old.db old.db >/dev/null
values from-old.db >got
ok "a merge of the older database keeps them" cmp want got
tau-db merge from-new.db tau.db >/dev/null
tau-db merge --again from-new.db tau.db >/dev/null
is "and a merge of the new one, twice" "$(recomputed from-new.db)" "$((2 * rows))"
is "all without defects" "$(for f in moved from-old from-new; do tau-db check -d $f.db 2>&1; done | grep -c "no defects")" 3
bare from-new.db "UPDATE thread_sum SET largest = 1 WHERE thread = 2"
like "check finds a wrong largest value" "$(tau-db check -d from-new.db -f csv 2>/dev/null)" "sums,1,2,"

# Other programs write to timer_value as if it were a table.
bare tau.db "INSERT INTO timer_call_data (id, timer_callpath, thread, calls) VALUES (9000, 1, 2, 1);
	INSERT INTO timer_value (timer_call_data, metric, inclusive_value, exclusive_value, inclusive_percent, exclusive_percent) VALUES
	(9000, 1, 5, 4, 3, 2);"
is "INSERT" "$(bare tau.db "SELECT * FROM timer_value WHERE timer_call_data = 9000")" "9000|1|5.0|4.0|3.0|2.0|"
bare tau.db "INSERT OR REPLACE INTO timer_value VALUES (9000, 1, 6, 4, 3, 2, 1)"
is "INSERT OR REPLACE" "$(bare tau.db "SELECT * FROM timer_value WHERE timer_call_data = 9000")" "9000|1|6.0|4.0|3.0|2.0|1.0"
like "a second value of a metric" "$(sqlite3 tau.db "INSERT INTO timer_value (timer_call_data, metric) VALUES (9000, 1)" 2>&1)" "UNIQUE"
bare tau.db "DELETE FROM timer_value WHERE timer_call_data = 9000; DELETE FROM timer_call_data WHERE id = 9000"
values tau.db >got
ok "DELETE" cmp want got
bare tau.db "UPDATE timer_value SET exclusive_value = exclusive_value / 4 WHERE timer_call_data = 7"
values tau.db >got
is "UPDATE changes only what it sets" "$(diff want got | grep -c '^>')" "$(bare tau.db "SELECT count(*) FROM timer_value WHERE timer_call_data = 7")"
is "not the percentages" "$(bare tau.db "SELECT inclusive_percent, exclusive_percent FROM timer_value WHERE timer_call_data = 7")" \
	"$(bare old.db "SELECT inclusive_percent, exclusive_percent FROM timer_value WHERE timer_call_data = 7")"
tau-db rm -d tau.db 1 2 3 >/dev/null
is "rm removes them" "$(bare tau.db "SELECT count(*) FROM timer_value_base")" 0
tap_end
