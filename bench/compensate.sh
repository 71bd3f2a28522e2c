#!/bin/sh
# compensate.sh: is the time of a loop without hooks inside the interval that tau-trace2profile --compensate prints? The same process does
# the loop without hooks and with them in turns (loop.c). What hooks cost depends on what the processor does beside them, so the calls do
# work of several kinds, and some rows have a busy process on each processor, or samples. The interval of a loop is the sum of those of
# its two regions. Of all intervals the middle one's width is printed, over the time of the loop as it was recorded.
# The address of code may change its time by half, so with and without hooks the work is the same code.
# The third of the runs counts that other work delayed least, by their recorded times.
# Times are what passes, so the loops run before all other work where that is allowed.
. "$(dirname "$0")/common"
$CC -O2 -finstrument-functions -o "$W/loop" "$TOP/bench/loop.c" || die "cannot build loop"

first="chrt -f 1"
$first true 2>/dev/null || first=
rows=0 good=0
: >"$T/widths"

# As many processes that calculate as there are processors, while others of the bench do not run.
busy_begin() {
	busy=
	for i in $(seq "$(nproc)"); do
		sh -c 'while :; do :; done' &
		busy="$busy $!"
	done
}
busy_end() { kill $busy; wait $busy 2>/dev/null; }

# row KIND STEPS SETTING: alone, busy or sampled
row() {
	options= && [ "$3" != sampled ] || options=--sample
	[ "$3" != busy ] || busy_begin
	rm -f "$T/runs"
	for i in $(seq $((3 * ROUNDS))); do
		rm -rf "$T/run"
		$first tau-record $options -o "$T/run" "$W/loop" 50 "$2" "$1" >"$T/one" 2>/dev/null || die "cannot record"
		echo "$(cat "$T/one") $(tau-trace2profile --compensate --format csv "$T/run" 2>/dev/null | awk -F, '
			{ sub(/\r$/, "") }
			FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
			$5 == "timer" && ($6 == "'"$1"'" || $6 == "'"$1"'_loop") {
				all += $10
				least += $at["exclusive COMPENSATED_TIME_LEAST"]
				most += $at["exclusive COMPENSATED_TIME_MOST"] + 0
			}
			END { print all * 1000, least * 1000, most * 1000 }')" >>"$T/runs"
	done
	[ "$3" != busy ] || busy_end
	# in ns: without hooks, with them, recorded, least, most
	sort -n -k 3 "$T/runs" | head -n "$ROUNDS" | sort -n | awk -v kind="$1" -v steps="$2" -v setting="$3" -v widths="$T/widths" '
		{
			for (i = 1; i <= 5; i++) v[NR, i] = $i / 5e4
			in_it += $4 <= $1 && $1 <= $5
			print ($5 - $4) / $3 >>widths
		}
		END {
			m = int((NR + 1) / 2)
			printf "%-8s %6d %-8s %10.1f %10.1f %10.1f to %5.1f  %d of %d inside\n", kind, steps, setting,
				v[m, 1], v[m, 3], v[m, 4], v[m, 5], in_it, NR
		}' | tee "$T/row"
	rows=$((rows + 1))
	! awk '{ exit !($(NF - 3) == $(NF - 1)) }' "$T/row" || good=$((good + 1))
}

printf '%-8s %6s %-8s %10s %10s %19s\n' work steps setting "plain ns" recorded "without recording"
for steps in 1 5 30 100 300; do
	row chain $steps alone
	row fresh $steps sampled
	row sum $steps alone
	row chase $steps busy
	row branch $steps alone
done
goal "loops of short calls whose time is inside the compensated interval, rows of $rows" "$good" least "$rows"
goal "width of that interval over the recorded time, middle of $(wc -l <"$T/widths") runs" \
	"$(sort -n "$T/widths" | awk '{ v[NR] = $1 } END { printf "%.2f", v[int((NR + 1) / 2)] }')" most 1

build_tools

# A program that is no loop: the whole of main, in ms
build_sqlite || exit 0
i=0
while [ $i -lt "$ROUNDS" ]; do
	rm -rf "$T/run"
	measure_wall plain $first "$W/sqlite-plain" --size 5 --memdb
	$first tau-record -o "$T/run" "$W/sqlite-hooked" --size 5 --memdb >/dev/null 2>&1 || die "cannot record"
	tau-trace2profile --compensate --format csv "$T/run" 2>/dev/null | awk -F, '
		{ sub(/\r$/, "") }
		FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		$5 == "timer" && $6 == "main" {
			print $11 / 1e3, $at["inclusive COMPENSATED_TIME_LEAST"] / 1e3, $at["inclusive COMPENSATED_TIME_MOST"] / 1e3
		}' >>"$T/sqlite"
	i=$((i + 1))
done
sort -n "$T/sqlite" | head -n 1 | awk -v plain="$(least plain)" '{
	printf "sqlite speedtest1: plain %.0f ms, recorded %.0f, without recording %.0f to %.0f\n", plain / 1e6, $1, $2, $3
}'
