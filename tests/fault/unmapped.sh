# unmapped.sh: an address that a program has unmapped stays unmapped, whatever the recorder maps afterwards: new streams, larger
# tables, allocations that it follows, samples.
. "$(dirname "$0")/../tap.sh"
cd "$T" || exit 1

cat >unmapped.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#define SILENT __attribute__((no_instrument_function))
#define PAGES 64
volatile long sink;
static void deep(int n) { sink++; if (n) deep(n - 1); }
/* Time to be sampled in, blocks to be followed, calls to be recorded. */
SILENT static void work(void)
{
	static void *block[4000];

	for (int i = 0; i < 4000; i++)
		block[i] = malloc(100 + i % 50);
	deep(5000);
	for (long i = 0; i < 60000000; i++)
		sink += i;
	for (int i = 0; i < 4000; i++)
		free(block[i]);
}
SILENT static void *thread(void *unused) { deep(10); return unused; }
SILENT int main(void)
{
	pthread_t t[20];
	unsigned char in[PAGES];
	char *page[PAGES], *stacks = mmap(NULL, 20 * 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t a;
	int n = 0;

	for (int i = 0; i < PAGES; i++)
		page[i] = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	/* The program itself maps nothing from here on. */
	free(malloc(1000000));
	for (int i = 0; i < PAGES; i++)
		munmap(page[i], 65536);
	for (int i = 0; i < 20; i++) {
		pthread_attr_init(&a);
		pthread_attr_setstack(&a, stacks + i * 65536, 65536);
		if (pthread_create(&t[i], &a, thread, NULL))
			return 2;
	}
	for (int i = 0; i < 20; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < 20; i++)
		deep(5000);
	work();
	for (int i = 0; i < PAGES; i++)
		for (int k = 0; k < 16; k++)
			n += !mincore(page[i] + 4096 * k, 4096, in);
	printf("%d pages are mapped again\n", n);
	return n != 0;
}
END
${CC:-cc} -D_GNU_SOURCE -O1 -finstrument-functions unmapped.c -o unmapped -lpthread || skip_all "no compiler"
export MALLOC_TOP_PAD_=4000000 MALLOC_ARENA_MAX=1
plain=$(./unmapped) || skip_all "the program itself maps there ($plain)"
n=0
for options in "-w none" "-w none --sample --unwind" "-w pthread,io,process --memory=stacks,leaks" "--fold=1 --metrics CPU_TIME"; do
	n=$((n + 1))
	is "recorded with $options" "$(tau-record -o r$n $options ./unmapped 2>err)" "$plain"
	ok "and the trace is sound" tau-dump --check r$n
done
tap_end
