/*
 * collect.c: brings live files that were kept elsewhere into their run. A process that was killed leaves them behind; one
 * that lives on (a daemon) still writes them, so they stay.
 */
#include "collect.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../analyze/base.h"

#define LIVE ".live"

/* The PID in HOST.PID.N.THREAD.live, 0 if the name is another. */
static pid_t pid_of(const char *name)
{
	const char *p = name + strlen(name);
	int dots = 0;

	while (p > name && dots < 4)
		dots += *--p == '.';
	return dots == 4 ? (pid_t)strtol(p + 1, NULL, 10) : 0;
}

static int copy_bytes(int from, int to)
{
	char buffer[65536];
	ssize_t n;

	while ((n = read(from, buffer, sizeof(buffer))) > 0)
		if (write(to, buffer, (size_t)n) != n)
			return -1;
	return n < 0 ? -1 : 0;
}

/* Under a temporary name first, so that a reader never sees half of it. */
static int copy(const char *from, const char *to)
{
	char *fresh = mem_printf("%s.new", to);
	int in = open(from, O_RDONLY | O_CLOEXEC), code = -1;
	int out = in < 0 ? -1 : open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (out >= 0) {
		code = copy_bytes(in, out);
		if (close(out) < 0 || code < 0 || rename(fresh, to) < 0) {
			code = -1;
			unlink(fresh);
		}
	}
	if (in >= 0)
		close(in);
	free(fresh);
	return code;
}

static int move(const char *from, const char *to)
{
	if (rename(from, to) == 0)
		return 0;
	return errno == EXDEV && copy(from, to) == 0 ? unlink(from) : -1;
}

/* Does the run hold the stream that this live file belongs to? */
static int belongs(const char *run, const char *name)
{
	char *trace = mem_printf("%s/%.*s.tau", run, (int)(strlen(name) - strlen(LIVE)), name);
	int there = access(trace, F_OK) == 0;

	free(trace);
	return there;
}

int live_collect(const char *run, const char *live_directory)
{
	DIR *d = opendir(live_directory);
	struct dirent *e;
	int left = 0;

	while (d && (e = readdir(d))) {
		size_t n = strlen(e->d_name);
		char *from, *to;
		pid_t pid;

		if (n < strlen(LIVE) || strcmp(e->d_name + n - strlen(LIVE), LIVE) != 0)
			continue;
		pid = pid_of(e->d_name);
		if (pid <= 0 || kill(pid, 0) == 0 || errno == EPERM || !belongs(run, e->d_name))
			continue;
		from = mem_printf("%s/%s", live_directory, e->d_name);
		to = mem_printf("%s/%s", run, e->d_name);
		left += move(from, to) < 0;
		free(from);
		free(to);
	}
	if (d)
		closedir(d);
	return left;
}
