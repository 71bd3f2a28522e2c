/* output.c: collects a command's output, in memory or in a temporary file, and delivers it in one piece. */
#include "cmd/shared/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/base/mem_stream.h"
#include "analyze/base/text.h"

void output_open(struct output *o)
{
	memset(o, 0, sizeof(*o));
	o->file = mem_stream(&o->text, &o->length);
	__fsetlocking(o->file, FSETLOCKING_BYCALLER);	/* no other file has it */
}

void output_drop(struct output *o)
{
	if (o->file && o->file != stdout)
		fclose(o->file);
	if (o->temporary)
		unlink(o->temporary);
	free(o->temporary);
	free(o->text);
	memset(o, 0, sizeof(*o));
}

int output_write(int fd, const char *s, size_t n)
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

/* A device, a pipe or a terminal cannot be replaced by a rename: it is written in place. */
static int is_special(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode);
}

static int is_standard(const char *path)
{
	return !path || !strcmp(path, "-");
}

/* A file under a temporary name beside path, with the permissions that path is to have; -1 and errno. */
static int temporary_open(struct output *o, const char *path)
{
	mode_t mask = umask(0);
	int fd, bad;

	umask(mask);
	o->temporary = mem_printf("%s.XXXXXX", path);
	fd = mkostemp(o->temporary, O_CLOEXEC);
	if (fd >= 0 && !fchmod(fd, 0666 & ~mask))
		return fd;
	bad = errno;
	if (fd >= 0) {
		close(fd);
		unlink(o->temporary);
	}
	free(o->temporary);
	o->temporary = NULL;
	errno = bad;
	return -1;
}

/*
 * What a terminal gets: data may contain what it takes for an order. Lines, tabs and what the formats themselves write stay as
 * they are.
 */
static void terminal_put(const char *s, size_t n)
{
	for (size_t i = 0, length; i < n; i += length) {
		length = text_plain(s + i);
		if (!length)
			length = s[i] == '\n' || s[i] == '\t' || (s[i] == '\r' && s[i + 1] == '\n');
		if (length) {
			fwrite(s + i, 1, length, stdout);
			continue;
		}
		printf("\\x%02x", (unsigned char)s[i]);
		length = 1;
	}
}

static void put_standard(const struct output *o)
{
	if (isatty(STDOUT_FILENO))
		terminal_put(o->text, o->length);
	else
		fwrite(o->text, 1, o->length, stdout);
}

int output_begin(struct output *o, const char *path, struct error *e)
{
	int fd;

	if (is_standard(path) && isatty(STDOUT_FILENO)) {
		output_open(o);
		return 0;
	}
	memset(o, 0, sizeof(*o));
	o->written = 1;
	if (is_standard(path)) {
		o->file = stdout;
		return 0;
	}
	fd = is_special(path) ? open(path, O_WRONLY | O_CLOEXEC) : temporary_open(o, path);
	o->file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!o->file)
		return error_set(e, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	__fsetlocking(o->file, FSETLOCKING_BYCALLER);
	return 0;
}

int output_flush(struct output *o, const char *path, struct error *e)
{
	if (!o->written && is_standard(path) && !fflush(o->file)) {
		put_standard(o);
		rewind(o->file);
		return fflush(stdout) ? error_set(e, ERROR_SYSTEM, "standard output: %s",
						  strerror(errno))
				      : 0;
	}
	if (!o->written || (!fflush(o->file) && !ferror(o->file)))
		return 0;
	return error_set(e, ERROR_SYSTEM, "%s: %s", is_standard(path) ? "standard output" : path,
			 strerror(errno));
}

/* Puts what is in memory where it belongs, as output_begin() does. */
static int deliver(struct output *o, const char *path, struct error *e)
{
	int fd = is_special(path) ? open(path, O_WRONLY | O_CLOEXEC) : temporary_open(o, path);
	int bad = fd < 0 || output_write(fd, o->text, o->length) ? errno : 0;

	if (fd >= 0 && close(fd) && !bad)
		bad = errno;
	return bad ? error_set(e, ERROR_SYSTEM, "%s: %s", path, strerror(bad)) : 0;
}

int output_close(struct output *o, const char *path, struct error *e)
{
	int rc = o->written ? output_flush(o, path, e) : 0;
	int bad = o->file != stdout && fclose(o->file);

	o->file = NULL;
	if (bad && !rc)
		rc = error_set(e, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	if (!o->written && is_standard(path))
		put_standard(o); /* program_end() sees a failure */
	else if (!o->written)
		rc = deliver(o, path, e);
	if (!rc && o->temporary && rename(o->temporary, path))
		rc = error_set(e, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	if (!rc) {
		free(o->temporary);
		o->temporary = NULL;
	}
	output_drop(o);
	return rc;
}
