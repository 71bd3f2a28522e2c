#!/bin/sh
# memory.sh: what recording allocations by type and call site costs (tau-record --memory), with heaptrack's recorder beside it on
# the same binaries in the same run: CPU time and bytes for a malloc and its free in two loops, and for sqlite3 and cmake as they
# are installed; and the memory that the recorder takes itself. What starting either costs is taken from a run without work.
. "$(dirname "$0")/common"
PAIRS=${TAU_BENCH_PAIRS:-5000000}

sql_script 200000 >"$T/script.sql"
echo "delete from t where c % 5 = 0;" >>"$T/script.sql"
# A project of 1500 targets, to be configured, in memory where there is such a place: files of a disk would be all that counts.
M=$T
[ ! -w /dev/shm ] || M=$(mktemp -d /dev/shm/tau-bench.XXXXXX)
trap 'rm -rf "$T" "$M"' EXIT
mkdir "$M/project"
{
	echo 'cmake_minimum_required(VERSION 3.10)'
	echo 'project(many NONE)'
	for i in $(seq 1500); do
		printf 'set(l%d a%d b%d c%d)\nforeach(x ${l%d})\n\tstring(TOUPPER ${x} u)\n\tset_property(GLOBAL APPEND PROPERTY all ${u})\nendforeach()\n' \
			$i $i $i $i $i
		printf 'add_custom_target(t%d COMMAND echo ${l%d} DEPENDS in.txt)\n' $i $i
	done
} >"$M/project/CMakeLists.txt"
: >"$M/project/in.txt"

# variant PROGRAM KIND COMMAND...: one run, plain, recorded by us or by heaptrack
variant() {
	p=$1 kind=$2; shift 2
	rm -rf "$M/built"
	case $kind in
	plain) measure "$p.plain" "$@" ;;
	tau)
		rm -rf "$T/$p.run"
		measure "$p.tau" tau-record -o "$T/$p.run" --memory -- "$@"
		;;
	stacks)
		rm -rf "$T/$p.stacks"
		measure "$p.stacks" tau-record -o "$T/$p.stacks" --memory=stacks -- "$@"
		;;
	heaptrack)
		have heaptrack || return 0
		rm -f "$T/$p".heap*
		measure "$p.heaptrack" heaptrack --raw -o "$T/$p.heap" "$@"
		;;
	esac
}
rounds() {	# PROGRAM COMMAND...
	program=$1; shift
	r=0
	while [ $r -lt "$ROUNDS" ]; do
		for kind in plain tau stacks heaptrack; do variant "$program" $kind "$@"; done
		r=$((r + 1))
	done
}
added() { calc %.1f "$(least "$1.$2") - $(least "start.$2") - ($(least "$1.plain") - $(least start.plain))"; }

build_tools
$CC -O2 -o "$W/alloc" "$TOP/bench/alloc.c" || die "cannot build alloc"
have heaptrack || echo "heaptrack is not installed: no peer to compare with"
rounds start "$W/alloc" pair 1

printf '%-26s %12s %12s %12s %12s %14s\n' "ns of CPU time a pair" "plain" "tau-record" "with stacks" "heaptrack" "bytes a pair"
for shape in pair ring deep tree; do
	rounds $shape "$W/alloc" $shape "$PAIRS"
	plain=$(calc %.1f "($(least $shape.plain) - $(least start.plain)) / $PAIRS")
	ours=$(calc %.1f "$plain + $(added $shape tau) / $PAIRS")
	walked=$(calc %.1f "$plain + $(added $shape stacks) / $PAIRS")
	peer=-
	! measured $shape.heaptrack || peer=$(calc %.1f "$plain + $(added $shape heaptrack) / $PAIRS")
	printf '%-26s %12s %12s %12s %12s %14s\n' "malloc and free: $shape" "$plain" "$ours" "$walked" "$peer" \
		"$(calc %.4f "$(du -sb "$T/$shape.run" | cut -f 1) / $PAIRS")"
	[ $shape != pair ] || pair_ns=$ours pair_plain=$plain
	[ $shape != deep ] || deep_ns=$walked deep_peer=$peer
done
goal "malloc and free, types and sites" "$pair_ns" most 45 "ns a pair" "bare $pair_plain"
goal "the same with stacks, 10 calls deep" "$deep_ns" most 160 "ns a pair" "heaptrack $deep_peer"

real() {	# PROGRAM COMMAND...
	real=$1; shift
	have "$1" || { echo "$1 is not installed"; return; }
	rounds "$real" "$@"
	more=$(calc %.1f "$(added "$real" tau) * 100 / $(least "$real.plain")")
	peer=
	if measured "$real.heaptrack"; then
		peer="heaptrack $(calc %.0f "$(added "$real" heaptrack) * 100 / $(least "$real.plain")") %"
		bytes=$(cat "$T/$real.run"/*.tau | wc -c) theirs=$(cat "$T/$real".heap* | wc -c)
	fi
	goal "$real, types and sites: CPU time added" "$more" most 10 % "$peer"
	[ -z "$peer" ] || goal "$real: bytes against heaptrack's" "$(calc %.2f "$bytes / $theirs")" most 1 "" "$bytes bytes"
}
real sqlite3 sqlite3 :memory: ".read $T/script.sql"
real cmake cmake -S "$M/project" -B "$M/built"

# Memory: the most that was resident, beside the plain program's.
bytes=200000000
plain=$("$W/alloc" heap $bytes 2>&1 | sed -n 's/^resident //p')
rm -rf "$T/heap.run"
ours=$(tau-record -o "$T/heap.run" --memory "$W/alloc" heap $bytes 2>&1 | sed -n 's/^resident //p')
goal "memory of the recorder, of $plain KiB of heap" "$((ours - plain))" most $((plain / 10 + 5120)) KiB
