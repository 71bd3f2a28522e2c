#!/bin/sh
# budget.sh: CPU time of loops of short calls and of whole programs under --budget, against the same without tau-record; the
# loops compiled without hooks: calls of about 50 ns, 0.5 and 5 us. A last row is the cost of the hooks in a program that is not recorded.
. "$(dirname "$0")/common"
build_tools
for v in plain hooked; do
	flags=; [ $v = plain ] || flags=-finstrument-functions
	$CC -O2 $flags -o "$W/loop-$v" "$TOP/bench/loop.c" || die "cannot build loop"
done

over() { calc %.1f "($(least "$1") / $(least "$2") - 1) * 100"; }

printf '%8s %10s %12s %12s %14s\n' steps "ms" "hooks only" "all recorded" "--budget 3%"
for steps in 40 400 4000; do
	n=$((160000 / steps))
	rm -f "$T"/ns.*
	for i in $(seq "$ROUNDS"); do
		measure plain "$W/loop-plain" $n $steps
		measure hooks "$W/loop-hooked" $n $steps
		for o in --depth=1000 --budget=3%; do
			rm -rf "$T/run"
			measure "$o" tau-record -o "$T/run" "$o" "$W/loop-hooked" $n $steps
		done
	done
	printf '%8s %10s %10s %% %10s %% %12s %%\n' $steps "$(calc %.0f "$(least plain) / 1e6")" "$(over hooks plain)" \
		"$(over --depth=1000 plain)" "$(over --budget=3% plain)"
done
goal "overhead of calls of 5 us under --budget 3%" "$(over --budget=3% plain)" most 4 %

# Whole programs, for some seconds each, with their memory recorded: what --budget 3% adds to the CPU time, the start of
# tau-record and of the program apart; beside it what recording all of it adds.
sql_script 600000 >"$T/script.sql"
cat >"$T/work.py" <<'PY'
import sys
n = int(sys.argv[1])
words = {}
for i in range(n):
    key = "w%d" % (i * 7919 % 5003)
    words.setdefault(key, []).append((i, str(i)))
    if i % 50000 == 0:
        words = {}
print(len(words))
PY
$CC -O2 -o "$W/alloc" "$TOP/bench/alloc.c" || die "cannot build alloc"

# program NAME OPTIONS START... -- COMMAND...: the start is the same program with next to nothing to do. All of it as $under has it.
under=
program() {
	what=$1 options=$2; shift 2
	start=
	while [ "$1" != -- ]; do start="$start $1"; shift; done
	shift
	have "$1" || { printf '%-26s not installed\n' "$what"; return; }
	rm -f "$T"/ns.*
	for i in $(seq "$ROUNDS"); do
		measure plain $under "$@"
		measure plain0 $under $start
		for o in all budget; do
			more=; [ $o = all ] || more=--budget=3%
			rm -rf "$T/run"; measure $o $under tau-record -o "$T/run" $more $options -- "$@"
			rm -rf "$T/run"; measure ${o}0 $under tau-record -o "$T/run" $more $options -- $start
		done
	done
	own="($(least plain) - $(least plain0))"
	printf '%-26s %10s %10s %% %12s %%\n' "$what" "$(calc %.0f "$own / 1e6")" \
		"$(calc %.1f "(($(least all) - $(least all0)) / $own - 1) * 100")" \
		"$(calc %.1f "(($(least budget) - $(least budget0)) / $own - 1) * 100")"
}
# Interpreters of shims' start other programs; use the one that works.
PYTHON=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null || echo python3)
printf '\n%-26s %10s %12s %14s\n' "memory recorded" "ms" "all recorded" "--budget 3%"
program "sqlite3" --memory sqlite3 :memory: .quit -- sqlite3 :memory: ".read $T/script.sql"
program "python3" --memory "$PYTHON" "$T/work.py" 1 -- "$PYTHON" "$T/work.py" 2000000
program "malloc and free: ring" --memory "$W/alloc" ring 1 -- "$W/alloc" ring 20000000
# What no wrapper can go below: one that only passes on and counts.
$CC -O2 -shared -fPIC -o "$W/wrapper.so" "$TOP/bench/wrapper.c" || die "cannot build the empty wrapper"
for i in $(seq "$ROUNDS"); do measure empty env LD_PRELOAD="$W/wrapper.so" "$W/alloc" ring 20000000; done
printf '%-26s %10s %12s %12s %%\n' "  with an empty wrapper" "" "" "$(over empty plain)"

# Two ranks that wait for each other use a processor all the time: what recording delays counts twice.
have mpicc && have mpirun || { echo "no MPI is installed"; exit 0; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
sed 's/CELLS/10/g' "$TOP/fixtures/melt.in" >"$T/in.start"
{ cat "$T/in.start"; echo "run 1200"; } >"$T/in.melt"
# hpccinf N: problems of N rows
hpccinf() { printf '%s\n' 1 2 HPL.out 8 1 $1 1 40 0 1 1 2 16.0 1 1 1 4 1 2 1 1 1 1 1 0 2 64 0 0 1 8 1 $1 1 40 >hpccinf.txt; }
mkdir "$T/small" "$T/large"
(cd "$T/small" && hpccinf 50)
(cd "$T/large" && hpccinf 800)
printf '\n%-26s %10s %12s %14s\n' "all wrappers, two ranks" "ms" "all recorded" "--budget 3%"
[ "$ROUNDS" -le 3 ] || ROUNDS=3
under="mpirun -np 2"
all="--wrap mpi,io,pthread,process,memory"
program "lammps: a melt" "$all" lmp -in "$T/in.start" -log none -- lmp -in "$T/in.melt" -log none
! have hpcc || program "hpcc" "$all" env -C "$T/small" hpcc -- env -C "$T/large" hpcc

# A call that is dropped is still the wrapper's.
library=$(mpicc --showme:libdirs | cut -d ' ' -f 1)/libmpi.so
mpicc -O2 -DMPI_LIBRARY="\"$library\"" -o "$W/pingpong" "$TOP/bench/pingpong.c" || die "cannot build pingpong"
for i in $(seq "$ROUNDS"); do
	for o in --depth=1000 --budget=3%; do
		rm -rf "$T/run"
		OMPI_MCA_btl=self,vader OMPI_MCA_pml=ob1 mpirun -np 1 tau-record -o "$T/run" $o "$W/pingpong" 5 2>"$T/err" >"$T/one" ||
			{ cat "$T/err" >&2; die "pingpong failed"; }
		awk '{ print $2 - $1 }' "$T/one" >>"$T/ns.pingpong$o"
	done
done
printf 'an MPI call of 8 bytes inside a rank: %.1f ns more recorded, %.1f under --budget 3%%\n' \
	"$(least pingpong--depth=1000)" "$(least pingpong--budget=3%)"
