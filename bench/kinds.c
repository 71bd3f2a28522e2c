/*
 * kinds.c KIND COUNT [THREADS]: does COUNT times, in each thread, what programs of one kind do, for what recording costs them.
 * Compiled with hooks and without.
 *
 *   tiny   calls a function that does next to nothing      fib    calls a function that calls itself
 *   work   calls a function of some 100 ns                 cache  calls a function that reads memory far away
 *   file   writes and reads back 64 bytes                  lock   takes and returns a lock
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BARE __attribute__((no_instrument_function))
#define FAR  (1u << 22)

static __thread volatile int sink;
static unsigned *far_away;

__attribute__((noinline, noclone)) static void tiny(int i)
{
	sink = i;
}

__attribute__((noinline, noclone)) static int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__attribute__((noinline, noclone)) static unsigned work(unsigned x)
{
	for (int i = 0; i < 60; i++)
		x = x * 1664525 + 1013904223;
	return x;
}

__attribute__((noinline, noclone)) static unsigned cache(unsigned x)
{
	return far_away[x % FAR] + x * 1664525 + 1013904223;
}

BARE static void files(long n)
{
	char name[] = "/tmp/kinds.XXXXXX", bytes[64] = "some bytes";
	int fd = mkstemp(name);

	unlink(name);
	for (long i = 0; i < n; i++)
		if (pwrite(fd, bytes, sizeof(bytes), i % 4096) < 0 || pread(fd, bytes, sizeof(bytes), i % 4096) < 0)
			exit(4);
	close(fd);
}

BARE static void locks(long n)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	for (long i = 0; i < n; i++) {
		pthread_mutex_lock(&lock);
		sink = (int)i;
		pthread_mutex_unlock(&lock);
	}
}

struct job {
	const char *kind;
	long n;
};

BARE static void *run(void *argument)
{
	const struct job *j = argument;
	unsigned x = 1;

	if (!strcmp(j->kind, "file"))
		files(j->n);
	else if (!strcmp(j->kind, "lock"))
		locks(j->n);
	else if (!strcmp(j->kind, "tiny"))
		for (long i = 0; i < j->n; i++)
			tiny((int)i);
	else if (!strcmp(j->kind, "fib"))
		for (long i = 0; i < j->n; i += 21891)	/* calls of fib(20) */
			sink = fib(20);
	else if (!strcmp(j->kind, "work"))
		for (long i = 0; i < j->n; i++)
			x = work(x);
	else if (!strcmp(j->kind, "cache"))
		for (long i = 0; i < j->n; i++)
			x = cache(x);
	sink = (int)x;
	return NULL;
}

BARE int main(int argc, char **argv)
{
	struct job j = {argc > 1 ? argv[1] : "", argc > 2 ? atol(argv[2]) : 1000000};
	int threads = argc > 3 ? atoi(argv[3]) : 1;
	pthread_t *t = calloc((size_t)threads, sizeof(*t));

	far_away = malloc(FAR * sizeof(*far_away));
	memset(far_away, 0, FAR * sizeof(*far_away));
	for (int i = 1; i < threads; i++)
		pthread_create(&t[i], NULL, run, &j);
	run(&j);
	for (int i = 1; i < threads; i++)
		pthread_join(t[i], NULL);
	return 0;
}
