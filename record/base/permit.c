/*
 * permit.c: whether this process may be recorded: a seccomp filter that it inherited may kill it at our first system call.
 *
 * Until that is known we make only system calls that the dynamic loader has made to load us, with the same flags: openat, read
 * and close. /proc/self/status contains the number of filters. Filters are inherited and never removed, so if their number is
 * that of tau-record, they are the same ones; tau-record has tested that those kill no process (TAU_RECORD_SECCOMP). Other
 * filters cannot be tested, because a filter may kill the process for the test.
 */
#include "record/base/permit.h"
#include "record/api.h"
#include "record/base/compiler.h"
#include "record/own/own.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The number that follows a name in /proc/self/status; -1: the name is absent. */
static int status_number(const char *status, const char *name)
{
	const char *at = strstr(status, name);

	return at ? (int)strtol(at + strlen(name), NULL, 10) : -1;
}

/* False: it cannot be read. */
static bool status_read(char *out, size_t size)
{
	long fd = system_call(SYS_openat, AT_FDCWD, "/proc/self/status", O_RDONLY | O_CLOEXEC, 0),
	     n;
	size_t have = 0;

	if (fd < 0)
		return false;
	while ((n = system_call(SYS_read, fd, out + have, size - 1 - have)) > 0)
		have += (size_t)n;
	system_call(SYS_close, fd);
	out[have] = 0;
	return have > 0;
}

/*
 * TAU_RECORD_SECCOMP, set by tau-record: "trust", record under any filter; "unknown", there was no /proc; or the number of
 * tau-record's filters, -1: some, on a kernel before 5.9, which does not count them. If it is unset, there are none.
 */
static bool traced;

bool process_traced(void)
{
	return traced;
}

static bool filters_permit(void)
{
	const char *known = getenv("TAU_RECORD_SECCOMP");
	int filters, mode;
	char status[8192];

	if (known && !strcmp(known, "trust"))
		return true;
	if (!status_read(status, sizeof(status)))
		return known && !strcmp(known, "unknown");
	traced = status_number(status, "\nTracerPid:") > 0;
	mode = status_number(status, "\nSeccomp:");
	filters = status_number(status, "\nSeccomp_filters:");
	if (mode <= 0)
		return true;
	return known && strcmp(known, "0") && filters == (int)strtol(known, NULL, 10);
}

/* Opens a file: tau-record notices that, and reports at the end why processes were not recorded. We may not even write. */
static void filtered_write(void)
{
	const char *path = getenv("TAU_RECORD_FILTERED");
	long fd = path ? system_call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0) : -1;

	if (fd >= 0)
		system_call(SYS_close, fd);
}

/* The loader calls resolvers, functions of .preinit_array and malloc() before libc's constructor, which sets the environment. */
static bool constructed;	/* libc's constructor has run */

void environment_ready(void)
{
	constructed = true;
}

bool environment_known(void)
{
	return constructed || environ;
}

int tau_permitted(void)
{
	static int answer;	/* 1: yes, 2: no */
	const char *directory;
	int saved;

	if (likely(answer))
		return answer == 1;
	if (!environment_known())
		return 0;
	saved = errno;
	directory = getenv("TAU_RECORD_DIR");
	answer = directory && *directory && filters_permit() ? 1 : 2;
	if (answer == 2 && directory)
		filtered_write();
	errno = saved;
	return answer == 1;
}
