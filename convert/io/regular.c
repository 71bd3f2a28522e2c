/* regular.c: opens only files that cannot block a reader. */
#include "convert/io/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse(const char *path, const struct stat *st, struct error *e)
{
	const char *what = S_ISFIFO(st->st_mode)   ? "a FIFO"
			   : S_ISSOCK(st->st_mode) ? "a socket"
			   : S_ISDIR(st->st_mode)  ? "a directory"
						   : "a device";

	return error_set(e, ERROR_INPUT, "%s: %s, not a regular file", path, what);
}

int regular_open(const char *path, struct error *e)
{
	struct error unheard;
	struct stat st;
	int fd, code;

	e = e ? e : &unheard;
	/* opening and closing a FIFO would end its writer */
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return refuse(path, &st, e);
	/* without O_NONBLOCK, open() waits for a writer if the file has become a FIFO meanwhile */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return error_set(e, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		return fd;
	code = refuse(path, &st, e);
	close(fd);
	return code;
}

FILE *regular_fopen(const char *path, struct error *e)
{
	int fd = regular_open(path, e);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");

	if (fd >= 0 && !f) {
		if (e)
			error_set(e, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
		close(fd);
	}
	return f;
}

int regular_check(const char *path, struct error *e)
{
	struct stat st;

	if (stat(path, &st))
		return error_set(e, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	if (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
		return 0;
	return refuse(path, &st, e);
}
