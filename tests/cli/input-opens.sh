# input-opens.sh: every program lists a run at most twice and opens each of its files at most twice, however many readers look at it:
# on a parallel file system each look at a run of thousands of ranks costs minutes.
. "$(dirname "$0")/../tap.sh"
command -v strace >/dev/null || skip_all "no strace"
strace -o "$T/tried" true 2>/dev/null || skip_all "strace may not trace here"
cd "$T" || exit 1	# tau-trace2profile writes here

# looks RUN PROGRAM...: what it looks at more than twice, then its exit code
looks() {
	run=$1; shift
	strace -f -y -e trace=open,openat,getdents64 -o "$T/calls" "$@" >"$T/out" 2>&1
	code=$?
	more_than_twice "$run"
	echo "$code"
}
more_than_twice() {
	awk -v run="$1" '
		# A directory is read until nothing comes.
		/getdents64/ && / = 0$/ && index($0, "<" run ">") { lists++ }
		/open(at)?\(/ && !/ = -1 / && index($0, "\"" run "/") {
			name = substr($0, index($0, "\"") + 1)
			sub(/".*/, "", name)
			if (name ~ /\.(tau|live|index|fold)$|\/(job|processes)$/)
				opens[name]++
		}
		END {
			if (lists > 2) print lists " listings"
			for (f in opens) { n++; if (opens[f] > 2) print opens[f] " opens of " f }
			if (!n) print "no file was opened"
		}' "$T/calls"
}

tau-record -o "$T/one.run" "$B/apps/threads" 4 >/dev/null 2>&1
runs=$T/one.run
kinds=$(tau-report --help | sed -n 's/^  \([a-z-]*\)\( [A-Z]*\)*  .*/\1/p')
if command -v mpirun >/dev/null && [ -x "$B/apps/mpip2p" ]; then
	mpirun -np 2 tau-record -o "$T/mpi.run" "$B/apps/mpip2p" >/dev/null 2>&1
	runs="$runs $T/mpi.run"
fi
for run in $runs; do
	name=$(basename "$run" .run)
	rm -rf "$T/db" "$T/json" "$T/slices"
	is "$name: tau-trace2profile" "$(looks "$run" tau-trace2profile "$run")" 0
	is "$name: tau-trace2profile with windows" "$(looks "$run" tau-trace2profile --slices 4 -o "$T/slices" "$run")" 0
	is "$name: tau-dump" "$(looks "$run" tau-dump "$run")" 0
	is "$name: tau-dump --check" "$(looks "$run" tau-dump --check "$run")" 0
	is "$name: tau-convert" "$(looks "$run" tau-convert "$run" "$T/json")" 0
	is "$name: tau-reduce" "$(looks "$run" tau-reduce "$run")" 0
	is "$name: tau-db import" "$(looks "$run" tau-db -d "$T/db" import "$run")" 0
	for format in "" --json --csv; do
		is "$name: tau-monitor $format" "$(looks "$run" tau-monitor --once $format "$run")" 0
	done
	for kind in $kinds; do
		case $kind in
		threads | callers) kind="$kind main" ;;	# a region
		diff | why) kind="$kind $run" ;;	# the run before
		compare) kind="$kind --baseline $run" ;;
		plugin) kind="plugin $B/plugin-null.so" ;;
		esac
		# Some refuse this run after they have read it.
		is "$name: tau-report $kind" "$(looks "$run" tau-report $kind "$run" | sed '$d')" ""
	done
done
is "mpi: memory over time" "$(looks "$run" tau-report memory --by time "$run" | sed '$d')" ""

# ---- programs that look at it again and again: their first look ----
if linked tau-view libmicrohttpd; then
	strace -f -y -e trace=open,openat,getdents64 -o "$T/calls" tau-view --no-browser "$T/one.run" >said 2>err &
	for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do [ -s said ] && break; sleep 0.5; done
	cat >get.py <<-'END'
		import sys, urllib.request
		url, token = sys.argv[1].split("#t=")
		print(urllib.request.urlopen(urllib.request.Request(url + sys.argv[2], headers={"X-Tau-Token": token})).status)
	END
	is "tau-view: the runs" "$(python3 get.py "$(sed -n 1p said)" runs)" 200
	kill "$(sed -n '1s/ .*//p' calls)"
	wait
	is "tau-view" "$(more_than_twice "$T/one.run")" ""
fi
# tau-experiment starts tau-record, tau-db and tau-report; each process looks as above.
strace -f -y -e trace=open,openat,getdents64 -o calls tau-experiment -n 2 --repeat 1 --name opens --db "$T/e.db" -- "$B/apps/threads" {n} >out 2>&1
made=$(find "$T" -path '*opens*' -name '*.tau' | head -n 1)
ok "tau-experiment has made a run" test -n "$made"
is "tau-experiment, in each process" "$(awk -v run="${made%/*}" '
	/getdents64/ && / = 0$/ && index($0, "<" run ">") { lists[$1]++ }
	/open(at)?\(/ && !/ = -1 / && index($0, "\"" run "/") && /\.tau"/ { match($0, /"[^"]*"/); opens[$1 " " substr($0, RSTART, RLENGTH)]++ }
	END {
		for (pid in lists) if (lists[pid] > 2) print lists[pid] " listings"
		for (f in opens) if (opens[f] > 2) print opens[f] " opens of " f
	}' calls)" ""

# ---- inputs of other formats: files are recognized by one look at their first bytes ----
run=$T/one.run
tau-trace2profile -f folded -o one.folded "$run" >/dev/null 2>&1
tau-trace2profile -f ppk -o one.ppk "$run" >/dev/null 2>&1
tau-trace2profile -o profiles "$run" >/dev/null 2>&1
tau-convert --to tau "$run" trc >/dev/null 2>&1
opens_of() {	# INPUT: what was listed or opened more than twice
	awk -v of="$1" '
		/getdents64/ && / = 0$/ && index($0, "<" of ">") { lists++ }
		/open(at)?\(/ && !/ = -1 / && !/O_DIRECTORY/ && index($0, "\"" of) {
			match($0, /"[^"]*"/)
			opens[substr($0, RSTART, RLENGTH)]++
		}
		END {
			if (lists > 2) print lists " listings"
			for (f in opens) { n++; if (opens[f] > 2) print opens[f] " opens of " f }
			if (!n) print "no file was opened"
		}' calls
}
for in in one.folded one.ppk profiles trc; do
	rm -rf o x.db
	for program in "tau-report overview" "tau-report profile" "tau-report html" "tau-trace2profile -o o" "tau-reduce" "tau-db -d x.db import"; do
		is "$in: $program" "$(
			strace -f -y -e trace=open,openat,getdents64 -o calls $program "$T/$in" >out 2>&1
			code=$?
			opens_of "$T/$in"
			echo $code)" 0
	done
done

# ---- a run that a signal has ended: its streams are closed first ----
tau-record -o "$T/killed.run" "$B/apps/killed" >/dev/null 2>&1
is "killed: tau-trace2profile" "$(looks "$T/killed.run" tau-trace2profile "$T/killed.run")" 0
is "killed: tau-report" "$(looks "$T/killed.run" tau-report "$T/killed.run")" 0

# ---- few descriptors: then files do not stay open ----
tau-record -o "$T/many.run" "$B/apps/threads" 60 >/dev/null 2>&1
tau-report profile -f csv "$T/many.run" >"$T/want" 2>&1
(ulimit -n 40 && tau-report profile -f csv "$T/many.run") >"$T/got" 2>&1
is "a run with more threads than descriptors" "$(ls "$T/many.run" | grep -c 'tau$' | awk '{ print ($1 > 40) }') $(cmp "$T/got" "$T/want" 2>&1)" "1 "

# ---- what tau-record itself looks at ----
is "tau-record" "$(looks "$T/again.run" tau-record -o "$T/again.run" "$B/apps/threads" 4 | sed '$d')" ""
tap_end
