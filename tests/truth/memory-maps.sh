#!/bin/sh
# memory-maps.sh: memory that programs take from the system themselves: mapped, shared, by moving the break, and the
# symmetric heap of OpenSHMEM, against programs that know what they have; nothing counts twice.
. "$(dirname "$0")/../tap.sh"
unset TAU_DOUBLE LD_PRELOAD TAU_TRACK_MEMORY_LEAKS TAU_MEMORY_SITES TAU_MEMORY_STACKS TAU_MEMORY_MAPS

# rows RUN PROGRAM: "live KIND BYTES BLOCKS"
rows() {
	tau-report memory --window :100% --top 0 -f json "$1" | tr -d '\n' | sed 's/}/}\n/g' |
		sed -n "s/.*\"type\": *\"\([a-z ]*\) \[$2\]\".*\"bytes\": *\([0-9]*\).*\"blocks\": *\([0-9]*\).*/\1 \2 \3/p" |
		sed 's/mapped file/mapped_file/; s/^/live /' | sort
}
head -c 20000 /dev/zero >"$T/file"
ok "a program that maps is recorded" sh -c "tau-record -o $T/run --memory=types,maps '$B/apps/memmaps' $T/file >$T/truth"
is "mapped, shared, files, the break and malloc have what the program says" "$(rows "$T/run" memmaps)" \
	"$(grep '^live' "$T/truth" | grep -v ' 0 [01]$' | sort)"
is "rows add up to all" "$(tau-report memory --window :100% --top 0 -f csv "$T/run" | awk -F, '$1 == "all" { all = $(NF - 5) } NR > 1 && $1 != "all" { s += $(NF - 5) } END { print (s == all && s > 0) }')" 1
is "the kind of such rows is mapped" "$(tau-report memory --window :100% --top 0 -f csv "$T/run" | grep -c '^\(mapped\|mapped file\|shared\|break\) \[memmaps\],.*mapped')" 4
ok "the trace is in order" tau-dump --check "$T/run"
ok "by stack" tau-record -o "$T/stacks" --memory=stacks,maps "$B/apps/memmaps" "$T/file"
is "mappings have paths" "$(tau-report memory --by stack --window :100% -f folded "$T/stacks" | grep '^main;map;mapped \[memmaps\] ' | sed 's/ [0-9]*$//' | sort -u | wc -l | tr -d ' ')" 1
ok "without maps" tau-record -o "$T/none" --memory "$B/apps/memmaps" "$T/file"
is "nothing mapped is reported" "$(tau-dump "$T/none" | grep -c 'MEMTYPE.*name="\(mapped\|shared\|break\)')" 0

# The symmetric heap: a mapping of the library's, of which the pieces count.
command -v oshcc >/dev/null || { skip "the symmetric heap" "no OpenSHMEM compiler"; tap_end; }
export UCX_TLS=self,sm SHMEM_SYMMETRIC_SIZE=64M OMPI_MCA_memory=^patcher
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
cat >"$T/heap.c" <<'END'
#include <shmem.h>
int main(void)
{
	void *p, *q;

	shmem_init();
	p = shmem_malloc(1000000);
	q = shmem_malloc(300);
	p = shmem_realloc(p, 2000000);
	shmem_free(q);
	shmem_align(64, 640);
	shmem_barrier_all();
	shmem_finalize();
	return p == 0;
}
END
ok "an OpenSHMEM program builds" oshcc "$T/heap.c" -o "$T/heap"
ok "and is recorded on 2 PEs" timeout 400 oshrun -np 2 tau-record -o "$T/heap.run" --memory=types,maps "$T/heap"
tau-report memory --top 0 --window ':shmem_finalize#1' -f csv "$T/heap.run" >"$T/heap.csv"
is "the symmetric heap is what the program has of it" \
	"$(awk -F, '$1 == "symmetric heap" { print $(NF - 5), $(NF - 3) }' "$T/heap.csv")" "$((2 * 2000640)) 4"
is "and the 64 MiB that it was made from do not count besides" \
	"$(awk -F, '$1 != "all" && NR > 1 && $(NF - 5) >= 67108864' "$T/heap.csv" | wc -l | tr -d ' ')" 0
tap_end
