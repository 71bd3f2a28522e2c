/*
 * heap_sums.h: sums of the sizes that a stream allocates and frees, by type and by context. They
 * become samples (counters.h) when an account ends, because an event has several rows there, and
 * only two here.
 */
#ifndef HEAP_SUMS_H
#define HEAP_SUMS_H

#include "analyze/base/base.h"

#define HEAP_SIZE_MAX UINT32_MAX	/* limit of a size, so that its square fits 64 bits */

struct heap_sum {
	unsigned __int128 sumsq;
	uint64_t n, sum;
	uint32_t max, min; /* bytes */
};

/* Number 2 * x: allocations of type or context x; 2 * x + 1: deallocations. */
struct heap_context {
	uint32_t number;
	struct heap_sum sum;
};

struct heap_sums {
	struct heap_sum *type;		/* by number */
	size_t types;			/* entries of type */
	uint32_t *at;			/* by number: 1 + index into context; 0: none */
	size_t at_n;
	struct heap_context *context;	/* contexts with samples */
	size_t context_n, context_cap;
	int any;
};

/* types: number of types. Release h. */
void heap_sums_init(struct heap_sums *h, size_t types);
void heap_sums_release(struct heap_sums *h);
/* Sets all sums to 0. O(types + contexts with samples). */
void heap_sums_clear(struct heap_sums *h);

/* Adds the context with this number. The result is valid until the next call. */
struct heap_sum *heap_sums_context_add(struct heap_sums *h, uint32_t number);

static inline struct heap_sum *heap_sums_context(struct heap_sums *h, uint32_t number)
{
	if (number < h->at_n && h->at[number])
		return &h->context[h->at[number] - 1].sum;
	return heap_sums_context_add(h, number);
}

static inline void heap_sum_add(struct heap_sum *x, uint32_t size)
{
	x->max = !x->n || size > x->max ? size : x->max;
	x->min = !x->n || size < x->min ? size : x->min;
	x->n++;
	x->sum += size;
	x->sumsq += (uint64_t)size * size;
}

#endif
