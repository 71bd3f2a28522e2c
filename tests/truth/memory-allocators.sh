#!/bin/sh
# memory-allocators.sh: programs whose allocator is not libc's: the books agree as they do with libc's, preloaded or linked.
. "$(dirname "$0")/../tap.sh"
unset TAU_DOUBLE LD_PRELOAD TAU_MEMORY_SITES TAU_TRACK_MEMORY_LEAKS
APPS=$TOP/fixtures/apps
CC=${CC:-cc}

# agrees WHAT NAME: $T/out is what the program said, $T/run what was recorded, [NAME] the program
agrees() {
	tau-trace2profile --format csv "$T/run" >"$T/csv" || fail "tau-trace2profile ends with $?"
	sed "s/\[memtruth\]/[$2]/" "$T/out" >"$T/expect"
	is "$1" "$(awk -f "$APPS/memory/profile.awk" "$T/expect" "$T/csv")" "checked 5"
}
for allocator in jemalloc tcmalloc_minimal; do
	library=$(${CC} -print-file-name=lib$allocator.so)
	case $library in
	/*) ;;
	*) skip "$allocator" "it is not installed"; continue ;;
	esac
	for threads in 0 3; do
		rm -rf "$T/run"
		LD_PRELOAD=$library tau-record -o "$T/run" --memory=types "$B/apps/memtruth" 100 $threads >"$T/out" 2>"$T/err"
		agrees "$allocator preloaded, $threads more threads: allocated, freed, live and peak" memtruth
	done
	ok "a program with $allocator builds" $CC -O1 -I"$TOP/record" "$APPS/memtruth.c" -o "$T/linked" -l$allocator -lpthread
	rm -rf "$T/run"
	tau-record -o "$T/run" --memory=types "$T/linked" 100 2 >"$T/out" 2>"$T/err"
	agrees "$allocator linked: allocated, freed, live and peak" linked
done
tap_end
