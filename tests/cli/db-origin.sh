# db-origin.sh: where each trial comes from, windows that overlap others are not added up twice, percentages of MEAN, and older files
# get all of it.
. "$(dirname "$0")/../tap.sh"
unset TAUDB
cd "$T" || exit 1

query() { tau-db query -f csv "$@" 2>&1 | tr -d '\r' | tail -n +2; }
mkdir "the run" "the run/p"
n=0
while [ $n -lt 2 ]; do	# main is on both; "only" on PE 1, where it is the outermost timer
	cat >"the run/p/profile.$n.0.0" <<-END
		2 templated_functions_MULTI_TIME
		# Name Calls Subrs Excl Incl ProfileCalls #
		"main" 1 0 $((30 + 10 * n)) $((100 - 40 * n)) 0 GROUP="TAU_USER" 
		"$([ $n -eq 1 ] && echo only || echo foo)" 1 0 $((70 - 20 * n)) $((70 + 70 * n)) 0 GROUP="TAU_USER" 
		0 aggregates
	END
	n=$((n + 1))
done
tau-db import -d tau.db -m "Note=it's" "the run/p" >/dev/null
is "the origin of a trial" "$(query -d tau.db "SELECT source_path, source_host, stored_by, stored_command, stored_options FROM trial")" \
	"$T/the run/p,$(hostname),$(tau-db --version),tau-db import -d tau.db -m 'Note=it'\\''s' 'the run/p','-m 'Note=it'\\''s'"
tau-db show -d tau.db -p summary -f csv 1 | tr -d '\r' >shown
is "show prints it" "$(grep -c "^run,$T/the run/p\$\|^stored by,tau-db\|^command,tau-db import\|^options,'-m\|^host,\|^content,[0-9a-f]*\$" shown)" 6
cp -r "the run" moved
like "the same run elsewhere is the same trial" "$(tau-db import -d tau.db -m "Note=it's" moved/p)" "already stored as trial 1"
tau-db merge both.db tau.db >/dev/null
is "merge keeps it" "$(query -d both.db "SELECT source_path FROM trial")" "$T/the run/p"

# TAU: of the sum of the largest inclusive values, 100 + 140.
is "percentages of TOTAL and MEAN" "$(query -d tau.db "SELECT h.thread_index, t.name, round(v.inclusive_percent, 6), round(v.exclusive_percent, 6)
	FROM timer_value v JOIN timer_call_data d ON d.id = v.timer_call_data JOIN thread h ON h.id = d.thread
	JOIN timer_callpath p ON p.id = d.timer_callpath JOIN timer t ON t.id = p.timer WHERE h.thread_index IN (-1, -2, -6)
	AND t.name <> 'foo' ORDER BY 1, 2")" "-6,main,66.666667,29.166667
-6,only,58.333333,20.833333
-2,main,66.666667,29.166667
-2,only,58.333333,20.833333
-1,main,66.666667,29.166667
-1,only,58.333333,41.666667"
is "percentages of a thread" "$(query -d tau.db "SELECT v.inclusive_percent, v.exclusive_percent FROM timer_value v WHERE timer_call_data = 1")" "100,30"

# Windows: 0 to 50 and 50 to 100 %, and others that overlap them.
tau-record -o run "$B/apps/hooks" >/dev/null 2>&1
tau-db import -d w.db run >/dev/null 2>&1
tau-db import -d w.db -w 0%:50% -w 40%:60% -w 50%:100% -w : run >/dev/null 2>&1
is "windows that overlap one before them" "$(query -d w.db "SELECT group_concat(overlapping, '') FROM time_range WHERE trial = 2")" "0101"
sums="SELECT trial, timer, calls, printf('%.3f', x) FROM (SELECT trial, timer, sum(calls) AS calls, sum(exclusive) AS x FROM flat_profile GROUP BY trial, timer)"
query -d w.db "SELECT timer, printf('%.2f', sum(exclusive)) FROM flat_profile WHERE trial = 1 GROUP BY 1" >whole
query -d w.db "SELECT timer, printf('%.2f', sum(exclusive)) FROM flat_profile WHERE trial = 2 GROUP BY 1" >halves
ok "sums over flat_profile count everything once" cmp whole halves
ok "and there is something" test "$(wc -l <whole)" -ge 5
for v in interval_location_profile interval_mean_summary; do
	of() { query -d w.db "SELECT printf('%.2f', sum(v.exclusive)) FROM $v v JOIN timer_callpath p ON p.id = v.interval_event
		JOIN timer t ON t.id = p.timer WHERE t.trial = $1"; }
	is "so do sums over TAU's view $v" "$(of 2)" "$(of 1)"
done

# A file of an earlier version: without the columns, and with the older views.
if command -v python3 >/dev/null; then
	cp w.db old.db
	python3 - <<-'END'
		import sqlite3
		db = sqlite3.connect("old.db")
		views = [r[0] for r in db.execute("SELECT name FROM sqlite_master WHERE type = 'view'")]
		for v in views:
		    if v.split("_")[0] in ("interval", "flat", "atomic"):
		        db.execute("DROP VIEW " + v)
		db.execute("CREATE VIEW interval_event_value AS SELECT 1 AS exclusive")
		for c in ("source_path", "source_host", "stored_by", "stored_command", "stored_options"):
		    db.execute("ALTER TABLE trial DROP COLUMN " + c)
		db.execute("ALTER TABLE time_range DROP COLUMN overlapping")
		db.execute('UPDATE time_range SET start = coalesce(exact_start, start), "end" = coalesce(exact_end, "end")')
		for c in ("exact_start", "exact_end"):
		    db.execute("ALTER TABLE time_range DROP COLUMN " + c)
		db.commit()
	END
	like "an older file is shown" "$(tau-db show -d old.db -p summary 2)" "window 3"
	query -d w.db windows trial=2 >windows
	ok "the times of windows have fractions" grep -q '^2,50%:100%,[0-9]*\.[0-9]*,' windows
	is "and are the same in the older file" "$(query -d old.db windows trial=2 | cmp windows - && query -d old.db "SELECT sum(typeof(start) = 'real') > 0 FROM time_range")" 1
	tau-db merge merged.db old.db >/dev/null
	is "a merge stores integers, and the fractions in columns of their own" "$(query -d merged.db windows trial=2 | cmp windows - &&
		query -d merged.db "SELECT count(DISTINCT typeof(start) || typeof(end)) FROM time_range WHERE typeof(start) || typeof(end) = 'integerinteger'") $(
		query -d merged.db "SELECT count(*) FROM time_range WHERE typeof(start) = 'real' OR typeof(end) = 'real'")" "1 0"
	tau-db import -d old.db "the run/p" >/dev/null
	is "after a trial is stored, it has the same marks and views" "$(query -d old.db "SELECT group_concat(overlapping, '') FROM time_range WHERE trial = 2")
$(query -d old.db "SELECT sql FROM sqlite_master WHERE type = 'view' ORDER BY name" | cksum)" "0101
$(query -d w.db "SELECT sql FROM sqlite_master WHERE type = 'view' ORDER BY name" | cksum)"
	is "and the origin of what is new" "$(query -d old.db "SELECT coalesce(source_path, 'unknown') FROM trial WHERE id > 1")" "unknown
$T/the run/p"
	like "check finds nothing" "$(tau-db check -d old.db)" "no defects"
	python3 -c "import sqlite3; db = sqlite3.connect('w.db'); db.execute('UPDATE schema_version SET version = 3'); db.commit()"
	like "a newer schema is refused" "$(tau-db import -d w.db "the run/p" 2>&1)" "schema version 3"
else
	skip "an older file" "no python3"
fi
tap_end
