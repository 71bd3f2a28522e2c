/*
 * loop.c THOUSANDS STEPS: a loop of calls that do STEPS steps of arithmetic each, one after the other; prints how many ns the loop took. Compiled with
 * hooks it shows what recording adds, and what of that a profile can take back.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sink;

__attribute__((noinline, noclone)) unsigned long work(unsigned long x, int steps)
{
	for (int i = 0; i < steps; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	return x;
}

__attribute__((noinline, noclone)) void loop(long n, int steps)
{
	unsigned long x = 1;

	for (long i = 0; i < n; i++)
		x = work(x, steps);
	sink = x;
}

__attribute__((no_instrument_function)) int main(int argc, char **argv)
{
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	loop((argc > 1 ? atol(argv[1]) : 1) * 1000, argc > 2 ? atoi(argv[2]) : 30);
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("%lld\n", (b.tv_sec - a.tv_sec) * 1000000000LL + b.tv_nsec - a.tv_nsec);
	return 0;
}
