/*
 * alloc.c: allocates in a few shapes, for what recording it costs.
 *
 *   alloc pair N      N times malloc of 40 bytes and free
 *   alloc ring N      N times malloc of 16 to 511 bytes, and free of what was allocated 1000 times before
 *   alloc deep N      N times malloc of 40 bytes and free, 10 calls below main
 *   alloc tree N      the same by 1024 paths of 10 calls, one after the other
 *   alloc heap BYTES  keeps blocks of 16 to 271 bytes, BYTES in all, and prints the most memory it had resident, in KiB
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RING 1000

static void pairs(long n)
{
	while (n-- > 0) {
		void *p = malloc(40);

		__asm__ volatile("" : : "r"(p) : "memory");
		free(p);
	}
}

static void ring(long n)
{
	static void *kept[RING];
	unsigned seed = 1;

	for (long i = 0; i < n; i++) {
		free(kept[i % RING]);
		seed = seed * 1103515245 + 12345;
		kept[i % RING] = malloc(16 + (seed >> 16) % 32 * 16);
	}
	for (long i = 0; i < RING; i++)
		free(kept[i]);
}

#define DEEP 10

/* This number of calls down, each by one of two places in its caller when there are two. */
static __attribute__((noinline)) void down(int calls, long n, int both)
{
	if (!calls) {
		pairs(n);
	} else {
		down(calls - 1, n, both);
		__asm__ volatile("");
		if (both)
			down(calls - 1, n, both);
	}
	__asm__ volatile("");
}

static long resident_kib(void)
{
	char line[256];
	long kib = 0;
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmHWM: %ld", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return kib;
}

static void heap(long bytes)
{
	void **newest = NULL;
	unsigned seed = 1;

	while (bytes > 0) {
		size_t n;
		void **p;

		seed = seed * 1103515245 + 12345;
		n = 16 + (seed >> 16) % 256;
		p = malloc(n);
		memset(p, 1, n);
		*p = newest;
		newest = p;
		bytes -= (long)n;
	}
	fprintf(stderr, "resident %ld\n", resident_kib());
}

int main(int argc, char **argv)
{
	long n = argc > 2 ? atol(argv[2]) : 1000000;

	if (argc < 2)
		return 2;
	if (!strcmp(argv[1], "pair"))
		pairs(n);
	else if (!strcmp(argv[1], "ring"))
		ring(n);
	else if (!strcmp(argv[1], "deep"))
		down(DEEP - 1, n, 0);
	else if (!strcmp(argv[1], "tree"))
		for (; n > 0; n -= 1 << DEEP)
			down(DEEP, 1, 1);
	else if (!strcmp(argv[1], "heap"))
		heap(n);
	else
		return 2;
	return 0;
}
