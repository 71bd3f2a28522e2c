/* store.h: what the parts of db_store() share: the definitions of a trial and the rows they have become. */
#ifndef DB_STORE_H
#define DB_STORE_H

#include "../analyze/stats.h"
#include "bulk.h"
#include "private.h"

struct ids {
	int64_t *v;
	size_t v_n, v_cap;
};

struct store {
	struct db *db;
	struct error *e;
	const struct profile *const *window;
	size_t window_n;
	int64_t trial, call_data;		/* call_data: number of the next row */
	struct profile *all;			/* definitions of all windows */
	struct ids metric, timer, path, counter, thread, range;	/* rows of all's definitions; range 0: NULL */
	int64_t derived[STATS_DERIVED];
	struct bulk data, values, samples;
};

/* What a window's numbers of metrics, paths and counters are in store.all. */
struct joined {
	uint32_t *metric, *path, *counter, *thread;
};

/* Runs a statement whose values are bound and yields the row's number (id may be NULL); then it can be bound again. */
int store_insert(struct store *s, sqlite3_stmt *q, int64_t *id);
/* Binds an integer, or NULL for 0. */
void store_bind(sqlite3_stmt *q, int at, int64_t v);

/* store_define.c: one row for each definition of s->all, and the trial's own. */
int store_definitions(struct store *s);

/* store_meta.c: metadata of the trial and its threads, and the views that they call for. */
int store_metadata(struct store *s, const struct joined *joined);
int store_views(struct store *s);

#endif
