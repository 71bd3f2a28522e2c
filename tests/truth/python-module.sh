# python-module.sh: the module tau of Python: with the recorder, without it, and beside functions of Python.
. "$(dirname "$0")/../expect.sh"

python=${TAU_TEST_PYTHON:-/usr/bin/python3}
[ -x $python ] || python=$(command -v python3) || skip_all "python3 is not installed"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || skip_all "$python is older than 3.9"
app=$TOP/fixtures/apps/regions.py
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$TOP/record/python"

"$python" "$app" >"$T/alone" 2>&1
is "without the recorder the program ends well" "$?" 0
is "and the module reports it" "$("$python" -c 'import tau; print(tau.recorded())')" False
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

# Programs written for TAU: pytau and tau.run().
cat >"$T/manual.py" <<'END'
import pytau
from time import sleep

def work(n):
    t = pytau.profileTimer()
    pytau.start(t)
    pytau.event(size, n)
    pytau.stop(t)

outer = pytau.profileTimer("outer", "of all", "OURS")
inner = pytau.profileTimer("inner")
part = pytau.phase("part")
size = pytau.registerEvent("size")
pytau.setNode(0)
pytau.start(outer)
for i in range(5):
    pytau.start(part)
    pytau.start(inner)
    sleep(0.01)
    pytau.stop(inner)
    work(i)
    pytau.stop(part)
pytau.metadata("who", "manual")
pytau.dumpFuncNames()
pytau.dumpFuncVals(["inner", "outer of all"])
pytau.setInterruptInterval(10)
pytau.trackMemoryHere()
pytau.trackMemoryHeadroomHere()
pytau.snapshot("middle")
pytau.dbDump()
pytau.disableInstrumentation()
pytau.start(inner)
pytau.stop(inner)
pytau.enableInstrumentation()
pytau.stop(outer)
group = pytau.getProfileGroup("OURS")
pytau.disableGroup(group)
pytau.start(outer)
pytau.stop(outer)
print("EXPECT region outer of all calls 1\nEXPECT region inner calls 5\nEXPECT nested part => inner calls 5")
print("EXPECT event size n 5 sum 10\nEXPECT meta who=manual")
END
cat >"$T/auto.py" <<'END'
import sys, tau

def f1():
    return 7

def OurMain():
    print(sum(f1() for i in range(3)))
    sys.exit(3)

tau.run('OurMain()')
tau.runctx("print(a)", {}, {"a": 5})
print(tau.Profile().runcall(max, 4, 6))
tau.runmodule("auto_part")
tau.run(compile("b = 1", "compiled", "exec"))
tau.run("b = 2\nb = 3")
print("end")
END
printf 'def part():\n    print(__name__)\npart()\n' >"$T/auto_part.py"
export PROFILEDIR=$T
"$python" "$T/manual.py" >"$T/manual.alone" 2>&1
is "pytau without the recorder: the program ends well" "$?" 0
record manual -w none "$python" "$T/manual.py"
is "pytau: it prints the same" "$(cmp "$T/manual.alone" "$T/manual.out" 2>&1)" ""
expect manual
is "pytau: nothing had to be repaired" "$(grep -c repaired "$T/manual.why")" 0
like "pytau: a timer has its group" "$(grep 'outer of all' "$T/manual.csv")" ',OURS,1,'
like "pytau: a phase has its group" "$(grep ',part,' "$T/manual.csv")" 'TAU_PHASE'
like "pytau: a timer without a name has that of its function" "$(cat "$T/manual.csv")" '"work \[\{.*manual.py\} \{4,0\}\]",[^,]*,5,'
cat >"$T/values.py" <<'END'
import pytau

def work(n):
    t = pytau.profileTimer()
    pytau.start(t)
    pytau.start(inner)
    pytau.stop(inner)
    pytau.stop(t)
    return n

outer = pytau.profileTimer("outer", "of all", "OURS")
inner = pytau.profileTimer("inner")
pytau.start(outer)
sum(work(i) for i in range(5))
names = pytau.getFuncNames()
print(*sorted(names))
exclusive, inclusive, calls, children, counters = pytau.getFuncVals(["outer of all", "inner", "none", "work"])
print(*calls, *children, *counters, *pytau.getCounterNames(), len(exclusive), len(inclusive))
print(all(0 < e[0] <= i[0] for e, i in zip(exclusive, inclusive) if i[0]), sum(i[0] > 0 for i in inclusive))
pytau.stop(outer)
END
record values -w none --sums "$python" "$T/values.py"
is "pytau: names, calls and times so far" "$code $(cat "$T/values.out")" "0 inner outer of all work
1 5 0 5 5 0 0 5 TIME TIME 4 4
True 3"
is "pytau: without the recorder nothing is counted" "$("$python" "$T/values.py")" "
0 0 0 0 0 0 0 0 TIME TIME 4 4
True 0"
like "pytau: dumpFuncVals writes values of these regions" "$(cat "$T/sel_dump.0.0.0" 2>&1)" '"inner" 5 '
like "pytau: memory is sampled" "$(cat "$T/manual.csv")" 'counter,.*(Heap|Memory)'
ok "pytau: dbDump writes the profile" grep -q '"inner"' "$T/profile.0.0.0"
is "tau.run without the recorder" "$("$python" "$T/auto.py" 2>&1; echo $?)" "21
5
6
__main__
end
0"
record auto -w python "$python" "$T/auto.py"
is "tau.run: it prints the same" "$(cat "$T/auto.out")" "21
5
6
__main__
end"
tau-trace2profile --format csv "$T/auto.run" >"$T/auto.csv" 2>"$T/auto.why"
is "tau.run: nothing had to be repaired" "$(cat "$T/auto.why")" ""
like "tau.run: the statement is a region" "$(cat "$T/auto.csv")" ',OurMain\(\),TAU_PYTHON,1,'
like "tau.run: compiled code is a region of its file" "$(cat "$T/auto.csv")" ',compiled,TAU_PYTHON,1,'
like "tau.run: several lines are a region of the first" "$(cat "$T/auto.csv")" ',b = 2 \.\.\.,TAU_PYTHON,1,'
like "tau.runmodule: functions of the module are recorded" "$(cat "$T/auto.csv")" '"part \[\{.*auto_part.py\} \{1,0\}\]",[^,]*,1,'
like "tau.run: functions of the statement are recorded" "$(tau-trace2profile --format csv "$T/auto.run")" '"f1 \[\{.*auto.py\} \{3,0\}\]",[^,]*,3,'
tap_end
