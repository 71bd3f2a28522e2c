# db-merge.sh: tau-db merge, check and gc at the command line.
. "$(dirname "$0")/../tap.sh"
unset TAUDB
cd "$T" || exit 1

# profile DIR PES
profile() {
	mkdir -p "$1"
	n=0
	while [ $n -lt "$2" ]; do
		cat >"$1/profile.$n.0.0" <<-END
			3 templated_functions_MULTI_TIME
			# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Metric Name</name><value>TIME</value></attribute></metadata>
			"main" 1 2 100 130 0 GROUP="TAU_USER" 
			"foo" 2 0 30 30 0 GROUP="TAU_USER" 
			"main => foo" 2 0 30 30 0 GROUP="TAU_CALLPATH|TAU_USER" 
			0 aggregates
		END
		n=$((n + 1))
	done
}
profile one 1
profile two 2
tau-db import -d a.db -a app one two >/dev/null
tau-db import -d b.db -a app -x old two >/dev/null
tau-db import -d b.db -a other one >/dev/null
tau-db rm -d b.db 1
tau-db import -d b.db -a app -x new two >/dev/null

# All that a trial holds, without the numbers of rows.
content() {
	tau-db query -d "$1" -f csv "SELECT t.name, h.node_rank, r.name, u.name, d.calls, d.subroutines, m.name,
		v.inclusive_value, v.exclusive_value, v.inclusive_percent, v.sum_exclusive_squared FROM trial t
		JOIN thread h ON h.trial = t.id JOIN timer_call_data d ON d.thread = h.id JOIN timer_callpath p ON p.id = d.timer_callpath
		JOIN timer r ON r.id = p.timer AND r.trial = t.id JOIN timer_value v ON v.timer_call_data = d.id
		JOIN metric m ON m.id = v.metric AND m.trial = t.id LEFT JOIN timer_callpath q ON q.id = p.parent
		LEFT JOIN timer u ON u.id = q.timer WHERE t.id = :t ORDER BY d.id" t="$2"
}
content b.db 2 >two.before
content b.db 3 >three.before
ok "a trial has content" test "$(wc -l <two.before)" -gt 20
is "merge prints the new numbers" "$(tau-db merge a.db b.db)" "b.db: 2 trials, now 4 to 5"
is "the trials of both" "$(tau-db list -d a.db -f csv -c id,name,application,experiment | tr -d '\r')" "id,name,application,experiment
1,one,app,
2,two,app,
4,one,other,
5,two,app,new"
content a.db 4 >two.after
content a.db 5 >three.after
ok "a merged trial has the same values" cmp two.before two.after
ok "and the other one" cmp three.before three.after
is "the other database is as before" "$(tau-db list -d b.db -f csv -c id,name | tr -d '\r' | tr '\n' ' ')" "id,name 2,one 3,two "
is "views of trials are there once" "$(tau-db query -d a.db -f csv "SELECT v.name, p.name AS parent, count(*) AS n FROM taudb_view v
	LEFT JOIN taudb_view p ON p.id = v.parent LEFT JOIN taudb_view_parameter q ON q.taudb_view = v.id GROUP BY v.id ORDER BY v.name" | tr -d '\r')" \
	"name,parent,n
All Trials,,1
Application-app,,1
Application-other,,1
Experiment-new,Application-app,1
Experiment-old,Application-app,1"
cksum a.db b.db >sums.before
is "merging into a new database, several at once" "$(tau-db merge --again new.db a.db b.db)" "a.db: 4 trials, now 1 to 5
b.db: 2 trials, now 7 to 8"
cksum a.db b.db >sums.after
ok "the databases that are copied stay as they are, byte by byte" cmp sums.before sums.after
is "check" "$(tau-db check -d new.db | sed 's/[0-9]* checks/N checks/')" "new.db: 6 trials, N checks, no defects"
is "an import goes on after the merged numbers" "$(tau-db import -d new.db one | cut -d : -f 1)" "trial 9"

# Trials that are there already are the same trials.
tau-db import -d c.db -a app -x new two >/dev/null
tau-db import -d c.db -a third one >/dev/null
tau-db import -d c.db --again -a third one >/dev/null
tau-db rename -d c.db 1 another
is "a trial that is there is printed and not copied" "$(tau-db merge new.db c.db)" "c.db: trial 1 is already stored as trial 5
c.db: 2 trials, now 11 to 12"
is "and nothing of it is there twice" "$(tau-db check -d new.db | sed 's/[0-9]* checks/N checks/')" "new.db: 9 trials, N checks, no defects"
cksum new.db >sums.before
is "the same merge again copies nothing" "$(tau-db merge new.db c.db)" "c.db: trial 1 is already stored as trial 5
c.db: trial 2 is already stored as trial 11
c.db: trial 3 is already stored as trial 11
c.db: no new trials"
cksum new.db >sums.after
ok "the database is as before" cmp sums.before sums.after
for t in metric thread timer time_range; do
	is "rows of $t are of trials that exist" "$(tau-db query -d new.db -f csv "SELECT count(*) FROM $t WHERE trial NOT IN (SELECT id FROM trial)" | tail -n 1 | tr -d '\r')" 0
done
content c.db 2 >third.before
content new.db 11 >third.after
ok "a trial that came next to a known one has the same values" cmp third.before third.after

fails() {
	want=$1 said=$2
	shift 2
	"$@" >out 2>err </dev/null
	is "$* ends with $want" "$? $(wc -l <err) $(wc -c <out)" "$want 1 0"
	like "and why" "$(cat err)" "$said"
}
fails 2 "cannot be merged into itself" tau-db merge a.db ./a.db
fails 2 "merge needs a database" tau-db merge a.db
fails 4 "No such file" tau-db merge a.db none.db
fails 3 "not an SQLite database" tau-db merge a.db one/profile.0.0.0
fails 2 "check takes no operand" tau-db check a.db
fails 2 "gc takes no operand" tau-db gc a.db

if command -v sqlite3 >/dev/null; then
	for d in q.db r.db; do
		cp b.db $d
		sqlite3 $d "CREATE TABLE \"it's \"\"odd\"\"\" (id INTEGER PRIMARY KEY, trial INT); INSERT INTO \"it's \"\"odd\"\"\" VALUES (1, 2)"
	done
	tau-db merge --again q.db r.db >/dev/null
	is "names of tables with quotes" "$(sqlite3 q.db "SELECT * FROM \"it's \"\"odd\"\"\"" | tr '\n' ' ')" "1|2 2|5 "
	sqlite3 b.db 'CREATE TABLE songs (id INTEGER PRIMARY KEY); ALTER TABLE trial ADD COLUMN mood'
	is "tables of others are named" "$(tau-db merge -- m.db b.db 2>&1 | tail -n 1)" \
		"tau-db merge: b.db: not part of a TauDB and not copied: trial.mood, songs"
	sqlite3 a.db 'UPDATE timer_value SET exclusive_value = 2e9 WHERE timer_call_data = 1; DELETE FROM trial WHERE id = 4'
	tau-db check -d a.db -f csv >out 2>err
	is "defects have exit code 3" "$? $(cat err)" "3 tau-db check: a.db: $(($(wc -l <out) - 1)) defects"
	like "a value that cannot be" "$(tr -d '\r' <out)" "^exclusive,1,1,an exclusive value is larger than the inclusive value"
	like "a trial that is gone" "$(tr -d '\r' <out)" "^references,,.*rows of thread refer to rows of trial that do not exist"
	like "gc" "$(tau-db gc -d a.db)" "^a.db: [1-9][0-9]* rows without a trial removed, [0-9]+ bytes, now [0-9]+$"
	is "removes what has no trial" "$(tau-db check -d a.db -f csv 2>/dev/null | grep -c references)" 0
else
	skip "defects" "no sqlite3"
fi
tap_end
