/* lane_time.c: time of a stream by call path, between calls that take part in messages. */
#include <string.h>

#include "analyze/messages/lane.h"
#include "analyze/stream/callstack.h"
#include "analyze/messages/lane_time.h"

/* Makes room for the time of a path, and for one more path with time. */
static __attribute__((noinline)) void spent_grow(struct lane *l, uint32_t path)
{
	size_t n = (size_t)path * 2 + 64;

	if (l->touched_n == l->touched_cap)
		l->touched = array_grow(l->touched, &l->touched_cap, sizeof(*l->touched));
	if (path < l->spent_n)
		return;
	l->spent = mem_resize(l->spent, n, sizeof(*l->spent));
	memset(l->spent + l->spent_n, 0, (n - l->spent_n) * sizeof(*l->spent));
	l->spent_n = n;
}

void lane_spent_new(struct lane *l, uint32_t path, int64_t ns)
{
	if (path >= l->spent_n || l->touched_n == l->touched_cap)
		spent_grow(l, path);
	l->touched[l->touched_n++].path = path;
	l->spent[path] += ns;
}

void lane_charge_path(struct lane *l, int64_t time)
{
	const int64_t last = l->last, from = last > l->span.begin ? last : l->span.begin;
	int64_t ns;
	uint32_t path;

	l->last = time;
	if (!l->frame_n) /* before the first one, `last` is no time, either */
		return;
	ns = lane_clipped(l, last, time);
	if (!ns)
		return;
	path = l->frame[l->frame_n - 1].path;
	if (l->m->pass->busy)
		CALL_USES(l->m, busy, l->stream, path, from, from + ns);
	if (!l->m->pass->spends)
		return;
	if (l->call && l->frame_n - 1 == l->call_depth)
		return;
	if (l->call)
		l->nested += ns;
	lane_spent_add(l, path, ns);
}

void lane_uncharge_path(struct lane *l, const struct lane_frame *f, int64_t time)
{
	int64_t own;

	lane_charge(l, time);
	own = lane_clipped(l, f->enter, time);
	if (f->path < l->spent_n)
		l->spent[f->path] -= own < l->spent[f->path] ? own : l->spent[f->path];
}

/* The frame that called; folded calls are below it. */
static size_t fold_depth(const struct lane *l, const struct event_args *a)
{
	uint64_t up = (uint64_t)a->fold.frames;

	return up < l->frame_n ? l->frame_n - 1 - (size_t)up : 0;
}

void lane_fold(struct lane *l, int64_t time, const struct event_args *a)
{
	const uint32_t *region = event_regions(l->batch, a->fold.path);
	size_t n = a->fold.path.n, depth;
	uint32_t under, path;

	if (!l->frame_n || !n || !lane_inside(l, time))
		return;
	depth = fold_depth(l, a);
	under = path = l->frame[depth].path;
	for (size_t i = 0; i < n; i++) {
		under = path;
		path = callstack_path_child(&l->m->paths, path, l->m->region[region[i]]);
	}
	if (l->m->pass->polls && l->m->pass->begins[l->m->region[region[n - 1]]] == BEGINS_POLLING)
		CALL_USES(l->m, polls, l->stream, path, a->fold.calls);
	if (!l->m->pass->times)
		return;
	lane_charge(l, time);
	lane_spent_add(l, path, a->fold.ns);
	/* the time of a call with messages follows from that of the regions in it */
	if (l->call && depth == l->call_depth && n == 1)
		l->nested += a->fold.ns;
	else
		lane_spent_add(l, under, -a->fold.ns);
}

void lane_spent_pass(struct lane *l, struct message_call *c)
{
	size_t n = 0;

	for (size_t i = 0; i < l->touched_n; i++) {
		uint32_t path = l->touched[i].path;

		if (!l->spent[path])
			continue;
		l->touched[n++] = (struct message_time){path, l->spent[path]};
		l->spent[path] = 0;
	}
	for (size_t u = 0; u < l->m->use_n; u++) {
		const struct messages_use *use = &l->m->use[u];

		if (use->spent)
			use->spent(use->to, l->stream, l->touched, n,
				   c && c->role && !use->teams ? NULL : c);
	}
	l->touched_n = 0;
}

void lane_other(struct lane *l, const struct event *ev)
{
	const struct event_args *a;

	if (ev->kind != EVENT_SAMPLE) {
		callstack_other(&l->callstack, l->batch, ev);
		return;
	}
	a = &l->batch->args[ev->ref];
	CALL_USES(l->m, sampled, l->stream, lane_path(l), ev->time, a,
		  event_code(l->batch, a->sample.stack), lane_inside(l, ev->time));
}
