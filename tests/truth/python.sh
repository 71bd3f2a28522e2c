# python.sh: functions of Python: calls and nesting as the program counts them, in threads, generators, exceptions and forked children.
. "$(dirname "$0")/../expect.sh"

python=${TAU_TEST_PYTHON:-/usr/bin/python3}
[ -x $python ] || python=$(command -v python3) || skip_all "python3 is not installed"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || skip_all "$python is older than 3.9"
app=$TOP/fixtures/apps/functions.py
export PYTHONDONTWRITEBYTECODE=1

for kind in plain fork deep; do
	"$python" "$app" $kind >"$T/alone"
	record $kind -w python "$python" "$app" $kind
	is "$kind: the program ends as it should" "$code" 5
	is "$kind: and prints the same" "$(cmp "$T/alone" "$T/$kind.out" 2>&1)" ""
	expect $kind
	# The child of the fork ends inside its functions.
	[ $kind = fork ] || is "$kind: nothing had to be repaired" "$(grep -v "sampling periods* ended inside the recorder" "$T/$kind.why")" ""
	ok "$kind: the trace is sound" tau-dump --check "$T/$kind.run"
done
line=$(grep -n '^def leaf' "$app" | cut -d : -f 1)
like "a function has its file and line" "$(cat "$T/plain.csv")" "\"leaf \[\{$app\} \{$line,0\}\]\""
like "and a group" "$(grep '"leaf ' "$T/plain.csv")" ',PYTHON,'
is "threads have rows of their own" "$(grep '"work ' "$T/plain.csv" | sed 's/"[^"]*"/q/g' | cut -d, -f 1-4 | sort -u |
	awk 'END { print (NR > 1) }')" 1

# ---- tasks of asyncio ----
tasks=$TOP/fixtures/apps/tasks.py
"$python" "$tasks" >"$T/alone" 2>/dev/null
record tasks -w python "$python" "$tasks"
is "asyncio: the program ends as it should" "$code" 6
is "and prints the same" "$(cat "$T/tasks.out")" "$(cat "$T/alone")"
expect tasks
is "nothing had to be repaired" "$(grep -v "sampling periods* ended inside the recorder" "$T/tasks.why")" ""
ok "the trace is sound" tau-dump --check "$T/tasks.run"
line=$(grep -n '^async def worker' "$tasks" | cut -d : -f 1)
like "a task has the file and line of its coroutine, and a group" "$(cat "$T/tasks.csv")" "\"asyncio task first \[\{$tasks\} \{$line,0\}\]\",PYTHON\|ASYNCIO,"
# It sleeps at least 600 ms.
is "a task that is suspended is not charged" "$(awk -F, '/"asyncio task sleeper / && $(NF - 5) >= 300000' "$T/tasks.csv")" ""

"$python" "$app" own >"$T/alone"
record own -w python "$python" "$app" own
is "a program that profiles itself ends as it should" "$code" 5
is "and sees what it would see alone" "$(cat "$T/own.out")" "$(cat "$T/alone")"
tau-trace2profile --format csv "$T/own.run" >"$T/own.csv" 2>"$T/own.why"
is "its trace has no open ends" "$(cat "$T/own.why")" ""
if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 12))'; then
	# By sys.monitoring, beside the program's own.
	is "and is recorded all the same" "$(calls own work) $(calls own thrower)" "1 4"
else
	skip "a program that profiles itself is recorded all the same" "there is no sys.monitoring"
fi

# The profiler that is written in Python takes an event that it does not know for an error.
printf 'def f(n):\n    return n\nfor i in range(3):\n    f(i)\nprint("done")\n' >"$T/small.py"
record profiler -w python "$python" -m profile "$T/small.py"
is "the profiler in Python ends as it should" "$code" 0
like "and counts what it would count alone" "$(cat "$T/profiler.out")" '^ *3 .*small\.py:1\(f\)'
ok "the trace is sound until then" tau-dump --check "$T/profiler.run"

# Under the profile hook the interpreter is slower, by what no event costs. A run that is too short for an estimate is repeated with more calls.
n=600000
for try in 1 2 3 4 5 6; do
	printf 'def f(n):\n    return n\nfor i in range(%d):\n    f(i)\n' $n >"$T/calls.py"
	record calls -w python "$python" "$T/calls.py"
	grep -q 'the run is too short for an estimate' "$T/calls.err" || break
	n=$((2 * n))
done
least='at least [0-9.]*'
! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 12))' || least='[0-9.]* to [0-9.]*'
like "the overhead that is printed is $least %" "$(cat "$T/calls.err")" "overhead $least %"
is "and the message names what it leaves out" "$(grep -c 'Python before 3\.12 is slower' "$T/calls.err")" "$([ "${least#at}" = "$least" ] && echo 0 || echo 1)"
like "in the overview, too" "$(tau-report overview "$T/calls.run")" "$least % of the program's own CPU time, estimated"

printf 'BEGIN_EXCLUDE_LIST\nleaf\nEND_EXCLUDE_LIST\n' >"$T/select"
record less -w python --select "$T/select" "$python" "$app"
tau-trace2profile --format csv "$T/less.run" >"$T/less.csv" 2>/dev/null
is "an excluded function is not recorded" "$(grep -c '"leaf ' "$T/less.csv")" 0
ok "others are" grep -q '"work ' "$T/less.csv"
is "nothing had to be repaired" "$(tau-trace2profile --format csv "$T/less.run" 2>&1 >"$T/less.csv" |
	grep -v 'sampling periods* ended inside the recorder')" ""
record selected -w python "$python" "$TOP/fixtures/apps/pyselected.py"
is "a program that disables its functions and enables them ends as it should" "$code" 3
expect selected
is "nothing had to be repaired" "$(grep -v "sampling periods* ended inside the recorder" "$T/selected.why")" ""

# ---- code objects that end ----
"$python" "$TOP/fixtures/apps/pycodes.py" >"$T/alone"
like "the addresses of code objects are used again" "$(cat "$T/alone")" '^[0-9]+ True 6000 '
record codes -w python "$python" "$TOP/fixtures/apps/pycodes.py"
is "a program with code extras of its own ends as it should" "$code" 0
is "and its tool sees what it would see alone" "$(cat "$T/codes.out")" "$(cat "$T/alone")"
expect codes
is "nothing had to be repaired" "$(grep -v "sampling periods* ended inside the recorder" "$T/codes.why")" ""

# ---- with MPI ----
cat >"$T/mpi.py" <<-'END'
	from mpi4py import MPI
	world = MPI.COMM_WORLD
	def step(n):
	    return world.allreduce(n, op=MPI.SUM)
	def main():
	    for i in range(5):
	        step(i)
	    world.Barrier()
	    for i in range(world.size if world.rank == 0 else 0):
	        print("EXPECT node %d region step calls 5\nEXPECT node %d nested main => MPI_Barrier() calls 1" % (i, i))
	main()
END
if [ -e "$B/libtau-mpi.so" ] && "$python" -c 'import mpi4py' 2>/dev/null; then
	rm -rf "$T/mpi.run"
	mpirun -np 2 tau-record -o "$T/mpi.run" -w mpi,python "$python" "$T/mpi.py" >"$T/mpi.out" 2>"$T/mpi.err" </dev/null
	is "a program with mpi4py ends as it should" "$?" 0
	expect mpi
else
	skip "a program with mpi4py" "python3-mpi4py is not installed"
fi

record other -w python true
is "a program that is not Python is left alone" "$code" 0
tap_end
