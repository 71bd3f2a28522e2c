# critical-path.sh: the critical path of a pipeline, which leads through the work of each rank.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1

for n in 2 4 8; do
	command -v mpirun >/dev/null && [ -x "$B/apps/mpipipe" ] || { skip "pipeline on $n ranks" "no MPI"; continue; }
	mpirun -np $n tau-record --wrap mpi -o $n "$B/apps/mpipipe" >out-$n 2>err-$n || { fail "$n ranks"; cat err-$n; continue; }
	if [ "$(awk '$4 { n++ } END { print n + 0 }' out-$n)" -lt $n ]; then
		skip "pipeline on $n ranks" "a rank was suspended until its message had been sent"
		continue
	fi
	tau-report critical-path -f csv $n | tr -d '\r' >csv
	path=$(awk -F, '$5 == "stage" { print $1 }' csv)
	is "$n ranks: all work in stages is on the path" "$(printf '%.3f' "$path")" \
		"$(tau-report profile -f json $n | python3 -c '
import json, sys
print("%.3f" % sum(r["exclusive_us"] / 1e3 for r in json.load(sys.stdin)["rows"] if r["region"] == "stage"))')"
	is "$n ranks: which is what the program measured, or more: $path ms" \
		"$(awk -v ms="$path" '{ s += $3 * 1000 } END { print (ms >= s) }' out-$n)" 1
	is "$n ranks: the other work is not" "$(awk -F, '$5 == "aside" && $1 > 1' csv | wc -l)" 0
	is "$n ranks: ranks share the path as they share the stages" "$(tau-report critical-path --by rank -f csv $n | tail -n +2 | wc -l)" $n
	is "$n ranks: late senders lead from rank to rank" \
		"$(tau-report critical-path -w pipeline --by step -f csv $n | awk -F, '$7 == "late sender"' | sort -n | awk -F, '{ printf "%s ", $2 }')" \
		"$(seq -s ' ' 1 $((n - 1))) "
done

# The census at the end is work of the recorder, not of the program.
if command -v mpirun >/dev/null && mpirun -np 2 tau-record --memory -o census "$B/apps/mpipipe" >out 2>err; then
	tau-report critical-path --top 0 -f json census | python3 -c '
import json, sys
t = json.load(sys.stdin)
own = sum(r["time_ms"] for r in t["rows"] if r["region"].startswith(".TAU memory"))
print("%.6f %.6f" % (own, t["facts"]["recorder_ms"]))
sys.stderr.write(", %.1f %% is the recorder.s own work\\.$" % (100 * own / t["facts"]["path_ms"]))' >got 2>line
	is "the census is the recorder's own work" "$(awk '{ print ($1 == $2 && $1 > 0) }' got)" 1
	like "which text names" "$(tau-report critical-path census)" "$(cat line)"
else
	skip "the recorder's own work" "no MPI"
fi

# Archives of other tools: steps have no gap, and sums by region, call path and rank are equal. Threads may have no
# events at their begin, so these may be less than the steps.
for a in sstmacro-10 stencil4d-32 eztrace-comd_n4/CoMD-mpi_trace ping-pong; do
	[ -d "$DATA/otf2/$a" ] || { skip "$a" "no recorded data"; continue; }
	for by in region path rank step; do
		tau-report critical-path --by $by -f json "$DATA/otf2/$a" >$by.json 2>err || { fail "$a: --by $by"; cat err; }
	done
	is "$a: all tables add up to the path" "$(python3 -c '
import json
t = {by: json.load(open(by + ".json")) for by in ("region", "path", "rank", "step")}
sums = [sum(r["time_ms"] for r in x["rows"]) for x in t.values()]
whole = t["step"]["facts"]["path_ms"]
steps = sorted(t["step"]["rows"], key=lambda r: r["step"])
gaps = [b["begin_ms"] - a["begin_ms"] - a["time_ms"] for a, b in zip(steps, steps[1:])]
near = lambda a, b: abs(a - b) < 1e-9 * whole + 1e-5
print(near(sums[3], whole), near(sums[0], sums[2]) and near(sums[1], sums[2]), sums[0] <= whole + 1e-5,
      max([abs(g) for g in gaps], default=0) < 1e-5)' 2>&1)" "True True True True"
	ok "$a: the picture is XML" sh -c "tau-report critical-path -f svg $DATA/otf2/$a | xmllint --noout -"
done
tap_end
