/* lane_walk.c: follows the regions of a stream between calls that take part in messages. */
#include <string.h>

#include "analyze/messages/lane.h"
#include "analyze/messages/lane_time.h"

/* Makes room for the ways of a path. */
static __attribute__((noinline)) void ways_grow(struct messages_pass *p, uint32_t path)
{
	size_t n = p->ways_n;

	p->ways_n = (size_t)path * 2 + 64;
	p->ways = mem_resize(p->ways, p->ways_n, sizeof(*p->ways));
	memset(p->ways + n, 0xff, (p->ways_n - n) * sizeof(*p->ways));
}

static inline void ways_reach(struct messages_pass *p, uint32_t path)
{
	if (path >= p->ways_n)
		ways_grow(p, path);
}

/* Looks up a way that is unknown so far. 0: there is none. */
static __attribute__((noinline)) int way_find(struct messages *m, uint32_t path,
					      const struct event *ev)
{
	const size_t at = 1 + ev->ref % CALLSTACK_CALLS;
	struct messages_pass *p = m->pass;
	uint32_t child;

	if (ev->kind == EVENT_LEAVE && path) {
		p->ways[path].region[0] = ev->ref;
		p->ways[path].path[0] = m->paths.v[path].parent;
		return 1;
	}
	if (ev->kind == EVENT_LEAVE || p->begins[p->region[ev->ref]])
		return 0;
	child = callstack_path_child(&m->paths, path, p->region[ev->ref]);
	ways_reach(p, child);
	p->ways[path].region[at] = ev->ref;
	p->ways[path].path[at] = child;
	return 1;
}

/* Adds the time between two events to the innermost path. */
static inline void time_pass(struct lane *l, uint32_t path, int64_t from, int64_t to)
{
	int64_t ns = lane_clipped(l, from, to);

	if (!ns)
		return;
	from = from > l->span.begin ? from : l->span.begin;
	if (l->m->pass->busy)
		CALL_USES(l->m, busy, l->stream, path, from, from + ns);
	if (l->m->pass->spends)
		lane_spent_add(l, path, ns);
}

/*
 * No branch depends on whether an event enters or leaves, as a processor can hardly predict that, unless
 * there are teams.
 */
static inline __attribute__((always_inline)) size_t walk(struct lane *l, const struct event *event,
							  size_t n, const int times)
{
	struct messages_pass *p = l->m->pass;
	struct callstack *m = &l->callstack;
	const size_t limit = l->frame_cap < m->frame_cap ? l->frame_cap : m->frame_cap;
	struct lane_frame *const frame = l->frame;
	struct callstack_frame *const open = m->frame;
	const struct lane_ways *ways;
	size_t depth = l->frame_n, i = 0;
	int64_t last = l->last;
	uint32_t path;

	if (!depth)
		return 0;
	path = frame[depth - 1].path;
	ways_reach(p, path);
	ways = p->ways;
	while (i < n && depth < limit) {
		const struct event ev = event[i];
		const size_t at = (1 + ev.ref % CALLSTACK_CALLS) * (size_t)ev.kind;

		if (ev.kind > EVENT_ENTER)
			break;
		if (ways[path].region[at] != ev.ref) {
			if (!way_find(l->m, path, &event[i]))
				break;
			ways = p->ways;
			continue;
		}
		if (times)
			time_pass(l, path, last, ev.time);
		if (times && p->teams && ev.kind == EVENT_LEAVE) {
			l->ended = frame[depth - 1];
			l->ended_depth = depth - 1;
		}
		path = ways[path].path[at];
		/* after a leave, this is the frame that has ended */
		frame[depth] = (struct lane_frame){path, ev.time};
		open[depth].region = ev.ref;
		last = ev.time;
		depth += 2 * (size_t)ev.kind - 1;
		i++;
	}
	l->frame_n = m->frame_n = depth;
	if (i)
		m->last = l->last = last;
	return i;
}

static __attribute__((noinline)) size_t walk_times(struct lane *l, const struct event *event,
						    size_t n)
{
	return walk(l, event, n, 1);
}

/* Runs one enter of a region whose way is known: 1, otherwise 0. */
static inline size_t enter(struct lane *l, const struct event *ev)
{
	const size_t depth = l->frame_n, at = 1 + ev->ref % CALLSTACK_CALLS;
	const struct messages_pass *p = l->m->pass;
	struct callstack *m = &l->callstack;
	uint32_t path;

	if (!depth || depth >= l->frame_cap || depth >= m->frame_cap)
		return 0;
	path = l->frame[depth - 1].path;
	if (path >= p->ways_n || p->ways[path].region[at] != ev->ref)
		return 0;
	if (p->times)
		time_pass(l, path, l->last, ev->time);
	l->frame[depth] = (struct lane_frame){p->ways[path].path[at], ev->time};
	m->frame[depth].region = ev->ref;
	l->frame_n = m->frame_n = depth + 1;
	l->last = m->last = ev->time;
	return 1;
}

size_t lane_walk(struct lane *l, const struct event *event, size_t n)
{
	/* most often a call with messages */
	if (n > 1 && event->kind == EVENT_ENTER && event[1].kind > EVENT_ENTER && enter(l, event))
		return 1;
	return l->m->pass->times || l->m->pass->teams ? walk_times(l, event, n)
						      : walk(l, event, n, 0);
}
