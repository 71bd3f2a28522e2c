# report-explain.sh: --explain has a sentence for each column of each kind, and its formulas give the values; --unit converts them.
. "$(dirname "$0")/../tap.sh"
unset TAUDB
cd "$T" || exit 1

# explained ARGUMENT...: how many formulas were computed, if nothing is wrong.
explained() {
	tau-report "$@" --explain -f json >e.json 2>e.err || { cat e.err; return; }
	python3 "$TOP/tests/explain.py" <e.json
}
# all N ARGUMENT...: each column has a sentence, at least N formulas give the values of all rows.
all() {
	n=$1
	shift
	like "$*: columns and formulas" "$(explained "$@" | awk -v n="$n" '/ formulas, / { if ($1 >= n) print "well"; else print; next } { print }' | tr '\n' ' ')" '^well $'
}

# made RANKS DIR SCALE: TAU profiles with imbalance.
made() {
	mkdir "$2"
	awk -v P="$1" -v D="$2" -v S="$3" 'BEGIN {
		for (r = 0; r < P; r++) {
			f = D "/profile." r ".0.0"
			work = 1000 * S * (r + 1) / P; bar = 1000 * S - work
			print "4 templated_functions_MULTI_TIME" >f
			print "# Name Calls Subrs Excl Incl ProfileCalls #" >f
			printf "\"main [{/src/app.c} {3,0}]\" 1 2 100.25 %.17g 0 GROUP=\"TAU_USER\"\n", 100.25 + work + bar >f
			printf "\"work\" 7 0 %.17g %.17g 0 GROUP=\"TAU_USER\"\n", work, work >f
			printf "\"MPI_Barrier()\" 3 0 %.17g %.17g 0 GROUP=\"MPI\"\n", bar, bar >f
			printf "\"main [{/src/app.c} {3,0}] => MPI_Barrier()\" 3 0 %.17g %.17g 0 GROUP=\"TAU_CALLPATH|MPI\"\n", bar, bar >f
			print "0 aggregates" >f
			close(f)
		}
	}'
}
for p in 1 2 4; do made $p p.$p $((8 / p)); done
made 4 q.4 3
all 0 overview p.4
all 3 profile p.4
all 0 profile --by rank p.4
all 3 groups p.4
all 3 imbalance p.4
all 1 tree p.4
all 0 callers work p.4
all 1 threads work p.4
all 0 cluster p.4
all 3 diff p.4 q.4
all 3 why p.4 q.4
all 3 scaling p.1 p.2 p.4
all 0 breakdown p.1 p.2 p.4
all 0 compare --baseline p.4,p.4,p.4 q.4 q.4 q.4
all 1 trend p.4 p.4 p.4 p.4 p.4 p.4 q.4 q.4 q.4 q.4 q.4 q.4
all 0 correlate p.4 q.4 p.4 q.4
if tau-record --memory=leaks -o api "$B/apps/api" >out 2>err; then
	all 0 leaks api
	all 0 counters api
else
	fail "a program with events of its own is recorded: $(cat err)"
fi
made_files() { tau-record --wrap io -o files sh -c 'for i in 1 2 3; do cat /etc/passwd; done' >out 2>err; }
if made_files; then
	all 0 io files
else
	fail "a program with files is recorded: $(cat err)"
fi
if [ -x "$B/apps/mpiwaits" ] && mpirun -np 2 tau-record --memory -o run "$B/apps/mpiwaits" >out 2>err; then
	all 0 series run
	all 0 comm run
	all 1 comm --by collective run
	all 1 comm --by wait run
	all 1 comm --by cause run
	all 1 waits run
	all 1 waits --by causes run
	all 5 efficiency run
	all 1 efficiency --by rank run
	all 0 timeline run
	all 2 critical-path run
	all 1 critical-path --by step run
	all 0 anomalies run
	all 0 memory run
	all 1 memory --by region run
	all 0 memory-scaling run
	all 0 ranks run
	all 0 hang run
	if mpirun --oversubscribe -np 4 tau-record --memory -o run.4 "$B/apps/mpiwaits" >out 2>err; then
		all 0 memory-growth run run.4
	else
		fail "four ranks are recorded: $(cat err)"
	fi
else
	skip "kinds that read a trace with messages" "no MPI"
fi
if tau-record --wrap pthread -o locks "$B/apps/pthread" >out 2>err; then
	all 2 locks locks
	all 1 locks --by waiter locks
else
	fail "a program with locks is recorded: $(cat err)"
fi
. "$TOP/tests/gpu.sh"
if gpu_run gpu.run; then
	all 2 devices gpu.run
	all 2 devices --by queue gpu.run
else
	fail "a run with queues of devices is recorded: $(cat gpu/err)"
fi

text=$(tau-report imbalance --explain p.4)
like "text: what a column is, and its formula with the numbers of a row" "$text" 'largest / mean = 8\.000 / 5\.000 = 1\.60|largest / mean = [0-9.]+ / [0-9.]+ = [0-9.]+ in the first row'
if [ -d run ]; then
	like "text: the formula of one value of a column" "$(tau-report efficiency --explain run)" '^      outside mean / outside largest = [0-9.]+ / [0-9.]+ = 0\.[0-9]{3}$'
fi
like "text: the runs" "$text" '^  p\.4: 4 PEs, 4 threads, window everything, metric TIME$'
like "text: who defined a number" "$(tau-report diff --explain p.4 q.4; tau-report scaling --explain p.1 p.2 p.4)" '\[PerfExplorer\]$'
is "a formula without a row is printed without numbers" "$(tau-report trend --explain p.4 p.4 p.4 p.4 p.4 p.4 | grep -c 'after / before - 1)$')" 1
like "csv has no place for explanations" "$(tau-report profile --explain -f csv p.4 2>&1)" 'csv has no place for explanations'

# --unit: the same numbers in another unit, in all formats.
value() { tau-report "$@" -f csv p.4 | tr -d '\r' | awk -F, -v k="$key" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == k) c = i } $2 == "work" { print $c }'; }
key=exclusive_us; us=$(value profile)
key=exclusive_ns; is "--unit ns: keys and values" "$(value profile --unit ns)" "$(awk -v x="$us" 'BEGIN { print x * 1000 }')"
key=exclusive_s; is "--unit s: keys and values" "$(value profile --unit s)" "$(awk -v x="$us" 'BEGIN { print x / 1e6 }')"
like "--unit in text" "$(tau-report profile --unit s p.4)" 'Times in s; shares of 0\.00'
like "--unit of several runs" "$(tau-report diff --unit us p.4 q.4)" 'Times in us\.'
like "--unit of facts" "$(tau-report diff --unit us -f json p.4 q.4)" '"gross_change_us"'
like "--unit of the overview" "$(tau-report --unit ns p.4)" '  work .* ns '
like "--unit that does not exist" "$(tau-report profile --unit hours p.4 2>&1)" "'hours'.*ns"
like "--unit that a table does not have" "$(tau-report profile --unit KiB p.4)" 'no column of this table has bytes'
like "--unit of a picture" "$(tau-report profile --unit s -f svg p.4 2>&1)" '^tau-report: --unit is for tables'
if [ -d run ]; then
	is "--unit of bytes" "$(tau-report memory --by pe -f csv run | tr -d '\r' | awk -F, 'NR == 2 { printf "%.6f", $2 / 1024 }')" \
		"$(tau-report memory --by pe --unit KiB -f csv run | tr -d '\r' | awk -F, 'NR == 1 { k = $2 } NR == 2 && k == "kib" { printf "%.6f", $2 }')"
	like "--unit of kinds that read events" "$(tau-report waits --unit us run)" 'time \[us\]'
	like "--unit of sizes" "$(tau-report comm --by pair --unit KiB -f csv run | head -n 1)" 'messages,kib,puts,put_kib'
fi
tap_end
