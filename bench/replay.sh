#!/bin/sh
# replay.sh: how fast a whole trace becomes a profile, event by event: million events a second and core, from CPU time (user plus
# system), flat and by call path; the index, which would answer without reading them, is not used. The traces are of sqlite's
# own benchmark (many functions, deep stacks) and of a loop around a tiny function.
. "$(dirname "$0")/common"

replay() {	# title program args...
	title=$1 p=$2; shift 2
	HOOK_FILE=$T/events LD_PRELOAD=$W/hook2.so "$W/$p-hooked" "$@" >/dev/null 2>&1 || die "failed: $p"
	n=$(cat "$T/events")
	rm -rf "$T/run"
	tau-record -o "$T/run" -- "$W/$p-hooked" "$@" >/dev/null 2>&1 || die "cannot record $p"
	tau-trace2profile --no-index --format csv -o "$T/flat.csv" "$T/run" || die "cannot read the trace of $p"
	i=0
	rm -f "$T/ns.flat" "$T/ns.paths"
	while [ $i -lt "$ROUNDS" ]; do
		measure flat tau-trace2profile --no-index --format csv "$T/run"
		measure paths tau-trace2profile --no-index --callpath --format csv "$T/run"
		i=$((i + 1))
	done
	flat=$(calc %.1f "$n / $(least flat) * 1000")
	paths=$(calc %.1f "$n / $(least paths) * 1000")
	printf '%s: %s events, %s bytes\n' "$title" "$n" "$(du -sb "$T/run" | cut -f 1)"
	printf '  flat profile       %8s million events/s\n' "$flat"
	printf '  whole call paths   %8s million events/s\n' "$paths"
	printf '  calls in it        %8s of %s\n' \
		"$(grep -v 'TAU application' "$T/flat.csv" | sed 's/"[^"]*"/q/g' |
			awk -F, '$5 == "timer" { c += $8 } END { printf "%d", c }')" $((n / 2))
	goal "reading a trace, $title: flat profile" "$flat" least 150 "million events/s"
	goal "reading a trace, $title: whole call paths" "$paths" least 80 "million events/s"
}

build_tools
replay "tiny function" tiny 10
if build_sqlite; then
	replay "sqlite's speedtest1" sqlite --size 10 --memdb
else
	echo "sqlite's speedtest1: no source package (see $CACHE/sqlite.log); apt-get install dpkg-dev tcl"
fi
