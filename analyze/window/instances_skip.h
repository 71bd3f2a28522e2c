/*
 * instances_skip.h: tells from what chunks add up to whether instances of regions begin or end in them, so that a search need
 * not read those in which none does, nor those whose instances only have to be counted.
 */
#ifndef INSTANCES_SKIP_H
#define INSTANCES_SKIP_H

#include "analyze/window/instances.h"
#include "analyze/summary/summary.h"

/* Of a slot: what is known where the next stretch begins. */
struct skip_slot {
	uint64_t have;	/* instances that have begun */
	int active;	/* one is open, unless `counted` */
	int done;	/* nothing of it matters any more */
	int counted;	/* instances of stretches that were left out are in `have`; whether one is open the next state says */
};

struct instances_skip {
	const struct trace *trace;
	const struct instances_wanted *wanted;
	const uint32_t *slot_of;	/* by region; TRACE_NONE: none */
	struct skip_slot *slot;		/* the caller's to set before each search; `have` and `counted` follow */
	unsigned char *mark;		/* [slot * path_n + path] */
	size_t path_n;
};
/* slot_of is borrowed. */
void instances_skip_init(struct instances_skip *x, const struct trace *t, const struct instances_wanted *w,
			 const uint32_t *slot_of);
void instances_skip_release(struct instances_skip *x);

/*
 * For TRACE_SKIP_JUDGED: 1 where, of each slot, either no instance begins or ends in the stretch (but at its end, which the state that
 * follows shows), or all that begin come before those whose times matter. They then are in `have`.
 */
int instances_skip_over(void *skip, const struct summary_names *names, const struct summary *s);

#endif
