/*
 * leaks.h: memory that was never freed: one row per type, owner and call site, or per coarser key,
 * and how the leak was found.
 *
 * Counters read (man/tau-memory.7, Leaks): "lost X", "indirectly lost X" and "reachable X", one
 * sample per block. X is TYPE, TYPE <= OWNERS, TYPE @ SITE or TYPE <= OWNERS @ SITE: always the
 * most detailed form that is known, so all rows add up. Units: bytes, blocks.
 */
#ifndef LEAKS_H
#define LEAKS_H

#include "analyze/profile/profile.h"

enum leaks_how { LEAKS_LOST, LEAKS_INDIRECT, LEAKS_REACHABLE, LEAKS_HOWS };

struct leaks_row {
	char *type, *owner, *site; /* owner, site: NULL: unknown, or not distinguished */
	enum leaks_how how;
	double bytes, blocks; /* sum over the job */
	double bytes_max;     /* on the PE with the most; NAN: unknown, as in a summary */
};

struct leaks {
	struct leaks_row *row; /* most bytes first, then by name */
	size_t row_n, row_cap;
	int whole;	       /* from a summary, which has no values per PE */
	double bytes[LEAKS_HOWS], blocks[LEAKS_HOWS]; /* sums of the rows */
};

/* By which owners rows are distinguished, besides their types and how they were found. */
enum leaks_owners { LEAKS_NO_OWNERS, LEAKS_PARENTS, LEAKS_OWNERS };

/*
 * p: sorted; borrowed only during the call. sites: distinguish call sites, too. In a summary
 * (profile.h), the sums are those of its thread TOTAL. O(samples). Release l.
 */
void leaks_init(struct leaks *l, const struct profile *p, enum leaks_owners owners, int sites);
void leaks_release(struct leaks *l);

#endif
