/* load.h: what the parts of db_load() share: a trial that is loaded, and what the numbers of its rows became. */
#ifndef DB_LOAD_H
#define DB_LOAD_H

#include "db/private.h"

/* From row numbers, rising, to what they became. */
struct row_numbers {
	struct map_entry {
		int64_t id;
		uint32_t index;
	} * entry;
	size_t entry_n, entry_cap;
};

/* A counter row whose sum of squares is not known: the column standard_deviation holds deviation. */
struct doubtful {
	uint32_t thread;
	size_t sample;
	double deviation;
};

/* Whose rows of timers are loaded. */
enum load_rows_of {
	ROWS_OF_THREADS,
	ROWS_OF_ALL,		/* of derived threads, too */
	ROWS_OF_DERIVED,	/* all threads, but rows of the derived ones only */
};

struct load {
	struct db *db;
	struct error *e;
	struct profile *p;
	int64_t trial, range; /* range 0: rows without one */
	enum load_rows_of rows_of;
	struct row_numbers metric, thread, timer, path, counter, object;
	struct memory_counters { /* by object of p and enum memory_number: the counter, or PROFILE_FLAT */
		uint32_t *v;
		size_t v_n, v_cap;
	} memory;
	struct names counter_names; /* those of the rows: contexts are judged by them */
	struct doubtful *doubtful;
	size_t doubtful_n, doubtful_cap;
};

void numbers_add(struct row_numbers *m, int64_t id, uint32_t index);
/* 1 and *index, or 0. */
int numbers_find(const struct row_numbers *m, int64_t id, uint32_t *index);

/* "FILE: TABLE ID: WHAT", an ERROR_INPUT. */
int load_bad(struct load *l, const char *table, int64_t id, const char *what);

/* Runs sql, binding the trial to ?1 and the range to ?2 if it has them, and calls row for each row. */
int load_rows(struct load *l, const char *sql, int (*row)(struct load *l, sqlite3_stmt *q));

/* As db_load(), with the threads -1 to -7 as far as they are stored: for those who verify them. */
int db_load_derived(struct db *db, int64_t trial, size_t window, struct profile **out,
		    struct error *e);

/* The real thread of that place: 1, or 0. */
int load_thread_at(const struct load *l, int64_t node, int32_t context, int32_t thread,
		   uint32_t *index);

/* load_timers.c: rows of timers of the threads in the window. */
int load_timers(struct load *l);

/* load_memory.c: objects of memory by type, then the counters, then their values in the window, if the database has them. */
int load_objects(struct load *l);
int load_counters(struct load *l);
int load_amounts(struct load *l);

/* load_messages.c: values of counters of messages by peer, if the database has them. */
int load_messages(struct load *l);

#endif
