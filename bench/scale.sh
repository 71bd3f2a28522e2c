#!/bin/sh
# scale.sh: what a window of 10 ms, a query in SQL, iterations and the whole profile cost in a long trace, and in one ten times as long: CPU time, bytes read (of all
# files, by read and by page fault: from the kernel's counters), memory. TAU_BENCH_SCALE: bytes of the shorter one (default 100 MB;
# 1000000000 is what the goals are about, and needs 12 GB of disk and a quarter of an hour).
. "$(dirname "$0")/common"
SIZE=${TAU_BENCH_SCALE:-100000000}
# Caches of the tests' temporary folder may be small; the traces lie where they can.
D=$(mktemp -d "${TAU_BENCH_SCALE_DIR:-$CACHE}/scale.XXXXXX") || exit 4
trap 'rm -rf "$T" "$D"' EXIT

read_bytes() {	# COMMAND...: what the process has read, without the program and its libraries
	LD_PRELOAD=$W/bytes.so BYTES_FILE=$T/bytes "$@" >/dev/null 2>&1 || die "ended with status $?: $*"
	cat "$T/bytes"
}

# costs NAME RUN OPTION...: sets cpu (ms), bytes (MB), memory (MB)
costs() {
	name=$1 run=$2; shift 2
	i=0
	rm -f "$T/ns.$name"
	while [ $i -lt "$ROUNDS" ]; do
		measure "$name" tau-trace2profile --format csv -o "$T/out.csv" "$@" "$run"
		i=$((i + 1))
	done
	set -- $(read_bytes tau-trace2profile --format csv -o "$T/out.csv" "$@" "$run")
	cpu=$(calc %.2f "$(least "$name") / 1e6") bytes=$(calc %.3f "$1 / 1e6") memory=$(calc %.1f "$2 / 1e3")
	printf '  %-28s %9s ms CPU %9s MB read %9s MB of memory\n' "$name" "$cpu" "$bytes" "$memory"
}

build_tools
$CC -O2 -I"$TOP" -o "$W/scale" "$TOP/bench/scale.c" -lz || die "cannot build the writer of traces"
$CC -O2 -shared -fPIC -o "$W/bytes.so" "$TOP/bench/bytes.c" || die "cannot build the meter of bytes"
# scale TITLE TIMES STREAMS...: a run that is TIMES as long; STREAMS... as bench/scale.c takes them
scale() {
	title=$1 times=$2 run=$D/run$2
	shift 2
	INDEX_NS=10
	[ "$title" = calls ] || INDEX_NS=20
	set -- $("$W/scale" "$run" $((SIZE * times)) "$@")
	size=$1 records=$2 ns=$3
	echo "$1 bytes, $records records, $((ns / 1000000000)) s"
	middle=$((ns / 2))
	window=${middle}ns..$((middle + 10000000))ns
	costs "window, no index ($times)" "$run" --no-index -w "$window"
	tau-trace2profile --format csv -o "$T/replayed.csv" --no-index -w "$window" "$run" || die "no profile"
	rm -f "$T/ns.index"
	measure index tau-trace2profile --index --format csv -o "$T/first.csv" "$run"
	printf '  making the index: %s s CPU, %s bytes\n' "$(calc %.1f "$(least index) / 1e9")" "$(cat "$run"/*.index | wc -c)"
	goal "making the index, $title, ${times} x $SIZE bytes: CPU of a record" "$(calc %.1f "$(least index) / $records")" \
		most "$INDEX_NS" ns
	costs "window ($times)" "$run" -w "$window"
	cmp -s "$T/out.csv" "$T/replayed.csv" || die "a window has another result with the index"
	[ $times = 10 ] || short=$cpu
	goal "a window of 10 ms, $title, ${times} x $SIZE bytes: CPU" "$cpu" most 50 ms
	goal "a window of 10 ms, $title, ${times} x $SIZE bytes: read" "$bytes" most 2 MB
	goal "a window of 10 ms, $title, ${times} x $SIZE bytes: memory" "$memory" most 100 MB
	set -- $(read_bytes tau-db query -R "$run" "SELECT count(*), max(value) FROM event
		WHERE time >= $((middle / 1000)) AND time < $((middle / 1000 + 10000))")
	goal "SQL over the events of 10 ms, $title, ${times} x $SIZE bytes: read, of the trace" "$(calc %.3f "100 * $1 / $size")" most 2 %
	costs "iterations ($times)" "$run" -w iter=50..52
	goal "three iterations, $title, ${times} x $SIZE bytes: CPU" "$cpu" most 50 ms
	goal "three iterations, $title, ${times} x $SIZE bytes: read" "$bytes" most 2 MB
	costs "whole ($times)" "$run"
	goal "the whole profile, $title, ${times} x $SIZE bytes: CPU" "$cpu" most 1000 ms
	costs "whole call paths ($times)" "$run" --callpath
	goal "the whole profile by call path, $title, ${times} x $SIZE bytes: CPU" "$cpu" most 1000 ms
	goal "the whole profile by call path, $title, ${times} x $SIZE bytes: memory" "$memory" most 100 MB
	rm -rf "$run"
}
for kind in calls memory; do
	streams=1
	[ $kind = calls ] || streams="2 memory"
	rm -f "$T"/ns.*
	for times in 1 10; do scale $kind $times $streams; done
	goal "a window in a trace 10 times as long ($kind): times the CPU" \
		"$(calc %.2f "$(least "window (10)") / $(least "window (1)")")" most 1.2 "" "${short} ms"
done
