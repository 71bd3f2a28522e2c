/* store.h: what the parts of db_store() share: the definitions of a trial and the rows they have become. */
#ifndef DB_STORE_H
#define DB_STORE_H

#include "analyze/profile/derived_threads.h"
#include "db/bulk.h"
#include "db/private.h"

struct ids {
	int64_t *v;
	size_t v_n, v_cap;
};

struct store {
	struct db *db;
	struct error *e;
	const struct profile *const *window;
	size_t window_n;
	struct waiting *waiting;	/* threads that have no part in the derived ones */
	int64_t trial, call_data;		/* call_data: number of the next row */
	struct profile *all;			/* definitions of all windows */
	struct ids metric, timer, path, counter, thread, range, object;	/* rows of all's definitions; range 0: NULL */
	int64_t derived[STATS_DERIVED];
	struct bulk data, values, samples, memory;
};

/* What a window's numbers of metrics, paths and counters are in store.all. */
struct joined {
	uint32_t *metric, *path, *counter, *thread;
};

/* store_define.c: one row for each definition of s->all, and the trial's own. */
int store_definitions(struct store *s);

/* store_memory.c: objects of memory by type; before the counters, which refer to them. */
int store_objects(struct store *s);
/* By counter of p: 1 if it is one of memory by type whose rows follow from integers, which store_memory() stores. To be freed. */
unsigned char *memory_taken(const struct profile *p);
int store_memory(struct store *s, const struct profile *p, const struct joined *j, int64_t range,
		 const unsigned char *taken);

/* store_meta.c: metadata of the trial and its threads, and the views that they call for. */
int store_metadata(struct store *s, const struct joined *joined);
int store_views(struct store *s);

#endif
