#!/bin/sh
# false-alarms.sh: how many runs in which nothing is unusual have a false alarm of tau-convert --follow --anomalies; tau-convert(1) states 1 %.
. "$(dirname "$0")/common"

# With 1 %, more than 3 of 50 runs have one with a probability of 0.2 %.
$CC -O2 -I"$TOP" -o "$W/false-alarms" "$TOP/bench/false_alarms.c" "$B/libanalyze.a" -lm -lpthread || die "cannot build the simulation"
set -- $("$W/false-alarms" 50 1000000)
goal "false alarms: runs of a million usual instances" "$(calc %.1f "100 * $1 / $3")" most 6 % "$1 of $3 runs, $2 alarms"
