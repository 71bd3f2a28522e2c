# waits.sh: wait states of a program that measures them itself.
. "$(dirname "$0")/../mpis.sh"
all=$(mpis mpiwaits)
[ "$all" ] || skip_all "no MPI is installed, or its programs are not built"

# What the report found: PATTERN RANK MS, of calls of a path.
found() {
	tau-report waits --by all -f csv "$1" | tr -d "\r" | awk -F, -v pattern="$2" -v rank="$3" -v path="$4" '
		$1 == pattern && $2 == rank && $6 == path { print $4 }'
}

# It is at most the time in the calls, and not far from what both sides measured. Between a measurement and its call the program
# may be suspended, so this allows for half.
check() {	# run, what was measured, pattern, path
	while read -r what rank expected call; do
		[ "$what" = "$2" ] || continue
		ms=$(found "$1" "$3" "$rank" "$4")
		is "$1: $3, rank $rank: ${ms:-nothing} ms, expected $expected s of $call s" "$(awk -v ms="${ms:-0}" -v e="$expected" \
			-v c="$call" 'BEGIN { s = ms / 1000; print (s <= c * 1.01 + 1e-4 && s >= e / 2 - 1e-4) }')" 1
	done <out-"$1"
}

for mpi in $all; do
mpi_with "$mpi"
for n in 2 3 4; do
	ranks $n tau-record --wrap mpi -o $n "$apps/mpiwaits" >out-$n 2>err-$n || { fail "$n ranks"; cat err-$n; continue; }
	check $n late_sender "late sender" "sender => MPI_Recv()"
	check $n late_receiver "late receiver" "receiver => MPI_Ssend()"
	check $n barrier "wait at barrier" "imbalance => MPI_Barrier()"
	tau-report waits --by causes -f csv $n | tr -d "\r" >causes
	is "$n: only even ranks make others wait by their work before a send" \
		"$(awk -F, '$1 == "late sender" && $6 == "sender => slow" && $2 % 2' causes)" ""
	is "$n: only odd ranks do before a receive" \
		"$(awk -F, '$1 == "late receiver" && $6 == "receiver => slow" && $2 % 2 == 0' causes)" ""
	like "$n: work before a barrier is a cause" "$(cat causes)" '^wait at barrier,.*,imbalance => slow$'
	is "$n: the overview has the efficiencies of the report on them" \
		"$(tau-report -f csv $n | tr -d '\r' | awk -F, '$1 == "use of PEs" && $4 == "ratio" { print $2, $3 }')" \
		"$(tau-report efficiency -f csv $n | tr -d '\r' | awk -F, 'NR > 1 { print $1, $2 }')"
	is "$n: sums by path and by rank are equal" \
		"$(tau-report waits -f csv $n | awk -F, 'NR > 1 { s += $3 } END { printf "%.3f\n", s }')" \
		"$(tau-report waits --by rank -f csv $n | awk -F, 'NR > 1 { s += $4 } END { printf "%.3f\n", s }')"
	is "$n: causes and what has none are all waits" \
		"$(tau-report waits --by cause -f json $n | python3 -c '
import json, sys
t = json.load(sys.stdin)
all = t["facts"]
known = sum(r["time_ms"] for r in t["rows"]) + all["earlier_waits_ms"] + all["unknown_cause_ms"]
print(abs(known - all["all_ms"]) < 0.01)')" True
done
done
tap_end
