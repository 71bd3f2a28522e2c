#!/bin/sh
# budget.sh: CPU time of loops of short calls under --budget, against the same loops compiled without hooks: calls of about
# 50 ns, 0.5 and 5 us. What the hooks cost that stay in the program when nobody records stands beside it.
. "$(dirname "$0")/common"
build_tools
for v in plain hooked; do
	flags=; [ $v = plain ] || flags=-finstrument-functions
	$CC -O2 $flags -o "$W/loop-$v" "$TOP/bench/loop.c" || die "cannot build loop"
done

over() { calc %.1f "($(least "$1") / $(least "$2") - 1) * 100"; }

printf '%8s %10s %12s %12s %14s\n' steps "ms" "hooks only" "all recorded" "--budget 3%"
for steps in 40 400 4000; do
	n=$((400000 / steps))
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
