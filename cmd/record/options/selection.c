/* selection.c: turns a selective instrumentation file into the table that the recorder reads, in
 * the run. */
#include "cmd/record/options/selection.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyze/base/map.h"
#include "cmd/record/options/section.h"
#include "convert/code/select.h"
#include "convert/native/file/run_files.h"

struct selected_paths {
	char **v;
	size_t v_n, v_cap;
};

static void paths_release(struct selected_paths *p)
{
	for (size_t i = 0; i < p->v_n; i++)
		free(p->v[i]);
	free(p->v);
}

/* The program, and what its loader would load. */
static void paths_find(struct selected_paths *p, const struct target *t)
{
	char real[PATH_MAX];

	*array_add(p, v) = mem_string(realpath(t->elf, real) ? real : t->elf);
	for (size_t i = 0; i < t->needed.library_n; i++) {
		const char *path = t->needed.library[i].path;

		if (path && realpath(path, real))
			*array_add(p, v) = mem_string(real);
	}
}

/* Processes with the same table share its file: it is named by what it holds. */
static uint64_t table_number(const unsigned char *table, size_t n)
{
	uint64_t h = hash_bytes(HASH_FIRST, table, n);

	return h ? h : 1;
}

static char *table_name(uint64_t number)
{
	return mem_printf(SELECT_FILE "%016llx", (unsigned long long)number);
}

/* Under a name of its own first, so that a process that starts never sees half of it. */
static int file_write(const char *directory, const char *name, const unsigned char *bytes, size_t n,
		      struct error *e)
{
	char *hidden = mem_printf("%s.%ld", name, (long)getpid());
	int at = run_directory(directory), code = 0;
	int fd = at < 0 ? -1 : run_file_new(at, hidden, run_file_mode(at));

	if (fd < 0 || run_file_write(fd, bytes, n, 0) < 0 || close(fd) < 0 ||
	    renameat(at, hidden, at, name) < 0) {
		code = error_set(e, ERROR_SYSTEM, "%s/%s: cannot write: %s", directory, name,
				 strerror(errno));
		if (at >= 0)
			unlinkat(at, hidden, 0);
	}
	if (at >= 0)
		close(at);
	free(hidden);
	return code;
}

int selection_read(const struct record_selection *given, struct select **out, struct error *e)
{
	struct select *s = NULL;

	if (!given->file)
		s = select_new();
	else if (select_read(given->file, &s, e) < 0)
		return e->code;
	if (job_speaks())
		section_print(s, given->file);
	if (given->start)
		select_add_start(s, given->start);
	if (given->stop)
		select_add_stop(s, given->stop);
	if (given->patch)
		select_add_patch(s, given->patch);
	*out = s;
	return 0;
}

/* Writes a table of these modules under its number. */
static int table_write(const char *directory, struct select *s, const struct selected_paths *p,
		       uint64_t *number, struct error *e)
{
	size_t n;
	unsigned char *table = select_table(s, (const char *const *)p->v, p->v_n, &n);
	char *name;
	int code;

	if (!*number)
		*number = table_number(table, n);
	name = table_name(*number);
	code = file_write(directory, name, table, n, e);
	free(name);
	free(table);
	return code;
}

int selection_write(const char *directory, struct select *s, const struct target *t,
		    struct error *e)
{
	struct selected_paths p = {0};
	uint64_t number = 0;
	char *path;
	int code;

	paths_find(&p, t);
	code = table_write(directory, s, &p, &number, e);
	path = mem_printf("%s/" SELECT_FILE "%016llx", directory, (unsigned long long)number);
	if (!code)
		setenv("TAU_RECORD_SELECT", path, 1);
	free(path);
	paths_release(&p);
	return code;
}

int selection_add(const char *directory, struct select *s, const char *path, uint64_t number,
		  struct error *e)
{
	struct selected_paths p = {0};
	int code;

	*array_add(&p, v) = mem_string(path);
	code = table_write(directory, s, &p, &number, e);
	paths_release(&p);
	return code;
}

/* ---- during the run ---- */

static void path_add(void *to, const char *path, size_t n)
{
	struct selected_paths *p = to;

	for (size_t i = 0; i < p->v_n; i++)
		if (strlen(p->v[i]) == n && !memcmp(p->v[i], path, n))
			return;
	*array_add(p, v) = mem_printf("%.*s", (int)n, path);
}

/* Files whose code a process has mapped. */
static void paths_mapped(struct selected_paths *p, uint32_t pid)
{
	char *name = mem_printf("/proc/%u/maps", pid), *line = NULL, *path;
	FILE *f = fopen(name, "re");
	size_t cap = 0;

	while (f && getline(&line, &cap, f) >= 0) {
		line[strcspn(line, "\n")] = 0;
		path = strchr(line, '/');
		if (path && strstr(line, " r-xp ") && access(path, R_OK) == 0)
			path_add(p, path, strlen(path));
	}
	if (f)
		fclose(f);
	free(line);
	free(name);
}

/* The modules of a table of the run, which holds at most 1 GiB. */
static int table_add(int at, const char *name, struct selected_paths *p, struct error *e)
{
	int fd = run_file_open(at, name, O_RDONLY | O_NONBLOCK), code;
	off_t n = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	unsigned char *table = n > 0 && n < 1 << 30 ? mem_alloc((size_t)n) : NULL;

	if (!table || pread(fd, table, (size_t)n, 0) != n)
		code = error_set(e, ERROR_INPUT, "%s: the selection of the run cannot be read",
				 name);
	else
		code = select_table_modules(table, (size_t)n, path_add, p, e);
	if (fd >= 0)
		close(fd);
	free(table);
	return code;
}

/* Those of the programs that were started with --select, --start or --stop, on all hosts. */
static int tables_add(int at, struct selected_paths *p, struct error *e)
{
	DIR *d = fdopendir(dup(at));
	struct dirent *entry;
	int code = 0;

	if (!d)
		return error_set(e, ERROR_SYSTEM, "the run cannot be read: %s", strerror(errno));
	while (!code && (entry = readdir(d)))
		if (!strncmp(entry->d_name, SELECT_FILE, strlen(SELECT_FILE)) &&
		    strlen(entry->d_name) == strlen(SELECT_FILE) + 16)
			code = table_add(at, entry->d_name, p, e);
	closedir(d);
	return code;
}

int selection_change(const char *directory, int include, const char *name, const uint32_t *pid,
		     size_t pid_n, uint64_t *number, struct error *e)
{
	struct select *s = select_new_now(include, name);
	struct selected_paths p = {0};
	int at = run_directory(directory), code;

	*number = 0;
	code = at < 0 ? error_set(e, ERROR_SYSTEM, "%s: %s", directory, strerror(errno))
		      : tables_add(at, &p, e);
	for (size_t i = 0; i < pid_n; i++)
		paths_mapped(&p, pid[i]);
	if (!code)
		code = table_write(directory, s, &p, number, e);
	if (at >= 0)
		close(at);
	select_free(s);
	paths_release(&p);
	return code;
}
