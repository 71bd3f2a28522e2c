#!/bin/sh
# compensate.sh: loops of short calls, recorded, and their time in the profile with what recording cost taken out
# (tau-trace2profile --compensate), against the time of the same loop without hooks in the same process. The cost of hooks depends on what
# the processor can do beside them, so the calls do work of several kinds (loop.c). Each process counts as one ratio. Of all of them
# the third counts that other work delayed least, by their recorded times, and of that the median.
# Times are what passes, so the loops run before all other work where that is allowed.
. "$(dirname "$0")/common"
$CC -O2 -finstrument-functions -o "$W/loop" "$TOP/bench/loop.c" || die "cannot build loop"

first="chrt -f 1"
$first true 2>/dev/null || first=

# inclusive ns of the loop in the recorded run
inclusive() {
	tau-trace2profile "$@" --format csv "$T/run" 2>/dev/null |
		awk -F, '$5 == "timer" && $6 ~ /_loop$/ { printf "%d\n", $11 * 1000 }'
}

# loop KIND STEPS: a line of the table, kept in $T/offs as how far off the compensated loop is, in %
loop() {
	rm -f "$T/runs"
	i=0
	while [ $i -lt $((ROUNDS * 6)) ]; do
		rm -rf "$T/run"
		$first tau-record -o "$T/run" "$W/loop" 50 "$2" "$1" >"$T/one" 2>/dev/null || die "cannot record"
		echo "$(cat "$T/one") $(inclusive --compensate)" >>"$T/runs"
		i=$((i + 1))
	done
	# plain, recorded, compensated, each a call; ratio of the last to the first
	awk '{ p = $1 < $3 ? $1 : $3; printf "%.4f %.3f %.3f %.3f %.4f\n", $2 / p, p / 5e4, $2 / 5e4, $4 / 5e4, $4 / p }' "$T/runs" |
		sort -n | head -n $((ROUNDS * 2)) | sort -n -k 5 | sed -n "$((ROUNDS))p" >"$T/calm"
	awk -v kind="$1" -v steps="$2" '{
		off = 100 * ($5 - 1)
		printf "%-8s %6d %10.1f %10.1f %12.1f %+8.1f %% %+8.1f\n", kind, steps, $2, $3, $4, off, $4 - $2
		print (off < 0 ? -off : off) >"'"$T/off"'"
	}' "$T/calm"
	cat "$T/off" >>"$T/offs"
}

printf '%-8s %6s %10s %10s %12s %10s %8s\n' work steps "plain ns" recorded compensated off "off, ns"
for steps in 5 30 100; do
	for kind in chain fresh sum chase branch; do
		loop $kind $steps
	done
done
sort -n "$T/offs" >"$T/sorted"
set -- $(sed -n '1p;8p;15p' "$T/sorted")
echo "of 15 loops: $(awk '$1 <= 5' "$T/sorted" | wc -l) come within 5 % of the plain loop, $(awk '$1 <= 20' "$T/sorted" | wc -l) within 20 %; the nearest $1 %, the farthest $3 %"
goal "loop of short calls with its cost taken out, off the plain loop, middle of 15" "$(calc %.1f "$2")" most 5 %

build_tools

# A program that is no loop: the whole of main, in ms, and what is left a call of what recording cost there.
build_sqlite || exit 0
i=0
while [ $i -lt "$ROUNDS" ]; do
	rm -rf "$T/run"
	measure_wall plain $first "$W/sqlite-plain" --size 5 --memdb
	$first tau-record -o "$T/run" "$W/sqlite-hooked" --size 5 --memdb >/dev/null 2>&1 || die "cannot record"
	for o in '' --compensate; do
		tau-trace2profile $o --format csv "$T/run" 2>/dev/null |
			awk -F, '$5 == "timer" && $6 == "main" { m = $11 } $5 == "timer" && $7 !~ /CALLPATH/ { n += $8 } END { print m / 1e3, n }'
	done | tr '\n' ' ' >>"$T/sqlite"
	echo >>"$T/sqlite"
	i=$((i + 1))
done
sort -n "$T/sqlite" | head -n 1 | awk -v plain="$(least plain)" '{
	p = plain / 1e6
	printf "sqlite speedtest1: plain %.0f ms, recorded %.0f, compensated %.0f; of %.1f ns a call %.1f are left\n", p, $1, $3,
		($1 - p) * 1e6 / $2, ($3 - p) * 1e6 / $2
}'
