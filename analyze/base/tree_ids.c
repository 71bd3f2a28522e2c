/* tree_ids.c: a table that finds the nodes of a tree by parent and name: adding and removing. */
#include "analyze/base/tree_ids.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/base/base.h"

#define LEAST 64 /* slots; at least TREE_NEAR */

/* Half of the slots stay free. The nodes are added anew, in their order. */
static void grow(struct tree_ids *t, size_t n)
{
	size_t slots = t->slots ? t->slots : LEAST;

	while (n > slots / 2)
		slots *= 2;
	if (slots == t->slots)
		return;
	free(t->slot);
	*t = (struct tree_ids){.slot = mem_alloc(slots * sizeof(*t->slot)),
			       .slots = slots,
			       .shift = 64 - (unsigned)__builtin_ctzll(slots)};
}

void tree_ids_add(struct tree_ids *t, const void *array, size_t size, size_t n)
{
	grow(t, n);
	for (; t->n < n; t->n++) {
		const uint32_t *x = (const void *)((const char *)array + t->n * size);
		size_t i = tree_ids_home(t, (struct tree_node){x[0], x[1]});

		while (t->slot[i])
			i = (i + TREE_NEAR + 1) & (t->slots - 1);
		t->slot[i] = (uint32_t)t->n + 1;
	}
}

void tree_ids_clear(struct tree_ids *t)
{
	if (t->n < t->slots / 16) {
		tree_ids_release(t);
		return;
	}
	if (t->slots)
		memset(t->slot, 0, t->slots * sizeof(*t->slot));
	t->n = 0;
}

void tree_ids_release(struct tree_ids *t)
{
	free(t->slot);
	memset(t, 0, sizeof(*t));
}
