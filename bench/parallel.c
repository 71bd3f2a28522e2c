/* parallel.c: some threads that call small functions for a while: a run of as many streams, for bench/parallel.sh. */
#include <pthread.h>
#include <stdlib.h>

static volatile unsigned sink;
static long steps;

__attribute__((noinline)) static void leaf(unsigned i)
{
	sink += i;
}

__attribute__((noinline)) static void node(unsigned i)
{
	leaf(i);
	leaf(i + 1);
}

__attribute__((noinline)) static void step(unsigned i)
{
	for (unsigned k = 0; k < 100; k++)
		node(i + k);
}

static void *work(void *to)
{
	for (long i = 0; i < steps; i++)
		step((unsigned)i);
	return to;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 8;
	pthread_t *t = malloc((size_t)n * sizeof(*t));

	steps = argc > 2 ? atol(argv[2]) : 10000;
	for (int i = 0; i < n; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	free(t);
	return 0;
}
