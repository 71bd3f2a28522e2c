/* selection.c: turns a selective instrumentation file into the table that the recorder reads, in
 * the run. */
#include "cmd/record/selection.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "convert/native/run_files.h"
#include "convert/code/select.h"

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
static char *table_name(const unsigned char *table, size_t n)
{
	unsigned long long h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ table[i]) * 0x100000001b3u;
	return mem_printf(".select.%016llx", h);
}

/* Under a name of its own first, so that a process that starts never sees half of it. */
static int file_write(const char *directory, const char *name, const unsigned char *bytes, size_t n,
		      struct error *e)
{
	char *hidden = mem_printf("%s.%ld", name, (long)getpid());
	int at = run_directory(directory), code = 0;
	int fd = at < 0 ? -1 : run_file_new(at, hidden, run_file_mode(at));

	if (fd < 0 || write(fd, bytes, n) != (ssize_t)n || close(fd) < 0 ||
	    renameat(at, hidden, at, name) < 0) {
		code = error_set(e, ERROR_SYSTEM, "%s/%s: cannot write: %s", directory, name,
				 strerror(errno ? errno : ENOSPC));
		if (at >= 0)
			unlinkat(at, hidden, 0);
	}
	if (at >= 0)
		close(at);
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
			"tau-record: %s: BEGIN_INSTRUMENT_SECTION is ignored (its lines: %zu)\n",
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
	char *name, *path;
	int code;

	paths_find(&p, t);
	table = select_table(s, (const char *const *)p.v, p.v_n, &n);
	name = table_name(table, n);
	path = mem_printf("%s/%s", directory, name);
	code = file_write(directory, name, table, n, e);
	if (!code)
		setenv("TAU_RECORD_SELECT", path, 1);
	free(path);
	free(name);
	free(table);
	select_free(s);
	for (size_t i = 0; i < p.v_n; i++)
		free(p.v[i]);
	free(p.v);
	return code;
}
