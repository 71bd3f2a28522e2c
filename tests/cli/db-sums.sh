# db-sums.sh: sums over the timers of each thread: as they are stored, as SQL computes them, and what check, gc, merge and rm do with them.
. "$(dirname "$0")/../tap.sh"
unset TAUDB
cd "$T" || exit 1
command -v sqlite3 >/dev/null || skip_all "no sqlite3"

# profile DIR NODE CONTEXT THREAD FACTOR: samples and call paths are in no sum, a timer of several groups is of MPI once.
profile() {
	mkdir -p "$1"
	cat >"$1/profile.$2.$3.$4" <<-END
		6 templated_functions_MULTI_$(echo "$1" | sed 's/.*MULTI__//')
		# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Metric Name</name><value>$(echo "$1" | sed 's/.*MULTI__//')</value></attribute></metadata>
		"main" 1 3 $((100 * $5)).25 $((260 * $5)).25 0 GROUP="TAU_USER" 
		"MPI_Send()" 1 0 $((40 * $5)) $((40 * $5)) 0 GROUP="MPI|TAU_MESSAGE" 
		"shmem_put()" 1 0 $((20 * $5)) $((20 * $5)) 0 GROUP="TAU_USER|MPI|SHMEM" 
		"other()" 1 0 $((100 * $5)) $((100 * $5)) 0 GROUP="MPIX" 
		"[SAMPLE] f [{f.c}{1}]" 7 0 $((900 * $5)) $((900 * $5)) 0 GROUP="TAU_SAMPLE" 
		"main => MPI_Send()" 1 0 $((40 * $5)) $((40 * $5)) 0 GROUP="TAU_CALLPATH|MPI" 
		0 aggregates
		0 userevents
	END
	sed -i '/^$/d' "$1/profile.$2.$3.$4"
}
for metric in TIME PAPI_TOT_INS; do
	n=0
	while [ $n -lt 3 ]; do
		profile "p/MULTI__$metric" $n 0 0 $((n + 1 + ${#metric}))
		profile "p/MULTI__$metric" $n 0 1 $((n + 2))
		profile "p/MULTI__$metric" $n 1 0 $((n + 3))
		n=$((n + 1))
	done
done
tau-record -o run "$B/apps/hooks" >/dev/null 2>&1
tau-db import p >/dev/null 2>err || cat err
tau-db import --slices 3 run >/dev/null 2>err || cat err
query() { tau-db query -f csv "$@" 2>&1 | tr -d '\r'; }
is "one row for each thread, window and metric" "$(query "SELECT h.trial, count(*) AS n FROM thread_sum s JOIN thread h ON h.id = s.thread GROUP BY 1 HAVING h.trial = 1")" \
	"trial,n
1,18"
is "sums of a thread" "$(query "SELECT timers, exclusive, runtimes FROM thread_sum s JOIN thread h ON h.id = s.thread JOIN metric m ON m.id = s.metric
	WHERE h.trial = 1 AND node_rank = 1 AND context_rank = 1 AND m.name = 'TIME'")" "timers,exclusive,runtimes
4,1040.25,240"
is "sums of PEs" "$(query pes trial=1 metric=TIME)" "pe,threads,exclusive,runtimes,runtimes_share
0,3,2600.75,600,23.07026819186773
1,3,3380.75,780,23.0718035938771
2,3,4160.75,960,23.072763323919965"

# answers FILE: all answers about PEs
answers() {
	for metric in TIME PAPI_TOT_INS; do
		query -d "$1" pes trial=1 metric=$metric
	done
	for window in 0 1 2; do
		query -d "$1" pes trial=2 window=$window
	done
}
dump() { sqlite3 "$1" "SELECT * FROM thread_sum ORDER BY 1, 2, 3"; }
cp tau.db none.db
sqlite3 none.db "DELETE FROM thread_sum"
answers tau.db >stored
answers none.db >computed
like "windows of a trace have sums" "$(grep -c "^0,1," stored)" "^[123]$"
ok "values of trials without sums give the same" cmp stored computed
tau-db gc -d none.db >/dev/null
dump tau.db >want
dump none.db >got
ok "gc adds the sums that are missing" cmp want got
tau-db gc -d none.db >/dev/null
dump none.db >got
ok "and only those" cmp want got
is "check finds nothing" "$(tau-db check -d none.db 2>&1)" "$(tau-db check 2>&1 | sed 's/^tau/none/')"

# defect SQL: what check finds
defect() {
	cp tau.db bad.db
	sqlite3 bad.db "$1"
	tau-db check -d bad.db -f csv 2>/dev/null | tr -d '\r' | tail -n +2
}
is "a wrong sum" "$(defect "UPDATE thread_sum SET exclusive = exclusive + 1 WHERE thread = 1 AND metric = 1")" "sums,1,1,rows of thread_sum differ from their threads"
is "a wrong sum of runtimes" "$(defect "UPDATE thread_sum SET runtimes = NULL WHERE thread IN (1, 2) AND metric = 1")" \
	"sums,1,2,rows of thread_sum differ from their threads"
is "a row that is missing" "$(defect "DELETE FROM thread_sum WHERE thread = 1 AND metric = 1")" "sums,1,1,rows of thread_sum differ from their threads"
is "a row that is there twice" "$(defect "INSERT INTO thread_sum SELECT * FROM thread_sum WHERE thread = 1 AND metric = 1")" \
	"sums,1,1,rows of thread_sum differ from their threads"
is "a value that was changed later" "$(defect "UPDATE timer_value SET exclusive_value = 1 WHERE timer_call_data = 2 AND metric = 1" | grep -c '^sums,1,1,')" 1

tau-db merge into.db tau.db >/dev/null
tau-db merge --again into.db tau.db >/dev/null
dump into.db | head -n "$(wc -l <want)" >got
ok "merge copies them" cmp want got
is "with the numbers of their threads" "$(query -d into.db pes trial=3 metric=PAPI_TOT_INS)" "$(query pes trial=1 metric=PAPI_TOT_INS)"
tau-db rm -d into.db 1 2 3 4 >/dev/null
is "rm removes them" "$(query -d into.db "SELECT count(*) AS n FROM thread_sum" | tail -n 1)" 0

# A database of an earlier version has no such table; values are a table there.
cp tau.db old.db
sqlite3 old.db "CREATE TABLE x AS SELECT * FROM timer_value; DROP VIEW timer_value; DROP TABLE timer_value_base;
	CREATE TABLE timer_value AS SELECT * FROM x; DROP TABLE x; DROP TABLE thread_sum"
answers old.db >got
ok "pes reads the values" cmp stored got
is "and the file stays as it is" "$(sqlite3 old.db "SELECT count(*) FROM sqlite_master WHERE name = 'thread_sum'")" 0
is "tau-db check does not need it" "$(tau-db check -d old.db 2>&1 | sed 's/.*, //')" "no defects"
cp old.db new.db
tau-db merge new.db tau.db >/dev/null
is "it comes with the next write" "$(query -d new.db "SELECT count(*) AS n FROM thread_sum" | tail -n 1)" 0
answers new.db >got
ok "and older trials are computed" cmp stored got
tau-db gc -d old.db >/dev/null
answers old.db >got
ok "until gc adds their sums" cmp stored got
tap_end
