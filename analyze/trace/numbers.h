/*
 * numbers.h: what was found out about a whole run, as a list of numbers that its format keeps (TRACE_INDEX_NUMBERS). They are written one
 * after the other, and read in that order; nothing that is read is believed.
 */
#ifndef NUMBERS_H
#define NUMBERS_H

#include <string.h>

#include "analyze/base/base.h"
#include "analyze/trace/trace.h"

struct kept_numbers {
	int64_t *v;
	size_t v_n, v_cap;
	size_t at;	/* the next that is read */
	int bad;	/* one that was read is missing or wrong; all that are read from then on are 0 */
};

static inline void numbers_put(struct kept_numbers *x, int64_t v)
{
	*array_add(x, v) = v;
}

static inline int64_t numbers_get(struct kept_numbers *x)
{
	x->bad |= x->at >= x->v_n;
	return x->bad ? 0 : x->v[x->at++];
}

/* A number below a limit. */
static inline uint64_t numbers_below(struct kept_numbers *x, uint64_t limit)
{
	const uint64_t v = (uint64_t)numbers_get(x);

	x->bad |= v >= limit;
	return x->bad ? 0 : v;
}

/* A number of things, each of which takes `each` numbers. */
static inline size_t numbers_count(struct kept_numbers *x, size_t each)
{
	return (size_t)numbers_below(x, (x->v_n - x->at) / each + 1);
}

/* 1: the format keeps them for the trace as it is; 0: it cannot. */
int numbers_keep(const struct kept_numbers *x, struct trace *t, enum trace_numbers which);
/* 1: x has those that are kept, to be released; 0: there are none. */
int numbers_load(struct kept_numbers *x, struct trace *t, enum trace_numbers which);
static inline void numbers_release(struct kept_numbers *x)
{
	free(x->v);
}

#endif
