# report-where.sh: tau-report --where selects runs, and trials of a database, by their facts and metadata.
. "$(dirname "$0")/../tap.sh"
unset TAUDB
cd "$T" || exit 1

# made DIR PES MAIN VERSION: main takes MAIN us on each PE.
made() {
	mkdir "$1"
	n=0
	while [ $n -lt "$2" ]; do
		cat >"$1/profile.$n.0.0" <<-END
			2 templated_functions_MULTI_TIME
			# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Metric Name</name><value>TIME</value></attribute><attribute><name>TAU Version</name><value>$4</value></attribute></metadata>
			"main" 1 1 $3 $(($3 + 7)) 0 GROUP="TAU_USER"
			"work" 1 0 7 7 0 GROUP="TAU_USER"
			0 aggregates
		END
		n=$((n + 1))
	done
}
made a1 1 1000 2.31
made a2 2 600 2.31
made a4 4 400 2.32
made b1 1 900 3.0
made b2 2 500 3.0
made b4 4 300 3.0
runs="a1 a2 a4 b1 b2 b4"
tau-db import -d s.db $runs >/dev/null
tau-db tag -d s.db old -W '"TAU Version" like "2.%"'

counts() { "$@" 2>&1 | sed -n 's/^Runs: //p'; }
old='"TAU Version" like "2.%"'
is "scaling of runs" "$(counts tau-report scaling --where "$old and pes>=2" $runs)" "2, on 2, 4 PEs."
is "scaling of trials" "$(counts tau-report scaling --db s.db --where "$old and pes>=2")" "2, on 2, 4 PEs."
for where in "$old" 'pes=1 or pes=4' 'name~b*' 'not pes=2 and threads<=4' 'metrics=1 and timers=2 and windows=1 and counters=0'; do
	for f in text csv json; do
		tau-report scaling --where "$where" -f $f $runs 2>&1 | sed '/^Note/d' >runs.$f
		tau-report scaling --db s.db --where "$where" -f $f 2>&1 | sed 's/trial [0-9]* (\([^)]*\))/\1/' >trials.$f
		is "$where: runs and trials give the same $f" "$(cat runs.$f)" "$(cat trials.$f)"
	done
	is "$where: text, CSV and JSON agree" "$(python3 "$TOP/tests/agree.py" runs.text runs.csv runs.json)" same
done
is "named trials are selected, too" "$(counts tau-report scaling --db s.db --where 'pes<4' b1 b4 b2)" "2, on 1, 2 PEs."
like "diff: two are left" "$(tau-report diff --db s.db --where 'pes=2')" '^Difference: .*, trial 2 \(a2\) to trial 5 \(b2\)$'
like "diff: of runs" "$(tau-report diff --where 'pes=2' $runs)" '^Difference: .*, a2 to b2$'
like "memory-growth has it" "$(tau-report memory-growth --where 'pes>1' $runs 2>&1)" 'contains no memory counters'
is "profile: the one trial" "$(tau-report profile --db s.db --where 'name=a4' -f csv)" "$(tau-report profile -f csv a4)"
is "correlate: runs that are selected" \
	"$(tau-report correlate --where "pes<4 or $old" -f csv $runs)" "$(tau-report correlate -f csv a1 a2 a4 b1 b2)"
is "trend" "$(tau-report trend --where "$old" -f csv $runs 2>&1)" "$(tau-report trend -f csv a1 a2 a4 2>&1)"

# compare: the baseline is not selected by the condition.
is "compare: all others than the baseline" "$(tau-report compare --db s.db --baseline old --where 'pes=1' -f csv)" \
	"$(tau-report compare --db s.db --baseline old -f csv b1)"
is "compare: of runs" "$(tau-report compare --baseline a1,a2,a4 --where 'pes=1' -f csv b4 b1)" \
	"$(tau-report compare --baseline a1,a2,a4 -f csv b1)"
tau-report html --db s.db --where "$old" -o page.html
ok "html has those only" sh -c 'grep -q "trial 3 (a4)" page.html && ! grep -q "(b4)" page.html'

fails() {
	want=$1 said=$2
	shift 2
	"$@" >out 2>err
	is "$* ends with $want" "$? $(wc -l <err) $(wc -c <out)" "$want 1 0"
	like "and why" "$(cat err)" "$said"
}
fails 3 "^tau-report: --where: no run is 'pes=77'" tau-report scaling --where 'pes=77' $runs
fails 3 "^tau-report: --where: no trial is 'pes=77'" tau-report scaling --db s.db --where 'pes=77'
fails 3 "^tau-report: --where: no trial is 'pes=4'" tau-report scaling --db s.db --where 'pes=4' a1 a2
fails 3 "^tau-report: --where: no trial is 'pes=77'" tau-report compare --db s.db --baseline old --where 'pes=77'
fails 3 "^tau-report: --where: no run is 'pes=1'" tau-report compare --baseline a1 --where 'pes=1' b4
fails 2 "^tau-report: --where: no run has metadata 'TAU Versoin'; did you mean 'TAU Version'" tau-report trend --where '"TAU Versoin"=3' $runs
fails 2 "^tau-report: --where: no trial has metadata 'TAU Versoin'; did you mean 'TAU Version'" \
	tau-report trend --db s.db --where '"TAU Versoin"=3'
fails 2 "^tau-report: --where: at character 5 of 'pes=': expected a value" tau-report scaling --where 'pes=' $runs
fails 2 "expected a pattern with % and _" tau-report scaling --where 'name like' $runs
fails 2 "^tau-report: timeline: --where is for " tau-report timeline --where 'pes=1' a1
fails 2 "name runs before and after" tau-report compare --baseline a1 --where 'pes=1'
tap_end
