#!/bin/sh
# overhead.sh: is what runs without the recorder show inside the interval that tau-record prints? On programs of many kinds: CPU time of the
# processes, without the recorder (--alone) and recorded, in turns. The truth is the least time of each, as other work makes any run
# slower, and at least 0; each recorded run has its own interval. Of all intervals the middle one's width is printed, over the truth, because
# a wide interval is of no use. Rows whose runs are too short for an estimate do not count. Pairs that differ by more than the truth show
# how much other work disturbs.
. "$(dirname "$0")/common"
build_tools
$CC -O2 -finstrument-functions -o "$W/kinds-hooked" "$TOP/bench/kinds.c" -lpthread || die "cannot build kinds"
$CC -O2 -o "$W/alloc" "$TOP/bench/alloc.c" || die "cannot build alloc"
printf 'BEGIN_EXCLUDE_LIST\ntiny\nEND_EXCLUDE_LIST\n' >"$T/select"
rows=0 good=0
: >"$T/widths"

# cpu RUN: the CPU time in ns of its processes: 8 bytes at the end of each row of 128, after a head of 64
cpu() { od -An -v -t u8 -j 64 "$1/processes" | tr '\n' ' ' | awk '{ for (i = 16; i <= NF; i += 16) sum += $i; printf "%.0f\n", sum }'; }

# row NAME OPTIONS LAUNCHER PROGRAM...
row() {
	row=$1 options=$2 launcher=$3
	shift 3
	rm -f "$T/pairs"
	for i in $(seq "$ROUNDS"); do
		rm -rf "$T/run" "$T/plain"
		$launcher tau-record -o "$T/plain" --alone "$@" >/dev/null 2>&1
		$launcher tau-record -o "$T/run" $options "$@" >/dev/null 2>"$T/said"
		echo "$(cpu "$T/plain") $(cpu "$T/run") $(sed -n 's/.*overhead \([0-9.]*\) to \([0-9.]*\) % .*/\1 \2/p; s/.*overhead about \([0-9.]*\) % .*/\1 \1/p' "$T/said")" |
			awk '{ print 100 * ($2 - $1) / $1, $0 }' >>"$T/pairs"
	done
	sort -n "$T/pairs" | awk -v name="$row" -v widths="$T/widths" '
		{ least[NR] = $4; most[NR] = $5; told[NR] = NF == 5; spread = NR == 1 ? -$1 : spread }
		{ a = NR == 1 || $2 < a ? $2 : a; r = NR == 1 || $3 < r ? $3 : r; last = $1 }
		END {
			m = int((NR + 1) / 2)
			t = r > a ? 100 * (r - a) / a : 0
			for (i = 1; i <= NR; i++) {
				n += told[i]
				in_it += told[i] && least[i] <= t && t <= most[i]
				if (told[i] && t > 0) print (most[i] - least[i]) / t >>widths
			}
			printf "%-34s %10.1f %10.1f %10.1f %10.1f %12s  %d of %d inside\n", name, a / 1e6, r / 1e6, t, last + spread,
				told[m] ? least[m] " to " most[m] : "too short", in_it, n
		}' | tee "$T/row"
	awk '{ exit !$(NF - 1) }' "$T/row" || return 0
	rows=$((rows + 1))
	! awk '{ exit !($(NF - 3) == $(NF - 1)) }' "$T/row" || good=$((good + 1))
}

k=$W/kinds-hooked
printf '%-34s %10s %10s %10s %10s %12s\n' "" "alone ms" "recorded" "added %" "pairs +-" "printed %"
row "tiny function" "" "" "$k" tiny 30000000
row "the same, excluded by --select" "--select $T/select" "" "$k" tiny 100000000
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
goal "added CPU time inside all printed intervals, rows of $rows" "$good" least "$rows"
goal "width of the printed interval over the truth, middle of $(wc -l <"$T/widths") runs" \
	"$(sort -n "$T/widths" | awk '{ v[NR] = $1 } END { printf "%.2f", v[int((NR + 1) / 2)] }')" most 2
