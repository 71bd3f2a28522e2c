#!/bin/sh
# threads.sh: what recording adds to a thread that lives at the same time as 255 others, to its process and to tau-record, which
# reads and closes the streams of threads that had not ended: CPU time and time that passes, beside what a plain thread costs, and
# one that only makes such a file itself.
. "$(dirname "$0")/common"
build_tools
N=256
$CC -O1 -fopenmp -finstrument-functions -o "$W/threads" "$TOP/bench/threads.c" || die "cannot build the program"

# Files stay until the end: ext4 searches long for an inode that was not freed in the last minute.
i=0
way() {	# NAME THREADS: the command
	mkdir -p "$T/$i.$1.$2"
	case $1 in
	plain) set -- "$W/threads" "$2" ;;
	file) set -- "$W/threads" "$2" "$T/$i.$1.$2" ;;
	tau) set -- tau-record -w none -o "$T/$i.$1.$2/run" "$W/threads" "$2" ;;
	esac
	"$run" "$name" "$@"
}
while [ $i -lt $((ROUNDS * 2)) ]; do
	for w in plain file tau; do
		for n in 1 $N; do
			run=measure_wall name=wall.$w.$n; way $w $n
			mv "$T/$i.$w.$n" "$T/$i.$w.$n.x"
			run=measure name=cpu.$w.$n; way $w $n
		done
	done
	i=$((i + 1))
done
each() { calc %.3f "($(least "$1.$2.$N") - $(least "$1.$2.1")) / 1e3 / ($N - 1)"; }	# WHAT WAY: us of a thread
printf '%d threads of one parallel region, us of each, load %s\n' $N "$(cut -d ' ' -f 1-3 /proc/loadavg)"
printf '%-44s %12s %14s\n' "" "CPU" "time passed"
for w in plain file tau; do
	case $w in
	plain) what="plain" ;;
	file) what="a file and three pages of its own" ;;
	tau) what="recorded" ;;
	esac
	printf '%-44s %12.1f %14.1f\n' "$what" "$(each cpu $w)" "$(each wall $w)"
done
goal "added CPU time of a thread" "$(calc %.0f "$(each cpu tau) - $(each cpu plain)")" most 50 us
goal "over its own file, CPU time of a thread" "$(calc %.0f "$(each cpu tau) - $(each cpu file)")" most 50 us
