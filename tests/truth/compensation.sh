# compensation.sh: the cost of recording calls is measured, and --compensate subtracts exactly that from the times.
. "$(dirname "$0")/../controlled.sh"

run full "$B/apps/control" 100
TAU_RECORD_MONOTONIC=1 run fold --fold 1 "$B/apps/control" 100
meta() { tr , '\n' <"$T/$1.json" | sed -n "s/^.*\"$2\": \"\([0-9.]*\)\".*/\1/p" | tail -n 1; }
# A processor that does the program's work beside that of the hooks may hide all of their cost but the doubt of it.
price() { inside=$(meta full 'TAU Call Cost Inside (ps)') outside=$(meta full 'TAU Call Cost Outside (ps)'); }
for try in 1 2 3 4 5 6 7 8 9; do
	tau-trace2profile --compensate --format json "$T/full.run" >"$T/full.json"
	price
	[ $((inside * outside)) -eq 0 ] || break
	run full "$B/apps/control" 100
done
doubt=$(tau-dump --only definitions "$T/full.run" | sed -n 's/.*"TAU Call Cost Spread (ps)" value="\([0-9]*\)".*/\1/p' | head -n 1)
TAU_COMPENSATE=1 tau-trace2profile --callpath=5 --format csv "$T/full.run" >"$T/paid.csv"
tau-trace2profile --callpath=5 --format csv "$T/full.run" >"$T/full.csv"
ok "a call has a cost inside and outside ($inside, $outside ps, in doubt $doubt)" \
	test "$inside" -gt 0 -a "$outside" -gt 0 -a $((inside + outside + doubt)) -gt 1000
is "compensation takes the cost of all calls" "$(meta full 'TAU Compensated (us)')" \
	"$(awk "BEGIN { printf \"%.3f\", ($inside + $outside) * 1180 / 1e6 }")"
like "and reports it" "$(tau-trace2profile --compensate -f csv "$T/full.run" 2>&1 >/dev/null)" \
	'the times are without [0-9.]+ [num]?s of recording cost, plus or minus [0-9.]+ [num]?s$'
ok "and says how far off it may be" test -n "$(meta full 'TAU Compensation Error (us)')"
is "which is asked again at the end" "$(tau-dump --only definitions "$T/full.run" | grep 'TAU Call Cost Spread' |
	awk '{ split($0, w, "\""); v[NR] = w[4] } END { print NR, (v[2] + 0 >= v[1] + 0 && v[1] + 0 > 0 ? "not less" : v[1] " " v[2]) }')" \
	"2 not less"
rows full >"$T/before"
rows paid >"$T/after"
is "from each region what its calls and those that it made cost" \
	"$(paste "$T/before" "$T/after" | awk -F '\t' -v in_ps="$inside" -v out_ps="$outside" '
		{ made["outer"] = 100; made["pair"] = 200; made["middle"] = 600; made["leaf"] = 60; made["deep"] = 120 }
		$2 !~ /CALLPATH/ && $1 !~ /TAU application/ {
			split($1, w, " ")
			want = ($3 * in_ps + made[w[1]] * out_ps) / 1e6
			if ($4 - $9 < want - 0.002 || $4 - $9 > want + 0.002) print w[1], $4 - $9, want
		}')" ""
paid=$(TAU_COMPENSATE=1 tau-trace2profile --format csv "$T/fold.run" | sed 's/"[^"]*"/q/g' |
	awk -F, '$6 == ".TAU application" { root = $11 } $5 == "timer" { sum += $10 } END { printf "%d", (sum - root) * 100 }')
is "TAU_COMPENSATE=Off takes nothing" "$(TAU_COMPENSATE=Off tau-trace2profile --callpath=5 --format csv "$T/full.run")" "$(cat "$T/full.csv")"
is "a folded trace is compensated and adds up" "$paid" 0

# If there are several chunks, later ones hold the cost of a call at that time.
run chunks "$B/apps/control" 6000
tau-trace2profile --compensate --format json "$T/chunks.run" >"$T/chunks.json" 2>/dev/null
is "a call costs what was measured last, and storing chunks its time" "$(tau-dump "$T/chunks.run" | awk -v is="$(meta chunks 'TAU Compensated (us)')" '
	/TAU Call Cost (Inside|Outside)/ { split($0, w, "\""); price += w[4] }
	/one tick is/ { sub(/.*one tick is /, ""); tick = $1 }
	/storing the previous chunk took/ { stored += $(NF - 1) }
	/snapshot: a call costs/ { price = $5 + $10; said++ }
	/ ENTER / { paid += price }
	END { off = paid / 1e6 + stored * tick / 1e3 - is; print (said > 1 ? "said" : "not said"), (off < 0.05 && off > -0.05 ? "exact" : off " us off") }')" \
	"said exact"
tap_end
