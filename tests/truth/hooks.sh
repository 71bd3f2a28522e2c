# hooks.sh: compiler hooks: recursion, static and inlined functions, calls through pointers and from libc, longjmp,
# C++ templates, exceptions and static objects, signal handlers, a hundred thousand open frames.
. "$(dirname "$0")/../expect.sh"

for p in hooks hookscc signals bigstack; do
	record $p "$B/apps/$p"
	is "$p: ends as it should" "$code" 0
	expect $p
done

# A handler that interrupts the recorder itself cannot be recorded, but is counted.
timed=$(sed -n 's/^handler calls of the timer: //p' "$T/signals.out")
seen=$(calls signals on_timer)
lost=$(sed -n 's/.* \([0-9]*\) lost.*/\1/p' "$T/signals.err")
is "signals: what handlers were not seen is counted as lost" $((4 * (timed - seen))) "$lost"

# Names come from the binary: the same program stripped has addresses and no invented names.
cp "$B/apps/hooks" "$T/stripped" && strip "$T/stripped"
record stripped "$T/stripped"
tau-trace2profile --format csv "$T/stripped.run" >"$T/stripped.csv"
is "stripped: the calls are all there" "$(all_calls stripped)" "$(all_calls hooks)"
is "stripped: no name of a static function is made up" "$(grep -c private_one "$T/stripped.csv")" 0

# A program at a fixed address: its functions have addresses as small as the numbers of regions, in many chunks.
if ${CC:-cc} -O1 -no-pie -finstrument-functions -o "$T/fixed" "$TOP/bench/tiny.c" 2>/dev/null; then
	record fixed "$T/fixed" 1
	is "fixed: ends as it should" "$code" 0
	echo "EXPECT region tiny calls 1000000" >"$T/fixed.out"
	expect fixed
else
	skip "a program at a fixed address" "the compiler makes none"
fi
tap_end
