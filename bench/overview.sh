#!/bin/sh
# overview.sh: the CPU time of an overview of a million events, with and without memory, of long runs and of 1,024 ranks; of a timeline of 64
# ranks; and of one look of tau-monitor at 1,024 threads. TAU_BENCH_LONG: bytes of the long run (default 108 MB, 77 million events).
. "$(dirname "$0")/common"

# overview TITLE ARG...: of a trace that bench/scale.c writes
overview() {
	title=$1; shift
	rm -rf "$T/run"
	set -- $("$W/scale" "$T/run" "$@")
	records=$2 i=0
	while [ $i -lt "$ROUNDS" ]; do
		measure "$title" tau-report "$T/run"
		i=$((i + 1))
	done
	goal "overview of a million events, $title: CPU" "$(calc %.3f "$(least "$title") / 1e3 / $records")" most 0.2 s "$records events"
}

build_tools
$CC -O2 -I"$TOP" -o "$W/scale" "$TOP/bench/scale.c" -lz || die "cannot build the writer of traces"
$CC -O2 -finstrument-functions -o "$W/resident" "$TOP/bench/resident.c" -lpthread || die "cannot build resident"
# whole TITLE KIND GOAL ARG...: CPU seconds of a report of such a trace
whole() {
	title=$1 kind=$2 most=$3; shift 3
	rm -rf "$T/run"
	set -- $("$W/scale" "$T/run" "$@")
	i=0
	while [ $i -lt "$ROUNDS" ]; do
		measure "$title" tau-report $kind "$T/run"
		i=$((i + 1))
	done
	goal "$title: CPU" "$(calc %.2f "$(least "$title") / 1e9")" most "$(calc %s "$most")" s "$2 events"
	rm -rf "$T/run"
}

overview calls 1400000
overview memory 1920000 1 memory
whole "overview of a long run" overview "${TAU_BENCH_LONG:-108000000} / 72e6" "${TAU_BENCH_LONG:-108000000}"
whole "overview of 1024 ranks, 0.2 s a million events" overview 1.7 12000000 1024 ranks
whole "timeline of 64 ranks" "timeline --format svg" 2 13500000 64 ranks

tau-record -o "$T/threads" -- "$W/resident" 1023 1 >/dev/null 2>"$T/err" || die "cannot record threads: $(cat "$T/err")"
i=0
while [ $i -lt "$ROUNDS" ]; do
	measure look tau-monitor --once --json "$T/threads"
	i=$((i + 1))
done
goal "tau-monitor, a look at 1024 threads: CPU" "$(calc %.3f "$(least look) / 1e9")" most 0.05 s \
	"$(ls "$T/threads" | grep -c '\.tau$') threads"
