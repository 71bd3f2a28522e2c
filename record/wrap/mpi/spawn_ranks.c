/*
 * spawn_ranks.c: ranks of processes that MPI starts while the program runs.
 *
 * A file in the directory of the run holds the first rank that is free. It is locked while it is read and written, because several
 * processes may start others at the same time.
 */
#include "own/own.h"
#include "spawn_ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RANKS_FILE ".ranks"

int spawn_base(void)
{
	static int base = -1;
	const char *text;
	long n;

	if (base >= 0)
		return base;
	text = getenv(SPAWN_BASE);
	n = text ? strtol(text, NULL, 10) : 0;
	base = n > 0 && n < INT_MAX / 2 ? (int)n : 0;
	return base;
}

static int ranks_open(void)
{
	const char *directory = getenv("TAU_RECORD_DIR");
	char path[4096];

	if (!directory ||
	    snprintf(path, sizeof(path), "%s/" RANKS_FILE, directory) >= (int)sizeof(path))
		return -1;
	return (int)system_call(SYS_openat, AT_FDCWD, path,
				O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
				getenv("TAU_RECORD_SHARED") ? 0666 : 0600);
}

int spawn_lock(int fd)
{
	static const struct timespec pause = {.tv_nsec = 5000000};
	enum { TRIES = 400 };

	for (int i = 0; i < TRIES; i++) {
		if (system_call(SYS_flock, fd, LOCK_EX | LOCK_NB) == 0)
			return 1;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return 0;
		system_call(SYS_nanosleep, &pause, NULL);
	}
	return 0;
}

static int ranks_update(int fd, int own, int n)
{
	char text[24];
	long got = system_call(SYS_pread64, fd, text, sizeof(text) - 1, 0L), free_rank, length;

	if (got < 0)
		return -1;
	text[got] = 0;
	free_rank = got > 0 ? strtol(text, NULL, 10) : own;
	if (free_rank < own || n < 1 || free_rank > INT_MAX / 2 - n)
		return -1;
	/* As many digits as before, or more. */
	length = snprintf(text, sizeof(text), "%020ld\n", free_rank + n);
	return system_call(SYS_pwrite64, fd, text, length, 0L) == length ? (int)free_rank : -1;
}

int spawn_ranks_claim(int own, int n)
{
	int saved = errno, fd = ranks_open(), first = -1;

	if (fd >= 0) {
		if (spawn_lock(fd))
			first = ranks_update(fd, own, n);
		system_call(SYS_close, fd);
	}
	errno = saved;
	return first;
}
