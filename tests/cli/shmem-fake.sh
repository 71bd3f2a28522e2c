# shmem-fake.sh: what no small job on a real library reaches, on a made-up library of 5000 PEs: more active sets than the
# table holds, large ones, senseless ones; allocations that fail; a library that only a plugin sees.
. "$(dirname "$0")/../expect.sh"
command -v oshcc >/dev/null || skip_all "no OpenSHMEM is installed"
flags=$(oshcc --showme:compile)

# The library: the profiling names that the programs below use. Every second realloc fails.
cat >"$T/library.c" <<'C'
#include <stddef.h>
#define WEAK(ret, name, args) ret name args __attribute__((weak, alias("p" #name)))
void pshmem_init(void) { }
void pshmem_finalize(void) { }
int pshmem_my_pe(void) { return 7; }
int pshmem_n_pes(void) { return 5000; }
void pshmem_barrier(int start, int log, int size, long *sync) { (void)start, (void)log, (void)size, (void)sync; }
void pshmem_broadcast64(void *to, const void *from, size_t n, int root, int start, int log, int size, long *sync)
{
	(void)to, (void)from, (void)n, (void)root;
	pshmem_barrier(start, log, size, sync);
}
static char heap[1 << 20];
void *pshmem_malloc(size_t size) { static size_t at; return size < 1000 ? heap + (at += 16) : NULL; }
void *pshmem_realloc(void *p, size_t size) { (void)p; return pshmem_malloc(size); }
void pshmem_free(void *p) { (void)p; }
WEAK(void, shmem_init, (void));
WEAK(void, shmem_finalize, (void));
WEAK(int, shmem_my_pe, (void));
WEAK(int, shmem_n_pes, (void));
WEAK(void, shmem_barrier, (int, int, int, long *));
WEAK(void, shmem_broadcast64, (void *, const void *, size_t, int, int, int, int, long *));
WEAK(void *, shmem_malloc, (size_t));
WEAK(void *, shmem_realloc, (void *, size_t));
WEAK(void, shmem_free, (void *));
C
cc -shared -fPIC "$T/library.c" -Wl,-soname,liboshmem.so.99 -o "$T/liboshmem.so.99" || exit 1

cat >"$T/sets.c" <<'C'
#include <shmem.h>
#include <stdio.h>
int main(void)
{
	shmem_init();
	for (int i = 0; i < 3; i++)
		shmem_barrier(0, 0, 2000, NULL);	/* more ranks than fit on the stack */
	shmem_broadcast64(NULL, NULL, 2, 3, 1, 1, 2499, NULL);	/* 1 3 5 7 ...: the root is PE 7, this one */
	for (int i = 0; i < 1500; i++)
		shmem_barrier(i, 2, 3, NULL);		/* more sets than the table holds */
	shmem_barrier(-1, 0, 3, NULL);			/* none of these is a set */
	shmem_barrier(0, 0, 5001, NULL);
	shmem_barrier(4999, 1, 2, NULL);
	shmem_barrier(0, 40, 2, NULL);
	shmem_barrier(0, 0, -1, NULL);
	shmem_finalize();
	puts("EXPECT node 7 region shmem_barrier() calls 1508\n"
	     "EXPECT node 7 event Message size for broadcast n 1 sum 16");
	return 0;
}
C
cat >"$T/heap.c" <<'C'
#include <shmem.h>
#include <stdio.h>
int main(void)
{
	static void *block[9000];
	char *a;

	shmem_init();
	a = shmem_malloc(100);
	shmem_malloc(5000);			/* fails */
	if (shmem_realloc(a, 6000) != NULL)	/* fails: the old block stays, and comes back into the count */
		puts("BAD realloc");
	shmem_free(a);
	shmem_free(NULL);
	shmem_free(&a);				/* not one of ours */
	for (int i = 0; i < 9000; i++)		/* more blocks than the table holds: 8192 sizes are known */
		block[i] = shmem_malloc(1);
	for (int i = 0; i < 9000; i++)
		shmem_free(block[i]);
	shmem_finalize();
	puts("EXPECT region shmem_malloc() calls 9002\n"
	     "EXPECT region shmem_free() calls 9003\n"
	     "EXPECT event Symmetric heap allocate n 9002 sum 9200\n"
	     "EXPECT event Symmetric heap free n 8194 sum 8392\n"
	     "EXPECT event Symmetric heap used n 17196 max 8192 min 0\n"
	     "EXPECT event Symmetric heap refused n 2 sum 11000");
	return 0;
}
C
for p in sets heap; do
	cc $flags "$T/$p.c" -o "$T/$p" "$T/liboshmem.so.99" -Wl,-rpath,"$T" || exit 1
	record $p --wrap shmem "$T/$p"
	is "$p: the program ends well" "$code $(grep BAD "$T/$p.out")" "0 "
	expect $p
done

tau-report "$T/heap.run" >"$T/heap.report"
like "the overview names what the heap refused" "$(grep -A 1 'symmetric heap refused' "$T/heap.report" | tr -s ' \n' ' ')" \
	'requests that the symmetric heap refused: 10\.7 KiB 2 requests got no memory; SHMEM_SYMMETRIC_SIZE'
like "and how much of it was in use at once" "$(cat "$T/heap.report")" 'symmetric heap  *8\.00 KiB'

# The sets as the trace has them.
tau-dump "$T/sets.run" >"$T/sets.dump"
defined() { sed -n "s/.*define COMM comm=[0-9]* name=\"$1\" ranks=//p" "$T/sets.dump" | tr -d ' '; }
is "each set is defined once" "$(grep -c 'define COMM' "$T/sets.dump")" 1502
is "a large set has all its members" "$(defined 'PE_start 0 logPE_stride 0 PE_size 2000')" "$(seq -s , 0 1999)"
is "strides are powers of two" "$(defined 'PE_start 1 logPE_stride 1 PE_size 2499')" "$(seq -s , 1 2 4997)"
is "a set beyond the table has its members" "$(defined 'PE_start 1499 logPE_stride 2 PE_size 3')" "1499,1503,1507"
is "what is no set stands for all PEs" "$(grep -c ' COLL op=0 comm=world' "$T/sets.dump")" 5
like "the root of a broadcast is a PE, and it sends" "$(grep ' COLL op=1 ' "$T/sets.dump")" \
	'PE_start 1 logPE_stride 1.* root=7 sent=16 received=0$'

# The plugin's library is in a scope of its own, where the wrapper must look for it.
cat >"$T/plugin.c" <<'C'
#include <shmem.h>
int go(void) { shmem_init(); shmem_barrier(0, 0, 5000, NULL); shmem_finalize(); return shmem_n_pes(); }
C
cat >"$T/host.c" <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	void *plugin = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
	int (*go)(void) = plugin ? (int (*)(void))dlsym(plugin, "go") : NULL;

	if (!go || go() != 5000)
		return 1;
	puts("EXPECT node 7 region shmem_barrier() calls 1\nEXPECT node 7 region shmem_n_pes() calls 1");
	return 0;
}
C
cc -shared -fPIC $flags "$T/plugin.c" -o "$T/plugin.so" "$T/liboshmem.so.99" -Wl,-rpath,"$T" || exit 1
cc "$T/host.c" -o "$T/host" || exit 1
record host --wrap shmem "$T/host" "$T/plugin.so"
is "a plugin with a library of its own ends well" "$code" 0
expect host
tap_end
