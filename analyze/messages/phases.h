/*
 * phases.h: the functions in which a program spends most of its time, callees included, as a short tree: what its phases are, how
 * unequal their times are on the processes, and how much of them is waiting.
 *
 * Times are of the first thread of each process. No rows are functions with nine tenths of all time, which are above
 * the phases; those with nine tenths of the time of the row above; and calls of libraries that exchange messages.
 */
#ifndef PHASES_H
#define PHASES_H

#include "analyze/messages/messages.h"
#include "analyze/messages/wait_rows.h"

#define PHASES_MOST  8		/* rows */
#define PHASES_LEAST 0.05	/* of the time, that a row has at least */

struct phase {
	uint32_t path;
	unsigned depth;		/* 0: it is inside no other row */
	double ns;		/* inclusive, sum over processes */
	uint32_t processes;	/* that have it */
	double largest;		/* ns of one of these, */
	uint32_t largest_at;	/* which is this one */
	double waiting;		/* ns in it that calls wait for late ranks and threads */
};

struct phases {
	const struct messages *m;
	double **ns;		/* by stream: exclusive, by path; NULL: it is no first thread, or has none */
	size_t *ns_n;		/* by stream */
	double *all;		/* by path, over these streams */
	size_t all_n;
	uint32_t first_threads;	/* number of streams with times */
	/* After phases_end(): */
	double whole;		/* ns of all first threads */
	struct phase v[PHASES_MOST]; /* each after the one that it is inside of, otherwise the longest first */
	size_t v_n;
};

/* The use for messages_read(); m must stay. Then call phases_end(), and release x. */
struct messages_use phases_use(struct phases *x, const struct messages *m);
/* waits: of the same pass, by call path; NULL: unknown. No rows if there would be one only. */
void phases_end(struct phases *x, const struct wait_rows *waits);
void phases_release(struct phases *x);

#endif
