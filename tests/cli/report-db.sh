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

bad() {
	what=$1 code=$2 sentence=$3
	shift 3
	"$@" >out 2>err
	is "$what: exit code, lines on stderr, bytes on stdout" "$? $(wc -l <err | tr -d ' ') $(wc -c <out | tr -d ' ')" "$code 1 0"
	like "$what: says what is wrong" "$(cat err)" "^tau-report: $sentence"
}
bad "an unknown trial" 3 "runs.db: has no trial 'run.9'" tau-report memory-scaling --db runs.db run.9
bad "an unknown window" 3 "runs.db: trial 1 has no window 'update'" tau-report memory-scaling --db runs.db --window update
echo "not a database" >text.db
bad "a file that is no database" 3 "text.db: " tau-report memory-scaling --db text.db
tap_end
