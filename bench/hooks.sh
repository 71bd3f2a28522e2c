#!/bin/sh
# hooks.sh: what one event of the compiler hooks costs: one enter or one leave, in CPU time (user plus system, all processes and
# threads taken together) over the same program compiled without hooks, in bytes on disk, and in instructions.
#
# Two programs: a loop around a function that does nothing, and sqlite's own benchmark. Beside the recorder, in the same run and on
# the same binaries: hooks that return at once, hooks that read the clock and nothing else (the floor), uftrace, and LTTng
# with its own hooks. The variants take turns and the least of the rounds counts, so that what else the machine does touches all
# alike. Compare ratios; the nanoseconds are this machine's. The cost above that of the clock has two parts: storing chunks, which the
# recorder measures, and the rest, which is what hooks do beside reading the clock.
. "$(dirname "$0")/common"
# The name of the library that is there, with its version: a preloaded library that is not there is ignored.
LTTNG_HOOKS=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null | sed -n 's/^[[:space:]]*\(liblttng-ust-cyg-profile-fast[^ ]*\) .*/\1/p' | head -n 1)

have_lttng() { have lttng && have lttng-sessiond && [ -n "$LTTNG_HOOKS" ]; }

# LTTng's daemons take part in the work: one of our own is started where none runs, and their CPU time is counted.
lttng_start() {
	if ! lttng --no-sessiond list >/dev/null 2>&1; then
		lttng-sessiond --daemonize --pidfile="$T/sessiond.pid" >"$T/lttng.log" 2>&1 || return 1
		trap 'kill "$(cat "$T/sessiond.pid")"; rm -rf "$T"' EXIT
	fi
}
daemons_ns() {
	hz=$(getconf CLK_TCK)
	cat $(for p in $(pidof lttng-sessiond lttng-consumerd); do echo "/proc/$p/stat"; done) 2>/dev/null |
		awk -v hz="$hz" '{ sub(/.*\) /, ""); ticks += $12 + $13 } END { printf "%d", ticks * 1e9 / hz }'
}
measure_lttng() {	# program args
	p=$1; shift
	rm -rf "$T/$p.lttng"
	{
		lttng create tau-bench --output="$T/$p.lttng" && lttng enable-event -u 'lttng_ust_cyg_profile_fast:*' &&
		lttng start
	} >"$T/lttng.log" 2>&1 || { cat "$T/lttng.log" >&2; die "LTTng does not start"; }
	before=$(daemons_ns)
	"$W/cpu" env LD_PRELOAD=$LTTNG_HOOKS "$W/$p-hooked" "$@" >"$T/one" || die "failed under LTTng: $p"
	lttng stop >"$T/lttng.log" 2>&1
	echo $(($(cat "$T/one") + $(daemons_ns) - before)) >>"$T/ns.$p.lttng"
	lttng destroy tau-bench >"$T/lttng.log" 2>&1
}

# variants of program $1 with arguments: one round
round() {
	p=$1; shift
	measure $p.plain "$W/$p-plain" "$@"
	measure $p.empty env LD_PRELOAD="$W/hook0.so" "$W/$p-hooked" "$@"
	measure $p.clock env LD_PRELOAD="$W/hook1.so" "$W/$p-hooked" "$@"
	rm -rf "$T/$p.run"
	measure $p.tau tau-record -o "$T/$p.run" -- "$W/$p-hooked" "$@"
	stored_ns "$T/$p.run" >>"$T/ns.$p.store"
	rm -rf "$T/$p.isal"
	measure $p.isal env TAU_RECORD_CODEC=isa-l tau-record -o "$T/$p.isal" -- "$W/$p-hooked" "$@"
	stored_ns "$T/$p.isal" >>"$T/ns.$p.isal.store"
}
# CPU time in ns that the recorder took to encode and write full chunks, as it recorded itself.
stored_ns() {
	tau-dump --only definitions "$1" | sed -n 's/.*META name="TAU Storing Time (ns)" value="\([0-9]*\)".*/\1/p'
}
round_of_peers() {
	p=$1; shift
	if have uftrace; then
		rm -rf "$T/$p.uftrace"
		measure $p.uftrace uftrace record --no-libcall -d "$T/$p.uftrace" "$W/$p-hooked" "$@"
	fi
	[ -z "$lttng" ] || measure_lttng $p "$@"
}

# instructions per event that variant adds: from two lengths of run, so that start and end cancel out. Under valgrind the program is
# some fifty times slower than the clock, so that times are longer: storing them takes more instructions there than without it.
added_instructions() {	# program events-short events-long; $short and $long: the arguments
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

line() { printf '  %-30s %10s %12s %14s\n' "$@"; }

# of variant $2 of program $1, n events, in ns
per_event() { calc %.2f "($(least $1.$2) - $(least $1.plain)) / $n"; }
bytes_per_event() { calc %.3f "$(du -sb "$T/$1.$2" | cut -f 1) / $n"; }

report() {	# title program args...
	title=$1 p=$2; shift 2
	n=$(events_of $p "$@")
	i=0
	while [ $i -lt "$ROUNDS" ]; do
		round $p "$@"
		[ $((i % 2)) = 1 ] || round_of_peers $p "$@"
		i=$((i + 1))
	done
	printf '%s: %s events, %s s plain\n' "$title" "$n" "$(calc %.2f "$(least $p.plain) / 1e9")"
	line "" ns/event bytes/event "against clock"
	clock_ns=$(per_event $p clock) empty_ns=$(per_event $p empty) tau_ns=$(per_event $p tau)
	tau_bytes=$(bytes_per_event $p run)
	line "hooks that return at once" "$empty_ns" "" "$(calc %.2f "$empty_ns / $clock_ns")"
	line "hooks that read the clock" "$clock_ns" "" 1.00
	line tau-record "$tau_ns" "$tau_bytes" "$(calc %.2f "$tau_ns / $clock_ns")"
	store_ns=$(calc %.2f "$(least $p.store) / $n")
	line "  of it, storing chunks" "$store_ns" "" "$(calc %.2f "$store_ns / $clock_ns")"
	hook_ns=$(calc %.2f "$tau_ns - $clock_ns - $store_ns")
	line "  of it, hooks but their clock" "$hook_ns" "" "$(calc %.2f "$hook_ns / $clock_ns")"
	line "  with ISA-L alone" "$(per_event $p isal)" "$(bytes_per_event $p isal)" ""
	line "    of it, storing chunks" "$(calc %.2f "$(least $p.isal.store) / $n")" "" ""
	for v in uftrace lttng; do
		measured $p.$v || { line "$v" "not installed" "" ""; continue; }
		ns=$(per_event $p $v)
		line "$v" "$ns" "$(bytes_per_event $p $v)" "$(calc %.2f "$ns / $clock_ns")"
	done
}

goals() {	# title program ns-limit
	goal "$1: ns/event" "$tau_ns" most $3 ns "the clock alone $clock_ns, empty hooks $empty_ns, storing chunks $store_ns"
	for v in uftrace lttng; do
		measured $2.$v || continue
		goal "$1: share of $v's cost" "$(calc %.2f "$tau_ns / $(per_event $2 $v)")" most 0.25 ""
	done
}

show_instructions() {	# program events-short events-long
	have valgrind || return 0
	printf '  instructions/event that recording adds: %s\n' "$(added_instructions "$@")"
}

build_tools
lttng=
have_lttng && lttng_start && lttng=yes
report "tiny function" tiny 10
goals "tiny function" tiny 11
short=1 long=3
show_instructions tiny 2000000 6000000
if build_sqlite; then
	report "sqlite's speedtest1" sqlite --size 5 --memdb
	goals sqlite sqlite 14
	goal "sqlite: bytes/event" "$tau_bytes" most 0.3 B
	short="--size 1 --memdb --testset main" long="--size 2 --memdb --testset main"
	show_instructions sqlite "$(events_of sqlite $short)" "$(events_of sqlite $long)"
else
	echo "sqlite's speedtest1: no source package (see $CACHE/sqlite.log); apt-get install dpkg-dev tcl"
fi
