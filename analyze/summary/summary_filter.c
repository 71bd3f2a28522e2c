/* summary_filter.c: removes the regions that are not selected from summaries of chunks. */
#include "analyze/summary/summary_filter.h"

#include <string.h>

#include "analyze/profile/counter_stats.h"
#include "analyze/profile/sampled_stacks.h"
#include "analyze/stream/callstack.h"

/*
 * How samples of a counter are recorded: by path, if a region is open; independent of open regions,
 * so all count; not by path.
 */
enum { COUNTER_TOLD, COUNTER_ALWAYS, COUNTER_PATHLESS };

/* ---- counters ---- */

static void keep(struct filter_selected *f, const struct counters *c, const uint32_t *id)
{
	for (size_t i = 0; i < COUNTERS_ROWS; i++)
		if (id[i] != TRACE_NONE)
			names_add(&f->kept, c->names.name[id[i]], c->names.length[id[i]]);
}

static void keep_memory(struct filter_selected *f, struct trace *t)
{
	struct counters c;

	counters_init(&c, t, COUNTERS_SITES_NAMED);
	for (size_t i = 0; i < t->memtype_n; i++) {
		keep(f, &c, c.type[i].alloc);
		keep(f, &c, c.type[i].free);
		keep(f, &c, c.type[i].retyped);
		keep(f, &c, c.type[i].inner);
	}
	names_add(&f->kept, COUNTERS_HEAP_ALLOCATE, strlen(COUNTERS_HEAP_ALLOCATE));
	names_add(&f->kept, COUNTERS_HEAP_FREE, strlen(COUNTERS_HEAP_FREE));
	counters_release(&c);
}

void filter_selected_counters(struct filter_selected *f, struct trace *t)
{
	if (t->memtype_n)
		keep_memory(f, t);
	for (size_t i = 0; i < t->event_n; i++)
		if (!(t->event[i].flags & EVENT_FLAG_CONTEXT))
			names_add(&f->pathless, t->event[i].name, strlen(t->event[i].name));
	/*
	 * An event of the program may have the name of a counter of memory: then some samples
	 * count, and the sum does not show which.
	 */
	for (size_t i = 0; i < t->event_n; i++)
		if (names_find(&f->kept, t->event[i].name, strlen(t->event[i].name)) >= 0)
			f->unclear = 1;
}

static char counter_kind(const struct filter_selected *f, const char *name, size_t length)
{
	if (names_find(&f->kept, name, length) >= 0)
		return COUNTER_ALWAYS;
	if (names_find(&f->pathless, name, length) >= 0 || counters_pathless(name))
		return COUNTER_PATHLESS;
	return COUNTER_TOLD;
}

void filter_selected_release(struct filter_selected *f)
{
	for (size_t i = 0; i < f->chain_n; i++) {
		for (size_t k = 0; k < f->chain[i].set_n; k++)
			free(f->chain[i].set[k]);
		free(f->chain[i].set);
	}
	free(f->chain);
	free(f->region);
	names_release(&f->kept);
	names_release(&f->pathless);
}

/* ---- paths ---- */

/* Is the path, without the root, the end of the chain? */
static int chain_ends(const struct filter_selected *f, const struct filter_cursor_chain *x,
		      const struct callstack_path *v, uint32_t path)
{
	if (x->from_root && !x->set_n)
		return 1;
	for (size_t n = x->set_n; n; n--, path = v[path].parent)
		if (!path || v[path].region == f->region_n || !x->set[n - 1][v[path].region])
			return 0;
	return !x->from_root || !path || v[path].region == f->region_n;
}

static void path_follow(struct summary_filter *x, const struct callstack_path *v, uint32_t i)
{
	const struct filter_selected *f = x->meant;
	const struct filter_cursor_path *above = &x->path[v[i].parent];
	struct filter_cursor_path *p = &x->path[i];
	int root = v[i].region == f->region_n;

	*p = (struct filter_cursor_path){
		.to = above->to, .kept = above->kept, .inside = above->inside};
	for (size_t k = 0; k < f->chain_n && !p->inside && !root; k++)
		p->inside = (char)chain_ends(f, &f->chain[k], v, i);
	p->meant = !root && p->inside && f->region[v[i].region];
	p->kept += p->meant != 0;
	if (p->meant || root)
		p->to = callstack_path_child(&x->names.paths, p->to, v[i].region);
}

/* The names of a stream are always the same, and a path has a higher number than its parent. */
static void names_follow(struct summary_filter *x, const struct summary_names *n)
{
	if (x->path_n == n->paths.v_n)
		return;
	x->names.counters = n->counters;
	x->names.stacks = n->stacks;
	x->path = mem_resize(x->path, n->paths.v_n, sizeof(*x->path));
	x->path[0] = (struct filter_cursor_path){.inside = !x->meant->chain_n};
	for (size_t i = 1; i < n->paths.v_n; i++)
		path_follow(x, n->paths.v, (uint32_t)i);
	x->path_n = n->paths.v_n;
	x->counter_n = n->counters.name_n;
	x->counter = mem_resize(x->counter, x->counter_n + 1, sizeof(*x->counter));
	for (size_t i = 0; i < x->counter_n; i++)
		x->counter[i] =
			counter_kind(x->meant, n->counters.name[i], n->counters.length[i]);
}

/* ---- summaries ---- */

/*
 * Filters calls and times. 0: a thread begins inside, and the sums do not show whether it does so
 * before its first selected event.
 */
static int filter_rows(struct summary_filter *x, const struct callstack_path *v,
		       const struct summary *s, uint64_t *begun, int64_t *inside)
{
	struct summary *to = &x->out;

	for (size_t i = 0; i < s->row_n; i++) {
		const struct summary_row *from = &s->row[i];
		const struct filter_cursor_path *p = &x->path[from->path];
		struct summary_row *r = to->row_n ? &to->row[to->row_n - 1] : NULL;

		if (v[from->path].region == x->meant->region_n && from->calls)
			return 0;
		if (!r || r->path != p->to)
			r = summary_row_add(to, p->to, x->metric_n);
		r->calls += p->meant ? from->calls : 0;
		r->excl += from->excl;
		for (size_t k = 0; k < x->metric_n; k++)
			to->metric[(to->row_n - 1) * x->metric_n + k] +=
				s->metric[i * x->metric_n + k];
		*begun += p->meant && p->kept == 1 ? from->calls : 0;
		*inside += p->kept ? from->excl : 0;
	}
	return 1;
}

/*
 * Is a selected region open during all of the summary, or none? A region that is open at the begin
 * and never entered stays open as long as all of the time is spent inside of it; if it is left at
 * the very end, only records of that same moment can follow.
 */
static enum filter_cursor_open all_along(const struct summary_filter *x, const struct summary *s,
					 uint64_t begun, int64_t inside)
{
	uint64_t length = (uint64_t)s->end - (uint64_t)s->begin;

	if (begun || s->resumed)
		return FOCUS_UNKNOWN;
	if (x->open == FOCUS_NONE && !inside)
		return FOCUS_NONE;
	if (x->open == FOCUS_SOME && (uint64_t)inside == length && length && s->last < s->end)
		return FOCUS_SOME;
	return FOCUS_UNKNOWN;
}

static void filter_sample(struct summary_filter *x, const struct sample *s,
			  enum filter_cursor_open open)
{
	const struct filter_cursor_path *p = &x->path[s->path];
	struct counter_stats *to = &x->out.samples;
	char kind = x->counter[s->counter];
	int counts = kind == COUNTER_ALWAYS || (kind == COUNTER_PATHLESS && open == FOCUS_SOME);

	if (!s->path && counts)
		counter_stats_add_sum(to, s->counter, 0, s);
	if (!s->path || !p->kept)
		return;
	counter_stats_add_sum(to, s->counter, p->to, s);
	if (kind == COUNTER_TOLD)
		counter_stats_add_sum(to, s->counter, 0, s);
}

/* Filters samples. 0: for some samples it is unknown whether they count. */
static int filter_samples(struct summary_filter *x, const struct counter_stats *s,
			  enum filter_cursor_open open)
{
	for (size_t i = 0; i < s->v_n && open == FOCUS_UNKNOWN; i++)
		if (s->v[i].n && x->counter[s->v[i].counter] == COUNTER_PATHLESS)
			return 0;
	for (size_t i = 0; i < s->v_n; i++)
		if (s->v[i].n)
			filter_sample(x, &s->v[i], open);
	return 1;
}

static void filter_stacks(struct summary_filter *x, const struct stacks *s)
{
	for (size_t i = 0; i < s->v_n; i++) {
		const struct stack_count *c = &s->v[i];

		if (c->n && x->path[c->context].kept)
			stacks_add(&x->out.stacks, x->path[c->context].to, c->node, c->n, c->ns);
	}
}

int summary_filter_may(void *sums, const struct summary_names *names, const struct summary *s)
{
	struct summary_filter *x = sums;
	enum filter_cursor_open open;
	uint64_t begun = 0;
	int64_t inside = 0;

	/* The sum does not show which frames were repaired. */
	if (s->repaired)
		return 0;
	names_follow(x, names);
	summary_clear(&x->out);
	if (!filter_rows(x, names->paths.v, s, &begun, &inside))
		return 0;
	open = all_along(x, s, begun, inside);
	if (!filter_samples(x, &s->samples, open))
		return 0;
	filter_stacks(x, &s->stacks);
	x->out.begin = s->begin;
	x->out.end = s->end;
	memcpy(x->out.value, s->value, x->metric_n * sizeof(*s->value));
	memcpy(x->out.then, s->then, x->metric_n * sizeof(*s->then));
	x->open = open;
	return 1;
}

void summary_filter_init(struct summary_filter *x, const struct filter_selected *f, size_t metric_n)
{
	*x = (struct summary_filter){.meant = f, .metric_n = metric_n};
	summary_init(&x->out, metric_n);
	callstack_paths_init(&x->names.paths, CALLSTACK_WHOLE);
}

void summary_filter_release(struct summary_filter *x)
{
	callstack_paths_release(&x->names.paths);
	summary_release(&x->out);
	free(x->path);
	free(x->counter);
}
