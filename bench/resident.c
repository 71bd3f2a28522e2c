/*
 * resident.c THREADS THOUSANDS: THREADS threads make THOUSANDS thousand calls of a small function each, and wait for one another; then it prints
 * how much memory the process holds, in KiB (Rss of /proc/self/smaps_rollup). Compiled with hooks.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_barrier_t done, read_out;
static long calls;
static __thread volatile unsigned sink;

__attribute__((noinline, noclone)) void small(unsigned i)
{
	sink = i * i;
}

__attribute__((noinline, noclone)) void round_of(unsigned i)
{
	small(i);
	small(i + 1);
}

__attribute__((no_instrument_function)) static void *work(void *unused)
{
	for (long i = 0; i < calls; i += 3)
		round_of((unsigned)i);
	pthread_barrier_wait(&done);
	pthread_barrier_wait(&read_out);
	return unused;
}

__attribute__((no_instrument_function)) static long resident(void)
{
	FILE *f = fopen("/proc/self/smaps_rollup", "r");
	char line[256];
	long kib = -1;

	while (f && kib < 0 && fgets(line, sizeof(line), f))
		sscanf(line, "Rss: %ld", &kib);
	if (f)
		fclose(f);
	return kib;
}

__attribute__((no_instrument_function)) int main(int argc, char **argv)
{
	unsigned threads = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	pthread_t t;

	calls = (argc > 2 ? atol(argv[2]) : 100) * 1000;
	pthread_barrier_init(&done, NULL, threads);
	pthread_barrier_init(&read_out, NULL, threads);
	for (unsigned i = 1; i < threads; i++)
		if (pthread_create(&t, NULL, work, NULL))
			return 1;
	for (long i = 0; i < calls; i += 3)
		round_of((unsigned)i);
	pthread_barrier_wait(&done);
	printf("%ld\n", resident());
	fflush(stdout);
	pthread_barrier_wait(&read_out);
	return 0;
}
