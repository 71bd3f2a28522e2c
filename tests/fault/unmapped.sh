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

# OpenSHMEM of Open MPI, opened at run time, takes each piece of writable memory below itself for variables of the program, and ends by
# a signal at more than 32. The recorder's is one, however many tables have grown.
cat >pieces.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define SILENT __attribute__((no_instrument_function))
static pthread_barrier_t all;
static void deep(int n) { if (n) deep(n - 1); }
SILENT static void *thread(void *of)
{
	void *block[500];

	deep(3000);
	for (int i = 0; i < 500; i++)
		block[i] = malloc(1 + (size_t)(i * 37 % 900));
	for (int i = 0; i < 500; i++)
		free(block[i]);
	pthread_barrier_wait(&all);
	return of;
}
/* Pieces of private writable memory in the recorder's area; adjacent ones are one. */
SILENT int main(void)
{
	unsigned long begin, end, last = 0;
	char line[4000], rights[8];
	pthread_t t[20];
	int pieces = 0;
	FILE *f;

	pthread_barrier_init(&all, NULL, 21);
	for (int i = 0; i < 20; i++)
		pthread_create(&t[i], NULL, thread, NULL);
	pthread_barrier_wait(&all);
	for (int i = 0; i < 20; i++)
		pthread_join(t[i], NULL);
	f = fopen("/proc/self/maps", "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %7s", &begin, &end, rights) == 3 && !strcmp(rights, "rw-p") && begin >> 40 >= 0x68 &&
		    begin >> 40 < 0x6e) {
			pieces += begin != last;
			last = end;
		}
	printf("%d\n", pieces);
	return 0;
}
END
if ${CC:-cc} -g -O0 -finstrument-functions pieces.c -o pieces -lpthread; then
	for how in "-w none" "-w memory,pthread,io" "-w memory --memory=leaks" "--fold=1us"; do
		# shellcheck disable=SC2086
		is "the recorder's memory is one piece: $how" "$(tau-record $how -o pieces.run ./pieces 2>/dev/null)" 1
		rm -rf pieces.run
	done
	is "with a limit of the address space, what is freed is unmapped" \
		"$( (ulimit -v 8000000; [ "$(tau-record -w memory -o pieces.run ./pieces 2>/dev/null)" -gt 1 ] && echo more))" more
fi
tap_end
