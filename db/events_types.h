/* events_types.h: what the tables of events are made from. */
#ifndef EVENTS_TYPES_H
#define EVENTS_TYPES_H

#include "analyze/base/base.h"

enum db_event_column {
	DB_EVENT_RUN,
	DB_EVENT_RANK,
	DB_EVENT_THREAD,
	DB_EVENT_TIME,
	DB_EVENT_KIND,
	DB_EVENT_NAME,
	DB_EVENT_REGION,
	DB_EVENT_DEPTH,
	DB_EVENT_CALLPATH,
	DB_EVENT_DURATION,
	DB_EVENT_PEER,
	DB_EVENT_TAG,
	DB_EVENT_BYTES,
	DB_EVENT_VALUE,
	DB_EVENT_COLUMNS,
};

/* Texts hold until the next row; NULL is missing. */
struct db_event {
	const char *run, *kind, *name, *region, *callpath;
	int64_t row;		/* the same whenever it is yielded, another one of each row: SQLite joins selections by it */
	int64_t rank, thread, time_ns, duration_ns, depth, peer, tag, bytes;
	double value;
	unsigned has;		/* bits 1 << DB_EVENT_x of the numbers from DURATION on that it has, and of DEPTH */
};

/* Which part is read. What is outside may be yielded, too; SQLite looks at each row again. */
struct db_event_filter {
	int calls;		/* rows are calls that ended, not events */
	int64_t begin_ns, end_ns;	/* [begin, end); INT64_MIN and INT64_MAX: not bounded */
	int64_t rank, thread;	/* -1: all */
	const char *run;	/* only the run with this path, valid while it is opened; NULL: all */
	/* Only rows whose innermost region has a name for which this is not 0; NULL: all. It lives as long as the cursor. */
	int (*region)(const void *of, const char *name);
	const void *region_of;
	unsigned used;		/* bits 1 << DB_EVENT_x of columns that are needed */
};

struct db_event_source {
	void *to;
	int needs_run;		/* it has only what run names */
	int (*open)(void *to, const struct db_event_filter *f, void **cursor, struct error *e);
	int (*next)(void *cursor, struct db_event *out, struct error *e);	/* 1: a row, 0: the end, < 0 */
	void (*close)(void *cursor);
};

#endif
