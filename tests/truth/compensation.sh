# compensation.sh: the least and the most that recording a call costs are measured, and --compensate prints the times without them as
# intervals, beside the times as they were recorded.
. "$(dirname "$0")/../controlled.sh"

run full "$B/apps/control" 100
TAU_RECORD_MONOTONIC=1 run fold --fold 1 "$B/apps/control" 100
meta() { tr , '\n' <"$T/$1.json" | sed -n "s/^.*\"$2\": \"\([0-9.]*\)\".*/\1/p" | tail -n 1; }
tau-trace2profile --compensate --format json "$T/full.run" >"$T/full.json" 2>"$T/said"
for part in Inside Outside "Least Inside" "Least Outside" "Most Inside" "Most Outside"; do
	eval "$(echo "$part" | tr 'A-Z ' 'a-z_')='$(meta full "TAU Call Cost $part (ps)")'"
done
ok "a call has a cost ($inside, $outside ps), and one at least and one at most" \
	test $((inside + outside)) -gt 1000 -a $((least_inside + least_outside)) -le $((inside + outside)) \
	-a $((most_inside + most_outside)) -ge $((inside + outside))
ok "each part costs at most 4 times of that in a loop, or more" \
	test "$most_inside" -ge $((4 * inside)) -a "$most_outside" -ge $((4 * outside))
is "recording takes the cost of all calls" "$(meta full 'TAU Recording Least (us)') $(meta full 'TAU Recording Most (us)')" \
	"$(awk "BEGIN { printf \"%.3f %.3f\", ($least_inside + $least_outside) * 1180 / 1e6, ($most_inside + $most_outside) * 1180 / 1e6 }")"
like "and this is reported" "$(cat "$T/said")" 'recording is [0-9.]+ ?[num]?s to [0-9.]+ [num]?s of the times$'
is "which is measured again at the end" "$(tau-dump --only definitions "$T/full.run" | awk '
	/TAU Call Cost Most (Inside|Outside)/ { split($0, w, "\""); v[int(n / 2)] += w[4]; n++ }
	/TAU Call Cost Least (Inside|Outside)/ { split($0, w, "\""); u[int(m / 2)] += w[4]; m++ }
	END { print n, m, (v[1] >= v[0] && u[1] <= u[0] ? "not narrower" : v[0] " " v[1] " " u[0] " " u[1]) }')" "4 4 not narrower"

# column NAME COLUMN: name, group, calls and the exclusive time in this column of each timer
column() {
	sed 's/\r$//' "$T/$1.csv" | awk -F '"' -v OFS= '{ for (i = 2; i <= NF; i += 2) gsub(",", ";", $i) } { print }' |
		awk -F, -v column="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } $5 == "timer" { print $6 "\t" $7 "\t" $8 "\t" $at[column] }'
}
tau-trace2profile --compensate --callpath=5 --format csv "$T/full.run" >"$T/paid.csv" 2>/dev/null
tau-trace2profile --callpath=5 --format csv "$T/full.run" >"$T/full.csv"
is "the times themselves stay" "$(cut -d, -f1-16 "$T/paid.csv" | tr -d '\r')" "$(cut -d, -f1-16 "$T/full.csv" | tr -d '\r')"
limit() {	# COLUMN INSIDE OUTSIDE: rows whose time in the column is not exclusive less this cost, nor 0
	column paid exclusive_us >"$T/before"
	column paid "$1" >"$T/after"
	paste "$T/before" "$T/after" | awk -F '\t' -v in_ps="$2" -v out_ps="$3" '
		BEGIN { made["outer"] = 100; made["pair"] = 200; made["middle"] = 600; made["leaf"] = 60; made["deep"] = 120 }
		$2 !~ /CALLPATH/ && $1 !~ /TAU application/ {
			split($1, w, " ")
			want = $4 - ($3 * in_ps + made[w[1]] * out_ps) / 1e6
			n++
			if (want < 0) want = 0
			if ($8 - want > 0.002 || want - $8 > 0.002) print w[1], $8, want
		}
		END { if (n < 5) print n " regions" }'
}
is "at least: each region without the most that its calls and those that it made cost" \
	"$(limit "exclusive COMPENSATED_TIME_LEAST" "$most_inside" "$most_outside")" ""
is "at most: without the least" "$(limit "exclusive COMPENSATED_TIME_MOST" "$least_inside" "$least_outside")" ""
like "text has both beside the exclusive time" "$(tau-trace2profile --compensate -f text "$T/full.run" 2>/dev/null)" 'exclusive +at least +at most'
is "no row is below 0, and none at least is above at most" "$(tau-trace2profile --compensate -f csv --callpath "$T/fold.run" 2>/dev/null |
	sed 's/"[^"]*"/q/g; s/\r$//' | awk -F, 'NR > 1 && $5 == "timer" { n++; if ($17 < 0 || $17 > $19 || $19 > $10 || $18 < 0 || $18 > $20 || $20 > $11) print }
		END { if (n < 6) print n " rows" }')" ""
is "TAU_COMPENSATE is the same for text, json and csv" \
	"$(TAU_COMPENSATE=1 tau-trace2profile --callpath=5 --format csv "$T/full.run" 2>/dev/null)" "$(cat "$T/paid.csv")"
is "TAU_COMPENSATE=Off adds nothing" "$(TAU_COMPENSATE=Off tau-trace2profile --callpath=5 --format csv "$T/full.run")" "$(cat "$T/full.csv")"
TAU_COMPENSATE=1 tau-trace2profile -o "$T/env" "$T/full.run" 2>"$T/said"
tau-trace2profile -o "$T/plain" "$T/full.run"
ok "files of profiles have the times as recorded" diff -r "$T/env" "$T/plain"
like "which is reported" "$(cat "$T/said")" 'TAU_COMPENSATE is for text, json and csv'
tau-trace2profile --compensate -o "$T/other" "$T/full.run" 2>"$T/said"
is "with the option, they are refused" "$? $(cat "$T/said") $(ls "$T/other" 2>/dev/null)" "2 tau-trace2profile: tau: --compensate is for text, json and csv "

# If there are several chunks, later ones hold the cost of a call at that time.
run chunks "$B/apps/control" 6000
tau-trace2profile --compensate --format json "$T/chunks.run" >"$T/chunks.json" 2>/dev/null
is "a call costs what was measured last, and storing chunks its time" "$(tau-dump "$T/chunks.run" | awk -v is="$(meta chunks 'TAU Recording Most (us)')" '
	/TAU Call Cost (Inside|Outside)/ { split($0, w, "\""); first += w[4] }
	/TAU Call Cost Most (Inside|Outside)/ { split($0, w, "\""); last[n++ % 2] = w[4] }
	/one tick is/ { sub(/.*one tick is /, ""); tick = $1 }
	/storing the previous chunk took/ { stored += $(NF - 1) }
	/snapshot: a call costs/ { calls[price] += new; new = 0; price = $5 + $10; said++ }
	/ ENTER / { new++ }
	END {
		calls[price] += new
		most = last[0] + last[1]
		for (p in calls) paid += calls[p] * (p ? p * most / first : most)
		off = (paid / 1e6 + stored * tick / 1e3) / is - 1
		print (said > 1 ? "said" : "not said"), (off < 0.001 && off > -0.001 ? "exact" : off " off")
	}')" "said exact"
tap_end
