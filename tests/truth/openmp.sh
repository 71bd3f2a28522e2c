# openmp.sh: OpenMP of gcc: each construct at its place, in the thread that executes it.
. "$(dirname "$0")/../expect.sh"

app=$B/apps/openmp
"$app" >"$T/plain" || fail "the program runs alone"
is "its sums are right" "$(grep wrong "$T/plain")" ""
like "a program that is linked with libgomp gets the wrapper" "$(tau-record --list "$app")" '^openmp  *used '
record openmp "$app"
is "the program ends as it should" "$code" 0
is "and prints the same" "$(cmp "$T/plain" "$T/openmp.out" 2>&1)" ""
expect openmp
is "nothing had to be repaired" "$(cat "$T/openmp.why")" ""
for what in parallel taskwait critical; do
	line=$(grep -n "^#pragma omp $what" "$TOP/fixtures/apps/openmp.c" | sed -n '1s/:.*//p')
	ok "a construct is named by its line: $what" \
		grep -q "omp $what: [a-z]* \[{[^}]*openmp.c} {$line,0}\]" "$T/openmp.csv"
done
ok "the trace is sound" tau-dump --check "$T/openmp.run"

record least --openmp parallel "$app"
is "the lowest level has no construct inside" "$(tau-trace2profile --format csv "$T/least.run" |
	grep -c 'omp \(for\|barrier\|critical\|task\)')" 0
is "but parallel regions" "$(tau-trace2profile --format csv "$T/least.run" | grep -c '"omp parallel: team')" 1
record most --openmp all "$app"
tau-trace2profile --format csv "$T/most.run" >"$T/most.csv" 2>/dev/null
is "the highest has what is done inside a critical section" "$(calls most 'omp critical body: team')" 10
is "an unknown level is refused" "$(tau-record --openmp some true 2>&1)" \
	"tau-record: --openmp: 'some' is not parallel, constructs or all"
record free --wrap none "$app"
is "without the wrapper there is none" "$(tau-trace2profile --format csv "$T/free.run" 2>/dev/null | grep -c omp)" 0
tap_end
