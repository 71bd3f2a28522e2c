# python-module.sh: the module tau of Python: with the recorder, without it, and beside functions of Python.
. "$(dirname "$0")/../expect.sh"

python=${TAU_TEST_PYTHON:-/usr/bin/python3}
[ -x $python ] || python=$(command -v python3) || skip_all "python3 is not installed"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || skip_all "$python is older than 3.9"
app=$TOP/fixtures/apps/regions.py
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$TOP/record/python"

"$python" "$app" >"$T/alone" 2>&1
is "without the recorder the program ends well" "$?" 0
is "and the module says so" "$("$python" -c 'import tau; print(tau.recorded())')" False
record alone -w none "$python" "$app"
is "it prints the same with the recorder" "$(cmp "$T/alone" "$T/alone.out" 2>&1)" ""
expect alone
is "nothing had to be repaired" "$(cat "$T/alone.why")" ""
like "a decorated function has its file and line" "$(cat "$T/alone.csv")" "\"solve \[\{$app\} \{[0-9]+,0\}\]\""
is "the module knows that it is recorded" \
	"$(tau-record -o "$T/said.run" -w none "$python" -c 'import tau; print(tau.recorded())' 2>"$T/err")" True
like "a phase has its group" "$(grep ',step\[0\],' "$T/alone.csv")" ',TAU_USER\|TAU_PHASE,'

# Functions and regions inside each other.
record both -w python "$python" "$app"
is "beside functions of Python: it prints the same" "$(cmp "$T/alone" "$T/both.out" 2>&1)" ""
tau-trace2profile --callpath=2 --format csv "$T/both.run" >"$T/both.csv" 2>"$T/both.why"
is "beside functions of Python: nothing had to be repaired" "$(cat "$T/both.why")" ""
is "beside functions of Python: the module itself is not recorded" "$(grep -c '<tau>' "$T/both.csv")" 0
like "beside functions of Python: a function contains its phase" "$(cat "$T/both.csv")" '"step \[[^"]*\] => step\[0\]"'
tap_end
