#!/bin/sh
# hooks.sh: what one event of the compiler hooks costs: one enter or one leave, in CPU time (user plus system, all processes and
# threads taken together) over the same program compiled without hooks, in bytes on disk, and in instructions.
#
# Two programs: a loop around a function that does nothing, and sqlite's own benchmark. Beside the recorder, in the same run and on
# the same binaries: hooks that return at once, hooks that read the clock and nothing else (the floor), and
# uftrace. The variants take turns and the least of the rounds counts, so that what else the machine does touches all alike.
# Compare ratios; the nanoseconds are this machine's.
. "$(dirname "$0")/common"

# variants of program $1 with arguments: one round
round() {
	p=$1; shift
	measure $p.plain "$W/$p-plain" "$@"
	measure $p.empty env LD_PRELOAD="$W/hook0.so" "$W/$p-hooked" "$@"
	measure $p.clock env LD_PRELOAD="$W/hook1.so" "$W/$p-hooked" "$@"
	rm -rf "$T/$p.run"
	measure $p.tau tau-record -o "$T/$p.run" -- "$W/$p-hooked" "$@"
	have uftrace || return 0
	rm -rf "$T/$p.uftrace"
	measure $p.uftrace uftrace record --no-libcall -d "$T/$p.uftrace" "$W/$p-hooked" "$@"
}

# instructions per event that variant adds: from two lengths of run, so that start and end cancel out
added_instructions() {	# program events-short events-long short-args -- long-args
	for l in short long; do
		eval "args=\$$l"
		eval "plain_$l=$(instructions "$W/$1-plain" $args)"
		rm -rf "$T/vg.run"
		eval "tau_$l=$(instructions tau-record -o "$T/vg.run" -- "$W/$1-hooked" $args)"
	done
	calc %.1f "(($tau_long - $plain_long) - ($tau_short - $plain_short)) / ($3 - $2)"
}

events_of() {	# program args: counted, not believed
	p=$1; shift
	HOOK_FILE=$T/events LD_PRELOAD=$W/hook2.so "$W/$p-hooked" "$@" >/dev/null 2>&1 || die "failed: $p"
	cat "$T/events"
}

goal() {	# text value limit
	verdict=$(calc %s "($2 <= $3) ? \"met\" : \"MISSED\"")
	echo "  goal: $1 at most $3, is $2: $verdict"
}

report() {	# title program ns-goal bytes-goal(or -) args...
	title=$1 p=$2 ns_goal=$3 bytes_goal=$4; shift 4
	n=$(events_of $p "$@")
	i=0
	while [ $i -lt "$ROUNDS" ]; do round $p "$@"; i=$((i + 1)); done
	base=$(least $p.plain)
	printf '%s: %s events, %s s plain\n' "$title" "$n" "$(calc %.2f "$base / 1e9")"
	printf '  %-26s %10s %12s %14s\n' "" "ns/event" "bytes/event" "against clock"
	floor=$(calc %.9f "($(least $p.clock) - $base) / $n")
	for v in empty clock tau uftrace; do
		measured $p.$v || { printf '  %-26s %10s\n' $v "not installed"; continue; }
		ns=$(calc %.2f "($(least $p.$v) - $base) / $n")
		bytes=; dir=
		[ $v != tau ] || dir=$T/$p.run
		[ $v != uftrace ] || dir=$T/$p.uftrace
		[ -z "$dir" ] || bytes=$(calc %.3f "$(du -sb "$dir" | cut -f 1) / $n")
		case $v in
		empty) label="hooks that return at once" ;;
		clock) label="hooks that read the clock" ;;
		tau) label="tau-record" tau_ns=$ns tau_bytes=$bytes ;;
		uftrace) label="uftrace record" peer_ns=$ns ;;
		esac
		printf '  %-26s %10s %12s %14s\n' "$label" "$ns" "$bytes" "$(calc %.2f "$ns / $floor")"
	done
	goal "ns/event" "$tau_ns" "$ns_goal"
	[ "$bytes_goal" = - ] || goal "bytes/event" "$tau_bytes" "$bytes_goal"
	[ -z "$peer_ns" ] || goal "share of uftrace's cost" "$(calc %.2f "$tau_ns / $peer_ns")" 0.50
}

build_tools
peer_ns=
report "tiny function" tiny 15 - 20
if have valgrind; then
	short=1 long=3
	printf '  instructions/event that recording adds: %s\n' "$(added_instructions tiny 2000000 6000000)"
fi
peer_ns=
if build_sqlite; then
	report "sqlite's speedtest1" sqlite 20 0.5 --size 5 --memdb
	if have valgrind; then
		short="--size 1 --memdb --testset main" long="--size 2 --memdb --testset main"
		printf '  instructions/event that recording adds: %s\n' \
			"$(added_instructions sqlite "$(events_of sqlite $short)" "$(events_of sqlite $long)")"
	fi
else
	echo "sqlite's speedtest1: no source package (see $CACHE/sqlite.log); apt-get install dpkg-dev tcl"
fi
