/*
 * loop.c THOUSANDS STEPS: a loop of calls that do STEPS steps of arithmetic each, one after the other, without hooks, with them,
 * and without them again, all in one process, so that the processor's speed is the same. Prints the ns of the three. Recorded it
 * shows what recording adds, and what of that a profile can take back.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PLAIN __attribute__((noinline, noclone, no_instrument_function))
#define HOOKED __attribute__((noinline, noclone))

static volatile unsigned long sink;

#define WORK(kind, name) \
	kind unsigned long name(unsigned long x, int steps) \
	{ \
		for (int i = 0; i < steps; i++) \
			x = x * 6364136223846793005u + 1442695040888963407u; \
		return x; \
	}
#define LOOP(kind, name, work) \
	kind void name(long n, int steps) \
	{ \
		unsigned long x = 1; \
		for (long i = 0; i < n; i++) \
			x = work(x, steps); \
		sink = x; \
	}
WORK(PLAIN, work_plain)
LOOP(PLAIN, loop_plain, work_plain)
WORK(HOOKED, work)
LOOP(HOOKED, loop, work)

static PLAIN long long timed(void (*f)(long, int), long n, int steps)
{
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	f(n, steps);
	clock_gettime(CLOCK_MONOTONIC, &b);
	return (b.tv_sec - a.tv_sec) * 1000000000LL + b.tv_nsec - a.tv_nsec;
}

PLAIN int main(int argc, char **argv)
{
	long n = (argc > 1 ? atol(argv[1]) : 1) * 1000;
	int steps = argc > 2 ? atoi(argv[2]) : 30;
	long long before = timed(loop_plain, n, steps), hooked = timed(loop, n, steps);

	printf("%lld %lld %lld\n", before, hooked, timed(loop_plain, n, steps));
	return 0;
}
