/* filter_cursor.c: removes the regions that are not selected from the events of cursors. */
#include "analyze/summary/filter_cursor.h"

#include <string.h>

#include "analyze/base/nearest.h"
#include "analyze/stream/heap_at_regions.h"
#include "analyze/summary/summary_filter.h"
#include "analyze/trace/region_names.h"
#include "analyze/trace/region_work.h"

#define ARROW " => "

struct filter_cursor {
	struct trace_ops ops; /* operations of the filtered trace */
	const struct trace_ops *inner;
	struct filter_selected meant;
};

/* A region that is open, whether it is selected or not. */
struct filter_cursor_region {
	uint32_t region;
	int inside;    /* it is inside a selected call path, or there are no such paths */
	uint32_t kept; /* number of selected regions up to and including this one */
};

struct trace_cursor {
	struct trace_cursor *inner;
	const struct filter_cursor *filter;
	size_t metric_n;
	struct filter_cursor_region *open;
	size_t open_n, open_cap;
	int in_use; /* a thread uses the stream, as the events before show */
	struct event_state state;
	int64_t *metric; /* of the last event that had metrics, selected or not, followed by
			  * those of `state`; NULL: no event had metrics so far */
	int64_t *entered; /* those of `state` */
	size_t entered_cap;
	struct summary_filter sums;
};

static const struct filter_cursor *filter_cursor_of(const struct trace *t)
{
	return (const struct filter_cursor *)(const void *)t->ops;
}

/* ---- open regions ---- */

static uint32_t kept(const struct trace_cursor *c, size_t n)
{
	return n ? c->open[n - 1].kept : 0;
}

/* Is the innermost region the end of the chain? */
static int chain_ends(const struct trace_cursor *c, const struct filter_cursor_chain *x)
{
	size_t n = x->set_n;

	if (x->from_root && !n)
		return 1;
	if (n > c->open_n || (x->from_root && n != c->open_n))
		return 0;
	for (size_t i = 0; i < n; i++)
		if (!x->set[i][c->open[c->open_n - n + i].region])
			return 0;
	return 1;
}

/* 1: the region is selected. */
static int push(struct trace_cursor *c, uint32_t region)
{
	uint32_t before = kept(c, c->open_n);
	const struct filter_selected *m = &c->filter->meant;
	int inside = !m->chain_n || (c->open_n && c->open[c->open_n - 1].inside), meant;
	struct filter_cursor_region *o = array_add(c, open);

	o->region = region;
	for (size_t i = 0; i < m->chain_n && !inside; i++)
		inside = chain_ends(c, &m->chain[i]);
	meant = inside && m->region[region];
	o->inside = inside;
	o->kept = before + (uint32_t)meant;
	return meant;
}

/* Replaces the open regions by these. Removes those from the list that are not selected. */
static uint32_t replace(struct trace_cursor *c, uint32_t *region, uint32_t n)
{
	uint32_t left = 0;

	c->open_n = 0;
	for (uint32_t i = 0; i < n; i++)
		if (push(c, region[i]))
			region[left++] = region[i];
	return left;
}

static void metrics_copy(struct trace_cursor *c, const int64_t *value)
{
	if (!c->metric)
		c->metric = mem_alloc(2 * c->metric_n * sizeof(*c->metric));
	memcpy(c->metric, value, c->metric_n * sizeof(*c->metric));
}

/* The last selected frame of a state was frame i: copies the metrics at its enter. */
static void entered_copy(struct trace_cursor *c, const struct event_state *s, size_t i)
{
	size_t kept = c->state.frame_n - 1;

	if (!s->entered)
		return;
	if (c->entered_cap < s->frame_n * c->metric_n) {
		c->entered_cap = 2 * s->frame_n * c->metric_n;
		c->entered = mem_resize(c->entered, c->entered_cap, sizeof(*c->entered));
	}
	memcpy(c->entered + kept * c->metric_n, s->entered + i * c->metric_n,
	       c->metric_n * sizeof(*c->entered));
	c->state.entered = c->entered;
}

/*
 * If a state has no metrics, their last values are used, also for a reader that has not seen them.
 */
static void apply_state(struct trace_cursor *c, const struct event_state *s)
{
	event_state_copy(&c->state, s);
	c->in_use = s->in_use;
	if (s->metric) {
		metrics_copy(c, s->metric);
	} else if (c->metric) {
		c->state.metric = c->metric + c->metric_n;
		memcpy(c->state.metric, c->metric, c->metric_n * sizeof(*c->metric));
	}
	c->open_n = 0;
	for (size_t i = 0; i < s->frame_n; i++)
		if (push(c, s->frame[i].region)) {
			*array_add(&c->state, frame) = s->frame[i];
			entered_copy(c, s, i);
		}
}

/* ---- events ---- */

/*
 * A fold may belong to a frame further out: finds the selected regions of its path there. 0: the
 * calls are not selected.
 */
static int apply_fold(struct trace_cursor *c, struct event_args *a, uint32_t *path)
{
	size_t n = c->open_n,
	       frames = (uint64_t)a->fold.frames < n ? n - (size_t)a->fold.frames : 0;
	struct filter_cursor_region *above = mem_copy(c->open + frames, n - frames, sizeof(*above));
	uint32_t left = 0, outer = kept(c, n) - kept(c, frames);
	int meant = 0;

	c->open_n = frames;
	for (uint32_t i = 0; i < a->fold.path.n; i++) {
		meant = push(c, path[i]);
		if (meant)
			path[left++] = path[i];
	}
	c->open_n = frames;
	for (size_t i = frames; i < n; i++)
		*array_add(c, open) = above[i - frames];
	free(above);
	a->fold.path.n = left;
	a->fold.frames = outer;
	return meant;
}

/* Updates the open regions. 0: the event is removed. */
static int apply_event(struct trace_cursor *c, const struct event_batch *b, struct event *ev)
{
	struct event_args *a = ev->kind >= EVENT_VALUE ? &b->args[ev->ref] : NULL;
	size_t n = c->open_n;
	uint32_t before = kept(c, n);

	switch (ev->kind) {
	case EVENT_ENTER:
		return push(c, ev->ref);
	case EVENT_LEAVE:
		c->open_n -= n > 0;
		return !n || kept(c, c->open_n) < before;
	case EVENT_UNWIND:
		c->open_n = ev->ref < n ? n - ev->ref : 0;
		ev->ref = before - kept(c, c->open_n);
		return ev->ref > 0;
	case EVENT_THREAD_END:
		c->open_n = 0;
		return 1;
	case EVENT_ON:
		a->on.open.n = replace(c, b->regions + a->on.open.first, a->on.open.n);
		return 1;
	case EVENT_FOLD:
		return apply_fold(c, a, b->regions + a->fold.path.first);
	case EVENT_THREAD_BEGIN:
	case EVENT_OFF:
	case EVENT_METRICS:
	case EVENT_ALLOC:
	case EVENT_FREE:
	case EVENT_RETYPE:
		return 1;
	default:
		return before > 0;
	}
}

/* The metrics at event i, which has none: those of the next event, or the last ones. */
static void metrics_fill(const struct trace_cursor *c, const struct event_batch *b, size_t i)
{
	const size_t size = c->metric_n * sizeof(*b->metric);
	const int64_t *from = c->metric;

	for (size_t k = i + 1; k < b->n; k++)
		if (event_has_metrics(b->event[k].kind)) {
			from = b->metric + k * c->metric_n;
			break;
		}
	if (from)
		memcpy(b->metric + i * c->metric_n, from, size);
	else
		memset(b->metric + i * c->metric_n, 0, size);
}

/*
 * Many formats have no record for the begin of a thread: it begins with its first event. If event i
 * is that event and it is removed, a begin replaces it, because a selection of regions changes the
 * life of no thread.
 */
static void begin_thread(struct trace_cursor *c, struct event_batch *b, size_t i)
{
	struct event *ev = &b->event[i];

	if (b->metric && !event_has_metrics(ev->kind))
		metrics_fill(c, b, i);
	array_add(b, args);
	ev->kind = EVENT_THREAD_BEGIN;
	ev->ref = (uint32_t)b->args_n - 1;
}

/* Removes the events that are not selected. */
static void batch_filter(struct trace_cursor *c, struct event_batch *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++) {
		const int ends = b->event[i].kind == EVENT_THREAD_END;

		if (!apply_event(c, b, &b->event[i])) {
			if (c->in_use)
				continue;
			begin_thread(c, b, i);
		}
		c->in_use = !ends;
		b->event[n] = b->event[i];
		if (b->metric && n < i)
			memcpy(b->metric + n * c->metric_n, b->metric + i * c->metric_n,
			       c->metric_n * sizeof(*b->metric));
		n++;
	}
	b->n = n;
}

static int cursor_open(struct trace *t, uint32_t stream, int64_t from, struct trace_cursor **out,
		       struct error *e)
{
	const struct filter_cursor *f = filter_cursor_of(t);
	struct trace_cursor *c = mem_alloc(sizeof(*c));
	int code = f->inner->open(t, stream, from, &c->inner, e);

	if (code < 0) {
		free(c);
		return code;
	}
	c->filter = f;
	c->metric_n = t->metric_n;
	summary_filter_init(&c->sums, &f->meant, t->metric_n);
	*out = c;
	return code;
}

static int cursor_next(struct trace_cursor *c, struct event_batch **out, struct error *e)
{
	int code = c->filter->inner->next(c->inner, out, e);
	struct event_batch *b = *out;

	if (code <= 0)
		return code;
	if (b->state) {
		apply_state(c, b->state);
		b->state = &c->state;
	}
	for (size_t i = b->metric ? b->n : 0; i > 0; i--)
		if (event_has_metrics(b->event[i - 1].kind)) {
			metrics_copy(c, b->metric + (i - 1) * c->metric_n);
			break;
		}
	batch_filter(c, b);
	c->sums.open = kept(c, c->open_n) ? FOCUS_SOME : FOCUS_NONE;
	return code;
}

static int cursor_skip(struct trace_cursor *c, struct trace_skip *s, struct error *e)
{
	const struct trace_judge selected = {summary_filter_may, &c->sums};
	struct trace_skip inner = *s;
	int code;

	if (s->kind == TRACE_SKIP_JUDGED || s->judge)
		return 0;
	if (s->kind == TRACE_SKIP_KNOWN)
		inner.judge = &selected;
	code = c->filter->inner->skip(c->inner, &inner, e);
	if (code <= 0)
		return code;
	if (s->kind == TRACE_SKIP_TO) {
		c->sums.open = FOCUS_UNKNOWN;
		return code;
	}
	s->names = &c->sums.names;
	s->summary = &c->sums.out;
	if (c->metric_n)
		metrics_copy(c, c->sums.out.then);
	return code;
}

static void cursor_close(struct trace_cursor *c)
{
	c->filter->inner->close(c->inner);
	free(c->state.frame);
	free(c->open);
	free(c->entered);
	summary_filter_release(&c->sums);
	free(c->metric);
	free(c);
}

static void filter_cursor_free(struct trace *t)
{
	struct filter_cursor *f = (struct filter_cursor *)(void *)(uintptr_t)t->ops;

	f->inner->free(t);
	filter_selected_release(&f->meant);
	free(f);
}

/* ---- the selection ---- */

/* Marks the regions of a name. */
static int mark_name(const struct trace *t, const char *name, unsigned char *set, struct error *e)
{
	struct regions found;
	int code = region_find(t, name, &found, t->path, e);
	const char *near = code ? NULL : region_near(t, name);

	if (!code)
		return error_set(e, ERROR_INPUT, "%s: there is no region '%s'%s%s%s", t->path, name,
				 near ? "; did you mean '" : "", near ? near : "",
				 near ? "'?" : "");
	for (size_t i = 0; i < found.v_n && code > 0; i++)
		set[found.v[i]] = 1;
	free(found.v);
	return code < 0 ? code : 0;
}

/* "; did you mean 'MPI'?" with the group whose name is nearest, or ""; the caller frees it. */
static char *group_near(const struct trace *t, const char *group)
{
	struct nearest near;

	nearest_begin(&near, group);
	for (size_t i = 0; i < t->region_n; i++)
		for (const char *g = t->region[i].groups; *g; g += *g == '|') {
			size_t n = strcspn(g, "|");

			nearest_try(&near, g, n, g);
			g += n;
		}
	return near.best ? mem_printf("; did you mean '%.*s'?", (int)strcspn(near.best, "|"),
				      near.best)
			 : mem_string("");
}

static int mark_group(const struct trace *t, const char *group, unsigned char *set, struct error *e)
{
	size_t found = 0;
	char *near;

	for (size_t i = 0; i < t->region_n; i++)
		if (region_in_group(t->region[i].groups, group)) {
			set[i] = 1;
			found++;
		}
	if (found)
		return 0;
	near = group_near(t, group);
	error_set(e, ERROR_INPUT, "%s: no region is in a group '%s'%s", t->path, group, near);
	free(near);
	return e->code;
}

/* Keeps those regions that one of the names, or groups, selects. */
static int narrow(const struct trace *t, unsigned char *meant, const struct filter_names *l,
		  int (*mark)(const struct trace *t, const char *name, unsigned char *set,
			      struct error *e),
		  struct error *e)
{
	unsigned char *set = mem_alloc(t->region_n + 1);
	int code = 0;

	for (size_t i = 0; i < l->v_n && !code; i++)
		code = mark(t, l->v[i], set, e);
	for (size_t i = 0; i < t->region_n && l->v_n; i++)
		meant[i] &= set[i];
	free(set);
	return code;
}

static int chain_add(const struct trace *t, struct filter_selected *m, const char *text,
		     struct error *e)
{
	struct filter_cursor_chain *x = array_add(m, chain);
	char *copy = mem_string(text), *name = copy, *end;
	int code = 0;

	do {
		end = strstr(name, ARROW);
		if (end)
			*end = 0;
		if (name == copy && !strcmp(name, REGION_ROOT)) {
			x->from_root = 1;
		} else {
			unsigned char *set = mem_alloc(t->region_n + 1);

			*array_add(x, set) = set;
			code = mark_name(t, name, set, e);
		}
		name = end ? end + strlen(ARROW) : NULL;
	} while (name && !code);
	free(copy);
	return code;
}

int filter_selected_make(struct filter_selected *m, struct trace *t, const struct filter *o,
			 struct error *e)
{
	int code;

	m->region_n = (uint32_t)t->region_n;
	m->region = mem_alloc(t->region_n + 1);
	memset(m->region, 1, t->region_n);
	code = narrow(t, m->region, &o->group, mark_group, e);
	if (!code)
		code = narrow(t, m->region, &o->region, mark_name, e);
	for (size_t i = 0; i < o->path.v_n && !code; i++)
		code = chain_add(t, m, o->path.v[i], e);
	return code;
}

/*
 * Does everything that is shown of a stream follow from sums by path? Counters at enters and leaves
 * do not.
 */
static int has_sums(const struct trace *t)
{
	for (size_t i = 0; i < t->metric_n; i++)
		if (heap_at_regions_metric(&t->metric[i]))
			return 0;
	return t->ops->knows & TRACE_KNOWS_CHUNKS;
}

int filter_cursor_install(struct trace *t, const struct filter *o, struct error *e)
{
	struct filter_cursor *f;
	int code;

	if (!o || (!o->group.v_n && !o->region.v_n && !o->path.v_n))
		return 0;
	f = mem_alloc(sizeof(*f));
	code = filter_selected_make(&f->meant, t, o, e);
	if (code) {
		filter_selected_release(&f->meant);
		free(f);
		return code;
	}
	f->inner = t->ops;
	f->ops = has_sums(t) ? *t->ops : trace_ops_unsummed(t->ops);
	f->ops.open = cursor_open;
	f->ops.next = cursor_next;
	f->ops.skip = f->inner->skip ? cursor_skip : NULL;
	f->ops.close = cursor_close;
	f->ops.free = filter_cursor_free;
	f->ops.knows &= ~(unsigned)(TRACE_KNOWS_CALLS | TRACE_KNOWS_REGIONS);
	if (f->ops.knows & TRACE_KNOWS_CHUNKS) {
		filter_selected_counters(&f->meant, t);
		if (f->meant.unclear)
			f->ops.knows &= ~(unsigned)TRACE_KNOWS_CHUNKS;
	}
	t->ops = &f->ops;
	return 0;
}
