/* node.h: types as small numbers: class, slab of a class, or untyped of a library, each with an owner and a site. */
#ifndef NODE_H
#define NODE_H

#include <stdint.h>

#include "hints.h"

#pragma GCC visibility push(hidden)

/* A variable owns blocks and is none: its site is its name, 0: variables of the library without a name. */
enum node_kind { NODE_UNTYPED = 1, NODE_CLASS = 2, NODE_SLAB = 3, NODE_VARIABLE = 4 };

#define NODE_MAX (1u << 20)
#define NODE_USUAL 65536 /* with call stacks more, see node_room() */
struct node {
	uint8_t kind;
	uint8_t depth;		/* owners above it */
	uint16_t id;		/* class, or library */
	uint32_t owner;		/* node, 0 = none */
	uint32_t memtype;	/* 0 until it was needed */
	uint32_t place;		/* library_place() of the site */
	uintptr_t site; /* return address of the allocating call, 0 = not distinguished; or a struct stack */
	/* What was found last, because most sites allocate one size of one type. */
	uint32_t changed;	/* by node_change() */
	uint32_t kind_of_size;	/* by kind_get(): size << 16 | kind */
};
extern struct node *nodes;

int node_init(void);
/* Makes room for NODE_MAX. While there is one thread. */
void node_room(void);
uint32_t node_get(unsigned kind, unsigned id, uint32_t owner);
/* The same for blocks from one site, and its library_place(). */
uint32_t node_get_at(unsigned kind, unsigned id, uint32_t owner, uintptr_t site, uint32_t place);
/* Another type or owner for a block of a node: the site stays. */
uint32_t node_change(uint32_t node, unsigned kind, unsigned id, uint32_t owner);
/* Defines the node for tau.h; returns its memtype. flags: besides its own (enum tau_memtype_flag). */
uint32_t node_define(uint32_t node, unsigned flags);
uint32_t node_memtype_slow(uint32_t node);
/* The child of a fork has a recorder of its own: all memtypes are defined anew. */
void node_forget_memtypes(void);

static inline uint32_t node_memtype(uint32_t node)
{
	uint32_t m = __atomic_load_n(&nodes[node].memtype, __ATOMIC_RELAXED);

	return likely(m) ? m : node_memtype_slow(node);
}

#pragma GCC visibility pop
#endif
