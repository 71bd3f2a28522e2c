#!/bin/sh
# convert.sh: tau-convert: ours to OTF2 and back, windows cut out as runs of their own, JSON and CSV, archives of others.
. "$(dirname "$0")/../tap.sh"
linked tau-convert libopen-trace-format2 || skip_all "built without the OTF2 library"

run=$T/api.run
tau-record -o "$run" "$B/apps/api" >/dev/null 2>&1 || { fail "a program is recorded"; tap_end; }
profile() { tau-trace2profile -f csv --callpath "$@" 2>"$T/profile.err"; }

# --- errors: one sentence, no files remain ---
status() {
	want=$1
	shift
	rm -rf "$T/out"
	"$@" >"$T/stdout" 2>"$T/err"
	is "status $want: ${*#"$T/"}" "$? $(wc -l <"$T/err") $(wc -c <"$T/stdout") $(ls -d "$T"/out* 2>/dev/null)" "$want 1 0 "
	like "it prints what is wrong" "$(cat "$T/err")" '^tau-convert: .{15,}'
}
status 2 tau-convert
status 2 tau-convert "$run"
status 2 tau-convert --to xml "$run" "$T/out"
is "a format that is not there: those of profiles are named too" "$(tau-convert --to foo "$run" "$T/out" 2>&1)" \
	"tau-convert: --to: 'foo' is not tau, otf2, json, csv, ppk, snapshot, folded, callgrind, pprof or text"
status 2 tau-convert --window 5ms "$run" "$T/out"
status 3 tau-convert --window nosuch "$run" "$T/out"
status 3 tau-convert --window 0ns:1ns "$run" "$T/out"
status 3 tau-convert --window 2ms:1ms "$run" "$T/out"
status 3 tau-convert "$B/apps/api" "$T/out"
status 2 tau-convert "$run" -
status 2 tau-convert --to otf2 "$run" -
status 4 tau-convert "$T/missing" "$T/out"
status 4 tau-convert "$run" "$T/missing/out"
status 4 tau-convert --to json "$run" "$T/missing/out.json"
for to in json csv; do
	tau-convert --to $to "$run" "$T/file.$to" 2>/dev/null
	is "- is standard output: $to" "$(tau-convert --to $to "$run" - 2>/dev/null | cksum) $(ls ./-* 2>/dev/null)" "$(cksum <"$T/file.$to") "
	mkfifo "$T/pipe.$to"
	cksum <"$T/pipe.$to" >"$T/sum.$to" &
	tau-convert --to $to "$run" "$T/pipe.$to" 2>/dev/null
	wait
	is "a pipe remains one: $to" "$([ -p "$T/pipe.$to" ] && cat "$T/sum.$to")" "$(cksum <"$T/file.$to")"
done
is "an ending that is no format's" "$(cd "$T" && tau-convert "$run" x.png 2>&1; echo $?; ls -d x.png 2>/dev/null)" \
	"tau-convert: x.png: no format has the ending '.png': name one with --to
2"
is "one that is nearly a format's" "$(cd "$T" && tau-convert "$run" x.jsno 2>&1; echo $?)" \
	"tau-convert: x.jsno: no format has the ending '.jsno': name one with --to; did you mean 'json'?
2"
mkdir "$T/there"
tau-convert "$run" "$T/there" 2>"$T/err"
is "a folder that is there already is left alone" "$? $(ls -A "$T/there")" "4 "

# --- ours to ours, and through OTF2 ---
profile "$run" >"$T/want.csv"
tau-convert "$run" "$T/again" 2>"$T/err"
is "ours to ours" "$?" 0
profile "$T/again" >"$T/got.csv"
ok "ours to ours: the same profile" cmp "$T/want.csv" "$T/got.csv"
ok "ours to ours: every file verifies" tau-dump --check "$T/again"
tau-convert "$run" "$T/api.otf2" 2>"$T/err"
is "ours to OTF2: nothing is lost in silence, or at all" "$? $(cat "$T/err")" "0 "
profile "$T/api.otf2" >"$T/got.csv"
ok "ours to OTF2: the same profile" cmp "$T/want.csv" "$T/got.csv"
tau-convert --to tau "$T/api.otf2" "$T/back"
profile "$T/back" >"$T/got.csv"
ok "ours to OTF2 to ours: the same profile" cmp "$T/want.csv" "$T/got.csv"
if command -v otf2-print >/dev/null; then
	otf2-print "$T/api.otf2/traces.otf2" >"$T/print" 2>"$T/err"
	is "otf2-print opens it without a warning" "$? $(cat "$T/err")" "0 "
	is "and finds the events" "$(grep -c '^ENTER' "$T/print")" "$(tau-dump --only records "$run" 2>/dev/null | awk '$4 == "ENTER" || $5 == "ENTER" { n++ } / ENTER / { m++ } END { print m + 1 }')"
else
	skip "otf2-print" "not installed"
fi

# --- what else a run can hold: metrics, samples, transfers, leaks ---
text() { tau-trace2profile -f text --all --callpath "$@" 2>"$T/profile.err" | tail -n +2; }
# prints NAME: otf2-print reads the archive at $T/arc to its end
prints() {
	command -v otf2-print >/dev/null || return
	is "$1: otf2-print has nothing to say" "$(otf2-print --silent "$T/arc/traces.otf2" 2>&1 >/dev/null; echo $?)" 0
}
# OTF2 has no place for names of files that are opened and looked up.
but_names() { sed -E 's/(:|,) [0-9]+ names of files in calls that move no bytes(, |$)/\1 /; s/[,:] $//' | grep -v 'otf2 does not contain$'; }
# kept NAME PATTERN [LOSS]: the run, whose profile has PATTERN, through OTF2, which loses LOSS, and anew as ours
kept() {
	text "$T/$1" >"$T/want"
	ok "$1: there is something to keep" grep -q "$2" "$T/want"
	rm -rf "$T/arc" "$T/new" "$T/back"
	is "$1: to OTF2, ${3:-nothing} is lost" "$(tau-convert --to otf2 "$T/$1" "$T/arc" 2>&1 | but_names)" \
		"${3:+tau-convert: otf2 does not contain: $3}"
	text "$T/arc" >"$T/got"
	ok "$1: to OTF2, the same profile" cmp "$T/want" "$T/got"
	is "$1: to ours, nothing is lost" "$(tau-convert "$T/$1" "$T/new" 2>&1)" ""
	text "$T/new" >"$T/got"
	ok "$1: to ours, the same profile" cmp "$T/want" "$T/got"
	ok "$1: every file verifies" tau-dump --check "$T/new"
	is "$1: to OTF2 and back, nothing is lost" "$(tau-convert --to tau "$T/arc" "$T/back" 2>&1)" ""
	text "$T/back" >"$T/got"
	ok "$1: to OTF2 and back, the same profile" cmp "$T/want" "$T/got"
	text --no-index "$T/back" >"$T/got"
	ok "$1: to OTF2 and back, replayed, the same profile" cmp "$T/want" "$T/got"
	ok "$1: to OTF2 and back, every file verifies" tau-dump --check "$T/back"
	tau-convert "$T/back" "$T/anew" 2>/dev/null
	text "$T/anew" >"$T/got"
	ok "$1: that cut out once more, the same profile" cmp "$T/want" "$T/got"
	rm -rf "$T/anew"
	prints "$1"
}
tau-record --metrics CPU_TIME:PAGE_FAULTS -o "$T/metrics" "$B/apps/api" >/dev/null 2>&1
kept metrics CPU_TIME
tau-record --sample=2ms --unwind -o "$T/samples" "$B/apps/sampled" shares >/dev/null 2>&1
kept samples UNWIND
mkdir "$T/files"
tau-record --wrap io -o "$T/transfers" "$B/apps/io" "$T/files" >/dev/null 2>&1
kept transfers 'Bytes Written <file=' '5 offsets in files'
TAU_TRACK_MEMORY_LEAKS=1 tau-record --wrap memory -o "$T/leaks" "$B/apps/memleak" >/dev/null 2>&1
kept leaks 'MEMORY LEAK'
# children that begin with what their parent had open
tau-record --wrap pthread,process,io,memory -o "$T/children" "$B/apps/forks" >/dev/null 2>&1
kept children 'fork()'
# threads, transfers and samples of a program without names, whose functions are named by their beginnings
awk 'BEGIN { for (i = 0; i < 300000; i++) print i * 7919 % 1009, "and what makes lines longer" }' >"$T/lines"
tau-record --sample=1ms --wrap pthread,io -o "$T/nameless" sort -u --parallel=2 -o "$T/sorted" "$T/lines" >/dev/null 2>&1
kept nameless ' sort+0x'

# --- windows: the small run's profile is the window's ---
# names and numbers, without the column that names the window
bare() { sed 's/^[^,]*,//' | grep -v '^"*node'; }
said() { sed 's/^[^:]*: [^:]*: //' "$T/profile.err"; }
# small RUN WINDOW
small() {
	w=$2
	profile --window "$w" "$1" >"$T/want.csv"
	bare <"$T/want.csv" >"$T/want"
	said >"$T/want.err"
	rm -rf "$T/small"
	tau-convert --window "$w" "$1" "$T/small" 2>"$T/err"
	is "window $w: is cut out" "$? $(cat "$T/err")" "0 "
	profile "$T/small" >"$T/got.csv"
	bare <"$T/got.csv" >"$T/got"
	ok "window $w: the same profile" cmp "$T/want" "$T/got"
	ok "window $w: every file verifies" tau-dump --check "$T/small"
	[ -s "$T/want.err" ] || is "window $w: no more had to be repaired" "$(said)" ""
	text --window "$w" "$1" >"$T/want"
	text "$T/small" >"$T/got"
	ok "window $w: metrics, too" cmp "$T/want" "$T/got"
	rm -rf "$T/arc"
	is "window $w: to OTF2, nothing is lost" "$(tau-convert --to otf2 --window "$w" "$1" "$T/arc" 2>&1 | but_names)" ""
	text "$T/arc" >"$T/got"
	ok "window $w: to OTF2, the same profile" cmp "$T/want" "$T/got"
	prints "window $w"
}
# of RUN A B: the window from the event after the share A of all events to that after B. Shares of events, not of time: in a part of
# the time the processor may have done something else.
of() {
	rm -f "$T/all.csv"
	tau-convert "$1" "$T/all.csv" 2>/dev/null
	sed 1d "$T/all.csv" | cut -d , -f 3 | sort -n |
		awk -v a="$2" -v b="$3" '{ t[n++] = $1 } END { printf "%.0fns:%.0fns", t[int(a * (n - 1))], t[int(b * (n - 1))] + 1 }'
}
for w in "$(of "$run" .1 .9)" "$(of "$run" .7 .95)" "$(of "$run" .8 .9 | sed 's/:.*/:/')" "$(of "$run" 0 .995 | sed 's/.*:/:/')" \
	'inner#2' 'inner#2:inner#4'; do
	small "$run" "$w"
done
for w in "$(of "$T/metrics" .1 .9)" "$(of "$T/metrics" .333 .666)" 'inner#2' :100%; do
	small "$T/metrics" "$w"
done
small "$T/samples" "$(of "$T/samples" .3 .7)"
small "$T/transfers" "$(of "$T/transfers" .2 .8)"
tau-record -o "$T/threads" "$B/apps/threads" >/dev/null 2>&1
text --thread 0,2 "$T/threads" >"$T/want"
rm -rf "$T/arc"
tau-convert --to otf2 --thread 0,2 "$T/threads" "$T/arc" 2>/dev/null
text "$T/arc" >"$T/got"
ok "threads keep their numbers in OTF2 where others are left out" cmp "$T/want" "$T/got"
is "and such there are" "$(grep -c 'thread 2$' "$T/got")" 1
tau-convert --window inner "$run" "$T/many" 2>"$T/err"
is "a region of many instances is no window of a trace" "$? $(ls -d "$T/many" 2>/dev/null)" "3 "
like "and what to write instead is reported" "$(cat "$T/err")" "'inner#1'"

# --- text ---
# sums FILE: what a CSV trace has of each kind: how often, and the bytes.
sums() {
	python3 -c 'import csv, sys, collections
n = collections.Counter(); b = collections.Counter()
for r in csv.DictReader(open(sys.argv[1])):
	n[r["kind"]] += 1; b[r["kind"]] += int(r["bytes"] or 0)
for k in sorted(n): print(k, n[k], b[k])' "$1"
}
# the same of JSON
chrome() {
	python3 -c 'import json, sys, collections
n = collections.Counter(); b = collections.Counter()
for e in json.load(open(sys.argv[1]))["traceEvents"]:
	if e.get("cat") in ("metric", "sample", "memory") and e["ph"] != "i": continue
	k = {"B": "enter", "E": "leave", "C": "value"}.get(e["ph"]) or e.get("name")
	a = e.get("args", {})
	n[k] += 1; b[k] += a.get("bytes", 0)
for k in sorted(n): print(k, n[k], b[k])' "$1"
}
if command -v python3 >/dev/null; then
	for kind in metrics samples transfers leaks; do
		is "$kind to CSV: nothing is lost" "$(tau-convert "$T/$kind" "$T/$kind.csv" 2>&1 | grep -v 'regions open')" ""
		is "$kind to JSON: nothing is lost" "$(tau-convert "$T/$kind" "$T/$kind.json" 2>&1 | grep -v 'regions open')" ""
		# Samples are calls on a track of their own there (readers.sh).
		sums "$T/$kind.csv" | grep -v '^thread\|^sample' >"$T/want"
		chrome "$T/$kind.json" | grep -v '^\(process\|thread\)_name' >"$T/got"
		ok "$kind: CSV and JSON tell the same" cmp "$T/want" "$T/got"
	done
	is "metrics are columns" "$(head -n 1 "$T/metrics.csv")" \
		"node,thread,time_ns,kind,name,peer,tag,bytes,value,CPU_TIME,PAGE_FAULTS"
	is "a leave has as many values as there are metrics" "$(awk -F , '$4 == "leave" && ($10 == "" || $11 == "")' "$T/metrics.csv")" ""
	ok "transfers name their file" grep -q ',write,/' "$T/transfers.csv"
	ok "samples name functions" grep -q ',sample,[a-z_]*,,,[0-9]*,.*main' "$T/samples.csv"
	ok "leaks are findings" grep -q ',lost,' "$T/leaks.csv"
	is "and no allocations: those that are match a free, or are lost" \
		"$(awk -F , '$4 == "alloc" { n++ } $4 == "free" { n-- } $4 == "lost" || $4 == "not freed" || $4 == "lost behind" { n-- } END { print (n >= 0) }' "$T/leaks.csv")" 1
else
	skip "metrics, samples, transfers and leaks as text" "no python3"
fi
tau-convert "$run" "$T/a.csv" 2>/dev/null
is "CSV: columns" "$(head -n 1 "$T/a.csv")" "node,thread,time_ns,kind,name,peer,tag,bytes,value"
is "CSV: enters and leaves match" "$(grep -c ',enter,' "$T/a.csv")" "$(grep -c ',leave,' "$T/a.csv")"
is "CSV: calls of a region" "$(grep -c ',enter,inner,' "$T/a.csv")" \
	"$(profile "$run" | awk -F , '$5 == "timer" && $6 == "inner" { print $8; exit }')"
tau-convert "$run" "$T/a.json" 2>/dev/null
is "JSON: begins and ends match" "$(grep -c '"ph":"B"' "$T/a.json")" "$(grep -c '"ph":"E"' "$T/a.json")"
if command -v python3 >/dev/null; then
	ok "JSON: another reader takes it" python3 -c 'import json, sys
for e in json.load(open(sys.argv[1]))["traceEvents"]: e["ph"], e["pid"], e["tid"]' "$T/a.json"
else
	skip "JSON: another reader takes it" "no python3"
fi

# --- archives of others ---
if [ -d "$DATA/otf2" ]; then
	for set in ping-pong ping-pong-papi sstmacro-10 eztrace-comd_n2 stencil4d-32; do
		profile "$DATA/otf2/$set" >"$T/want.csv"
		rm -rf "$T/own" "$T/o2"
		tau-convert "$DATA/otf2/$set" "$T/own" >/dev/null 2>"$T/err"
		profile "$T/own" >"$T/got.csv"
		ok "$set to ours: the same profile" cmp "$T/want.csv" "$T/got.csv"
		ok "$set to ours: every file verifies" tau-dump --check "$T/own"
		tau-convert --to otf2 "$DATA/otf2/$set" "$T/o2" >/dev/null 2>"$T/err"
		profile "$T/o2" >"$T/got.csv"
		ok "$set to OTF2: the same profile" cmp "$T/want.csv" "$T/got.csv"
		rm -rf "$T/arc"
		mv "$T/o2" "$T/arc"
		prints "$set"
	done
else
	skip "archives of others" "the recorded data are not here"
fi
# --- for a path that cannot be read, the error lists what can be read ---
mkdir "$T/nothing"
: >"$T/nothing/notes.txt"
for p in tau-convert "tau-db import --db $T/n.db"; do
	$p "$T/nothing" "$T/n.out" 2>"$T/err"
	like "$p: a folder of nothing" "$? $(cat "$T/err")" '^[34] .*it contains nothing readable: no \.tau files of a run, no OTF2 archive, no \.trc with'
done
tau-convert "$T/nothing/notes.txt" "$T/n.out" 2>"$T/err"
like "and an empty file" "$? $(cat "$T/err")" '^3 .*notes\.txt: the file is empty$'
echo text >"$T/nothing/notes.txt"
tau-convert "$T/nothing/notes.txt" "$T/n.out" 2>"$T/err"
like "a text" "$? $(cat "$T/err")" '^3 .*this is neither a trace file nor a profile'
tau-convert "$B/apps/hooks" "$T/n.out" 2>"$T/err"
like "a program" "$? $(cat "$T/err")" '^3 .*this is a program or library, .* Record it first: tau-record$'
printf 'SQLite format 3\0' >"$T/nothing/n.db"
tau-convert "$T/nothing/n.db" "$T/n.out" 2>"$T/err"
like "a database" "$? $(cat "$T/err")" '^3 .*this is a database, .*Try: tau-report KIND --db '
# --- formats of other tools: what they are, and the way from there ---
mkdir "$T/others"
# unread NAME BEGIN WORDS: by each program.
unread() {
	printf "$2" >"$T/others/$1"
	for p in "tau-convert" "tau-report overview" "tau-db import --db $T/n.db"; do
		$p "$T/others/$1" $([ "$p" != tau-convert ] || echo "$T/n.out") >/dev/null 2>"$T/err"
		like "${p%% -*}: $1" "$? $(head -n 1 "$T/err")" "^[34] [a-z2 -]*: [^ ]*/$1: an? .* is not read\\. .*$3.* \\(tau-formats\\(5\\)\\)$"
	done
}
unread perf.data 'PERFILE2h\0\0' 'perf script \| stackcollapse-perf\.pl'
unread gmon.out 'gmon\1\0' 'paraprof -f gprof'
unread a.cali '__rec=node,id=1\n' '--wrap caliper'
unread a.prv '#Paraver (01/01/20 at 10:00):1_ns\n' 'No converter'
unread old.slog2 '\0\nSLOG 2.0.6' '\.trc and \.edf'
unread callgrind.out.1 '# callgrind format\nversion: 1\ncreator: callgrind\n' 'No converter'
unread trace.json '{"displayTimeUnit":"ns","traceEvents":[]}' 'stackcollapse-chrome'
unread a.nsys-rep '\1\2\3' '--wrap cuda'
unread a.hpcrun 'HPCRUN-profile____' 'experiment\.xml'
unread experiment.xml '<?xml version="1.0"?>\n<HPCToolkitExperiment version="2.0">' 'paraprof -f hpc'
unread cpu.pprof '\037\213\010' 'stackcollapse-go'
mkdir "$T/measured"
mv "$T/others/a.hpcrun" "$T/measured"
tau-report "$T/measured" >/dev/null 2>"$T/err"
like "a folder of such files" "$? $(cat "$T/err")" '^3 .*/measured/a\.hpcrun: a measurement of HPCToolkit is not read'
# --- reports that need events refuse a profile, with the reason ---
printf '1 templated_functions_MULTI_TIME\n# Name Calls Subrs Excl Incl ProfileCalls\n"main" 1 0 5 5 0 GROUP="TAU_USER"\n0 aggregates\n' \
	>"$T/profile.0.0.0"
mkdir "$T/profiles"
cp "$T/profile.0.0.0" "$T/profiles"
for p in "$T/profile.0.0.0" "$T/profiles"; do
	for kind in waits timeline efficiency comm; do
		tau-report $kind "$p" >"$T/out" 2>"$T/err"
		like "$kind of ${p##*/}" "$? $(cat "$T/err")" '^3 .*: it is a profile: .*needs the single events of a trace\. Try: '
	done
done
: >"$T/nothing/x.tau"
tau-convert "$T/nothing" "$T/n.out" 2>"$T/err"
like "a file that is named like a run's has a message" "$? $(cat "$T/err")" '^3 .*x\.tau: the file is empty'

# --- what was live when a window begins; two calls of malloc() on one line are two sites of one name ---
cat >"$T/two.c" <<'EOT'
#include <stdlib.h>
char *a, *b;
__attribute__((noinline)) int f(int x) { return x + 1; }
int main(void) { a = malloc(1000000); b = malloc(500000); volatile int s = 0; for (int i = 0; i < 200000; i++) s += f(i); return 0; }
EOT
# Without the window's name, which is the first column.
rows() { profile "$@" | sed 's/^[^,]*//'; }
if cc -g -O1 -finstrument-functions "$T/two.c" -o "$T/two" && tau-record --sample=none -w memory -o "$T/two.run" "$T/two" >/dev/null 2>&1; then
	rows "$T/two.run" >"$T/want"
	is "two sites of one name: what both have is live" \
		"$(grep -c 'live untyped \[two\].*,1500000,' "$T/want") $(tau-dump "$T/two.run" | grep -c 'MEMTYPE.*library="two"')" "2 2"
	for how in "" "--rank 0" "--thread 0" "--window 0%:"; do
		rm -rf "$T/copy"
		tau-convert $how "$T/two.run" "$T/copy"
		rows "$T/copy" >"$T/got"
		ok "a copy has it all: ${how:-everything}" cmp "$T/want" "$T/got"
	done
	is "a name has one number in a file" "$(tau-dump "$T/copy" | grep -c 'MEMTYPE.*library="two"')" 1
	# Half-way between the end of a chunk and the begin of the next, and inside a chunk. No share of the time: a process may pause.
	tau-dump --only chunks "$T/two.run" | tr -d , | awk '/^chunk/ { n++; if (n > 1) printf "%.9fs\n", (last + $10) / 2; last = $12; printf "%.9fs\n", ($10 + $12) / 2 }' >"$T/moments"
	moment() { sed -n "$1p" "$T/moments"; }
	for window in "$(moment 7):" "$(moment 2):" "$(moment 2):$(moment 9)"; do
		rows -w "$window" "$T/two.run" >"$T/want"
		for to in tau otf2; do
			rm -rf "$T/copy" "$T/turned"
			is "$to has a place for all that a window begins with" "$(tau-convert -t $to -w "$window" "$T/two.run" "$T/copy" 2>&1)" ""
			rows "$T/copy" >"$T/got"
			ok "its profile is the window's, memory from before included: $to, $window" cmp "$T/want" "$T/got"
			tau-convert -t tau "$T/copy" "$T/turned"
			rows "$T/turned" >"$T/got"
			ok "and that of a run made of it: $to, $window" cmp "$T/want" "$T/got"
		done
	done
	like "CSV says that it has no place for it" "$(tau-convert -w "$(moment 7):" "$T/two.run" "$T/two.csv" 2>&1)" \
		'csv does not contain: .*amounts of memory that was live at the begin'
else
	fail "two sites of one name: it compiles and is recorded"
fi

# --- a window that begins with many kinds of memory ---
awk 'BEGIN { print "#include <stdlib.h>\nvoid *a[700];\nint main(void) {"
	for (i = 0; i < 700; i++) print "a[" i "] = malloc(" 100 + i ");"
	print "for (int i = 0; i < 700; i++) { free(malloc(10)); }\nreturn 0; }" }' >"$T/many.c"
if cc -g -O0 -finstrument-functions "$T/many.c" -o "$T/many" && tau-record -w memory -o "$T/many.run" "$T/many" >/dev/null 2>&1; then
	rows -w 90%: "$T/many.run" >"$T/want"
	tau-convert -t otf2 -w 90%: "$T/many.run" "$T/many.arc"
	rows "$T/many.arc" >"$T/got"
	ok "many kinds of memory that are live at the begin" cmp "$T/want" "$T/got"
	ok "they are" [ "$(grep -c 'counter,live objects .*many.c' "$T/want")" -ge 600 ]
else
	fail "many kinds of memory: it compiles and is recorded"
fi

# --- damage: the intact beginning is used, and the loss is reported once ---
cp -r "$T/two.run" "$T/flipped"
cp -r "$T/two.run" "$T/short"
file=$(basename "$(ls "$T"/two.run/*.tau)")
at=$(tau-dump --only chunks "$T/two.run" | tr -d , | awk '/^chunk 3 / { print $5 }')
printf '\377\377\377\377\377\377\377\377' | dd of="$T/flipped/$file" bs=1 seek=$((at + 300)) conv=notrunc 2>/dev/null
head -c $((at + 300)) "$T/two.run/$file" >"$T/short/$file"
# Times are removed: they also depend on the last comparison of both clocks, which only the flipped file has.
for damaged in flipped short; do
	tau-dump --only records "$T/$damaged" 2>"$T/err" | sed -E "s|$T/[a-z]*/||; s/ [0-9.]+ \+[0-9]+ ns / /" >"$T/$damaged.txt"
	is "tau-dump: $damaged" "$(tau-dump "$T/$damaged" >/dev/null 2>&1; echo $? $(wc -l <"$T/err"))" "3 1"
	profile "$T/$damaged" >"$T/want.csv"
	is "tau-trace2profile: $damaged" "$? $(grep -c 'are not included' "$T/profile.err")" "0 1"
	is "tau-db: $damaged" "$(tau-db import --db "$T/$damaged.db" "$T/$damaged" >/dev/null 2>"$T/err"; echo $? $(grep -c 'chunk 3' "$T/err"))" "0 1"
	for to in tau otf2 json csv; do
		rm -rf "$T/out"
		tau-convert -t $to "$T/$damaged" "$T/out" 2>"$T/err"
		is "$damaged to $to" "$? $(grep -c 'chunk 3 .*; later records of this file are not included$' "$T/err") $(grep -vc 'does not contain' "$T/err") $(ls -d "$T/out")" "0 1 1 $T/out"
	done
done
ok "both have the same beginning" cmp "$T/flipped.txt" "$T/short.txt"
ok "which is not empty" [ "$(grep -c 'ENTER f' "$T/short.txt")" -gt 1000 ]
# Records after the damage are read, unless reading goes through the damage.
profile --window 95%: "$T/two.run" >"$T/want.csv"
profile --no-index --window 95%: "$T/flipped" >"$T/got.csv"
is "nothing is printed of a window behind the damage" "$(cat "$T/profile.err")" ""
ok "which is what it is without" cmp "$T/want.csv" "$T/got.csv"
ok "and has rows" [ "$(grep -c ',timer,' "$T/got.csv")" -gt 1 ]
profile --no-index --window 0%:95% --window 95%: "$T/flipped" >"$T/got.csv"
is "behind a window with the damage, which is reported, nothing happens in it" \
	"$(grep -c '^95%:.*,timer,' "$T/got.csv") $(grep -c "not included$" "$T/profile.err")" "0 1"
tap_end
