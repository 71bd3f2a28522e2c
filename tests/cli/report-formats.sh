# report-formats.sh: the kinds of tau-report print the same tables as text, Markdown and HTML, and the same numbers as CSV and JSON.
. "$(dirname "$0")/../tap.sh"
unset TAUDB
cd "$T" || exit 1

# agree [MODE] ARGUMENT...: all formats of one report, read back and compared (formats.py).
agree() {
	mode=
	case $1 in any | cells) mode=$1; shift ;; esac
	case $1 in why | efficiency | timeline) ;; *) set -- "$@" --top 0 ;; esac
	for f in text markdown html csv json; do tau-report "$@" -f $f >a.$f 2>>a.err || echo "-f $f: $(cat a.err)"; done >wrong
	[ -s wrong ] || python3 "$TOP/tests/formats.py" a.text a.markdown a.html a.csv a.json $mode >wrong 2>&1
	is "$*: text, Markdown, HTML, CSV and JSON agree" "$(cat wrong)" same
	rm -f a.err
}

# made RANKS DIR SCALE: TAU profiles of regions with names that are markup. On rank r, in us: main 100, work 1000 SCALE (r + 1) / RANKS,
# the barrier the rest; memory 4096 (r + 1) bytes live.
made() {
	mkdir "$2"
	awk -v P="$1" -v D="$2" -v S="$3" 'BEGIN {
		for (r = 0; r < P; r++) {
			f = D "/profile." r ".0.0"
			work = 1000 * S * (r + 1) / P; bar = 1000 * S - work
			print "4 templated_functions_MULTI_TIME" >f
			print "# Name Calls Subrs Excl Incl ProfileCalls #" >f
			printf "\"main [{/src/app.c} {3,0}]\" 1 2 100.25 %.17g 0 GROUP=\"TAU_USER\"\n", 100.25 + work + bar >f
			printf "\"map<int, a|b>::<script>*x* `y` \\\\ [z](w) & &amp; __s\" 7 0 %.17g %.17g 0 GROUP=\"TAU_USER\"\n", work, work >f
			printf "\"MPI_Barrier()\" 3 0 %.17g %.17g 0 GROUP=\"MPI\"\n", bar, bar >f
			printf "\"main [{/src/app.c} {3,0}] => MPI_Barrier()\" 3 0 %.17g %.17g 0 GROUP=\"TAU_CALLPATH|MPI\"\n", bar, bar >f
			print "0 aggregates" >f
			close(f)
		}
	}'
}
for p in 1 2 4 8; do made $p p.$p $((8 / p)); made $p q.$p $((10 - p)); done
for kind in profile "profile --by rank" "profile --by thread" "profile --by group" "profile --by file" groups imbalance "tree --cut 0" \
	"callers MPI_Barrier()"; do
	agree $kind p.4
done
agree any threads 'MPI_Barrier()' p.4
agree diff p.4 q.4
agree why p.4 q.4
agree cells scaling p.1 p.2 p.4 p.8
agree breakdown --cut 0 p.1 p.2 p.4 p.8
agree compare --baseline p.8,p.8,p.8,p.8 q.8 q.8 q.8 q.8
agree trend p.8 p.8 p.8 p.8 p.8 p.8 q.8 q.8 q.8 q.8 q.8 q.8
for f in markdown html; do
	tau-report -f $f p.4 >over.$f 2>err || fail "overview as $f: $(cat err)"
done
is "overview: Markdown and HTML have the numbers of the text" "$(tau-report p.4 | python3 -c '
import html, re, sys
text = sys.stdin.read()
mark = re.sub(r"\\(.)", r"\1", open("over.markdown").read())
page = html.unescape(re.sub(r"<[^>]*>", " ", re.sub(r"(?s)<(script|style)>.*?</\1>", "", open("over.html").read())))
for n in re.findall(r"(?<![\w.])\d+\.\d+(?: (?:us|ms|s|[KMG]iB))?(?![\w.])", text):
    for name, other in ("Markdown", mark), ("HTML", page):
        if n not in other: print(name, "lacks", n)')" ""
for f in txt:text md:markdown html csv json svg; do
	suffix=${f%:*} format=${f#*:}
	tau-report profile -o by.$suffix p.4 2>err && tau-report profile -f $format p.4 >by.format 2>>err || fail "profile as $suffix: $(cat err)"
	[ "$format" != html ] || sed -i 's/[0-9-]* [0-9:]*//' by.html by.format
	is "-o FILE.$suffix writes $format" "$(cmp by.$suffix by.format 2>&1)" ""
done
tau-report profile -f csv -o by.svg p.4 && tau-report profile -f csv p.4 >by.csv
is "--format has precedence over the suffix" "$(cmp by.svg by.csv 2>&1)" ""
is "hostile names do not become elements" "$(tau-report profile -f html p.4 | grep -c '<script>\*x')" 0

if [ -x "$B/apps/mpiwaits" ] && mpirun -np 4 tau-record -o run "$B/apps/mpiwaits" >out 2>err &&
	mpirun -np 4 tau-record --wrap mpi -o calls "$B/apps/mpiwaits" >out 2>err; then
	for kind in "comm --by size" "comm --by collective" "comm --by wait" "comm --by cause" "waits --by path" "waits --by rank" "waits --by all" "waits --by cause" \
		"waits --by causes" efficiency "efficiency --by rank" series; do
		agree $kind calls
	done
	for kind in memory "memory --by type" "memory --by region"; do
		agree $kind run
	done
	for kind in "critical-path --by path" "critical-path --by rank" "critical-path --by step"; do
		agree any $kind calls
	done
	agree any comm --by pair calls
	agree any memory --by pe run
	agree cells waits calls
	agree cells timeline calls
else
	skip "kinds that read a trace with messages" "no MPI"
fi
if tau-record --wrap pthread -o locks "$B/apps/pthread" >out 2>err; then
	for kind in "locks --by lock" "locks --by waiter" "locks --by holder"; do
		agree cells $kind locks
	done
else
	fail "a program with locks is recorded: $(cat err)"
fi
. "$TOP/tests/gpu.sh"
if gpu_run gpu.run; then
	for kind in "devices --by device" "devices --by queue"; do
		agree cells $kind gpu.run
	done
else
	fail "a run with queues of devices is recorded: $(cat gpu/err)"
fi
mkdir -p files
if (cd files && tau-record --wrap io -o ../io "$B/apps/io" "$PWD") >out 2>err; then
	agree io --by file io
	agree io --by size io
else
	fail "a program with files is recorded: $(cat err)"
fi
if tau-record --memory=leaks -o leaks "$B/apps/memleak" >out 2>err; then
	agree leaks leaks
else
	fail "a program that leaks is recorded: $(cat err)"
fi

tau-report flame -f markdown p.4 >out 2>err
is "a picture has no Markdown" "$? $(cat err)" \
	"2 tau-report: flame: --format markdown is not one of: svg folded"
tap_end
