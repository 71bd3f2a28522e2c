/*
 * leaks.h: what a recording found never to be freed: one row for each type, owner and call site, or
 * fewer, and how it was found.
 *
 * Counters read (man/tau-memory.7, Leaks): "lost X", "indirectly lost X" and "reachable X", one
 * sample a block, X being TYPE, TYPE <= OWNERS, TYPE @ SITE or TYPE <= OWNERS @ SITE: the finest
 * that is known, so all rows add up. Units: bytes, blocks.
 */
#ifndef LEAKS_H
#define LEAKS_H

#include "analyze/profile/profile.h"

enum leaks_how { LEAKS_LOST, LEAKS_INDIRECT, LEAKS_REACHABLE, LEAKS_HOWS };

struct leaks_row {
	char *type, *owner, *site; /* owner, site: NULL: not told */
	enum leaks_how how;
	double bytes, blocks; /* of the job */
	double bytes_max;     /* on the PE that has most */
};

struct leaks {
	struct leaks_row *row; /* most bytes first, then by name */
	size_t row_n, row_cap;
	int whole;	       /* of a summary, which has no PEs one by one */
	double bytes[LEAKS_HOWS], blocks[LEAKS_HOWS];
};

/* What rows are told apart by, besides their types and how they were found. */
enum leaks_owners { LEAKS_NO_OWNERS, LEAKS_PARENTS, LEAKS_OWNERS };

/* p: sorted. sites: by site, too. A summary (profile.h) has the sums, and no largest PE (NAN). */
void leaks_init(struct leaks *l, const struct profile *p, enum leaks_owners owners, int sites);
void leaks_release(struct leaks *l);

#endif
