# python-monitoring.sh: the tests of Python with a version that has sys.monitoring: that of TAU_TEST_PYTHON, or python3.12 or newer.
. "$(dirname "$0")/../expect.sh"

for python in "$TAU_TEST_PYTHON" python3.14 python3.13 python3.12; do
	path=$("$python" -c 'import sys; hasattr(sys, "monitoring") and print(sys.executable)' 2>/dev/null) && [ -n "$path" ] && break
done
[ -n "$path" ] || skip_all "no Python with sys.monitoring: TAU_TEST_PYTHON can name one of version 3.12 or newer"
[ "$path" != /usr/bin/python3 ] || [ -z "$TAU_TEST_PYTHON" ] || skip_all "python.sh uses it"
export TAU_TEST_PYTHON="$path" PYTHONDONTWRITEBYTECODE=1
version=$("$path" --version)

for test in python python-module; do
	sh "$TOP/tests/truth/$test.sh" >"$T/$test.tap"
	is "$version: $test.sh passes" "$? $(grep -A 3 '^not ok' "$T/$test.tap")" "0 "
done

# Whatever instruments code for the program stays as it is, and functions are recorded beside it.
cat >"$T/tools.py" <<'END'
import sys
m = sys.monitoring
seen = []
m.use_tool_id(m.PROFILER_ID, "the program's")
m.register_callback(m.PROFILER_ID, m.events.PY_START, lambda code, offset: seen.append(code.co_name))
m.set_events(m.PROFILER_ID, m.events.PY_START)
def leaf():
    pass
def some(n):
    for i in range(n):
        leaf()
some(3)
m.set_events(m.PROFILER_ID, 0)
sys.setprofile(lambda frame, event, argument: seen.append(event))
some(1)
sys.setprofile(None)
some(2)
print(seen)
print("EXPECT region leaf calls 6\nEXPECT nested some => leaf calls 6\nEXPECT region some calls 3", file=sys.stderr)
END
"$path" "$T/tools.py" >"$T/alone" 2>/dev/null
record tools -w python "$path" "$T/tools.py"
is "a program with tools of its own prints the same" "$(cat "$T/tools.out")" "$(cat "$T/alone")"
cp "$T/tools.err" "$T/tools.out"
expect tools
is "nothing had to be repaired" "$(cat "$T/tools.why")" ""
tap_end
