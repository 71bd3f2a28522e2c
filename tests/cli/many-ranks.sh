# many-ranks.sh: pictures and the page of made-up runs on up to 1,024 PEs: their sizes, their height, and labels that people can read.
. "$(dirname "$0")/../tap.sh"
unset TAUDB
cd "$T" || exit 1
${CC:-cc} -O1 -I"$TOP" -o many "$TOP/tests/many_ranks.c" -lz 2>err || { fail "the program that writes runs is built: $(cat err)"; tap_end; }
./many r16 16 20 && ./many r64 64 10 && ./many r256 256 && ./many r1024 1024 4
is "the runs have no damage" "$(tau-dump --check r256 | grep -vc ': ok: ')" 0

labels() { python3 "$TOP/tests/labels.py" "$@"; }
# less FILE BYTES: is it there, and smaller?
less() { [ -s "$1" ] && [ "$(wc -c <"$1")" -lt "$2" ]; }
height() { sed -n 's/.* viewBox="0 0 [0-9.]* \([0-9]*\).*/\1/p' "$1" | head -n 1; }

for run in r16 r256; do
	for kind in profile groups imbalance cluster 'threads precondition' flame series timeline critical-path comm counters memory anomalies; do
		tau-report $kind $run -o "$run.${kind%% *}.svg" 2>>err || fail "$kind of $run: $(cat err)"
	done
	tau-report timeline --by region $run -o $run.region.svg
	is "$run: labels of pictures do not overlap" "$(labels $run.*.svg)" ""
done
tau-report anomalies r256 -o an.svg
is "anomalies: the picture has the slow step" "$(grep -oE 'precondition#21@85|rank 85: 63[23]\.[0-9] us, typically 33[12]\.[0-9] us' an.svg | wc -l) $(labels an.svg)" "2 "
./many calm 16 9
tau-report anomalies calm -o none.svg
like "anomalies: without any, the picture has a sentence" "$(cat none.svg)" 'calm: no anomalies were found\.'
tau-report scaling r16 r64 r256 -o several.scaling.svg
tau-report breakdown r16 r64 r256 -o several.breakdown.svg
tau-report correlate r16 r16 r64 r64 -o several.correlate.svg
tau-report memory-scaling r16 r64 r256 -o several.memory-scaling.svg
tau-report memory-growth r16 r256 -o several.memory-growth.svg
tau-report diff r16 r256 -o several.diff.svg
is "several runs: labels of pictures do not overlap" "$(labels several.*.svg)" ""
is "memory of the runtime of messages that was not recorded has no share" \
	"$(tau-report memory-scaling r16 r64 | grep -m 1 '^Open MPI')" "Open MPI's own bytes: none"

ok "256 PEs: the timeline is less than 500 kB" less r256.timeline.svg 500000
ok "256 PEs: by region less than 1.5 MB" less r256.region.svg 1500000
tau-report html r256 -o page.html
ok "256 PEs: the page is less than 1.5 MB" less page.html 1500000

for kind in timeline comm 'threads precondition' critical-path; do
	tau-report $kind r1024 -o "r1024.${kind%% *}.svg"
done
is "1024 PEs: labels of pictures do not overlap" "$(labels r1024.*.svg)" ""
for kind in timeline comm threads critical-path; do
	ok "1024 PEs: $kind is less than 1 MB" less r1024.$kind.svg 1000000
	is "1024 PEs: $kind fits on a screen ($(height r1024.$kind.svg) high)" "$(($(height r1024.$kind.svg) < 1000))" 1
done
like "1024 PEs: threads share rows of the timeline, which the picture states" "$(cat r1024.timeline.svg)" 'r1024: each row is 4 of 1024 threads;'
# Streams of a row share its cells while events are read; nothing is lost, and each row has its PEs.
tau-report timeline --by region --cells 50 -f csv r1024 >cells.csv
tau-report profile -f csv r1024 >profile.csv
is "1024 PEs: the cells of 64 rows add up to the profile" "$(python3 -c '
import csv
true = {r["region"]: float(r["exclusive_us"]) for r in csv.DictReader(open("profile.csv"))}
sums, rows = {}, []
for r in csv.DictReader(open("cells.csv")):
    sums[r["region"]] = sums.get(r["region"], 0) + 1000 * float(r["time_ms"])
    if r["pe"] not in rows: rows.append(r["pe"])
others = sum(true.values()) - sum(true[n] for n in sums if n != "others")
print(len(rows), rows[0], rows[-1], [n for n in sums if abs(sums[n] - (others if n == "others" else true[n])) > 1])')" "64 0..15 1008..1023 []"
like "critical-path: only threads on it have a row" "$(cat r1024.critical-path.svg)" 'only threads on the longest dependent chain have a row'
is "critical-path: with few threads all have one" "$(grep -c 'only threads' r16.critical-path.svg)" 0
is "threads: numbers below the columns are round" \
	"$(grep -oE '>[0-9]+</text>' r1024.threads.svg | tr -d '></tex' | head -n 5 | tr '\n' ' ')" "0 0 64 128 192 "

# Rows of a pixel or two have no height to round away: what is drawn in a row of the timeline is the whole time of it.
is "256 PEs: rows of the timeline have no gap" "$(tau-report timeline r256 -w 20%:30% -f svg | python3 -c '
import re, sys
rows = {}
for w, y, d in re.findall(r"<path stroke=\"#[0-9a-f]+\" stroke-width=\"([0-9.]+)\" d=\"M[0-9.]+ ([0-9.]+)(h[^\"]*)\"/>", sys.stdin.read()):
    row = int((float(y) - 112) // 2)
    rows[row] = rows.get(row, 0) + float(w) * sum(float(h) for h in re.findall(r"h([0-9.]+)", d))
print(len(rows), sorted(set(rows.values())))')" "256 [1920.0]"
# A job of 1,024 ranks that hangs: one screen.
mkdir hangs
./many hangs 1024 2 hang
tau-report hang hangs >hang 2>err
is "1,024 ranks that wait are three rows" "$(awk '/^-----/ { on = 1; next } on && NF' hang | wc -l | tr -d ' ')" 3
like "... behind the one that computes" "$(sed -n 2p hang)" "1023 threads wait, directly or not, for rank 1023, which computes in main *"
tap_end
