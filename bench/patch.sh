#!/bin/sh
# patch.sh: what one event of a patched function costs (--patch): its enter or its leave, beside the same function with compiler hooks, in
# CPU time over the program without either, and in instructions.
. "$(dirname "$0")/common"
build_tools

n=20	# million calls
cc -O2 -fpatchable-function-entry=5 "$TOP/bench/tiny.c" -o "$T/entry" -lpthread || die "the compiler cannot build it"
cc -O2 -pg -mfentry "$TOP/bench/tiny.c" -o "$T/fentry" -lpthread || die "the compiler cannot build it"
i=0
while [ $i -lt $ROUNDS ]; do
	measure plain "$W/tiny-plain" $n
	measure unpatched "$T/entry" $n
	rm -rf "$T/run"
	measure hooks tau-record -o "$T/run" -- "$W/tiny-hooked" $n
	for v in entry fentry; do
		rm -rf "$T/run"
		measure $v tau-record -o "$T/run" --patch tiny -- "$T/$v" $n
	done
	i=$((i + 1))
done
per_event() { calc %.2f "($(least $1) - $(least plain)) / ($n * 2e6)"; }
printf 'function that does nothing: %d events\n' $((n * 2000000))
for v in hooks entry fentry unpatched; do
	printf '  %-30s %10s ns/event\n' "$v" "$(per_event $v)"
done
printf '  %-30s %10s\n' "patched, of hooks" "$(calc %.2f "$(per_event entry) / $(per_event hooks)")"
have valgrind || exit 0
for l in 1 3; do
	rm -rf "$T/run"
	eval "plain_$l=$(instructions "$W/tiny-plain" $l)"
	eval "hooks_$l=$(instructions tau-record -o "$T/run" -- "$W/tiny-hooked" $l)"
	rm -rf "$T/run"
	eval "entry_$l=$(instructions tau-record -o "$T/run" --patch tiny -- "$T/entry" $l)"
done
for v in hooks entry; do
	eval "more=\$((${v}_3 - ${v}_1 - plain_3 + plain_1))"
	printf '  instructions/event, %-10s %10s\n' $v "$(calc %.1f "$more / 4e6")"
done
