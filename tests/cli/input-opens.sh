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
	awk -v run="$run" '
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
	echo "$code"
}

tau-record -o "$T/one.run" "$B/apps/threads" 4 >/dev/null 2>&1
runs=$T/one.run
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
	is "$name: tau-monitor" "$(looks "$run" tau-monitor --once "$run")" 0
	for kind in overview profile groups imbalance tree flame series timeline critical-path anomalies html; do
		is "$name: tau-report $kind" "$(looks "$run" tau-report "$kind" "$run")" 0
	done
done
if [ -d "$T/mpi.run" ]; then
	for kind in "efficiency" "waits" "comm" "memory" "memory --by time" "scaling" "memory-scaling" "breakdown"; do
		# Some refuse this run after they have read it.
		is "mpi: tau-report $kind" "$(looks "$T/mpi.run" tau-report $kind "$T/mpi.run" | sed '$d')" ""
	done
fi

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
