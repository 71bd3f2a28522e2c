/* instances_types.h: which instances and iterations are searched, and those that were found. */
#ifndef INSTANCES_TYPES_H
#define INSTANCES_TYPES_H

#include "analyze/trace/index_policy.h"
#include "analyze/trace/region_names.h"
#include "analyze/trace/spans.h"

struct instances_slot {
	struct regions region;	/* with the same name */
	uint64_t most;		/* number of instances after which the search may end; 0: all */
	uint64_t least;		/* instances before this one are only counted; their times are
				 * undefined */
};

/*
 * Iterations of the loop with this head, or of the outermost loop that takes much of the process's
 * time.
 */
struct instances_loop {
	size_t slot;		/* SIZE_MAX: any region may be the head */
	const struct regions *rather;	/* if any region may be: this one is preferred, if it is
					 * the head of a loop; NULL: none */
};

struct instances_selected {
	struct instances_slot *slot;
	size_t slot_n, slot_cap;
	struct instances_loop *loop;
	size_t loop_n, loop_cap;
	enum index_policy index;
};

struct instances_iterations {
	uint32_t head, inside;	/* regions: the head, and its caller (trace->region_n: the root);
				 * TRACE_NONE: no loop */
	struct window_spans span;
};

struct instances {
	struct window_spans *slot;	/* by slot */
	struct instances_iterations *loop;	/* by loop */
	int folded;		/* some calls were recorded only as counts and times: they are
				 * not instances */
	int cut;		/* a region made more calls than the limit: only the first ones
				 * were searched */
};

#endif
