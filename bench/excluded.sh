#!/bin/sh
# excluded.sh: what a function costs that has hooks and is excluded, by a selection file or by its group: CPU time an event (its enter or
# its leave) over the program without hooks. For comparison: hooks that return at once, which the program calls in any case.
. "$(dirname "$0")/common"
build_tools

n=20	# million calls
printf 'BEGIN_EXCLUDE_LIST\ntiny\nEND_EXCLUDE_LIST\n' >"$T/select"
i=0
while [ $i -lt $((ROUNDS * 2)) ]; do
	measure plain "$W/tiny-plain" $n
	measure empty env LD_PRELOAD="$W/hook0.so" "$W/tiny-hooked" $n
	rm -rf "$T/run"
	measure file tau-record -o "$T/run" --select "$T/select" -- "$W/tiny-hooked" $n
	rm -rf "$T/run"
	measure group tau-record -o "$T/run" --no-groups TAU_USER -- "$W/tiny-hooked" $n
	i=$((i + 1))
done
per_event() { calc %.2f "($(least $1) - $(least plain)) / ($n * 2e6)"; }
empty=$(per_event empty)
printf 'function that is kept out: %d events\n' $((n * 2000000))
printf '  %-30s %10s ns/event\n' "hooks that return at once" "$empty"
for v in file group; do
	printf '  %-30s %10s ns/event\n' "kept out by $v" "$(per_event $v)"
	goal "function kept out by $v: ns/event" "$(per_event $v)" most 1.5 ns "empty hooks $empty"
done
have valgrind || exit 0
for v in empty file group; do
	for l in 1 3; do
		rm -rf "$T/run"
		case $v in
		empty) is=$(instructions env LD_PRELOAD="$W/hook0.so" "$W/tiny-hooked" $l) ;;
		file) is=$(instructions tau-record -o "$T/run" --select "$T/select" -- "$W/tiny-hooked" $l) ;;
		group) is=$(instructions tau-record -o "$T/run" --no-groups TAU_USER -- "$W/tiny-hooked" $l) ;;
		esac
		eval "is_$l=$is plain_$l=$(instructions "$W/tiny-plain" $l)"
	done
	printf '  instructions/event, %-10s %10s\n' $v "$(calc %.1f "(($is_3 - $plain_3) - ($is_1 - $plain_1)) / 4e6")"
done
