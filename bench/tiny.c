/*
 * tiny.c [MILLIONS [THREADS]]: calls a function that does next to nothing, so often in each of the threads: what a hook costs when it is
 * all there is.
 */
#include <pthread.h>
#include <stdlib.h>

static __thread volatile int sink;

__attribute__((noinline, noclone)) void tiny(int i)
{
	sink = i;
}

__attribute__((no_instrument_function)) static void *calls(void *times)
{
	for (long i = 0; i < *(long *)times; i++)
		tiny((int)i);
	return NULL;
}

__attribute__((no_instrument_function)) int main(int argc, char **argv)
{
	long n = (argc > 1 ? atol(argv[1]) : 10) * 1000000;
	int threads = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t *t = calloc((size_t)threads, sizeof(*t));

	for (int i = 1; i < threads; i++)
		pthread_create(&t[i], NULL, calls, &n);
	calls(&n);
	for (int i = 1; i < threads; i++)
		pthread_join(t[i], NULL);
	return 0;
}
