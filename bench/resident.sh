#!/bin/sh
# resident.sh: resident memory that recording adds to a process, at several numbers of threads, after a short run and after a long one:
# Rss as the process itself reads it, all its threads standing at the end of their work, over the same without the recorder.
. "$(dirname "$0")/common"
build_tools
$CC -O2 -finstrument-functions -o "$W/resident" "$TOP/bench/resident.c" -lpthread || die "cannot build resident"

resident() {	# the least of some runs, in KiB
	for i in 1 2 3; do rm -rf "$T/run"; "$@" 2>/dev/null || die "failed: $*"; done | sort -n | head -n 1
}
printf '%-8s %12s %14s %14s %16s\n' threads "plain KiB" "short, added" "long, added" "goal, KiB"
for t in 1 2 8 64; do
	plain=$(resident "$W/resident" $t 100)
	short=$(($(resident tau-record -o "$T/run" -- "$W/resident" $t 100) - plain))
	long=$(($(resident tau-record -o "$T/run" -- "$W/resident" $t $((t > 8 ? 600 : 4000))) - plain))
	limit=$(calc %d "(1.5e6 + 0.3e6 * $t) / 1024")
	printf '%-8s %12s %14s %14s %16s\n' $t $plain $short $long $limit
	goal "memory added, $t thread$([ $t = 1 ] || echo s)" $long most $limit KiB
	goal "memory added, $t thread$([ $t = 1 ] || echo s), long run against short" "$(calc %.2f "$long / $short")" most 1.05 ""
done
