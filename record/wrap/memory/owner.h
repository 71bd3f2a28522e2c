/*
 * owner.h: the pointers between live blocks and from global variables to them (owner.c), the names of those variables (variable.c),
 * what all ways to a block lead
 * through (holder.c), and the class that points to all of a kind (claim.c).
 */
#ifndef OWNER_H
#define OWNER_H

#include "census.h"
#include "node.h"

#pragma GCC visibility push(hidden)

struct edge {
	uint32_t from, to;
	uint32_t class;		/* of the member of `from` that holds the pointer, 0 = none */
};
/* A word of a global variable that points to a block. */
struct global {
	uintptr_t address;
	uint32_t to;
	uint32_t class;		/* of the object that holds the word, 0 = none */
	uint32_t variable;
};
/* Of each library the first one is made of all that have no name here, and the others are parts of it. */
struct variable {
	const char *name;	/* NULL: the first one */
	uint32_t whole;		/* the first one of the library */
	uint16_t library;
};
struct graph {
	struct census *c;
	struct edge *edge;
	size_t n, room;
	struct global *global;	/* by address */
	size_t global_n, global_room;
	struct variable *variable;
	size_t variable_n, variable_room;
	uintptr_t low, high;	/* all blocks are between */
	struct read_window *w;
};

/* An array of elements with room for one more. NULL without memory; then it is as it was. */
void *area_grow(void *array, size_t n, size_t *room, size_t size);
/* Class of a typed block, 0: it is untyped. */
static inline unsigned class_at(const struct census_block *b)
{
	return nodes[b->now].kind == NODE_UNTYPED ? 0 : nodes[b->now].id;
}
/* The variable of each global. */
void variables_find(struct graph *g);
/* Fields holder and depth of the blocks. */
void holders_find(struct graph *g);
/* Field claim of the blocks, by their depths. */
void claims_find(struct graph *g);

#pragma GCC visibility pop
#endif
