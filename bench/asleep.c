/* asleep.c: asleep THREADS: threads that wait in a region each until the program is killed. Compiled with hooks. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((noinline)) void waits(void) { pause(); }

static void *thread(void *unused)
{
	waits();
	return unused;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	pthread_attr_t small;
	pthread_t t;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	while (--n > 0)
		if (pthread_create(&t, &small, thread, NULL))
			return 1;
	puts("asleep");
	fflush(stdout);
	waits();
	return 0;
}
