/*
 * spawn_row.c: the row, in the table of the run's processes, of a process that MPI started while the program runs.
 *
 * Such a process has no tau-record, so it adds its row itself when MPI has begun. The row stays STARTED: readers find out whether
 * the process still runs, and whether its trace has an end.
 */
#include "own/own.h"
#include "spawn_row.h"
#include "format.h"
#include "spawn_ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* When the calling process began, in clock ticks after boot: field 22 of /proc/self/stat. The name before may contain anything. */
static uint64_t process_start(void)
{
	char text[1024];
	const char *field;
	long fd = system_call(SYS_openat, AT_FDCWD, "/proc/self/stat", O_RDONLY | O_CLOEXEC, 0), n;

	if (fd < 0)
		return 0;
	n = system_call(SYS_read, fd, text, sizeof(text) - 1);
	system_call(SYS_close, fd);
	text[n > 0 ? n : 0] = 0;
	field = strrchr(text, ')');
	for (int i = 2; i < 22 && field; i++)
		field = strchr(field + 1, ' ');
	return field ? strtoull(field, NULL, 10) : 0;
}

static long table_open(void)
{
	const char *directory = getenv("TAU_RECORD_DIR");
	char path[4096];

	if (!directory || snprintf(path, sizeof(path), "%s/" TAU_PROCESSES_FILE, directory) >=
				  (int)sizeof(path))
		return -1;
	return system_call(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
			   0);
}

/* The table is locked. Its closing line, should it have been printed, was not the last. */
static void row_append(long fd, const struct tau_process_row *row)
{
	struct tau_processes_header head;
	struct stat st;
	uint64_t n;

	if (fstat((int)fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    system_call(SYS_pread64, fd, &head, sizeof(head), 0L) != (long)sizeof(head) ||
	    memcmp(head.magic, TAU_PROCESSES_MAGIC, sizeof(head.magic)) ||
	    head.major != TAU_VERSION_MAJOR || head.header_size != sizeof(head) ||
	    head.row_size != sizeof(*row))
		return;
	n = ((uint64_t)st.st_size - sizeof(head)) / sizeof(*row);
	if (system_call(SYS_pwrite64, fd, row, sizeof(*row),
			(long)(sizeof(head) + n * sizeof(*row))) != (long)sizeof(*row) ||
	    !head.closed)
		return;
	head.closed = 0;
	system_call(SYS_pwrite64, fd, &head, sizeof(head), 0L);
}

void spawn_row_add(int rank)
{
	static int added;
	struct tau_process_row row = {.state = TAU_PROCESS_STARTED, .rank = rank};
	int saved = errno;
	struct utsname here;
	struct timespec now;
	long fd;

	if (!spawn_base() || __atomic_exchange_n(&added, 1, __ATOMIC_RELAXED))
		return;
	fd = table_open();
	if (fd < 0 || uname(&here)) {
		errno = saved;
		return;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	row.pid = row.recorder_pid = (uint32_t)getpid();
	row.recorder_start = process_start();
	row.begin_real_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	snprintf(row.host, sizeof(row.host), "%s", here.nodename);
	if (spawn_lock((int)fd))
		row_append(fd, &row);
	system_call(SYS_close, fd);
	errno = saved;
}
