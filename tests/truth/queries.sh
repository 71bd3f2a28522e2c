# queries.sh: each named query of tau-db, computed again from the profiles that were stored: queries.py does so for profiles of its
# own with missing rows, contexts, samples and values to 1e18; here, the windows of a trace.
. "$(dirname "$0")/../tap.sh"
unset TAUDB
cd "$T" || exit 1
command -v python3 >/dev/null || skip_all "no python3"

python3 "$TOP/tests/truth/queries.py" 1 >out 2>err
is "all is computed again" "$(cat err)" ""
tau-db query -f csv --list | tail -n +2 | cut -d, -f 1 >known
while read -r q; do
	# tests/cli/db-messages.sh has those of messages, which profiles do not name.
	case $q in windows | message-*) continue ;; esac
	is "$q: $(grep -c "^$q[: ].*: same\$" out) answers are right" "$(grep "^$q[: ]" out | grep -v ': same$' | head -n 3)" ""
	ok "$q: there are several" test "$(grep -c "^$q[: ]" out)" -ge 1
done <known
like "check finds nothing in that store" "$(tau-db check -d tau.db 2>&1)" "no defects"

# Windows: sums of what tau-trace2profile writes for each.
tau-record -o run "$B/apps/hooks" >/dev/null 2>&1
tau-db import -d w.db --slices 4 run >/dev/null 2>&1
tau-trace2profile --slices 4 -o slices run >/dev/null 2>&1
k=0
for slice in $(ls slices | sort -g); do
	: >all
	find "slices/$slice" -name 'profile.*' -exec cat {} + | sed -n 's/^"\(.*\)" \([^"]*\) 0 GROUP="\([^"]*\)".*/\3|\1\t\2/p' | awk -F '\t' '
		$1 !~ /^TAU_(CALLPATH|SAMPLE|UNWIND)/ { sub(/^[^|]*(\|TAU[A-Z_]*)*\|/, "", $1); split($2, v, " "); excl[$1] += v[3]; all += v[3] }
		END { for (t in excl) printf "%s %.3f\n", t, excl[t]; if (NR) printf "%.3f\n", all >"all" }' | sort >expected
	tau-db query -d w.db -f json hot-timers window=$k top=0 | sed -n 's/.*"timer": "\(.*\)", "calls": .*"exclusive": \([^,]*\),.*/\1 \2/p' |
		awk '{ v = $NF; sub(/ [^ ]*$/, ""); printf "%s %.3f\n", $0, v }' | sort >got
	is "window $k: $(wc -l <expected) timers" "$(diff expected got | head -n 4)" ""
	is "windows: the time of window $k" "$(tau-db query -d w.db -f csv windows | tr -d '\r' | awk -F, -v k=$k '$1 == k && $5 != "" { printf "%.3f", $5 }')" "$(cat all)"
	k=$((k + 1))
done
is "there are as many windows" "$k" 4
tap_end
