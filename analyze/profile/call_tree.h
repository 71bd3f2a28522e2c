/*
 * call_tree.h: the call paths of a profile as one tree, summed over all threads: of regions, or of what samples found.
 *
 * Regions. A node is a region under the nodes of its callers:
 *
 *	exclusive, calls	sums over threads of the path's rows
 *	inclusive		likewise; of a root: exclusive + inclusive of its children
 *	a root			the flat row of a region minus all paths that end in it: what was called from nowhere
 *
 * Profiles of limited depth (TAU_CALLPATH_DEPTH) have paths that begin in the middle: the roots of those have nothing of their own
 * and are marked; their times are part of other nodes', so they are in no total.
 *
 * Samples. A node is a function below its caller, lines of a function together; a sample counts at its innermost function. If the
 * stack was unwound, it is the path; otherwise the path is that of the region that was sampled.
 */
#ifndef CALL_TREE_H
#define CALL_TREE_H

#include "analyze/profile/region_rows.h"

#define CALL_NONE UINT32_MAX

struct call_node {
	uint32_t name;		/* in names of the tree */
	uint32_t parent;	/* CALL_NONE: a root */
	uint32_t first, next;	/* child, sibling; CALL_NONE: none. Most inclusive first, equal ones by name */
	double calls;		/* samples: how many ended here */
	double excl, incl;
	int open;		/* a root that begins in the middle of paths */
};

struct call_tree {
	struct call_node *v;	/* a parent is before its children */
	size_t v_n, v_cap;
	uint32_t first;		/* the first root */
	struct names names;	/* of regions, or of functions without place */
	double whole;		/* exclusive sum of all nodes */
	size_t open;		/* roots that are marked */
	size_t paths;		/* nodes that are no roots */
	uint32_t threads, waiting;
};

/* kind: TIMER_MEASURED or TIMER_SAMPLE. O(rows + nodes log nodes). */
void call_tree_make(struct call_tree *t, const struct profile *p, const struct waiting *waiting, size_t metric,
		    enum profile_timer_kind kind);
void call_tree_release(struct call_tree *t);

static inline const char *call_tree_name(const struct call_tree *t, uint32_t node)
{
	return t->names.name[t->v[node].name];
}

/* The next node of a walk, callers before callees, siblings in order; begin with CALL_NONE. *depth: 0 of roots. CALL_NONE: the end. */
uint32_t call_tree_next(const struct call_tree *t, uint32_t node, int *depth);
/* The same without what is below the node. */
uint32_t call_tree_skip(const struct call_tree *t, uint32_t node, int *depth);

/* "a => b => c", to be freed. */
char *call_tree_path(const struct call_tree *t, uint32_t node);

/* What is above and below one region, as in gprof: rows by caller, then by callee. */
struct call_edge {
	uint32_t name;		/* of the caller or callee; CALL_NONE: it was called from nowhere */
	double calls, excl, incl;	/* of the region when called by it; of the callee when called by the region */
};
struct call_edges {
	struct call_edge *caller, *callee;	/* most inclusive first */
	size_t caller_n, caller_cap, callee_n, callee_cap;
	double calls, excl, incl;	/* of the region; a call of it inside itself is not in incl again */
};
void call_edges_make(struct call_edges *x, const struct call_tree *t, uint32_t name);
void call_edges_release(struct call_edges *x);

#endif
