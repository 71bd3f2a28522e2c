/* output.c: collects a command's output in memory and delivers it in one piece. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void output_open(struct output *o)
{
	memset(o, 0, sizeof(*o));
	o->file = open_memstream(&o->text, &o->length);
	if (!o->file)
		mem_resize(NULL, SIZE_MAX, 2);	/* the one way out when there is no memory */
	__fsetlocking(o->file, FSETLOCKING_BYCALLER);	/* nobody else has it */
}

void output_drop(struct output *o)
{
	if (o->file)
		fclose(o->file);
	free(o->text);
	memset(o, 0, sizeof(*o));
}

static int write_all(int fd, const char *s, size_t n)
{
	while (n) {
		ssize_t done = write(fd, s, n);

		if (done < 0 && errno != EINTR)
			return -1;
		if (done > 0) {
			s += done;
			n -= (size_t)done;
		}
	}
	return 0;
}

/* A device, a pipe or a terminal cannot be replaced by a rename: it is written as it stands. */
static int is_special(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode);
}

static int write_special(const struct output *o, const char *path, struct error *e)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), bad;

	if (fd < 0)
		return error_set(e, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	bad = write_all(fd, o->text, o->length) ? errno : 0;
	close(fd);
	return bad ? error_set(e, ERROR_SYSTEM, "%s: %s", path, strerror(bad)) : 0;
}

static int write_file(const struct output *o, const char *path, struct error *e)
{
	char *name = mem_printf("%s.XXXXXX", path);
	mode_t mask = umask(0);
	int fd, bad;

	umask(mask);
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0) {
		free(name);
		return error_set(e, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	}
	bad = fchmod(fd, 0666 & ~mask) || write_all(fd, o->text, o->length) ? errno : 0;
	if (close(fd) && !bad)
		bad = errno;
	if (!bad && rename(name, path))
		bad = errno;
	if (bad)
		unlink(name);
	free(name);
	return bad ? error_set(e, ERROR_SYSTEM, "%s: %s", path, strerror(bad)) : 0;
}

int output_close(struct output *o, const char *path, struct error *e)
{
	int rc = 0;

	fclose(o->file);
	o->file = NULL;
	if (path && strcmp(path, "-") != 0)
		rc = is_special(path) ? write_special(o, path, e) : write_file(o, path, e);
	else
		fwrite(o->text, 1, o->length, stdout);	/* program_end() sees a failure */
	output_drop(o);
	return rc;
}
