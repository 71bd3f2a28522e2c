#!/bin/sh
# memory-scale.sh: what a large job costs: packed profiles of 100 types a PE through import (every PE kept, or summed up on the
# way) and the report over them: seconds, memory, and how both grow with the number of PEs.
. "$(dirname "$0")/common"
$CC -O2 -o "$W/cost" "$TOP/bench/cost.c" || die "cannot build the meter"
# cost COMMAND...: "CPU-seconds wall-seconds MB"
cost() { "$W/cost" "$@" 2>"$T/cost" >/dev/null || die "failed: $* $(cat "$T/cost")"; tail -n 1 "$T/cost"; }
line() { printf '%-10s %9s %12s %12s %8s %12s %12s %8s %8s\n' "$@"; }
# scale MODE PEs: one line of the table; leaves seconds of both in $wall and $cpu, CPU seconds of the import in $import, the larger memory
# in $most, us of CPU a PE in $each
scale() {
	rm -f "$T/db" "$T/job"
	if [ "$1" = summary ]; then
		mkfifo "$T/job"
		"$B/apps/memjob" "$2" >"$T/job" &
		set -- "$1" "$2" $(cost tau-db import --db "$T/db" --summary "$T/job")
		wait
	else
		"$B/apps/memjob" "$2" >"$T/job"
		set -- "$1" "$2" $(cost tau-db import --db "$T/db" "$T/job")
	fi
	set -- "$@" $(cost tau-report memory-scaling --db "$T/db")
	each=$(calc %.1f "($3 + $6) / $2 * 1e6") cpu="CPU $(calc %.1f "$3 + $6") s" wall=$(calc %.1f "$4 + $7")
	most=$5 import=$3
	[ "$8" -le "$5" ] || most=$8
	line "$@" "$each"
}
# goals MODE WHAT SECONDS MB PEs...: lines for all of them, goals for the last.
goals() {
	mode=$1 what=$2 seconds=$3 megabytes=$4 first=
	shift 4
	for p; do
		scale $mode $p
		first=${first:-$each}
	done
	goal "$p PEs of 100 types, $what: import and report" $wall most $seconds s "$cpu"
	[ "$mode" = every ] || goal "$p PEs, $what: import" "$import" most 60 "s of CPU"
	goal "$p PEs, $what: memory" $most most $megabytes MB
	goal "$p PEs, $what: CPU a PE against the smallest job" "$(calc %.2f "$each / $first")" most 1.3 ""
}
line mode PEs 'import CPU s' 'import s' MB 'report CPU s' 'report s' MB 'us/PE'
goals every "every PE kept" 60 2048 ${EVERY:-4096 16384 65536}
goals summary "summed up" 120 500 ${SUMS:-65536 262144 1048576}
