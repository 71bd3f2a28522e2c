#!/bin/sh
# view.sh: what the pictures of tau-view cost: the first one of a long run, and zooming at 20 places and 8 scales, as the page requests
# them: cells of 2^k ns, at most 700 of them. Of one thread, and of 64 ranks. TAU_BENCH_SCALE: bytes of each trace (default 100 MB).
. "$(dirname "$0")/common"
SIZE=${TAU_BENCH_SCALE:-100000000}
D=$(mktemp -d "${TAU_BENCH_SCALE_DIR:-$CACHE}/view.XXXXXX") || exit 4
trap 'rm -rf "$T" "$D"' EXIT

build_tools
$CC -O2 -I"$TOP" -o "$W/scale" "$TOP/bench/scale.c" -lz || die "cannot build the writer of traces"
$CC -O2 -o "$W/cost" "$TOP/bench/cost.c" || die "cannot build the meter of memory"

# cell_of NS: the length of cells of a window of this length
cell_of() { awk -v ns="$1" 'BEGIN { for (c = 1; ns / c > 700; c *= 2); printf "%.0f", c }'; }

# view TITLE STREAMS...
view() {
	title=$1
	shift
	run=$D/run
	rm -f "$T"/ns.*
	set -- $("$W/scale" "$run" "$SIZE" "$@")
	records=$2 ns=$3
	cell=$(cell_of "$ns")
	measure plain tau-report timeline --format csv -o "$T/out.csv" --cells "$cell"ns -w "0ns:$((ns - ns / 100))ns" "$run"
	measure keep tau-report timeline --format csv -o "$T/out.csv" --cells 1 "$run"
	echo "$title: $records records, $((ns / 1000000)) ms; cells take $(cat "$run"/*.cells | wc -c) of $(cat "$run"/*.tau | wc -c) bytes"
	goal "cells that are kept, $title: bytes of a record" \
		"$(calc %.3f "$(cat "$run"/*.cells | wc -c) / $records")" most 0.2 B
	goal "the first picture, and keeping cells, $title: CPU of a record" "$(calc %.1f "$(least keep) / $records")" most 60 ns
	"$W/cost" tau-report timeline --format csv -o "$T/out.csv" --cells "$cell"ns "$run" 2>"$T/cost" || die "no timeline"
	measure whole tau-report timeline --format csv -o "$T/out.csv" --cells "$cell"ns "$run"
	goal "the whole run from cells, $title: CPU" "$(calc %.1f "$(least whole) / 1e6")" most 1000 ms
	goal "the whole run from cells, $title: memory" "$(tail -n 1 "$T/cost" | cut -d' ' -f3)" most 300 MB
	for scale in 3 10 30 100 1000 10000 100000 1000000; do
		length=$((ns / scale))
		[ "$length" -ge 5000 ] || continue
		cell=$(cell_of "$length")
		rm -f "$T/ns.zoom" "$T/walls"
		i=0
		while [ $i -lt 20 ]; do
			begin=$(((ns - length) / 20 * i / cell * cell))
			set -- tau-report timeline --format csv -o "$T/out.csv" --by region --cells "$cell"ns \
				-w "${begin}ns:$((begin + (length + cell - 1) / cell * cell))ns" "$run"
			measure zoom "$@"
			"$W/cost" "$@" -j 0 2>>"$T/walls" || die "no timeline"
			i=$((i + 1))
		done
		p95=$(sort -n "$T/ns.zoom" | sed -n 19p)
		wall=$(cut -d' ' -f2 "$T/walls" | sort -n | sed -n 19p)
		goal "zoomed to 1/$scale of the run, $title: wall clock, one thread per processor, 95th percentile of 20 places" \
			"$(calc %.0f "$wall * 1e3")" most 300 ms
		goal "zoomed to 1/$scale of the run, $title: CPU, 95th percentile of 20 places" "$(calc %.1f "$p95 / 1e6")" most 300 ms
	done
	rm -rf "$run"
}
view "one thread"
view "64 ranks" 64 ranks

# Many streams, each too short for cells of its own: rows of them are kept. 512 cells at least, of a power of two.
set -- $("$W/scale" "$D/run" $((SIZE * 2 / 3)) 16384 ranks)
cell=$(cell_of "$3")
rm -f "$T"/ns.*
measure first tau-report timeline --format csv -o "$T/out.csv" --cells "$cell"ns "$D/run"
echo "16,384 ranks: $2 records; rows take $(cat "$D"/run/*.rows | wc -c) of $(cat "$D"/run/*.tau | wc -c) bytes"
goal "the first picture, and keeping rows, 16,384 ranks: CPU of a record" "$(calc %.1f "$(least first) / $2")" most 60 ns
measure many tau-report timeline --format csv -o "$T/out.csv" --cells "$cell"ns "$D/run"
"$W/cost" tau-report timeline --format csv -o "$T/out.csv" --cells "$cell"ns "$D/run" 2>"$T/cost" || die "no timeline"
goal "the whole run from rows, 16,384 ranks: CPU" "$(calc %.0f "$(least many) / 1e6")" most 2000 ms
goal "the whole run from rows, 16,384 ranks: memory" "$(tail -n 1 "$T/cost" | cut -d' ' -f3)" most 300 MB

# The same run in the page, from the first request to the picture.
have chromedriver || { echo "view: no chromedriver (package chromium-driver): no picture in a browser"; exit 0; }
. "$TOP/tests/browser.sh"
tau-view --no-browser "$D/run" >"$T/printed" 2>&1 &
pids=$!
browser "$T/driver" "$T/printed"
pids="$pids $driver"
trap 'kill $pids 2>/dev/null; rm -rf "$T" "$D"' EXIT
PYTHONPATH=$TOP/tests /usr/bin/python3 - "$port" "$(sed -n 1p "$T/printed")" "$ROUNDS" >"$T/pictures" <<'END' || die "no picture in Chromium"
import sys, time

from browser import Browser

browser = Browser(sys.argv[1], "1500,900", 300, ["--disable-gpu"])
for i in range(int(sys.argv[3])):
    browser.call("POST", browser.session + "/url", url="about:blank")
    browser.call("POST", browser.session + "/url", url=sys.argv[2])
    at = None
    while not at:
        time.sleep(0.3)
        at = browser.script("return performance.getEntriesByName('picture').map((e) => e.startTime)[0]")
    print(round(at))
browser.call("DELETE", browser.session)
END
goal "the whole run from rows, 16,384 ranks: the page's first picture, wall clock" "$(sort -n "$T/pictures" | sed -n 1p)" most 2000 ms
