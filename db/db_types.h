/* db_types.h: modes, origins and trials of a database. */
#ifndef DB_TYPES_H
#define DB_TYPES_H

#include "analyze/profile/derived_threads.h"

enum db_mode {
	DB_READ,	/* must exist; it and the files beside it stay as they are */
	DB_WRITE,	/* must exist */
	DB_CREATE,	/* is made a TauDB by the first db_store() if it does not exist or is empty */
};
/* Where a trial comes from. NULL: unknown. It is no part of what makes trials the same. */
struct db_origin {
	const char *path, *host;	/* of the run */
	const char *program;		/* that stored it, with its version */
	const char *command, *options;	/* its command line, and the options in it */
};

struct db_window {
	int64_t id;		/* of its time_range; 0: rows without one */
	char *name;		/* text of the window; NULL: everything */
	double begin_us, end_us;	/* since the start of the run; end < begin: unknown */
};

struct db_trial {
	int64_t id;
	char *name;
	int64_t source;		/* TauDB's data_source */
	int64_t nodes, threads;
	int64_t metrics, timers, counters;
	double start_us;	/* "Starting Timestamp", microseconds since 1970; NaN: unknown */
	struct db_window *window;
	size_t window_n, window_cap;	/* at least 1 */
};

#endif
