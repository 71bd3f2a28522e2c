/* heap_at_regions.c: makes samples of heap and headroom at the entry and exit of regions. */
#include "analyze/stream/heap_at_regions.h"

#include <string.h>

#include "analyze/profile/counter_stats.h"
#include "analyze/stream/callstack.h"
#include "record/metadata.h"

static const char heap_name[] = TAU_METRIC_HEAP, headroom_name[] = TAU_METRIC_HEADROOM;

int heap_at_regions_metric(const struct trace_metric *m)
{
	return !strcmp(m->name, heap_name) || !strcmp(m->name, headroom_name);
}

void heap_at_regions_init(struct heap_at_regions *n, const struct trace *t, uint32_t depth)
{
	*n = (struct heap_at_regions){.heap = SIZE_MAX, .headroom = SIZE_MAX, .depth = depth};
	for (size_t i = 0; i < t->metric_n; i++) {
		if (!strcmp(t->metric[i].name, heap_name))
			n->heap = i;
		else if (!strcmp(t->metric[i].name, headroom_name))
			n->headroom = i;
	}
	n->on = n->heap != SIZE_MAX || n->headroom != SIZE_MAX;
}

void heap_at_regions_release(struct heap_at_regions *n)
{
	free(n->frame);
}

static void heap_set(struct heap_at_regions *n, int64_t heap)
{
	n->now = heap;
	n->known = 1;
}

/*
 * Sets the frames from the first one that has changed on: they were entered when the heap had the
 * value `heap`.
 */
static void follow(struct heap_at_regions *n, const struct callstack *m)
{
	size_t same = 0;

	while (same < m->frame_n && same < n->frame_n &&
	       m->frame[same].region == n->frame[same].region)
		same++;
	n->frame_n = same;
	for (size_t i = same; i < m->frame_n; i++)
		*array_add(n, frame) = (struct heap_at_regions_frame){m->frame[i].region, n->now};
}

/* The same after an event that changed only the innermost frame. */
static inline void follow_one(struct heap_at_regions *n, const struct callstack *m)
{
	if (m->frame_n + 1 == n->frame_n)
		n->frame_n--;
	else if (m->frame_n == n->frame_n + 1)
		*array_add(n, frame) =
			(struct heap_at_regions_frame){m->frame[m->frame_n - 1].region, n->now};
	else if (m->frame_n != n->frame_n)
		follow(n, m);
}

void heap_at_regions_state(struct heap_at_regions *n, const struct trace *t,
			   const struct callstack *m, const struct event_state *s, int sought)
{
	if (!n->on)
		return;
	if (s->metric && n->heap != SIZE_MAX)
		heap_set(n, s->metric[n->heap]);
	if (sought)
		n->frame_n = 0;
	follow(n, m);
	/* the first frame of the call stack is the root */
	for (size_t i = 0; sought && s->entered && n->heap != SIZE_MAX && i < s->frame_n &&
			   i + 1 < n->frame_n;
	     i++)
		n->frame[i + 1].heap = s->entered[i * t->metric_n + n->heap];
}

static void sample(struct heap_at_regions *n, struct callstack *m, struct counters *c,
		   struct counter_stats *to, const char *name, double value)
{
	uint32_t counter = names_add(&c->names, name, strlen(name));
	uint32_t path = callstack_context(m, n->depth);

	counter_stats_add(to, counter, 0, value);
	if (path)
		counter_stats_add(to, counter, path, value);
}

/* The innermost region will be left next. */
static void leave(struct heap_at_regions *n, struct callstack *m, struct counters *c,
		  struct counter_stats *to)
{
	int64_t gain;

	if (!to || !n->known || m->frame_n < 2 || n->frame_n != m->frame_n)
		return;
	sample(n, m, c, to, TAU_COUNTER_HEAP_KB " at Exit", (double)n->now / 1024);
	gain = (int64_t)((uint64_t)n->now - (uint64_t)n->frame[n->frame_n - 1].heap);
	if (gain > 0)
		sample(n, m, c, to, "Increase in Heap Memory (KB)", (double)gain / 1024);
	if (gain < 0)
		sample(n, m, c, to, "Decrease in Heap Memory (KB)", -(double)gain / 1024);
}

static void enter(struct heap_at_regions *n, struct callstack *m, struct counters *c,
		  struct counter_stats *to, const int64_t *values)
{
	if (!to)
		return;
	if (n->known)
		sample(n, m, c, to, TAU_COUNTER_HEAP_KB " at Entry", (double)n->now / 1024);
	if (n->headroom != SIZE_MAX && values)
		sample(n, m, c, to, "Memory Headroom Available (MB) at Entry",
		       (double)values[n->headroom] / 1048576);
}

static void run(struct callstack *m, const struct event_batch *b, const struct event *ev)
{
	if (!callstack_run(m, ev, 1))
		callstack_other(m, b, ev);
}

void heap_at_regions_play(struct heap_at_regions *n, struct callstack *m, struct counters *c,
			  struct counter_stats *to, const struct event_batch *b,
			  const struct event *ev, const int64_t *values)
{
	if (values && n->heap != SIZE_MAX)
		heap_set(n, values[n->heap]);
	switch (ev->kind) {
	case EVENT_ENTER:
		run(m, b, ev);
		follow_one(n, m);
		enter(n, m, c, to, values);
		break;
	case EVENT_LEAVE:
		leave(n, m, c, to);
		run(m, b, ev);
		follow_one(n, m);
		break;
	case EVENT_UNWIND:
		for (uint32_t i = 0; m->frame_n > 1 && i < ev->ref; i++) {
			leave(n, m, c, to);
			callstack_other(m, b, &(struct event){ev->time, EVENT_UNWIND, 1});
			follow_one(n, m);
		}
		break;
	default:
		callstack_other(m, b, ev);
		if (event_has_metrics(ev->kind) || m->frame_n != n->frame_n)
			follow(n, m);
		break;
	}
}
