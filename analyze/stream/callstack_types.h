/* callstack_types.h: the call stack of a stream as structures. */
#ifndef CALLSTACK_TYPES_H
#define CALLSTACK_TYPES_H

#include "analyze/base/tree_ids.h"
#include "analyze/stream/squares.h"
#include "analyze/trace/trace.h"

/* The values of one region or path in an account that has ended. */
struct callstack_row {
	int64_t excl, incl;	/* ns */
	uint64_t calls, subrs;
	uint32_t active;	/* open activations, if whole paths are not kept */
};
#define CALLSTACK_CALLS 4
/*
 * A whole path: its values while the account is open, from which those of a row follow, and the
 * next path for each event in it. Enters of region r use entry 1 + r % CALLSTACK_CALLS.
 */
struct callstack_node {
	int64_t excl;
	uint64_t calls;
	uint32_t next[1 + CALLSTACK_CALLS];   /* [0]: the parent; [entry]: the path of region[entry] */
	uint32_t region[1 + CALLSTACK_CALLS]; /* [0]: 0, the ref of a leave, or TRACE_NONE: it is
					       * the root's, which cannot be left; [entry]:
					       * entered last, TRACE_NONE: none */
	uint32_t context;	/* the path without the root; 0: not looked up so far */
};

/*
 * Paths, shared by all streams of a replay: a tree of paths of at most `depth` innermost regions. A
 * path is its innermost region below the path of the others; `shorter` is the path without its
 * outermost region, which whole paths do not use.
 */
#define CALLSTACK_WHOLE UINT32_MAX
struct callstack_path {		/* as tree_ids.h requires */
	uint32_t region, parent, shorter;
	uint32_t length : 31, outermost : 1; /* outermost: the region is not in `parent` */
	uint32_t near;		/* its children that were found last; 0: none was looked for */
};
/* The children of a path that were found last, by callstack_near_entry(). */
#define CALLSTACK_NEAR 8
struct callstack_near {
	uint32_t region[CALLSTACK_NEAR], path[CALLSTACK_NEAR];
};
struct callstack_paths {
	uint32_t depth;		/* 0: no paths are kept; CALLSTACK_WHOLE: whole paths are kept */
	struct callstack_path *v; /* v[0] is the empty path */
	size_t v_n, v_cap;
	struct callstack_near *near; /* near[0]: of a path that has none */
	size_t near_n, near_cap;
	struct tree_ids ids;	/* the first of the paths */
};

struct callstack_frame {
	uint32_t region, path;
};

/* Functions that are called when regions begin and end, also when a repair begins or ends them. */
struct callstack_watch {
	const char *always;	/* by region, [region_n] is the root: is it watched at any depth?
				 * NULL if `depth` is SIZE_MAX */
	size_t depth;		/* other regions are watched in frames below this number (the
				 * root is frame 0) */
	void (*begin)(void *to, uint32_t region, size_t depth, int64_t time);
	void (*end)(void *to, uint32_t region, size_t depth, int64_t time);
	void *to;
	const int *stop; /* callstack_run() returns after an event that sets it; NULL: it does
			  * not */
};

struct callstack {
	struct callstack_paths *paths;
	struct callstack_row *row; /* by region; row[region_n] is the root */
	uint32_t region_n;
	struct callstack_row *path_row; /* by path */
	size_t path_row_n;
	struct callstack_node *node; /* by path, if whole paths are kept */
	size_t node_n;
	struct callstack_frame *frame; /* frame[0] is the root while a thread is in use */
	size_t frame_n, frame_cap;
	int64_t last;		/* ns: time up to here has been added */
	uint64_t repaired;	/* frames that were closed or opened without a record of it */
	uint64_t resumed;	/* frames that were open when recording continued */
	uint64_t folded;	/* number of FOLD events */
	unsigned looked;	/* runs over events so far, if whole paths are kept */
	int leaves;		/* most calls seen so far call no other region */
	int off;		/* recording is off: a region that does not close then was not
				 * lost */
	const struct callstack_watch *watch; /* NULL: none; only if no paths are kept */
	struct squares *squares; /* of exclusive times, for the caller's segments; NULL: none */
};

/*
 * The same, but if whole paths are kept, it continues after events that only add to the innermost
 * path. take: processes such an event and returns 1; 0: the run ends before it. It must not change
 * the stack.
 */
struct callstack_past {
	int (*receive)(void *to, const struct event *event, uint32_t path);
	void *to;
};

#endif
