#!/bin/sh
# monitors.sh: what a look at 1,024 threads costs; the instructions that a recorded program executes while ten monitors look at it,
# against none, which needs valgrind.
. "$(dirname "$0")/common"

# CPU time of a look, after the first, at 1,024 threads that wait
build_tools
$CC -O1 -finstrument-functions -o "$W/asleep" "$TOP/bench/asleep.c" -lpthread || die "cannot build the program"
tau-record -o "$T/asleep" "$W/asleep" 1024 >"$T/out" 2>/dev/null &
recorder=$!
until grep -q asleep "$T/out" || ! kill -0 $recorder 2>/dev/null; do sleep 0.05; done
pid=$(ls "$T/asleep" | sed -n 's/.*\.\([0-9]*\)\.0\.0\.tau$/\1/p')
for i in $(seq "$ROUNDS"); do
	measure first tau-monitor --json --count 1 "$T/asleep"
	measure looks tau-monitor --json --count 11 --interval 50ms "$T/asleep"
done
kill "$pid"
wait
look=$(calc %.1f "($(least looks) - $(least first)) / 10 / 1e6")
goal "a look at 1,024 threads, CPU time" "$look" most 50 ms "twice a second in 10 % of a core; the first look: $(calc %.1f "$(least first) / 1e6") ms"

have valgrind || { echo "  monitors.sh: valgrind is not installed"; exit 0; }
$CC -O1 -finstrument-functions -o "$W/watched" "$TOP/bench/watched.c" || die "cannot build the program"

# instructions MONITORS: what the program executes, without tau-record
instructions() {
	rm -rf "$T/run"
	TAU_RECORD_MONOTONIC=1 valgrind --tool=callgrind --callgrind-out-file=/dev/null --trace-children=yes \
		tau-record -o "$T/run" "$W/watched" >/dev/null 2>"$T/valgrind" &
	recorder=$!
	i=0
	until ls "$T/run"/*.tau >/dev/null 2>&1 || ! kill -0 $recorder 2>/dev/null; do sleep 0.05; done
	while [ $i -lt "$1" ]; do
		tau-monitor --json --interval 50ms "$T/run" 2>/dev/null | wc -l >>"$T/looks" &
		i=$((i + 1))
	done
	wait
	sed -n 's/.*Collected : //p' "$T/valgrind" | sort -n | tail -n 1
}

i=0
while [ $i -lt "$ROUNDS" ]; do
	instructions 0 >>"$T/alone"
	instructions 10 >>"$T/watched"
	i=$((i + 1))
done
alone=$(sort -n "$T/alone" | head -n 1) watched=$(sort -n "$T/watched" | head -n 1)
goal "ten monitors: instructions of the program, against none" "$(calc %.3f "$watched / $alone")" most 1.02 "" \
	"$alone and $watched instructions, $(awk '{ n += $1 } END { print n + 0 }' "$T/looks") looks; between rounds they differ by 1 to 2 %"
