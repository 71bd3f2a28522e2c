#!/bin/sh
# compensate.sh: a loop of tiny calls, recorded, and its time in the profile with what recording cost taken out
# (tau-trace2profile --compensate), against the time of the same loop compiled without hooks. The loop is short, so that some of the rounds are not interrupted; they take turns, and the least counts.
. "$(dirname "$0")/common"
for v in plain hooked; do
	flags=; [ $v = plain ] || flags=-finstrument-functions
	$CC -O2 $flags -o "$W/loop-$v" "$TOP/bench/loop.c" || die "cannot build loop"
done

# inclusive ns of `loop` in the recorded run
inclusive() {
	tau-trace2profile "$@" --format csv "$T/run" | sed 's/"loop [^"]*"/loop/; s/"[^"]*"/q/g' |
		awk -F, '$5 == "timer" && $6 == "loop" { printf "%d\n", $11 * 1000 }'
}

printf '%8s %12s %12s %14s %10s\n' steps "plain ns" recorded compensated ratio
for steps in 10 30 100; do
	rm -f "$T"/plain "$T"/recorded "$T"/paid
	i=0
	while [ $i -lt $((ROUNDS * 6)) ]; do
		"$W/loop-plain" 50 $steps >>"$T/plain"
		rm -rf "$T/run"
		tau-record -o "$T/run" "$W/loop-hooked" 50 $steps >/dev/null 2>&1 || die "cannot record"
		inclusive >>"$T/recorded"
		inclusive --compensate >>"$T/paid"
		i=$((i + 1))
	done
	p=$(sort -n "$T/plain" | head -n 1) r=$(sort -n "$T/recorded" | head -n 1) c=$(sort -n "$T/paid" | head -n 1)
	printf '%8s %12s %12s %14s %10s\n' $steps "$(calc %.2f "$p / 5e4")" "$(calc %.2f "$r / 5e4")" \
		"$(calc %.2f "$c / 5e4")" "$(calc %.3f "$c / $p")"
done
ratio=$(calc %.3f "$c / $p")
goal "loop of calls with its cost taken out, off the plain loop" "$(calc %.1f "($ratio > 1 ? $ratio - 1 : 1 - $ratio) * 100")" most 5 %
