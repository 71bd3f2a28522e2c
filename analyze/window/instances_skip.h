/*
 * instances_skip.h: decides from the summaries of chunks whether instances of regions begin or end
 * in them, so that a search can skip chunks without such events, and chunks whose instances only
 * have to be counted.
 */
#ifndef INSTANCES_SKIP_H
#define INSTANCES_SKIP_H

#include "analyze/window/instances_types.h"
#include "analyze/summary/summary.h"

/* The state of a slot at the begin of the next summary. */
struct skip_slot {
	uint64_t have;	/* number of instances that have begun */
	int active;	/* an instance is open, unless `counted` */
	int done;	/* the search for this slot is complete */
	int counted;	/* `have` includes instances of skipped chunks; the next state shows
			 * whether one is open */
};

struct instances_skip {
	const struct trace *trace;
	const struct instances_selected *selected;
	const uint32_t *slot_of;	/* by region; TRACE_NONE: none */
	struct skip_slot *slot;		/* the caller sets it before each search; `have` and
					 * `counted` are updated */
	unsigned char *mark;		/* [slot * path_n + path] */
	size_t path_n;
};
/* slot_of is borrowed. */
void instances_skip_init(struct instances_skip *x, const struct trace *t, const struct instances_selected *w,
			 const uint32_t *slot_of);
void instances_skip_release(struct instances_skip *x);

/*
 * For TRACE_SKIP_JUDGED. 1: for each slot, either no instance begins or ends in the chunks (except
 * at their end, which the following state shows), or all instances that begin there are before
 * those whose times are required; they are added to `have`. 0: the chunks must be read.
 */
int instances_skip_over(void *skip, const struct summary_names *names, const struct summary *s);

#endif
