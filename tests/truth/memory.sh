#!/bin/sh
# memory.sh: memory by type from recording to profile: what programs know of themselves, the class-allocation calls, Open MPI.
. "$(dirname "$0")/../tap.sh"
export TAU_SAMPLING=0	# all rows are counted: those of samples are left out
APPS=$TOP/fixtures/apps
CC=${CC:-cc}
unset TAU_DOUBLE LD_PRELOAD

# record NAME WRAP COMMAND...: into $T/NAME, output $T/NAME.out, profile $T/NAME.csv
record() {
	name=$1 wrap=$2
	shift 2
	tau-record -o "$T/$name" --wrap "$wrap" "$@" >"$T/$name.out" 2>"$T/$name.err" || fail "$* ends with $?"
	tau-trace2profile --format csv "$T/$name" >"$T/$name.csv" || fail "tau-trace2profile of $name ends with $?"
}
# agrees NAME CHECKS WHAT
agrees() { is "$3" "$(awk -f "$APPS/memory/profile.awk" "$T/$1.out" "$T/$1.csv")" "checked $2"; }

record classes memory "$B/apps/classapi"
agrees classes "$(grep -c EXPECT "$T/classes.out")" "the class-allocation calls: the published example, depth, owners, levels, mismatches"
is "stops that do not match are counted" \
	"$(tau-trace2profile --format json "$T/classes" | sed -n 's/.*"TAU Class Allocation Mismatches": *"\([0-9]*\)".*/\1/p' | head -1)" 2
contexts() { tau-trace2profile --format csv "$1" | awk -F, '$5 == "counter" && $6 ~ /^alloc .* : / { print $6, $12, $12 * $15 }' | sort; }
is "without TAU_MEM_CONTEXT there are no contexts" "$(contexts "$T/classes")" ""
TAU_MEM_CONTEXT=1 record context memory "$B/apps/classapi"
agrees context "$(grep -c EXPECT "$T/context.out")" "TAU_MEM_CONTEXT=1: the same in all"
want="alloc a : building 1 10
alloc b : building 2 35
alloc b <= a : building 1 25"
is "TAU_MEM_CONTEXT=1: and what it was in the region" "$(contexts "$T/context")" "$want"
ok "which goes through OTF2" tau-convert "$T/context" "$T/context.otf2"
is "and is the same then" "$(contexts "$T/context.otf2")" "$want"
ok "and is cut out" tau-convert -w 0%:100% --to tau "$T/context" "$T/context.cut"
is "and then, too" "$(contexts "$T/context.cut")" "$want"
like "which has lines to check" "$(grep -c EXPECT "$T/classes.out")" '^[1-9][0-9]$'

record plain memory "$B/apps/memtruth" 150 3
agrees plain 5 "allocated, freed, live and peak as the program counts them, over threads"
is "nothing was lost" "$(grep -c ' 0 lost' "$T/plain.err")" 1

# All that allocates in C and C++, at random; blocks that other threads free; realloc() that fails.
for threads in 0 4; do
	for words in types heap,sites stacks:6; do
		rm -rf "$T/chain"
		tau-record -o "$T/chain" --memory=$words "$B/apps/memchain" $threads 1500 >"$T/chain.out" 2>"$T/chain.err" ||
			fail "memchain ends with $?"
		tau-trace2profile --format csv "$T/chain" >"$T/chain.csv"
		agrees chain 4 "$threads threads, --memory=$words: every block and byte, freed by whom it may be"
	done
done
TAU_MEMORY_SITES=0 tau-record -o "$T/chaincensus" --memory=census "$B/apps/memchain" 3 1500 >"$T/chaincensus.out" 2>/dev/null
tau-trace2profile --format csv "$T/chaincensus" >"$T/chaincensus.csv"
grep live "$T/chaincensus.out" >"$T/live.out" && mv "$T/live.out" "$T/chaincensus.out"
agrees chaincensus 2 "--memory=census: what is live in the end"

# --memory: the wrapper without --wrap, events or a census, with sites or without.
live() { tau-trace2profile --format csv "$1" | awk -F, '$5 == "counter" && ($6 == "live untyped [memtruth]" || $6 == "live objects untyped [memtruth]") { print $14 }' | tr '\n' ' '; }
for words in "" =types =census =events,sites; do
	rm -rf "$T/words"
	ok "recorded with --memory$words" tau-record -o "$T/words" --memory$words "$B/apps/memtruth" 40 2
	like "--memory$words: what is live is there" "$(live "$T/words")" '^[1-9][0-9]* [1-9][0-9]* $'
	sites=$(tau-trace2profile --format csv "$T/words" | grep -c 'counter,"*live .* @ ')
	case $words in
	=types) is "--memory$words: without call sites" "$sites" 0 ;;
	*) ok "--memory$words: with call sites ($sites)" [ "$sites" -gt 0 ] ;;
	esac
done
ok "events" tau-record -o "$T/asevents" --memory "$B/apps/memtruth" 40 0
ok "a census" tau-record -o "$T/ascensus" --memory=census "$B/apps/memtruth" 40 0
is "both know the same to be live" "$(live "$T/ascensus")" "$(live "$T/asevents")"
tau-record -o "$T/bad" --memory=everything true 2>"$T/err"
is "another word is refused" "$? $(cat "$T/err")" \
	"125 tau-record: --memory: 'everything' is not events, census, types, sites, stacks, leaks, heap, headroom or maps"

# The same class library as Open MPI's in small; the expectations are the program's own.
ok "a class library builds" $CC -O1 -g -fPIC -shared -Wl,-soname,libopalclass.so "$APPS/opalclass/library.c" \
	-o "$T/libopalclass.so"
ok "its program builds" $CC -I"$TOP/record" "$APPS/opalclass/main.c" -o "$T/objects.program" -L"$T" -lopalclass \
	-Wl,-rpath,"$T"
record objects memory "$T/objects.program"
# "alloc" also counts what was only an untyped block at first, and "part_t <= thing_t" is an owner row of its own.
grep -vE 'EXPECT alloc|keeper_t <= mark_t' "$T/objects.out" >"$T/levels.out"
cp "$T/objects.csv" "$T/levels.csv"
agrees levels 24 "types, slabs and owners as built"
is "a mark only points back to its keeper" "$(grep -c 'keeper_t <= mark_t' "$T/levels.csv")" 0

# What is live at the entry of finalize is what the census counts.
command -v oshcc >/dev/null || { skip "Open MPI, recorded" "no OpenSHMEM compiler"; tap_end; }
oshmem_info 2>/dev/null | grep -q 'Open MPI: 4\.1\.' || { skip "Open MPI, recorded" "sizes are Open MPI 4.1's"; tap_end; }
export UCX_TLS=self,sm SHMEM_SYMMETRIC_SIZE=16M OMPI_MCA_memory=^patcher
cat >"$T/hello.c" <<'END'
#include <shmem.h>
int main(void)
{
	shmem_init();
	shmem_barrier_all();
	shmem_finalize();
	return 0;
}
END
ok "an OpenSHMEM program builds" oshcc "$T/hello.c" -o "$T/hello"
ok "and is recorded on 4 PEs" timeout 400 oshrun -np 4 tau-record -o "$T/job" --wrap shmem,memory "$T/hello"
tau-trace2profile --format csv --window ":.TAU memory census#1" "$T/job" >"$T/job.csv" 2>"$T/job.err"
is "a profile until the walk at the entry of shmem_finalize is made" "$? $(cat "$T/job.err")" "0 "
level() { awk -F, -v n="$1" '$5 == "counter" && $6 == n { print $14 }' "$T/job.csv" | sort | uniq -c | awk '{ print $1, $2 }'; }
is "ompi_proc_t: 120 bytes for each of 4 PEs, on all 4" "$(level 'live ompi_proc_t')" "4 480"
is "mca_bml_base_endpoint_t: 232 bytes for each of 4 PEs, on all 4" "$(level 'live mca_bml_base_endpoint_t')" "4 928"
is "opal_value_t: nothing live" "$(level 'live opal_value_t')" "4 0"
sites=$(tau-report memory --by site --top 0 -f csv "$T/job" | grep -c '^ompi_proc_t,[^,]')
ok "and where it was allocated is reported without --memory ($sites)" [ "$sites" -ge 1 ]
tap_end
