/*
 * failing.c: preloaded after the recorder, makes the recorder's system calls fail: call number FAIL_AT (1, 2, 3 ...) of those that it
 * makes by syscall() or mmap(), or with FAIL_EVER that one and all later ones of the same kind. FAIL_SHORT=1: half of a write is
 * done instead. FAIL_KILL=1: the program is killed instead, and reading a clock counts as a call. SLOW_US: calls on files take this
 * time. FAIL_LOG: a file that gets the number of calls counted.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static const struct {
	long number;
	int error;
} kinds[] = {
	{ SYS_openat, EMFILE }, { SYS_write, ENOSPC }, { SYS_fallocate, ENOSPC }, { SYS_mmap, ENOMEM }, { SYS_ftruncate, EIO },
	{ SYS_renameat2, EIO }, { SYS_unlinkat, EIO }, { SYS_close, EIO }, { SYS_clock_gettime, EINVAL },
};
#define KINDS (sizeof(kinds) / sizeof(*kinds))

static long at, ever, halve, kills, slow_us, calls, failing;
static const char *log_path;

__attribute__((constructor(101))) static void begin(void)
{
	const char *v;

	at = (v = getenv("FAIL_AT")) ? atol(v) : 0;
	ever = getenv("FAIL_EVER") != NULL;
	halve = getenv("FAIL_SHORT") != NULL;
	kills = getenv("FAIL_KILL") != NULL;
	slow_us = (v = getenv("SLOW_US")) ? atol(v) : 0;
	log_path = getenv("FAIL_LOG");
}

__attribute__((destructor(101))) static void end(void)
{
	FILE *f = log_path ? fopen(log_path, "w") : NULL;

	if (f) {
		fprintf(f, "%ld\n", calls);
		fclose(f);
	}
}

static int find(long number)
{
	for (int i = 0; i < (int)KINDS; i++)
		if (kinds[i].number == number)
			return i;
	return -1;
}

/* Must this call fail? */
static int fails(int kind)
{
	struct timespec t = { 0, slow_us * 1000 };
	long n;

	if (kind < 0)
		return 0;
	if (slow_us && kinds[kind].number != SYS_mmap)
		nanosleep(&t, NULL);
	n = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
	if (!at)
		return 0;
	if (n == at && kills)
		kill(getpid(), SIGKILL);
	if (n == at)
		failing = kinds[kind].number;
	return n == at || (ever && n > at && failing == kinds[kind].number);
}

EXPORT long syscall(long number, ...)
{
	static long (*real)(long, ...);
	long a[6];
	va_list more;
	int kind = find(number);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "syscall");
	va_start(more, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(more, long);
	va_end(more);
	if (fails(kind)) {
		if (halve && number == SYS_write && a[2] > 1)
			return real(number, a[0], a[1], a[2] / 2);
		if (!halve) {
			if (number == SYS_close)
				real(number, a[0]);
			errno = kinds[kind].error;
			return -1;
		}
	}
	return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

EXPORT void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
	static void *(*real)(void *, size_t, int, int, int, off_t);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "mmap");
	if (!halve && fails(find(SYS_mmap))) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	return real(address, length, protection, flags, fd, offset);
}

EXPORT int clock_gettime(clockid_t clock, struct timespec *t)
{
	static int (*real)(clockid_t, struct timespec *);

	if (kills)
		fails(find(SYS_clock_gettime));
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
	return real(clock, t);
}
