/*
 * collect.c: brings live files that were kept elsewhere into their run, in place of the links to them. A process that was
 * killed does not remove them; one that lives on (a daemon) still writes them, so they stay.
 */
#include "cmd/record/summary/collect.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/base/base.h"
#include "convert/native/file/run_files.h"

static const char *const suffixes[] = {".live", ".fold"};

/* The PID in HOST.PID.N.THREAD.live or .fold, 0 if the name is another. */
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
	char buffer[8192];
	ssize_t n;

	while ((n = read(from, buffer, sizeof(buffer))) > 0)
		if (write(to, buffer, (size_t)n) != n)
			return -1;
	return n < 0 ? -1 : 0;
}

/* Under a temporary name first, so that a reader never sees half of it. */
static int copy(const char *from, int run, const char *name)
{
	char *fresh = mem_printf("%s.new", name);
	int in = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), code = -1;
	int out = in < 0 ? -1 : run_file_new(run, fresh, run_file_mode(run));

	if (out >= 0) {
		code = copy_bytes(in, out);
		if (close(out) < 0 || code < 0 || renameat(run, fresh, run, name) < 0) {
			code = -1;
			unlinkat(run, fresh, 0);
		}
	}
	if (in >= 0)
		close(in);
	free(fresh);
	return code;
}

static int move(const char *from, int run, const char *name)
{
	if (renameat(AT_FDCWD, from, run, name) == 0)
		return 0;
	return errno == EXDEV && copy(from, run, name) == 0 ? unlink(from) : -1;
}

/* Does a link lead to a regular file of this user in the directory of live files? Another link is not the recorder's. */
static int is_ours(const char *from, const char *live)
{
	size_t n = strlen(live);
	struct stat st;

	return !strncmp(from, live, n) && from[n] == '/' && !strchr(from + n + 1, '/') &&
	       lstat(from, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid();
}

static int is_live(const char *name)
{
	const char *end = strrchr(name, '.');

	return end && (!strcmp(end, suffixes[0]) || !strcmp(end, suffixes[1]));
}

int live_collect(const char *run, const char *live_dir)
{
	DIR *d = opendir(run);
	struct dirent *e;
	char from[PATH_MAX], live[PATH_MAX];
	int left = 0;

	if (!realpath(live_dir, live))
		*live = 0;
	while (d && (e = readdir(d))) {
		ssize_t length;
		pid_t pid;

		if (!is_live(e->d_name))
			continue;
		pid = pid_of(e->d_name);
		if (pid <= 0 || kill(pid, 0) == 0 || errno == EPERM)
			continue;
		length = readlinkat(dirfd(d), e->d_name, from, sizeof(from) - 1);
		from[length > 0 ? length : 0] = 0;
		/* A file that is not there is on another host, whose own tau-record brings it. */
		if (length > 0 && is_ours(from, live))
			left += move(from, dirfd(d), e->d_name) < 0;
	}
	if (d)
		closedir(d);
	return left;
}

int live_writable(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return 0;
	if (!S_ISDIR(st.st_mode)) {
		errno = ENOTDIR;
		return 0;
	}
	return access(path, W_OK | X_OK) == 0;
}
