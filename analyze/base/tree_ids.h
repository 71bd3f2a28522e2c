/*
 * tree_ids.h: finds nodes of a tree by their parent and their name. The nodes are elements of an
 * array, which begin with two uint32_t, the name and the parent; the table has only their numbers.
 * Nodes of one parent whose names are near each other are near each other in the table, so that
 * adding or finding the children of a node takes few cache lines. A table that is all zero is empty.
 */
#ifndef TREE_IDS_H
#define TREE_IDS_H

#include <stddef.h>
#include <stdint.h>

#define TREE_NONE UINT32_MAX

struct tree_node {
	uint32_t name, parent; /* any numbers */
};

struct tree_ids {
	uint32_t *slot; /* 1 + number of a node; 0: free */
	size_t n, slots; /* nodes in the table; slots: power of two */
	unsigned shift; /* log2(slots) = 64 - shift */
};

#define TREE_NEAR 16 /* names that are near each other; slots in a cache line */

/* Where the node belongs. */
static inline size_t tree_ids_home(const struct tree_ids *t, struct tree_node node)
{
	uint64_t key = (uint64_t)node.parent << 32 | node.name / TREE_NEAR;

	return (key * 0x9e3779b97f4a7c15u >> t->shift) ^ node.name % TREE_NEAR;
}

/*
 * The number of the node of an array whose elements have `size` bytes; TREE_NONE: it is not in the
 * table. O(1) on average.
 */
static inline uint32_t tree_ids_find(const struct tree_ids *t, const void *array, size_t size,
				     struct tree_node node)
{
	if (!t->n)
		return TREE_NONE;
	for (size_t i = tree_ids_home(t, node);; i = (i + TREE_NEAR + 1) & (t->slots - 1)) {
		uint32_t id = t->slot[i];
		const uint32_t *x;

		if (!id)
			return TREE_NONE;
		x = (const void *)((const char *)array + (id - 1) * size);
		if (x[0] == node.name && x[1] == node.parent)
			return id - 1;
	}
}

/*
 * Adds the nodes of the array that are not in the table: from number t->n to n - 1. O(nodes added) on
 * average. The nodes in the table must not change.
 */
void tree_ids_add(struct tree_ids *t, const void *array, size_t size, size_t n);
/* Empties the table. It keeps memory if most of it was in use. */
void tree_ids_clear(struct tree_ids *t);
void tree_ids_release(struct tree_ids *t);

#endif
