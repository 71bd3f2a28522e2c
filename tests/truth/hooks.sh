# hooks.sh: compiler hooks: recursion, static and inlined functions, calls through pointers and from libc, longjmp,
# C++ templates, exceptions and static objects, signal handlers, a hundred thousand open frames.
. "$(dirname "$0")/../expect.sh"

for p in hooks hookscc signals bigstack; do
	record $p "$B/apps/$p"
	is "$p: ends as it should" "$code" 0
	expect $p
done

# Names come from the binary: the same program stripped has addresses and no invented names.
cp "$B/apps/hooks" "$T/stripped" && strip "$T/stripped"
record stripped "$T/stripped"
tau-trace2profile --format csv "$T/stripped.run" >"$T/stripped.csv"
is "stripped: the calls are all there" \
	"$(awk -F, '$5 == "timer" && !/TAU application/ { n += $8 } END { print n }' "$T/stripped.csv")" \
	"$(tau-trace2profile --format csv "$T/hooks.run" | awk -F, '$5 == "timer" && !/TAU application/ { n += $8 } END { print n }')"
is "stripped: no name of a static function is made up" "$(grep -c private_one "$T/stripped.csv")" 0
tap_end
