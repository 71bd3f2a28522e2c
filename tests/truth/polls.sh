# polls.sh: ranks that poll while another computes: the overview has their time as busy waiting, and it is no useful time.
. "$(dirname "$0")/../mpis.sh"
all=$(mpis mpipolls)
[ "$all" ] || skip_all "no MPI is installed, or its programs are not built"

waits() { tau-report waits --by "$2" -f csv "$1" | tr -d '\r' | awk -F, '$1 == "polling"'; }
near() { awk -v a="$1" -v b="$2" 'BEGIN { print (a <= b * 1.01 + 1e-3 && a >= b / 3) }'; }

for mpi in $all; do
mpi_with "$mpi"
# plain: every call is in the trace; folded: the recorder merged them into sums.
ranks 3 tau-record --wrap mpi -o plain "$apps/mpipolls" 0.3 >out-plain 2>err || { fail "mpirun"; cat err; }
ranks 3 tau-record --wrap mpi --fold 1000000 -o folded "$apps/mpipolls" 0.3 >out-folded 2>err || { fail "mpirun, folded"; cat err; }
is "calls are folded" "$(tau-dump folded | grep -c FOLD | awk '{ print ($1 > 0) }')" 1
for run in plain folded; do
	tau-report -f csv $run | tr -d '\r' >overview
	waits $run all >all
	while read -r phase rank seconds calls completed; do
		line=$(awk -F, -v rank="$rank" -v path="^$phase =>" '$2 == rank && $6 ~ path' all)
		is "$run: $phase, rank $rank: calls" "$(echo "$line" | cut -d, -f3)" "$calls"
		is "$run: $phase, rank $rank: $(echo "$line" | cut -d, -f4) ms in a loop of $seconds s" \
			"$(near "$(echo "$line" | awk -F, '{ print $4 / 1000 }')" "$seconds")" 1
	done <out-$run
	is "$run: only ranks that poll, in both phases" "$(wc -l <all | tr -d ' ')" 4
	like "$run: waits has what calls found" "$(tau-report waits $run | tr "\n" " ")" \
		"2 of [0-9]* tests completed a request\. 2 of [0-9]* probes found a message\."
	calls=$(awk '{ n += $4 } END { print n }' out-$run)
	tests=$(awk '$1 == "test" { n += $4 } END { print n }' out-$run)
	like "$run: the fact has the number of calls" "$(grep '^waiting,in calls that poll' overview)" "[,\"]$calls calls, most time in MPI_"
	like "$run: the finding has tests and those that completed, the path and the report" "$(grep '^findings,busy waiting' overview)" \
		"$calls calls; 2 of $tests tests completed a request; 2 of $((calls - tests)) probes found a message; rank [12] polls longest, in [a-z]* => MPI_[A-Za-z]*().*,tau-report waits $run\$"
	is "$run: its time is that of waits" "$(awk -F, '/^findings,busy waiting/ { printf "%.6f", $3 / 1000 }' overview)" \
		"$(awk -F, '{ s += $4 } END { printf "%.6f", s }' all)"
	is "$run: ... and that of the profile" "$(awk -F, '/^findings,busy waiting/ { printf "%.3f", $3 }' overview)" \
		"$(tau-report profile -f csv $run | tr -d '\r' | python3 -c '
import csv, sys
r = [r for r in csv.DictReader(sys.stdin) if r["region"] in ("MPI_Iprobe()", "MPI_Test()")]
print("%.3f" % sum(float(x["exclusive_us"]) for x in r))')"
	is "$run: polling is not in the waiting for other PEs" \
		"$(awk -F, '/^waiting,for other PEs/ { print ($3 / 1000 < '"$(awk -F, '{ s += $4 } END { print s }' all)"' / 2) }' overview)" 1
	# rank 0 computes 0.6 s, others nothing
	is "$run: polling is not useful" "$(tau-report efficiency -f csv $run | awk -F, '$1 == "load balance" { print ($2 < 0.75) }')" 1
	is "$run: sums by path and by rank are equal" "$(waits $run path | awk -F, '{ n += $2; s += $3 } END { printf "%d %.6f", n, s }')" \
		"$(waits $run rank | awk -F, '{ n += $3; s += $4 } END { printf "%d %.6f", n, s }')"
	is "$run: other formats have the number" "$(tau-report -f json $run | python3 -c '
import json, sys
print("%.3f" % [r["value"] for r in json.load(sys.stdin)["rows"] if r["item"].startswith("busy")][0])')" \
		"$(awk -F, '/^findings,busy waiting/ { printf "%.3f", $3 }' overview)"
	for format in text markdown html; do
		like "$run: $format has the finding" "$(tau-report -f $format $run | tr "\n" " ")" "busy waiting: polling in MPI_.*$calls calls"
	done
	tau-db import --db $run.db $run >/dev/null 2>&1
	like "$run: a database has it, with the region" "$(tau-report overview -f csv --db $run.db)" "busy waiting: polling in MPI_.*tau-report threads MPI_.*--db $run.db"
done
done
tap_end
