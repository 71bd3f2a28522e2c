# report-names.sh: reports print names whole unless they go to a terminal, which shows the construct and the function.
. "$(dirname "$0")/../tap.sh"
unset TAUDB COLUMNS
cd "$T" || exit 1
export LC_ALL=C.UTF-8

omp='omp parallel: gather_reads_of_neighbours at 0x64e10 of amg'
cxx='void fluid_dynamics::integrate<std::vector<double, std::allocator<double> > >(std::vector<double, std::allocator<double> >&, int, int)'
deep='smooth_the_grid [{/a/long/folder/of/sources/for/multigrid/and/more/smooth.c} {17,0}]'
wait='MPI_Waitall_of_all_requests_of_this_step()'
# run FOLDER PES: the regions have different shares on each rank.
run() {
	mkdir "$1"
	for rank in $(seq 0 $(($2 - 1))); do
		{
			echo "5 templated_functions_MULTI_TIME"
			echo "# Name Calls Subrs Excl Incl ProfileCalls #"
			echo "\"main\" 1 4 1000 $((101000 + 60000 * rank + 90000 / $2)) 0 GROUP=\"TAU_USER\""
			echo "\"$omp\" 1 0 $((90000 / $2)) $((90000 / $2)) 0 GROUP=\"OpenMP\""
			echo "\"$cxx\" 1 0 $((40000 + 40000 * rank)) $((40000 + 40000 * rank)) 0 GROUP=\"TAU_USER\""
			echo "\"$deep\" 1 0 $((30000 + 20000 * rank)) $((30000 + 20000 * rank)) 0 GROUP=\"TAU_USER\""
			echo "\"$wait\" 1 0 30000 30000 0 GROUP=\"MPI\""
			echo "0 aggregates"
			echo "0 userevents"
		} >"$1/profile.$rank.0.0"
	done
}
run one 1
run two 2
run four 4

tau-report profile --top 0 -f json two | python3 -c '
import json, sys
print("\n".join(sorted(r["region"] for r in json.load(sys.stdin)["rows"])))' >names
is "the profile has whole names" "$(cat names)" "$(printf '%s\n' main "$omp" "$cxx" "$deep" "$wait" | LC_ALL=C sort)"

# cells FORMAT KIND...: each text of a report, one in a line.
cells() {
	format=$1 && shift
	tau-report "$@" -f "$format" | python3 -c '
import csv, html, json, re, sys
text, format = sys.stdin.read(), sys.argv[1]
if format == "csv":
    cells = [c for r in csv.reader(text.splitlines()) for c in r]
elif format == "json":
    cells = []
    def walk(x):
        for y in x.values() if isinstance(x, dict) else x if isinstance(x, list) else ():
            walk(y)
        if isinstance(x, str):
            cells.append(x)
    walk(json.loads(text))
elif format == "html":
    text = re.sub("(?s)<(svg|script|style).*?</\\1>", "", text)
    cells = [html.unescape(re.sub("<[^>]*>", "", c)) for c in re.split("</t[dh]>|</p>|</h[1-6]>|</li>", text)]
else:
    cells = text.replace("\\", "").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").splitlines()
print("\n".join(c.strip() for c in cells))' "$format"
}
# cut FORMAT KIND...: the cells that have the begin or end of a long name, but not all of it. Text has places as [smooth.c:17],
# data also has a column of files.
cut() {
	cells "$@" | python3 -c '
import sys
names = [n.rstrip("\n") for n in open("names")]
short = [n.split(" [{")[0] + " [smooth.c:17]" if "[{" in n else n for n in names]
part = ["gather_reads", "0x64e10", "integrate<", "fluid_dynamics", "smooth_the", "smooth.c", "Waitall_of", "~"]
whole = sorted(names + ([] if sys.argv[1] in ("csv", "json") else short), key=len, reverse=True)
for line in sys.stdin:
    if "tau-report " in line or line.startswith("/"):
        continue
    for n in whole:
        line = line.replace(n, "")
    if any(p in line for p in part):
        print(line.rstrip())' "$1"
}
for format in text csv json markdown html; do
	found=
	for kind in "overview two" "profile --top 0 two" "profile --by rank two" "imbalance two" "threads integrate two" "tree two" \
		"callers integrate two" "cluster four" "cluster --by region four" "scaling one two four" \
		"breakdown one two four" "diff one two" "why one two" "compare --baseline one two two"; do
		found="$found$(cut $format $kind)"
	done
	is "$format: no kind cuts a name" "$found" ""
done
has() { grep -qF "$2" "$1" && echo yes; }
cells csv overview two >csv
is "findings have whole names in CSV" "$(has csv "imbalance of $cxx")" yes
tau-report two >text
is "and in text" "$(has text "imbalance of $cxx")" yes
is "a long name is in a line of its own, above its value" "$(grep -A1 -xF "  $omp" text | sed -n 's/^ *\([0-9.]* ms\) .*/\1/p')" "90.00 ms"

terminal 80 tau-report two >narrow
like "a terminal shows construct and function in the time" "$(sed -n '/^Time/,/^$/p' narrow)" '
  omp parallel: ~eighbours  *90.00 ms '
like "and the function without arguments in a finding" "$(sed -n '/^Findings/,$p' narrow)" 'imbalance of .*::integrate<~>\(~\): '
is "no line is wider than the terminal, apart from commands" "$(grep -v tau-report narrow | awk 'length > 80')" ""
terminal 80 tau-report profile two >narrow
like "so does a table" "$(cat narrow)" 'omp parallel: .*neighbours'
is "which fits" "$(awk 'length > 80' narrow)" ""
if command -v mpirun >/dev/null && [ -x "$B/apps/mpiwaits" ] &&
	mpirun -np 2 tau-record --memory --wrap mpi,memory,pthread,io -o trace "$B/apps/mpiwaits" >out 2>&1; then
	for kind in "overview" "comm" "waits" "waits --by causes" "locks" "locks --by holder" "locks --by waiter" "counters" "counters --by thread" \
		"memory" "memory --by all" "memory --by region" "memory --by time" "critical-path" "critical-path --by step" "io" "anomalies" "efficiency"; do
		terminal 80 tau-report $kind trace >narrow
		is "$kind fits into 80 columns" "$(grep -v tau-report narrow | LC_ALL=C.UTF-8 grep '^.\{81\}' | grep ' ' | head -n 3)" ""
	done
	# Larger numbers leave less for names.
	terminal 72 tau-report io trace >narrow
	is "io omits columns for names in 72" "$(LC_ALL=C.UTF-8 grep '^.\{73\}' narrow | grep -v 'columns not shown' | grep ' ' | head -n 3)" ""
else
	skip "tables about events" "no MPI"
fi
tap_end
