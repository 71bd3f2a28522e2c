/*
 * instances_skip.c: counts the instances of regions that begin and end in chunks, from the
 * summaries of the chunks.
 */
#include "analyze/window/instances_skip.h"

#include <string.h>

#define COUNTED_MOST (1u << 24) /* limit of instances that are only counted; if a summary has
				 * more, its chunks are read, because it may be damaged */

enum { MARK_INSIDE = 1, MARK_OUTERMOST = 2 };	/* the path is inside the slot's region; it also
						 * begins an instance */

void instances_skip_init(struct instances_skip *x, const struct trace *t,
			 const struct instances_selected *w, const uint32_t *slot_of)
{
	*x = (struct instances_skip){.trace = t, .selected = w, .slot_of = slot_of};
	x->slot = mem_alloc((w->slot_n + 1) * sizeof(*x->slot));
}

void instances_skip_release(struct instances_skip *x)
{
	free(x->slot);
	free(x->mark);
	*x = (struct instances_skip){0};
}

/* A path has a higher number than its parent, and the names of a stream are always the same. */
static void marks_make(struct instances_skip *x, const struct callstack_paths *paths)
{
	size_t n = paths->v_n;

	free(x->mark);
	x->path_n = n;
	x->mark = mem_alloc(n * x->selected->slot_n + 1);
	for (size_t i = 1; i < n; i++) {
		uint32_t region = paths->v[i].region;
		uint32_t own = region < x->trace->region_n ? x->slot_of[region] : TRACE_NONE;

		for (size_t k = 0; k < x->selected->slot_n; k++) {
			unsigned char *m = &x->mark[k * n + i];

			if (x->mark[k * n + paths->v[i].parent])
				*m = MARK_INSIDE;
			else if (own == k)
				*m = MARK_INSIDE | MARK_OUTERMOST;
		}
	}
}

/* What a summary contains of a slot. */
struct found_instances {
	uint64_t begun;		/* number of instances that were entered */
	int any;		/* the slot's region occurs */
	int64_t inside;		/* ns */
};

static struct found_instances look(const struct instances_skip *x, const struct summary *s,
				   size_t slot)
{
	const unsigned char *mark = x->mark + slot * x->path_n;
	struct found_instances out = {0};

	for (size_t i = 0; i < s->row_n; i++) {
		unsigned char m = mark[s->row[i].path];

		if (!m)
			continue;
		out.any = 1;
		out.inside += s->row[i].excl;
		if (m & MARK_OUTERMOST)
			out.begun += s->row[i].calls;
	}
	return out;
}

/* Is the slot's region open all the time, or never? */
static int is_quiet(const struct skip_slot *slot, const struct summary *s,
		    const struct found_instances *f)
{
	if (slot->counted)
		return 0;
	if (!slot->active)
		return !f->any;
	return !f->begun && (uint64_t)f->inside == (uint64_t)s->end - (uint64_t)s->begin;
}

/* Can the instances be counted? Folded calls are not instances. */
static int is_countable(const struct skip_slot *slot, const struct instances_slot *selected,
			const struct summary *s, const struct found_instances *f)
{
	return !s->folded && selected->least && f->begun < COUNTED_MOST &&
	       slot->have < COUNTED_MOST && slot->have + f->begun < selected->least;
}

int instances_skip_over(void *skip, const struct summary_names *names, const struct summary *s)
{
	struct instances_skip *x = skip;

	/*
	 * A region may have been open before, or its end may be a repair, which the sums do not
	 * show.
	 */
	if (s->repaired || s->resumed)
		return 0;
	if (x->path_n != names->paths.v_n)
		marks_make(x, &names->paths);
	for (size_t k = 0; k < x->selected->slot_n; k++) {
		struct found_instances f = look(x, s, k);

		if (!x->slot[k].done && !is_quiet(&x->slot[k], s, &f) &&
		    !is_countable(&x->slot[k], &x->selected->slot[k], s, &f))
			return 0;
	}
	for (size_t k = 0; k < x->selected->slot_n; k++) {
		struct found_instances f = look(x, s, k);

		if (x->slot[k].done || is_quiet(&x->slot[k], s, &f))
			continue;
		x->slot[k].have += f.begun;
		x->slot[k].counted = 1;
	}
	return 1;
}
