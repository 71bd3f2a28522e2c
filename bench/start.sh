#!/bin/sh
# start.sh: what recording adds to the start and end of a program that does nothing, /bin/true: in time that passes, CPU time and
# instructions. For comparison: a preloaded library that is empty.
. "$(dirname "$0")/common"
build_tools
echo 'void tau_bench_empty(void) { }' | $CC -O2 -shared -fPIC -x c -o "$W/empty.so" - || die "cannot build an empty library"
true=$(command -v /bin/true || command -v /usr/bin/true) || die "there is no true"
wrappers=$(cd "$B" && ls libtau-*.so | sed 's/libtau-\(.*\)\.so/\1/' | paste -sd , -)

ways="plain empty tau all"
way() {	# name: the command
	case $1 in
	plain) set -- "$true" ;;
	empty) set -- env LD_PRELOAD="$W/empty.so" "$true" ;;
	tau) set -- tau-record -o "$T/run" "$true" ;;
	all) set -- tau-record -o "$T/run" -w "$wrappers" "$true" ;;
	esac
	rm -rf "$T/run"
	"$run" ${name:+"$name"} "$@"
}
i=0
while [ $i -lt $((ROUNDS * 4)) ]; do
	for w in $ways; do
		run=measure_wall name=wall.$w; way $w
		run=measure name=cpu.$w; way $w
	done
	i=$((i + 1))
done
printf '%-34s %12s %12s %16s\n' "/bin/true" "passed, ms" "CPU, ms" instructions
for w in $ways; do
	case $w in
	plain) label=alone ;;
	empty) label="with an empty library (env)" ;;
	tau) label=tau-record ;;
	all) label="tau-record, all wrappers" ;;
	esac
	run=instructions name=
	is=; ! have valgrind || is=$(way $w)
	printf '%-34s %12s %12s %16s\n' "$label" "$(calc %.2f "$(least wall.$w) / 1e6")" "$(calc %.2f "$(least cpu.$w) / 1e6")" "$is"
done
added() { calc %.2f "($(least wall.$1) - $(least wall.plain)) / 1e6"; }
goal "start-up added to /bin/true" "$(added tau)" most 10 ms "an empty library $(added empty), all wrappers $(added all)"
