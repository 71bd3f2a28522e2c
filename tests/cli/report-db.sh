# report-db.sh: tau-report reads trials of a database as it reads the profiles that they were made of.
. "$(dirname "$0")/../tap.sh"
. "$TOP/tests/pes.sh"
unset TAUDB
cd "$T" || exit 1
for p in 2 4 8; do
	pes run.$p $p
	tau-db import --db runs.db run.$p >/dev/null 2>err || sed 's/^/# /' err
done
for view in live peak cumulative; do
	tau-report memory-scaling -f csv --view $view run.2 run.4 run.8 >direct.csv
	tau-report memory-scaling -f csv --view $view --db runs.db >stored.csv
	ok "$view: the same from the database, to the last digit" cmp direct.csv stored.csv
done
is "trials are named by number or name" \
	"$(tau-report memory-scaling --db runs.db 3 run.2 | sed -n '2p')" "Runs: 2, on 2, 8 PEs. Window: everything."
is "the database of the environment is used when nothing is named" \
	"$(TAUDB=runs.db tau-report memory-scaling | sed -n '2p')" "Runs: 3, on 2, 4, 8 PEs. Window: everything."
cp runs.db tau.db
is "and tau.db without that" "$(tau-report memory-scaling | sed -n '2p')" "Runs: 3, on 2, 4, 8 PEs. Window: everything."

bad "a trial nearly" 3 "runs.db: there is no trial 'rnu.4'; did you mean 'run.4'" tau-report profile --db runs.db rnu.4
bad "an unknown trial" 3 "runs.db: there is no trial 'run.9'" tau-report memory-scaling --db runs.db run.9
bad "an unknown window" 3 "runs.db: trial 1 has no window 'update'" tau-report memory-scaling --db runs.db --window update
# Packed profiles: each has one window, which goes with it; two in one stream are refused, and nothing is stored.
ok "a profile is packed" tau-convert run.2 a.ppk
is "packed, the report is the same" "$(tau-report memory --top 0 -f csv a.ppk)" "$(tau-report memory --top 0 -f csv run.2)"
cat a.ppk a.ppk >two.ppk
tau-db import --db packed.db two.ppk >out 2>err
is "two packed profiles in one stream are refused" "$? $(wc -l <err | tr -d ' ') $(wc -c <out | tr -d ' ')" "3 1 0"
like "which is reported" "$(cat err)" '^tau-db import: two\.ppk: offset [0-9]+ of the unpacked bytes: another packed profile follows'
# A run stored with two windows: reports about one of them are those about the run, rows of the other do not show.
# The first is up to the middle of all records; what share of the time that is depends on what else the processor had to do.
if tau-record -o truth --wrap memory "$B/apps/memtruth" 50 2 >/dev/null 2>&1; then
	tau-convert truth all.csv 2>/dev/null
	begin=$(sed 1d all.csv | cut -d , -f 3 | sort -n | awk '{ t[n++] = $1 } END { printf ":%.0fns", t[int(n / 2)] }')
	tau-db import --db windows.db -w "$begin" -w : truth >/dev/null 2>&1 || fail "import with windows"
	tau-trace2profile -w "$begin" -f ppk -o part.ppk truth 2>/dev/null
	tau-db import --db windows.db part.ppk >/dev/null 2>&1 || fail "import of a packed window"
	for by in type site pe; do
		for view in live peak cumulative; do
			for w in "$begin" :; do
				tau-report memory --by $by --view $view -w $w --top 0 -f json truth | sed '/"notes"/,/\]/d' >direct
				tau-report memory --by $by --view $view -w $w --top 0 -f json --db windows.db 1 | sed '/"notes"/,/\]/d' >stored
				[ -s direct ] && cmp -s direct stored || echo "$by $view $w"
			done
			tau-report memory --by $by --view $view -w "$begin" --top 0 -f json truth | sed '/"notes"/,/\]/d' >direct
			tau-report memory --by $by --view $view --top 0 -f json --db windows.db 2 | sed '/"notes"/,/\]/d' >stored
			[ -s direct ] && cmp -s direct stored || echo "$by $view packed"
		done
	done >differ
	is "memory: run, window of a trial and packed window say the same" "$(cat differ)" ""
	is "tau-trace2profile has the same live and peak bytes" \
		"$(tau-trace2profile -w "$begin" -f csv truth 2>/dev/null | awk -F , '$6 == "live (all)" { l += $15 } $6 == "peak (all)" { p += $15 } END { print l, p }')" \
		"$(tau-report memory -w "$begin" -f json truth | sed -n 's/^ *"\(live\|peak\)": \([0-9]*\),$/\2/p' | tr '\n' ' ' | sed 's/ $//')"
else
	skip "windows of a run in a database" "nothing was recorded"
fi
echo "not a database" >text.db
bad "a file that is no database" 3 "text.db: " tau-report memory-scaling --db text.db
tap_end
