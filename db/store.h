/* store.h: what the parts of db_store() share: the definitions of a trial and the rows they have become. */
#ifndef DB_STORE_H
#define DB_STORE_H

#include "analyze/profile/derived_threads.h"
#include "db/bulk.h"
#include "db/content.h"
#include "db/private.h"
#include "db/ranges.h"

struct ids {
	int64_t *v;
	size_t v_n, v_cap;
};

/* A window without its rows. */
struct span {
	char *window;
	double begin_us, end_us;
};

/* The values in windows of an attribute of the trial or of a thread. */
struct attribute {
	char *value;	/* in the first window that has it */
	size_t windows; /* number of windows that have it */
	int differs;
};

struct attributes {
	struct names key; /* the thread, then the name */
	struct attribute *v;
	size_t v_n, v_cap;
	char *text; /* of the key */
	size_t text_cap;
};

struct db_store {
	struct db *db;
	struct error *e;
	int summary; /* threads of the windows that are defined are not stored */
	struct span *span;
	size_t span_n, span_cap;
	struct attributes attributes;
	struct content content;
	const struct db_origin *origin; /* NULL: unknown */
	struct ranges kept;	/* windows that overlap none before them */
	int once, known; /* not to be stored if it is there; it is there */
	size_t at; /* windows that are stored */
	struct waiting *waiting;	/* threads that have no part in the derived ones */
	int64_t trial, first_call_data, call_data;	/* numbers of the first row, and of the next one */
	struct profile *all;	/* definitions of all windows; name, source, summary and metadata of the first */
	struct ids metric, timer, path, counter, thread, range, object, peer;	/* rows of all's definitions; range 0: NULL */
	int64_t derived[STATS_DERIVED];
	int64_t rows;		/* of timers that will be stored, about, in all windows that are defined */
	char *index;		/* SQL of the index that is made at the end; NULL: none */
	struct bulk data, values, percents, samples, memory, messages, sums;	/* percents: values with their percentages */
};

/* What a window's numbers of metrics, paths and counters are in store.all. */
struct joined {
	uint32_t *metric, *path, *counter, *thread;
};

/* store_define.c: one row for each definition of s->all, and the trial's own. */
int store_definitions(struct db_store *s);

/* store_memory.c: objects of memory by type; before the counters, which refer to them. */
int store_objects(struct db_store *s);
/* Who stores the rows of a counter, if they follow from integers. */
enum taken { TAKEN_NOT, TAKEN_MEMORY, TAKEN_MESSAGES };
/* By counter of p: TAKEN_MEMORY if it is one of memory by type that store_memory() stores. To be freed. */
unsigned char *memory_counters(const struct profile *p);
int store_memory(struct db_store *s, const struct profile *p, const struct joined *j, int64_t range,
		 const unsigned char *taken);

/* 1 if the numbers of blocks, or messages, follow from integers: their number, sum, smallest, largest and sum of squares. */
int memory_blocks(const struct profile_sample *s, int64_t v[5]);

/* store_messages.c: counters of messages by peer, after the counters. */
int store_peers(struct db_store *s);
/* Sets TAKEN_MESSAGES for counters that store_messages() stores. */
void messages_counters(const struct profile *p, unsigned char *taken);
int store_messages(struct db_store *s, const struct profile *p, const struct joined *j, int64_t range,
		   const unsigned char *taken);

/* store_meta.c: metadata of the trial and its threads, noted of all windows first, and the views that they call for. */
void store_note_metadata(struct db_store *s, const struct profile *p);
int store_metadata(struct db_store *s, const struct profile *p, const struct joined *joined);
void store_forget_metadata(struct db_store *s);
int store_views(struct db_store *s);

#endif
