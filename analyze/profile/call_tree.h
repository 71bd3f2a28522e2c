/*
 * call_tree.h: the call paths of a profile as one tree, summed over all threads, of regions or of
 * the code that samples found.
 *
 * Regions. A node is a region under the nodes of its callers:
 *
 *	exclusive, calls	sums over threads of the path's rows
 *	inclusive		the same; of a root: exclusive + inclusive of its children, or
 *				its flat row if the profile has no call paths
 *	a root			the flat row of a region minus all paths that end in it: calls
 *				without a caller
 *
 * Profiles of limited depth (TAU_CALLPATH_DEPTH) have paths that begin in the middle: their roots
 * have no values of their own, because all of their flat row is in paths that end in the region.
 * They are marked as open; their times are part of other nodes, so they are excluded from totals.
 *
 * Samples. A node is a function below its caller; the lines of a function are one node. A sample
 * counts at its innermost function. If the stack was unwound, it is the path; otherwise the path is
 * that of the sampled region.
 */
#ifndef CALL_TREE_H
#define CALL_TREE_H

#include "analyze/profile/region_rows.h"

#define CALL_NONE UINT32_MAX

struct call_node {
	uint32_t name;		/* index in `names` of the tree */
	uint32_t parent;	/* CALL_NONE: a root */
	uint32_t first, next;	/* child, sibling; CALL_NONE: none. Sorted: open roots last, most
				 * inclusive first, equal ones by name */
	double calls;		/* of samples: how many ended here */
	double excl, incl;
	int open;		/* a root that begins in the middle of paths */
};

struct call_tree {
	struct call_node *v;	/* a parent is before its children */
	size_t v_n, v_cap;
	uint32_t first;		/* the first root */
	struct names names;	/* of regions, or of functions without place */
	double whole;		/* sum of the exclusive values of all nodes */
	size_t open;		/* number of open roots */
	size_t paths;		/* number of call paths with values; of samples: 1. 0: none */
	uint32_t threads, waiting;
};

/*
 * Makes the tree for one metric of p; waiting: threads to exclude. kind: TIMER_MEASURED or
 * TIMER_SAMPLE. O(rows + nodes log nodes). Release t.
 */
void call_tree_make(struct call_tree *t, const struct profile *p, const struct waiting *waiting, size_t metric,
		    enum profile_timer_kind kind);
void call_tree_release(struct call_tree *t);

static inline const char *call_tree_name(const struct call_tree *t, uint32_t node)
{
	return t->names.name[t->v[node].name];
}

/*
 * The next node of a walk, callers before callees, siblings in order; start with CALL_NONE. *depth:
 * 0 for roots. CALL_NONE: the end.
 */
uint32_t call_tree_next(const struct call_tree *t, uint32_t node, int *depth);
/* The same, but skips the nodes below this node. */
uint32_t call_tree_skip(const struct call_tree *t, uint32_t node, int *depth);

/* "a => b => c". The caller frees it. */
char *call_tree_path(const struct call_tree *t, uint32_t node);

/* The callers and callees of one region, as in gprof: rows by caller, then by callee. */
struct call_edge {
	uint32_t name;		/* of the caller or callee; CALL_NONE: the region was called
				 * without a caller */
	double calls, excl, incl;	/* of the region in calls by this caller; of this callee
					 * in calls by the region; a call inside another one of the
					 * same edge is not counted again in incl */
};
struct call_edges {
	struct call_edge *caller, *callee;	/* most inclusive first */
	size_t caller_n, caller_cap, callee_n, callee_cap;
	double calls, excl, incl;	/* of the region; a call inside another call of it is not
					 * counted again in incl */
};
/* name: in names of the tree. O(nodes). Release x. */
void call_edges_make(struct call_edges *x, const struct call_tree *t, uint32_t name);
void call_edges_release(struct call_edges *x);

#endif
