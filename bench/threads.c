/*
 * threads.c N [FOLDER]: N threads of one parallel region, which make some calls each. With FOLDER each also does by itself what a
 * thread's stream consists of: a file that is made and appended to once, and three pages of a file that all of them share.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PLAIN __attribute__((no_instrument_function))
#define PLACE (60 * 4096)

static volatile unsigned sink;

__attribute__((noinline)) static void leaf(unsigned i)
{
	sink += i;
}

PLAIN static void append(const char *name, int flags, size_t n)
{
	static const char bytes[256];
	int fd = open(name, O_WRONLY | O_CLOEXEC | flags, 0600);

	if (fd < 0 || write(fd, bytes, n) < 0 || close(fd))
		abort();
}

PLAIN static void stream(const char *folder, char *shared, int number)
{
	char *place = shared + (size_t)number * PLACE, name[4096];

	snprintf(name, sizeof(name), "%s/%d", folder, number);
	append(name, O_CREAT | O_EXCL, 64);
	for (int i = 0; i < 3; i++)
		madvise(place + i * 16384, 4096, MADV_POPULATE_WRITE);
	append(name, O_APPEND, 200);
}

PLAIN static char *share(const char *folder, size_t size)
{
	char name[4096], *p;
	int fd;

	snprintf(name, sizeof(name), "%s/shared", folder);
	fd = open(name, O_RDWR | O_CREAT, 0600);
	if (fd < 0 || posix_fallocate(fd, 0, (off_t)size))
		abort();
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return p == MAP_FAILED ? NULL : p;
}

PLAIN int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	const char *folder = argc > 2 ? argv[2] : NULL;
	char *shared = folder ? share(folder, (size_t)n * PLACE) : NULL;

#pragma omp parallel num_threads(n)
	{
		if (shared)
			stream(folder, shared, omp_get_thread_num());
		for (unsigned i = 0; i < 10; i++)
			leaf(i);
	}
	return 0;
}
