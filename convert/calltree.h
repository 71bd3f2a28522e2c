/*
 * calltree.h: a tree of calls, as Cube files and folded stacks have it, as a profile's paths and rows: each node is a row of
 * its call path, and a timer's own row is the sum over its nodes, the inclusive values over the outermost of them.
 */
#ifndef CALLTREE_H
#define CALLTREE_H

#include "analyze/profile/profile.h"

struct calltree_node {
	uint32_t timer;		/* set by the caller, like parent */
	uint32_t parent;	/* a node before this one, or PROFILE_FLAT */
	uint32_t path;
	int outermost;		/* no node above is of the same timer */
};

/* Adds the paths and fills them in. O(n * depth). */
void calltree_paths(struct profile *p, struct calltree_node *node, size_t n);

/*
 * Adds the rows of a thread, sparsely: nodes without calls and without a value get none. calls: n; value: n times metric_n
 * exclusive or (inclusive[m] set) inclusive values, of which the other is made here.
 */
void calltree_rows(struct profile *p, uint32_t thread, const struct calltree_node *node, size_t n,
		   const double *calls, const double *value, const char *inclusive);

#endif
