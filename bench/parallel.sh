#!/bin/sh
# parallel.sh: how much faster a run of several streams becomes a profile on two threads (-j 2) and on two processes (mpirun -np 2) than on
# one. Twice: by the clock on the wall, which needs a machine with nothing else to do (its load is shown; from mpirun's time
# that of starting nothing is taken); and by the CPU time of the busiest thread or process, which is what the clock would show there.
. "$(dirname "$0")/common"

# one NAME COMMAND...: wall-clock time, and CPU time of the busiest thread of all processes, noted under NAME and NAME.cpu
one() {
	name=$1; shift
	rm -f "$T/busiest"
	begin=$(date +%s%N)
	"$@" >/dev/null 2>&1 || die "ended with status $?: $*"
	echo $(($(date +%s%N) - begin)) >>"$T/ns.$name"
	[ ! -s "$T/busiest" ] || sort -n "$T/busiest" | tail -n 1 >>"$T/ns.$name.cpu"
}
mpi() { mpirun --allow-run-as-root --oversubscribe -np 2 "$@"; }
meter() { env BUSIEST_FILE="$T/busiest" LD_PRELOAD="$W/busiest.so" "$@"; }

# line TITLE NAME GOAL OFF: of NAME against one thread; OFF ns are taken from its wall-clock time
line() {
	calc "  %-16s%9.1f ms, %.2f times as fast; busiest %9.1f ms CPU, %.2f times as fast, goal $3: %s\n" "\"$1\", \
		($(least "$2") - $4) / 1e6, $(least one) / ($(least "$2") - $4), \
		$(least "$2.cpu") / 1e6, $(least one.cpu) / $(least "$2.cpu"), \
		($(least one.cpu) / $(least "$2.cpu") >= $3 ? \"met\" : \"MISSED\")"
}

ratios() {	# title options...
	title=$1; shift
	rm -f "$T"/ns.*
	i=0
	while [ $i -lt "$ROUNDS" ]; do
		one one meter tau-trace2profile "$@" -f csv -o "$T/one.csv" "$T/run"
		one two meter tau-trace2profile -j 2 "$@" -f csv -o "$T/two.csv" "$T/run"
		cmp -s "$T/one.csv" "$T/two.csv" || die "two threads have another result"
		if have mpirun; then
			one none mpi true
			one ranks mpi env BUSIEST_FILE="$T/busiest" LD_PRELOAD="$W/busiest.so" \
				tau-trace2profile "$@" -f csv -o "$T/ranks.csv" "$T/run"
			cmp -s "$T/one.csv" "$T/ranks.csv" || die "two processes have another result"
		fi
		i=$((i + 1))
	done
	calc '%s: one thread %.1f ms, %.1f ms CPU\n' "\"$title\", $(least one) / 1e6, $(least one.cpu) / 1e6"
	line "two threads" two 1.8 0
	! have mpirun || line "two processes" ranks 1.7 "$(least none)"
}

build_tools
$CC -O1 -finstrument-functions -o "$W/parallel" "$TOP/bench/parallel.c" -pthread || die "cannot build the program"
$CC -O2 -shared -fPIC -o "$W/busiest.so" "$TOP/bench/busiest.c" -ldl || die "cannot build the meter of threads"
# A thread takes stream after stream: with only 8 of them one that is late by a third costs a fifth of the whole.
streams=${TAU_BENCH_STREAMS:-32}
tau-record -w none -o "$T/run" "$W/parallel" "$streams" "$((${TAU_BENCH_STEPS:-320000} / streams))" >/dev/null 2>&1 ||
	die "cannot record it"
printf 'a run of %s streams, %s bytes, on %s processors, load %s\n' "$streams" "$(du -sb "$T/run" | cut -f 1)" "$(nproc)" \
	"$(cut -d ' ' -f 1-3 /proc/loadavg)"
ratios "flat profile" --no-index
ratios "whole call paths" --no-index --callpath
ratios "fifty slices" --no-index --slices 50
