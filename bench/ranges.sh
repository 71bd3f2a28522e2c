#!/bin/sh
# ranges.sh: what a range of NVTX (push and pop together) and an event of OMPT (a loop's begin or end) cost in CPU time: over the program
# without the recorder, and of OMPT over the program with a tool that does nothing, as the runtime itself works more with any tool.
. "$(dirname "$0")/common"
build_tools
[ -e "$B/libtau-nvtx.so" ] || { echo "libtau-nvtx.so is not built"; exit 0; }

n=5000000
$CC -O2 -o "$W/ranges-nvtx" "$TOP/bench/ranges.c" -ldl || die "cannot build ranges.c"
kinds=nvtx
$CC -O2 -shared -fPIC -o "$W/ompt_tool.so" "$TOP/bench/ompt_tool.c" || die "cannot build ompt_tool.c"
if have clang && clang -O2 -fopenmp -o "$W/ranges-ompt" "$TOP/bench/ranges.c" 2>"$T/clang"; then kinds="nvtx ompt"; fi
export OMP_NUM_THREADS=1
wrapper() { case $1 in ompt) echo openmp ;; *) echo "$1" ;; esac; }
i=0
while [ $i -lt "$ROUNDS" ]; do
	measure none "$W/ranges-nvtx" 0
	measure clock "$W/ranges-nvtx" $n clock
	for k in $kinds; do
		rm -rf "$T/run"
		case $k in
		ompt) measure $k.plain env LD_PRELOAD="$W/ompt_tool.so" "$W/ranges-$k" $n ;;
		*) measure $k.plain "$W/ranges-$k" $n ;;
		esac
		measure $k.tau tau-record -o "$T/run" -w "$(wrapper $k)" -- "$W/ranges-$k" $n
		ranges=$(tau-trace2profile --format csv "$T/run" 2>/dev/null | awk -F, '$7 ~ /NVTX|OPENMP/ { n += $8 } END { printf "%d", n }')
		[ "$ranges" -ge $n ] || die "only $ranges ranges of $k were recorded"
	done
	i=$((i + 1))
done
clock=$(calc %.1f "($(least clock) - $(least none)) / $n")
added() { calc %.1f "($(least $1.tau) - $(least $1.plain)) / $n"; }
printf '%-40s %10s ns\n' "two reads of the clock" "$clock"
printf '%-40s %10s ns\n' "NVTX: a push and its pop" "$(added nvtx)"
goal "NVTX push and pop, together" "$(added nvtx)" most 60 ns
case $kinds in *ompt*)
	event=$(calc %.1f "$(added ompt) / 2")
	printf '%-40s %10s ns\n' "OMPT: an event" "$event"
	goal "OMPT event, above two reads of the clock" "$(calc %.1f "$event - $clock")" most 15 ns
	;;
*) echo "clang with OpenMP is not installed: no OMPT" ;;
esac
