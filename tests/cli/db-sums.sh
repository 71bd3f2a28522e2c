# db-sums.sh: reports that need sums over threads only take them from the derived threads of the store, and are equal to the last digit
# without these, when the rows of all threads are read.
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/pes.sh"
unset TAUDB
cd "$T" || exit 1

for p in 2 4 8; do pes dir.$p $p; done
for i in 1 2 3 4 5 6; do
	tau-record -o run.$i -w pthread "$B/apps/threads" >/dev/null 2>&1
done
tau-db import --db sums.db dir.2 dir.4 dir.8 >/dev/null
tau-db import --db sums.db --slices 3 run.1 run.2 run.3 >/dev/null
tau-db import --db sums.db -w : -w 50%: run.4 run.5 run.6 >/dev/null
cp sums.db rows.db
sqlite3 rows.db 'UPDATE thread SET waiting = NULL'

# same KIND...: the same of both, also of what is not in derived threads, as windows
same() {
	for db in sums rows; do
		tau-report "$@" -f json --db $db.db >$db.json 2>$db.err
		echo "status $?" >>$db.err
		sed -i "s|$db[.]db|DB|g" $db.json $db.err
	done
	ok "$*: $(wc -l <sums.json) lines are equal" cmp sums.json rows.json
	ok "$*: and so is what is reported" cmp sums.err rows.err
	ok "$*: there are some" [ "$(wc -l <sums.json)" -gt 1 ]
}
for by in region path group; do
	same scaling --by $by 1 2 3
	same breakdown --by $by 1 2 3
	same diff --by $by 4 5
	same diff --by $by 7 8
done
same why 7 8
same diff -w 50%: 7 8
same correlate 4 5 6 7 8 9
same trend 4 5 6 7 8 9
same compare --baseline 4,5,6 7 8 9

# What is read does not grow with the threads: instructions of a report over many PEs and over few.
if command -v valgrind >/dev/null && ! ldd "$B/tau-report" | grep -q 'lib[at]san'; then
	cost() { valgrind --tool=callgrind --callgrind-out-file=/dev/null tau-report scaling --db "$1" 2>&1 >/dev/null | sed -n 's/.*Collected : //p'; }
	for p in 16 32 512; do
		mkdir many.$p
		awk -v p=$p 'BEGIN { for (n = 0; n < p; n++) {
			f = "many." p "/profile." n ".0.0"
			print "200 templated_functions_MULTI_TIME" >f
			print "# Name Calls Subrs Excl Incl ProfileCalls #" >f
			for (t = 0; t < 200; t++) printf "\"timer_%d\" 1 0 %d %d 0 GROUP=\"TAU_USER\" \n", t, 1000 * t / p + n, 1000 * t / p + n >f
			print "0 aggregates" >f
			close(f)
		} }'
	done
	tau-db import --db few.db many.16 many.32 >/dev/null
	tau-db import --db many.db many.16 many.512 >/dev/null
	few=$(cost few.db) many=$(cost many.db)
	ok "16 times as many PEs take less than 1.5 times the instructions ($few, $many)" [ "$many" -lt $((few * 3 / 2)) ]
else
	skip "instructions of a report over many PEs" "it needs valgrind, and no sanitizer"
fi
tap_end
