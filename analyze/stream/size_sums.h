/*
 * size_sums.h: sums of the sizes that a stream allocates, frees, retypes and transfers: by type, by
 * context, by both, and by message. They become samples (counters.h) when an account ends, because
 * an event has several rows there, and at most three here.
 */
#ifndef SIZE_SUMS_H
#define SIZE_SUMS_H

#include "analyze/base/base.h"
#include "analyze/base/map.h"

#define SIZE_SUM_MAX UINT32_MAX	/* limit of a size, so that its square fits 64 bits */

struct size_sum {
	unsigned __int128 sumsq;
	uint64_t n, sum;
	uint32_t max, min; /* bytes */
};

struct size_keyed {
	uint64_t key;
	struct size_sum sum;
};

/* Sums by a key, in order of first use. A table that is all zero is empty. */
struct size_table {
	struct size_keyed *v;
	size_t v_n, v_cap;
	uint32_t *at;		/* by key, of keys that are small numbers: 1 + index into v; 0: none */
	size_t at_n;
	struct map index;	/* of other keys */
};

/* What happens to blocks of a type. */
enum size_use { SIZE_ALLOCATED, SIZE_FREED, SIZE_RETYPED, SIZE_MADE, SIZE_USES };

struct size_sums {
	struct size_table type;		/* numbers: SIZE_USES * type + use */
	struct size_table context;	/* numbers: 2 * context + is it freed? */
	struct size_table typed;	/* keys: context << 32 | number of the type */
	struct size_table message;	/* keys: the user's */
};

void size_sums_release(struct size_sums *h);
/* Removes all sums. O(sums). */
void size_sums_clear(struct size_sums *h);
size_t size_sums_rows(const struct size_sums *h);

/* They add a number or a key. The result is valid until the next call. */
struct size_sum *size_table_add_number(struct size_table *t, uint32_t number);
struct size_sum *size_table_add_key(struct size_table *t, uint64_t key);

/* They find the sum of a number or of a key, or add it. A table has either numbers or keys. */
static inline struct size_sum *size_table_number(struct size_table *t, uint32_t number)
{
	if (number < t->at_n && t->at[number])
		return &t->v[t->at[number] - 1].sum;
	return size_table_add_number(t, number);
}

static inline struct size_sum *size_table_key(struct size_table *t, uint64_t key)
{
	uint32_t at = map_get(&t->index, key);

	return at == MAP_NONE ? size_table_add_key(t, key) : &t->v[at].sum;
}

static inline void size_sum_add(struct size_sum *x, uint32_t size)
{
	x->max = !x->n || size > x->max ? size : x->max;
	x->min = !x->n || size < x->min ? size : x->min;
	x->n++;
	x->sum += size;
	x->sumsq += (uint64_t)size * size;
}

#endif
