# db-query.sh: tau-db query: SQL only reads, and each named query answers with values computed by hand or by awk.
. "$(dirname "$0")/../tap.sh"
unset TAUDB
cd "$T" || exit 1

# profile DIR PES FACTOR: on PE n, main calls foo and MPI_Send(); times of foo grow with n and the factor.
profile() {
	mkdir -p "$1"
	n=0
	while [ $n -lt "$2" ]; do
		foo=$(((n + 1) * 10 * $3))
		cat >"$1/profile.$n.0.0" <<-END
			5 templated_functions_MULTI_TIME
			# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Metric Name</name><value>TIME</value></attribute><attribute><name>Compiler</name><value>gcc $3</value></attribute></metadata>
			"main" 1 3 100 $((140 + foo)) 0 GROUP="TAU_USER" 
			"foo" 2 0 $foo $foo 0 GROUP="TAU_USER" 
			"MPI_Send()" 1 0 40 40 0 GROUP="MPI" 
			"main => foo" 2 0 $foo $foo 0 GROUP="TAU_CALLPATH|TAU_USER" 
			"main => MPI_Send()" 1 0 40 40 0 GROUP="TAU_CALLPATH|MPI" 
			0 aggregates
			1 userevents
			# eventname numevents max min mean sumsqr
			"Bytes" 2 3 1 2 10
		END
		n=$((n + 1))
	done
}
profile two 2 1
profile four 4 2
tau-db import -a app two four >/dev/null
tau-db import -n again -a app two >/dev/null
query() { tau-db query -f csv "$@" 2>&1 | tr -d '\r'; }

is "SQL as text" "$(tau-db query 'SELECT id, name, 0.5 AS half FROM trial')" "id  name   half
--  -----  ----
 1  two     0.5
 2  four    0.5
 3  again   0.5"
is "SQL as CSV, with parameters" "$(query 'SELECT name, :x + 1 AS x FROM trial WHERE name = :y' x=1 y=four)" "name,x
four,2"
like "SQL as JSON" "$(tau-db query -f json 'SELECT 1 AS a, NULL AS b, 2 AS a' | tr -d '\n')" '"a": 1, "b": null, "a:2": 2'
is "bytes, infinities and mixed types" "$(query "SELECT x'00ff' AS a, 1e999 AS b UNION ALL SELECT 3, -0.5")" "a,b
x'00ff',inf
3,-0.5"
is "formulas, quotes and line ends cannot leave their cell" "$(query "SELECT '=1+2' AS a, 'a\"b' AS b, 'x
y' AS c")" "a,b,c
'=1+2,\"a\"\"b\",\"x
y\""

# refuses SQL WHAT: exit code 2, one sentence, no output, and the database as before.
before=$(cksum <tau.db)
refuses() {
	tau-db query "$1" >out 2>err </dev/null
	is "refused: $1" "$? $(wc -l <err) $(wc -c <out) $(cksum <tau.db)" "2 1 0 $before"
	like "and why" "$(cat err)" "$2"
}
refuses "INSERT INTO trial (name) VALUES ('x')" "INSERT is refused: a query only reads"
refuses "REPLACE INTO trial (id) VALUES (1)" "INSERT is refused"
refuses "UPDATE trial SET name = 'x'" "UPDATE is refused"
refuses "DELETE FROM trial" "DELETE is refused"
refuses "WITH x AS (SELECT 1) DELETE FROM trial" "DELETE is refused"
refuses "DROP TABLE trial" "refused"
refuses "CREATE TABLE x (a)" "refused"
refuses "CREATE TEMP TABLE x AS SELECT 1" "refused"
refuses "CREATE VIEW x AS SELECT 1" "refused"
refuses "CREATE VIRTUAL TABLE x USING fts5(a)" "refused"
refuses "UPDATE sqlite_master SET sql = ''" "may not be modified"
refuses "ATTACH 'x.db' AS x" "ATTACH is refused"
refuses "VACUUM INTO 'x.db'" "refused"
refuses "BEGIN IMMEDIATE" "a transaction is refused"
refuses "PRAGMA journal_mode = wal" "this PRAGMA is refused"
refuses "SELECT * FROM pragma_journal_mode" "this PRAGMA is refused"
refuses "PRAGMA user_version = 3" "this PRAGMA is refused"
refuses "SELECT load_extension('x')" "loads code"
refuses "SELECT 1; DROP TABLE trial" "one statement"
refuses "SELECT absent FROM trial" "no such column: absent"
refuses "SELECT (" "incomplete input"
refuses "hot-timer" "did you mean 'hot-timers'"
is "no other file was made" "$(ls x.db* 2>&1 | grep -c 'No such')" 1
is "what only reads is not refused" "$(query "SELECT name FROM pragma_table_info('metric') LIMIT 1") $(query "SELECT value FROM json_each('[7]')")" "name
id value
7"
# A file that may not be written is read all the same.
cp tau.db read.db && chmod a-w read.db
is "a file without permission to write" "$(query -d read.db 'SELECT count(*) AS n FROM trial')" "n
3"

is "trials" "$(query trials)" "id,name,application,pes,threads,longest_inclusive
1,two,app,2,2,160
2,four,app,4,4,220
3,again,app,2,2,160"
is "hot-timers" "$(query hot-timers trial=two)" "timer,calls,exclusive,share,inclusive,largest_exclusive
main,2,200,64.51612903225806,310,100
MPI_Send(),2,80,25.806451612903224,80,40
foo,4,30,9.67741935483871,30,20"
is "hot-timers: the top" "$(query hot-timers trial=1 top=1 | wc -l) $(query hot-timers trial=1 top=0 | wc -l)" "2 4"
is "hot-paths" "$(query hot-paths trial=four)" "path,calls,exclusive,inclusive
main => foo,8,200,200
main => MPI_Send(),4,160,160"
is "groups" "$(query groups trial=two)" "groups,timers,calls,exclusive,share
TAU_USER,2,6,230,74.19354838709677
MPI,1,2,80,25.806451612903224"
is "imbalance" "$(query imbalance trial=four top=1)" "timer,mean,largest,smallest,largest_by_mean,excess
foo,50,80,20,1.6,30"
# work is on rank 0 only; thread 1 of each PE is outside of all regions: a runtime only waits with it.
for n in 0 1; do
	mkdir -p helpers
	cat >helpers/profile.$n.0.0 <<-END
		$((3 - n)) templated_functions_MULTI_TIME
		# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Metric Name</name><value>TIME</value></attribute></metadata>
		"main" 1 $((1 - n)) 100 $((180 - 80 * n)) 0 GROUP="TAU_USER" 
		"MPI_Send()" 1 0 20 20 0 GROUP="MPI" 
		$([ $n = 0 ] && echo '"work" 1 0 60 60 0 GROUP="TAU_USER" ')
		0 aggregates
		0 userevents
	END
	sed -i '/^$/d' helpers/profile.$n.0.0
	cat >helpers/profile.$n.0.1 <<-END
		1 templated_functions_MULTI_TIME
		# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Metric Name</name><value>TIME</value></attribute></metadata>
		".TAU application" 1 0 900 900 0 GROUP="TAU_DEFAULT" 
		0 aggregates
		0 userevents
	END
done
tau-db import --db helpers.db helpers >/dev/null
is "imbalance: a thread without the timer counts as 0, one that only waits does not" "$(query -d helpers.db imbalance)" \
	"timer,mean,largest,smallest,largest_by_mean,excess
work,30,60,0,2,30
MPI_Send(),20,20,20,1,0
main,100,100,100,1,0"
# The derived threads have the numbers of imbalance. An older version did not store which threads wait: then each row counts.
rows() {
	cp "$1" rows.db
	sqlite3 rows.db 'UPDATE thread SET waiting = NULL WHERE node_rank >= 0 AND waiting = 0'
	for q in "imbalance top=0" "imbalance trial=1 top=0"; do
		is "imbalance of $1: from derived threads or from all rows" "$(query -d "$1" $q)" "$(query -d rows.db $q)"
	done
}
if command -v sqlite3 >/dev/null; then
	rows helpers.db
	rows tau.db
	# plan QUERY: how SQLite runs it
	plan() { { echo "EXPLAIN QUERY PLAN"; tau-db query --sql "$1" | sed 's/:[a-z][a-z]*/NULL/g'; } | sqlite3 tau.db; }
	is "pes: rows come by PE, without sorting" "$(plan pes | grep -c 'TEMP B-TREE FOR GROUP BY')" 0
	tau-db query --list | awk 'NR > 2 && /^[a-z]/ { print $1 }' >names
	is "no named query scans all values" "$(while read -r q; do
		plan "$q" | grep -E '(SCAN|AUTOMATIC.*\((timer_call_data|metric)=)' | grep -E ' [vdabsx] ' | sed "s/^/$q: /"
	done <names)" ""
fi
is "pes: without threads that only wait" "$(query -d helpers.db pes)" "pe,threads,exclusive,runtimes,runtimes_share
0,1,180,20,11.11111111111111
1,1,120,20,16.666666666666668"
is "... as in runtimes" "$(query -d helpers.db runtimes)" "trial,name,pes,exclusive,runtimes,runtimes_share
1,helpers,2,300,40,13.333333333333334"
is "... and in timer-threads" "$(query -d helpers.db timer-threads timer=.TAU%)" "timer,pe,context,thread,calls,exclusive,inclusive"
is "timer-threads" "$(query timer-threads timer=foo trial=two)" "timer,pe,context,thread,calls,exclusive,inclusive
foo,0,0,0,2,10,10
foo,1,0,0,2,20,20"
is "pes" "$(query pes trial=two)" "pe,threads,exclusive,runtimes,runtimes_share
0,1,150,40,26.666666666666668
1,1,160,40,25"
is "callers" "$(query callers timer=foo trial=two)" "caller,calls,exclusive,inclusive
main,4,30,30"
is "callees" "$(query callees timer=main trial=two)" "callee,calls,exclusive,inclusive
MPI_Send(),2,80,80
foo,4,30,30"
# A name that nothing has: standard output is the header, and a note has the nearest name.
note() { tau-db query "$@" 2>&1 >/dev/null; echo $?; }
is "a timer that is not there" "$(note callers timer=fooo trial=two) $(note callees timer=Main trial=two) $(note timer-threads timer=fo trial=two)" \
	"tau-db query: no timer of this trial is named 'fooo'; did you mean 'foo'?
0 tau-db query: no timer of this trial is named 'Main'; did you mean 'main'?
0 tau-db query: no timer of this trial is named 'fo'; did you mean 'foo'?
0"
is "... in any trial" "$(note timer-scaling timer=fooo)" "tau-db query: no timer is named 'fooo'; did you mean 'foo'?
0"
is "a pattern without a match" "$(note timer-threads timer=PMPI_% trial=two)" "tau-db query: no timer of this trial is named 'PMPI_%'
0"
is "a pattern where only names are" "$(note callers timer=fo% trial=two; note hot-timers metric=TIM% trial=two)" \
	"tau-db query: no timer of this trial is named 'fo%'; did you mean 'foo'?
0
tau-db query: no metric of this trial is named 'TIM%'; did you mean 'TIME'?
0"
is "a metric, metadata, and an application" "$(note hot-timers metric=TIMES trial=two; note metadata name=No% trial=two; note scaling application=ap)" \
	"tau-db query: no metric of this trial is named 'TIMES'; did you mean 'TIME'?
0
tau-db query: no metadata of this trial is named 'No%'
0
tau-db query: no application is named 'ap'; did you mean 'app'?
0"
is "a timer that is there and has no callers" "$(note callers timer=main trial=two)" 0
is "the header remains" "$(tau-db query -f csv callers timer=fooo trial=two 2>/dev/null | tr -d '\r')" caller,calls,exclusive,inclusive
is "frequent" "$(query frequent trial=two top=1)" "timer,calls,inclusive_per_call,exclusive
foo,4,7.5,30"
is "metrics" "$(query metrics metric=TIME trial=two top=1)" "timer,upper,lower,ratio
main,200,200,1"
is "scaling" "$(query scaling)" "trial,name,application,pes,time,speedup,efficiency
1,two,app,2,160,1,100
3,again,app,2,160,1,100
2,four,app,4,220,0.7272727272727273,36.36363636363637"
is "of selected trials: all others are left out" "$(query --where 'compiler ~ "gcc 1" and name != two' scaling) $(query -W pes=4 trials | cut -d , -f 1)" \
"$(query scaling | sed -n '1p; /^3,/p') $(printf 'id\n2')"
is "and in SQL" "$(query -W 'pes=2' "SELECT count(*) AS n FROM trial WHERE instr(:trials, ',' || id || ',')")" "n
2"
is "timer-scaling" "$(query timer-scaling timer=foo application=app)" "timer,trial,pes,mean_calls,mean_exclusive,largest_exclusive,mean_inclusive
foo,1,2,2,15,20,15
foo,3,2,2,15,20,15
foo,2,4,2,50,80,50"
is "runtimes" "$(query runtimes)" "trial,name,pes,exclusive,runtimes,runtimes_share
1,two,2,310,80,25.806451612903224
2,four,4,760,160,21.05263157894737
3,again,2,310,80,25.806451612903224"
is "compare" "$(query compare from=two to=four top=1)" "timer,from,to,difference,ratio
foo,15,50,35,3.3333333333333335"
is "repeats" "$(query repeats top=2)" "timer,application,pes,trials,mean,smallest,largest,deviation_of_mean
main,app,2,2,100,100,100,0
MPI_Send(),app,2,2,40,40,40,0"
is "metadata" "$(query metadata trial=two name=Comp%)" "name,value
Compiler,gcc 1"
is "metadata-differences" "$(query metadata-differences from=two to=four)" "name,from,to
Compiler,gcc 1,gcc 2"
is "counters" "$(query counters trial=two)" "counter,samples,sum,mean,smallest,largest
Bytes,4,8,2,1,3"
is "counter-threads" "$(query counter-threads counter=Bytes trial=two)" "counter,pe,context,thread,samples,sum,mean,smallest,largest
Bytes,0,0,0,2,4,2,1,3
Bytes,1,0,0,2,4,2,1,3"
is "counter-scaling" "$(query counter-scaling counter=Bytes)" "counter,trial,pes,samples,mean_sum,largest
Bytes,1,2,2,4,3
Bytes,3,2,2,4,3
Bytes,2,4,2,4,3"
# What they print of messages: db-messages.sh.
is "message-pairs" "$(query message-pairs | tail -n 1)" "sender,receiver,kind,messages,bytes,share,smallest,largest"
is "message-sizes" "$(query message-sizes | tail -n 1)" "kind,least,most,messages,bytes,pairs"
is "losses" "$(query losses)" "trial,name,what,value"
is "sizes" "$(query sizes | head -n 2)" "id,name,timers,call_paths,timer_rows,counters,counter_rows,memory_rows
1,two,3,5,45,1,9,0"

# Windows of a trace: the exclusive times of slices add up to that of the whole.
tau-record -o run "$B/apps/hooks" >/dev/null 2>&1
tau-db import -d w.db run >/dev/null 2>&1
tau-db import -d w.db --slices 4 run >/dev/null 2>&1
is "windows" "$(query -d w.db windows trial=2 | awk -F, 'NR > 1 { n++; s += $5; at = at " " $1 } END { printf "%d%s %.3f", n, at, s }')" \
	"4 0 1 2 3 $(query -d w.db windows trial=1 | awk -F, 'NR == 2 { printf "%.3f", $5 }')"

query --list >list
is "each query is listed" "$(cut -d, -f 1 list | wc -l)" "$(($(cat "$TOP"/db/queries*.sql | grep -c '^-- query: ') + 1))"
sed -n 's/^-- query: //p' "$TOP"/db/queries*.sql >known
while read -r q; do
	grep -q "^is \"$q\"" "$TOP/tests/cli/db-query.sh" || echo "$q"
done <known >untested
is "and each is tested here" "$(cat untested)" ""
# What --sql lists of columns, in order, and what the rows have.
while read -r q; do
	tau-db query --sql "$q" >sql
	is "$q has the columns that it lists" "$(query " $(cat sql)" | head -n 1)" \
		"$(sed -n 's/^-- \([a-z_]*\): [^ ].*/\1/p' sql | tr '\n' ',' | sed 's/,$//')"
done <known
if command -v sqlite3 >/dev/null; then
	is "their SQL runs in other programs" "$(tau-db query --sql hot-timers | sqlite3 tau.db | head -n 1)" "main|2|200.0|64.5161290322581|310.0|100.0"
else
	skip "their SQL runs in other programs" "no sqlite3"
fi
awk -v out=man -v head="$TOP/man/tau-queries.7" -f "$TOP/db/queries.awk" "$TOP/db/queries_columns.sql" "$TOP/db/queries.sql" "$TOP/db/queries_counters.sql" >page
ok "the manual page is made from the same SQL (make man)" cmp page "$TOP/man/tau-queries.7"
is "which fits in 80 columns" "$(awk '/^\.Bd/, /^\.Ed/' page | sed "s/\\\\(aq/'/g" | awk 'length > 74')" ""

fails() {
	want=$1 said=$2
	shift 2
	"$@" >out 2>err </dev/null
	is "$* ends with $want" "$? $(wc -l <err) $(wc -c <out)" "$want 1 0"
	like "and why" "$(cat err)" "$said"
}
fails 2 "name a query" tau-db query
fails 2 "hot-timers is not a query over several trials" tau-db query --where pes=2 hot-timers
fails 2 "this SQL is not a query over several trials" tau-db query --where pes=2 "SELECT 1"
fails 3 "no trial is" tau-db query --where pes=77 scaling
fails 2 "no query runs with it" tau-db query --where pes=2 --list
fails 2 "has no parameter 'foo'" tau-db query hot-timers foo=1
fails 2 "needs to=TRIAL" tau-db query compare from=1
fails 2 "'x' is not a whole number" tau-db query hot-timers top=x
fails 2 "'-3' is not a whole number from 0" tau-db query hot-timers top=-3
fails 3 "trial 1 has no window 1; its last one is 0" tau-db query hot-timers trial=1 window=1
fails 2 "no such table: call; name the run that has it by --run" tau-db query "SELECT * FROM call"
mkfifo pipe.db
fails 3 "pipe.db: a pipe or socket, not a TauDB" tau-db query -d pipe.db "SELECT 1"
fails 2 "'x' is not NAME=VALUE" tau-db query hot-timers x
fails 3 "there is no trial thre" tau-db query hot-timers trial=thre
fails 2 "the query has no parameter 'x'" tau-db query "SELECT 1" x=1
fails 2 "no query runs with it" tau-db query --list hot-timers
fails 4 "No such file" tau-db query -d none.db "SELECT 1"

# What a trial lacks is reported, with the way to store it.
mkdir flat
printf '%s\n' '1 templated_functions_MULTI_TIME' '# Name Calls Subrs Excl Incl ProfileCalls # <metadata></metadata>' \
	'"main" 1 0 5 5 0 GROUP="TAU_USER" ' '0 aggregates' >flat/profile.0.0.0
tau-db import -d flat.db flat >/dev/null
lacks() {
	want=$1
	shift
	is "$1 says what the trial lacks" "$(tau-db query -d flat.db -f csv "$@" 2>&1 >/dev/null)" "tau-db query: trial 1 has no $want"
}
lacks "call paths; tau-db import --callpath stores those of a trace" hot-paths
lacks "call paths; tau-db import --callpath stores those of a trace" callers timer=main
lacks "call paths; tau-db import --callpath stores those of a trace" callees timer=main
lacks "counters" counters
lacks "messages between PEs" message-pairs
lacks "sizes of messages; tau-db import --sizes stores those of a trace" message-sizes

# The context of a counter is a path without times.
printf '%s\n' '2 templated_functions_MULTI_TIME' '# Name Calls Subrs Excl Incl ProfileCalls # <metadata></metadata>' \
	'"main" 1 1 5 8 0 GROUP="TAU_USER" ' '"foo" 1 0 3 3 0 GROUP="TAU_USER" ' '0 aggregates' '1 userevents' \
	'# eventname numevents max min mean sumsqr' '"Bytes : main => foo" 2 3 1 2 10' >flat/profile.0.0.0
tau-db import -d flat.db -n context flat >/dev/null
is "contexts of counters are no call paths" "$(tau-db query -d flat.db -f csv hot-paths 2>&1 >/dev/null)" \
	"tau-db query: trial 2 has no call paths; tau-db import --callpath stores those of a trace"

# Values of a real series, computed from the text of its profiles.
if [ -d "$DATA/tau/ppk" ]; then
	for n in 2 8 32; do
		tau-db import -d g.db -a gromacs "$DATA/tau/ppk/gromacs-$n.ppk" >/dev/null
		tau-convert "$DATA/tau/ppk/gromacs-$n.ppk" "g$n" 2>/dev/null
	done
	is "scaling of GROMACS" "$(query -d g.db scaling | cut -d, -f 4,5)" "pes,time
2,638304974
8,204587407
32,101229866"
	cat g8/profile.* | sed -n 's/^"\(.*\)" \([^"]*\) 0 GROUP="\([^"]*\)".*/\3|\1\t\2/p' | awk -F '\t' '
		$1 !~ /^TAU_CALLPATH/ { sub(/^[^|]*(\|TAU[A-Z_]*)*\|/, "", $1); split($2, v, " "); calls[$1] += v[1]; excl[$1] += v[3] }
		END { for (t in calls) printf "%d %.3f\n", calls[t], excl[t] }' | sort >expected
	tau-db query -d g.db -f json hot-timers trial=2 top=0 |
		sed -n 's/.*"calls": \([^,]*\), "exclusive": \([^,]*\),.*/\1 \2/p' | awk '{ printf "%d %.3f\n", $1, $2 }' | sort >got
	is "all timers of GROMACS on 8 PEs" "$(diff expected got | head -n 5) $(wc -l <got)" " 613"
	# By hand: calls, subroutines, exclusive and inclusive time of each timer on each PE of the profiles.
	for f in g8/profile.*; do
		sed -n 's/^"\(.*\)" \([^"]*\) 0 GROUP="\([^"]*\)".*/\3|\1\t\2/p' "$f" | awk -F '\t' -v pe="${f#g8/profile.}" '
			$1 !~ /^TAU_CALLPATH/ { mpi = $1 ~ /^(MPI|[^|]*\|MPI)\|/; sub(/^[^|]*(\|TAU[A-Z_]*)*\|/, "", $1); split($2, v, " ")
				printf "%d\t%s\t%s\t%s\t%s\t%d\n", pe, $1, v[1], v[3], v[4], mpi }'
	done >byhand
	awk -F '\t' '{ s[$2] += $4; if (!($2 in n) || $4 > m[$2]) m[$2] = $4; if (!($2 in n) || $4 < l[$2]) l[$2] = $4; n[$2]++ }
		END { for (t in n) if (s[t] > 0) printf "%.3f %.0f %.0f %.3f\n", s[t] / 8, m[t], n[t] < 8 ? 0 : l[t], m[t] - s[t] / 8 }' byhand | sort >expected
	tau-db query -d g.db -f json imbalance trial=2 top=0 |
		sed -n 's/.*"mean": \([^,]*\), "largest": \([^,]*\), "smallest": \([^,]*\),.*"excess": \([^,}]*\).*/\1 \2 \3 \4/p' |
		awk '{ printf "%.3f %.0f %.0f %.3f\n", $1, $2, $3, $4 }' | sort >got
	is "imbalance of GROMACS by hand" "$(diff expected got | head -n 5) $(wc -l <got)" " $(wc -l <expected)"
	awk -F '\t' '{ s[$1] += $4; if ($6) r[$1] += $4 } END { for (p in s) printf "%d %.0f %.0f %.6f\n", p, s[p], r[p], 100 * r[p] / s[p] }' byhand | sort >expected
	query -d g.db pes trial=2 | tail -n +2 | awk -F, '{ printf "%d %.0f %.0f %.6f\n", $1, $3, $4, $5 }' | sort >got
	is "shares of MPI on each PE by hand" "$(diff expected got | head -n 5) $(wc -l <got)" " 8"
else
	skip "scaling of GROMACS" "no recorded data"
fi
tap_end
