# queries.sh: each named query of tau-db, computed again from the profiles that were stored: queries.py does so for profiles of its
# own with missing rows, contexts, samples and values to 1e18; here, the windows of a trace.
. "$(dirname "$0")/../tap.sh"
unset TAUDB
cd "$T" || exit 1
command -v python3 >/dev/null || skip_all "no python3"

python3 "$TOP/tests/truth/queries.py" 1 >out 2>err
is "all is computed again" "$(grep -vE "^tau-db query: no timer of this trial is named '(none|a\*b\?c\[d\])'" err)" ""
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

# A summary has the same imbalance as its trial if processes have one thread: 20 PEs, of which some lack a timer or have 0.
mkdir singles
awk 'BEGIN { for (n = 0; n < 20; n++) {
	f = "singles/profile." n ".0.0"
	print (n % 3 ? 4 : 3) " templated_functions_MULTI_TIME" >f
	print "# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Metric Name</name><value>TIME</value></attribute></metadata>" >f
	printf "\"main\" 1 3 %d 900 0 GROUP=\"TAU_USER\" \n\"all\" 2 0 %d %d 0 GROUP=\"TAU_USER\" \n\"zero\" 2 0 %d %d 0 GROUP=\"TAU_USER\" \n",
		100 + n, 10 * n + 3, 10 * n + 3, n % 4, n % 4 >f
	if (n % 3) printf "\"some\" 5 0 %d %d 0 GROUP=\"TAU_USER\" \n", 7 * n, 7 * n >f
	print "0 aggregates" >f
	close(f) } }'
tau-db import -d s.db singles >/dev/null
tau-db import -d s.db --summary singles >/dev/null
tau-db query -d s.db -f csv imbalance trial=1 >expected
is "imbalance of a summary" "$(tau-db query -d s.db -f csv imbalance trial=2 | diff expected -) $(wc -l <expected)" " 5"
is "and by hand: 'some' is missing on 7 of 20" "$(tr -d '\r' <expected | awk -F, '$1 == "some" { print $2, $3, $4 }')" \
	"$(awk 'BEGIN { for (n = 0; n < 20; n++) if (n % 3) { s += 7 * n; m = 7 * n }; print s / 20, m, 0 }')"
for q in "timer-threads timer=main" pes "counter-threads counter=%"; do
	is "$q: a summary has no threads, which is reported" "$(tau-db query -d s.db -f csv $q trial=2 2>&1 >/dev/null)" \
		"tau-db query: trial 2 is a summary: it has no values of single threads and PEs"
done
is "a trial with threads has no such message" "$(tau-db query -d s.db -f csv timer-threads timer=none trial=1 2>&1 >/dev/null)" "tau-db query: no timer of this trial is named 'none'"
tap_end
