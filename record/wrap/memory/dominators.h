/*
 * dominators.h: the immediate dominator of each node of a graph: the last node before it that is on all ways from node 0.
 *
 * Nodes have places in a depth-first walk that begins at node 0 and reaches all of them. The algorithm is Semi-NCA of Georgiadis,
 * Tarjan and Werneck (Finding dominators in practice, 2006): at most ways * log(nodes) steps, whatever the graph is like.
 */
#ifndef DOMINATORS_H
#define DOMINATORS_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

struct dominators {
	uint32_t n;		/* nodes */
	const uint32_t *place;	/* by node */
	const uint32_t *order;	/* by place: the node */
	const uint32_t *first, *from;	/* from nodes from[first[v]] ... from[first[v + 1] - 1] a way leads to node v */
	const uint8_t *start;	/* by node: one leads to it from node 0, too */
	uint32_t *dominator;	/* by place: before, the place from which the walk came; after, that of the dominator. Of 0: 0 */
	uint32_t *above, *least, *semi, *stack;	/* room for n each */
};

void dominators_find(struct dominators *d);

#pragma GCC visibility pop
#endif
