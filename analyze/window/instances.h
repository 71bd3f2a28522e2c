/*
 * instances.h: looks through one process for the instances of regions and the iterations of loops, all in one pass over its
 * lowest thread, and over the next ones only for regions that are not entered there.
 *
 * An instance is an outermost activation on the lowest thread of the process that enters the region. What is open at the end of
 * its stream ends there. An iteration is what loop.h says, of a loop in one activation of a region on the lowest thread.
 */
#ifndef INSTANCES_H
#define INSTANCES_H

#include "analyze/trace/region_names.h"
#include "analyze/trace/index_policy.h"
#include "analyze/window/window.h"

struct instances_slot {
	struct regions region;	/* of one name */
	uint64_t most;		/* so many are enough; 0: all */
	uint64_t least;		/* of those before this one only the number matters; what times they have is not said */
};

/* Iterations of the loop whose head is a region, or of the outermost that takes much of the process's time. */
struct instances_loop {
	size_t slot;		/* SIZE_MAX: whatever region is the head */
	const struct regions *rather;	/* then: this one where it is the head of one; NULL: none */
};

struct instances_wanted {
	struct instances_slot *slot;
	size_t slot_n, slot_cap;
	struct instances_loop *loop;
	size_t loop_n, loop_cap;
	enum index_policy index;
};

struct instances_iterations {
	uint32_t head, inside;	/* regions: the head, and what called it (trace->region_n: the root); TRACE_NONE: no loop */
	struct window_spans span;
};

struct instances {
	struct window_spans *slot;	/* by slot */
	struct instances_iterations *loop;	/* by loop */
	int folded;		/* some calls were told by their number and time: they are no instances */
	int cut;		/* some region called so many others that only the first were looked at */
};

/* tick: called with `to` at each batch of events; may be NULL. */
int instances_find(struct trace *t, uint32_t process, const struct instances_wanted *w, void (*tick)(void *to), void *to,
		   struct instances *out, struct error *e);
void instances_release(struct instances *x, const struct instances_wanted *w);

#endif
