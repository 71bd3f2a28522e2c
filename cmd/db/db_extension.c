/*
 * db_extension.c: libtau_sqlite.so: the tables event and call (db/events.h) in any program that uses SQLite. A run is opened when a
 * query names it, and closed with the connection.
 */
#include "db/extension.h"

#include <stddef.h>
#include <string.h>

#include "cmd/db/db_trace.h"
#include "db/events_table.h"

SQLITE_EXTENSION_INIT1

/* sqlite3 finds it by the name of the file. */
int sqlite3_tausqlite_init(sqlite3 *h, char **message, const sqlite3_api_routines *api);

struct extension {
	struct events_module module[2];
	struct trace_source runs; /* that queries have named */
	struct db_event_source source, of_runs;
};

static int find_run(struct extension *x, const char *run, struct error *e)
{
	struct trace *t;
	int code;

	for (size_t i = 0; i < x->runs.trace_n; i++)
		if (!strcmp(x->runs.trace[i]->path, run))
			return 0;
	code = trace_source_open(&x->runs, &run, 1, e);
	if (code < 0)
		return code;
	/* A row has the name that the query gave. */
	t = x->runs.trace[x->runs.trace_n - 1];
	if (strcmp(t->path, run) != 0) {
		free(t->path);
		t->path = mem_string(run);
	}
	return 0;
}

static int rows_open(void *to, const struct db_event_filter *f, void **cursor, struct error *e)
{
	struct extension *x = to;
	int code;

	if (!f->run)
		return error_set(e, ERROR_USAGE,
				 "name the run: SELECT ... FROM event WHERE run = 'PATH'");
	code = find_run(x, f->run, e);
	return code < 0 ? code : x->of_runs.open(x->of_runs.to, f, cursor, e);
}

static void release(void *last)
{
	struct extension *x =
		(struct extension *)((char *)last - offsetof(struct extension, module[1]));

	trace_source_release(&x->runs);
	free(x);
}

__attribute__((visibility("default"))) int
sqlite3_tausqlite_init(sqlite3 *h, char **message, const sqlite3_api_routines *api)
{
	struct extension *x = mem_alloc(sizeof(*x));
	struct db db = {.handle = h};

	(void)message;
	SQLITE_EXTENSION_INIT2(api);
	*x = (struct extension){0};
	x->of_runs = trace_source_get(&x->runs);
	x->source = x->of_runs;
	x->source.to = x;
	x->source.needs_run = 1;
	x->source.open = rows_open;
	return events_install(&db, x->module, &x->source, release) < 0 ? SQLITE_ERROR : SQLITE_OK;
}
