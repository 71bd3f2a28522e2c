/* selection.c: turns a selective instrumentation file into the table that the recorder reads, in
 * the run. */
#include "selection.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../convert/select.h"

struct paths {
	char **v;
	size_t v_n, v_cap;
};

/* The program, and each "=> /path (0x...)" or "/path (0x...)" of what its loader lists. */
static void paths_find(struct paths *p, const struct target *t)
{
	char real[PATH_MAX];
	const char *line = t->needed;

	*array_add(p, v) = mem_string(realpath(t->elf, real) ? real : t->elf);
	while (line && *line) {
		const char *end = strchrnul(line, '\n'),
			   *at = memchr(line, '/', (size_t)(end - line));
		const char *stop = at ? memchr(at, ' ', (size_t)(end - at)) : NULL;

		if (at)
			*array_add(p, v) = mem_printf("%.*s", (int)((stop ? stop : end) - at), at);
		line = *end ? end + 1 : end;
	}
}

/* Processes with the same table share its file: it is named by what it holds. */
static char *table_name(const char *directory, const unsigned char *table, size_t n)
{
	unsigned long long h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ table[i]) * 0x100000001b3u;
	return mem_printf("%s/.select.%016llx", directory, h);
}

static int file_write(const char *path, const unsigned char *bytes, size_t n, struct error *e)
{
	char *hidden = mem_printf("%s.%ld", path, (long)getpid());
	int fd = open(hidden, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), code = 0;

	if (fd < 0 || write(fd, bytes, n) != (ssize_t)n || close(fd) < 0 ||
	    rename(hidden, path) < 0) {
		code = error_set(e, ERROR_SYSTEM, "%s: cannot write: %s", path,
				 strerror(errno ? errno : ENOSPC));
		unlink(hidden);
	}
	free(hidden);
	return code;
}

int selection_read(const char *file, const char *start, const char *stop, struct select **out,
		   struct error *e)
{
	struct select *s = NULL;

	if (!file)
		s = select_new();
	else if (select_read(file, &s, e) < 0)
		return e->code;
	if (select_ignored(s))
		fprintf(stderr,
			"tau-record: %s: BEGIN_INSTRUMENT_SECTION is ignored (lines in it: %zu)\n",
			file, select_ignored(s));
	if (start)
		select_add_start(s, start);
	if (stop)
		select_add_stop(s, stop);
	*out = s;
	return 0;
}

int selection_write(const char *directory, struct select *s, const struct target *t,
		    struct error *e)
{
	struct paths p = {0};
	unsigned char *table;
	size_t n;
	char *name;
	int code;

	paths_find(&p, t);
	table = select_table(s, (const char *const *)p.v, p.v_n, &n);
	name = table_name(directory, table, n);
	code = file_write(name, table, n, e);
	if (!code)
		setenv("TAU_RECORD_SELECT", name, 1);
	free(name);
	free(table);
	select_free(s);
	for (size_t i = 0; i < p.v_n; i++)
		free(p.v[i]);
	free(p.v);
	return code;
}
