#!/bin/sh
# pair.sh: what an event of the compiler hooks costs when two threads record at once, against one thread: CPU time of all threads
# over the same program without hooks. For comparison: hooks that only read the clock; a loss that they have, too, is the machine's.
. "$(dirname "$0")/common"
build_tools

n=5	# million calls a thread
i=0
while [ $i -lt $((ROUNDS * 2)) ]; do
	for t in 1 2; do
		measure plain.$t "$W/tiny-plain" $n $t
		measure clock.$t env LD_PRELOAD="$W/hook1.so" "$W/tiny-hooked" $n $t
		rm -rf "$T/run"
		measure tau.$t tau-record -o "$T/run" -- "$W/tiny-hooked" $n $t
	done
	i=$((i + 1))
done
per_event() { calc %.2f "($(least $1.$2) - $(least plain.$2)) / ($n * 2e6 * $2)"; }
printf '%-28s %12s %12s\n' ns/event "one thread" "two threads"
for v in clock tau; do
	eval "${v}1=$(per_event $v 1) ${v}2=$(per_event $v 2)"
	case $v in clock) label="hooks that read the clock" ;; tau) label=tau-record ;; esac
	eval "printf '%-28s %12s %12s\n' \"$label\" \$${v}1 \$${v}2"
done
goal "two threads: cost of an event against one" "$(calc %.2f "$tau2 / $tau1")" most 1.05 "" \
	"the clock alone $(calc %.2f "$clock2 / $clock1")"
