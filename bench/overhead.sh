#!/bin/sh
# overhead.sh: is the overhead that tau-record prints what runs without it show? On programs of many kinds: CPU time (user plus system)
# alone and recorded, in turns, the least of each, because other work on the machine only adds; beside it what the recorded run with
# the least time printed. tau-record's own CPU time is not in the figure: if the program has one process, the time of the recorded
# run is what the trace contains. The figure is to be within a third of the truth, or within one percentage point; beside it the one that
# --against measures, from one run each.
. "$(dirname "$0")/common"
build_tools
$CC -O2 -finstrument-functions -o "$W/kinds-hooked" "$TOP/bench/kinds.c" -lpthread || die "cannot build kinds"
$CC -O2 -o "$W/alloc" "$TOP/bench/alloc.c" || die "cannot build alloc"
printf 'BEGIN_EXCLUDE_LIST\ntiny\nEND_EXCLUDE_LIST\n' >"$T/select"
rows=0 good=0 measured_good=0

# within FIGURE TRUTH: "good" or "OFF"
within() {
	calc %s "($1 >= $2 * 2 / 3 && $1 <= $2 * 4 / 3) || ($1 >= $2 - 1 && $1 <= $2 + 1) ? \"good\" : \"OFF\""
}

# program_ns RUN: the CPU time of its processes
program_ns() {
	tau-dump --only definitions "$1" | sed -n 's/.*"\(User\|System\) Time (us)" value="\([0-9]*\)".*/\2/p' |
		awk '{ sum += $1 } END { printf "%.0f\n", sum * 1000 }'
}

# row NAME OPTIONS LAUNCHER PROGRAM...
row() {
	row=$1 options=$2 launcher=$3
	shift 3
	rm -f "$T"/ns.* "$T/pairs"
	for i in $(seq "$ROUNDS"); do
		measure alone $launcher "$@"
		rm -rf "$T/run"
		measure recorded sh -c 'said=$1; shift; exec "$@" 2>"$said"' sh "$T/said" $launcher tau-record -o "$T/run" $options "$@"
		took=$(cat "$T/one")
		[ -n "$launcher" ] || took=$(program_ns "$T/run")
		echo "$took $(sed -n 's/.*overhead about \([0-9.e+-]*\) % .*/\1/p' "$T/said")" >>"$T/pairs"
	done
	quiet=$(sort -g "$T/pairs" | head -n 1)
	shown=${quiet#* }
	is=$(calc %.1f "(${quiet% *} - $(least alone)) * 100 / $(least alone)")
	verdict=$(within "$shown" "$is")
	rm -rf "$T/run" "$T/plain"
	$launcher tau-record -o "$T/plain" --alone "$@" >/dev/null 2>&1
	$launcher tau-record -o "$T/run" --against "$T/plain" $options "$@" >/dev/null 2>"$T/said"
	against=$(sed -n 's/.*overhead \([0-9.e+-]*\) % .*measured against.*/\1/p' "$T/said")
	measured_verdict=$(within "${against:-0}" "$is")
	rows=$((rows + 1))
	[ "$verdict" != good ] || good=$((good + 1))
	[ "$measured_verdict" != good ] || measured_good=$((measured_good + 1))
	printf '%-34s %10.1f %10.1f %10s %10s  %-4s %10s  %s\n' "$row" "$(calc %f "$(least alone) / 1e6")" \
		"$(calc %f "${quiet% *} / 1e6")" "$is" "$shown" "$verdict" "${against:-none}" "$measured_verdict"
}

k=$W/kinds-hooked
printf '%-34s %10s %10s %10s %10s  %-4s %10s\n' "" "alone ms" "recorded" "added %" "printed %" "" "against %"
row "tiny function" "" "" "$k" tiny 30000000
row "the same, kept out by --select" "--select $T/select" "" "$k" tiny 100000000
row "the same, throttled" "--throttle" "" "$k" tiny 50000000
row "the same, folded" "--fold 5" "" "$k" tiny 30000000
row "the same, too deep" "--depth 0" "" "$k" tiny 30000000
row "the same, recording is over" "--duration 10ms" "" "$k" tiny 30000000
row "the same, in two threads" "" "" "$k" tiny 20000000 2
row "a function that calls itself" "" "" "$k" fib 30000000
row "a function of 60 ns" "" "" "$k" work 10000000
row "reads of memory far away" "" "" "$k" cache 20000000
row "files of 64 bytes" "-w io" "" "$k" file 500000
row "malloc and free" "-w memory" "" "$W/alloc" pair 20000000
row "malloc, free later" "-w memory" "" "$W/alloc" ring 10000000
row "malloc with call stacks" "--memory=stacks" "" "$W/alloc" deep 10000000
if build_sqlite; then
	row "sqlite's speedtest1" "" "" "$W/sqlite-hooked" --size 20 --memdb
	row "the same, sampled" "--sample --unwind" "" "$W/sqlite-plain" --size 60 --memdb
fi
if have mpicc && have mpirun; then
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
	mpicc -O2 -o "$W/ring" "$TOP/bench/ring.c" || die "cannot build ring"
	row "messages of 8 bytes, one rank" "" "mpirun -np 1" "$W/ring" 2000000
	row "the same, four ranks" "" "mpirun -np 4" "$W/ring" 5000
	if have lmp; then
		{ sed 's/CELLS/10/g' "$TOP/fixtures/melt.in"; echo "run 400"; } >"$T/in.melt"
		row "lammps, one rank" "" "mpirun -np 1" lmp -in "$T/in.melt" -log none
		row "lammps, four ranks" "" "mpirun -np 4" lmp -in "$T/in.melt" -log none
	fi
fi
goal "overhead of --against within a third or one point, rows of $rows" "$measured_good" least "$rows"
goal "overhead printed within a third or one point, rows of $rows" "$good" least "$rows"
