/*
 * blocks.h: who holds memory in one profile, in as much detail as its counters have: type, owners and call site; and
 * what was found never to be freed.
 *
 * Counters read (man/tau-trace2profile.1): "live X", "live objects X", "peak X", "peak objects X", "alloc X", "retyped X",
 * and "lost X", "indirectly lost X", "reachable X"; X being TYPE, TYPE <= OWNERS, TYPE @ SITE or TYPE <= OWNERS @ SITE.
 *
 * The rows are a partition: those with the wanted detail, and for each type a remainder without it. Units: bytes, blocks.
 */
#ifndef BLOCKS_H
#define BLOCKS_H

#include "profile.h"

enum blocks_what {
	BLOCKS_LIVE, BLOCKS_PEAK, BLOCKS_CUMULATIVE, BLOCKS_LOST, BLOCKS_INDIRECT, BLOCKS_REACHABLE, BLOCKS_WHATS
};
/* BLOCKS_FINEST: with sites where there are any, otherwise by owner. */
enum blocks_by { BLOCKS_TYPE, BLOCKS_OWNER, BLOCKS_SITE, BLOCKS_PE, BLOCKS_FINEST };

struct blocks_row {
	char *name;		/* as the counter says it; "PE 3" by PE */
	char *type, *owner, *site;	/* of it; NULL: not told */
	enum blocks_what what;
	double bytes, blocks;	/* of the job */
	double bytes_max;	/* on the PE that has most; NAN for remainders */
};

struct blocks {
	struct blocks_row *row;	/* most bytes first, then by name */
	size_t row_n, row_cap;
	double bytes, blocks;	/* sum */
	size_t pes;
};

/* p: sorted. Rows of nothing are left out. */
void blocks_init(struct blocks *b, const struct profile *p, enum blocks_what what, enum blocks_by by);
/* Adds another kind to the rows, for lists of findings. */
void blocks_add(struct blocks *b, const struct profile *p, enum blocks_what what, enum blocks_by by);
void blocks_release(struct blocks *b);

#endif
