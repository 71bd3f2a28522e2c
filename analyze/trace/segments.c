/* segments.c: cuts overlapping windows into disjoint segments. */
#include "analyze/trace/segments.h"

#include "analyze/base/base.h"

#include <string.h>

/* A moment at which a window begins or ends. */
struct segment_edge {
	int64_t time;
	uint32_t window;
	int begin;
};

struct edges {
	struct segment_edge *v;
	size_t v_n, v_cap;
};

/* The windows that are open, in any order. */
struct open_windows {
	uint32_t *window;
	size_t n;
	size_t *at; /* by window: its position in v */
};

static int edge_compare(const void *va, const void *vb)
{
	const struct segment_edge *a = va, *b = vb;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->begin - b->begin;
}

static void cross(struct open_windows *o, const struct segment_edge *e)
{
	if (e->begin) {
		o->at[e->window] = o->n;
		o->window[o->n++] = e->window;
	} else {
		uint32_t last = o->window[--o->n];

		o->window[o->at[e->window]] = last;
		o->at[last] = o->at[e->window];
	}
}

static int number_compare(const void *va, const void *vb)
{
	const uint32_t *a = va, *b = vb;

	return *a < *b ? -1 : *a > *b;
}

static void segment_add(struct segments *s, int64_t begin, int64_t end,
			const struct open_windows *o)
{
	*array_add(s, v) = (struct segment){begin, end, s->member_n, (uint32_t)o->n};
	for (size_t i = 0; i < o->n; i++)
		*array_add(s, member) = o->window[i];
	qsort(s->member + s->member_n - o->n, o->n, sizeof(*s->member), number_compare);
}

void segments_make(struct segments *s, const struct windows *w, size_t process)
{
	struct open_windows open = {mem_alloc((w->v_n + 1) * sizeof(*open.window)), 0,
			    mem_alloc((w->v_n + 1) * sizeof(*open.at))};
	struct edges edge = {0};

	memset(s, 0, sizeof(*s));
	for (size_t i = 0; i < w->v_n; i++) {
		const struct window_spans *x = window_spans(&w->v[i], process);

		for (size_t k = 0; k < x->v_n; k++) {
			if (x->v[k].begin == x->v[k].end)
				continue;
			*array_add(&edge, v) = (struct segment_edge){x->v[k].begin, (uint32_t)i, 1};
			*array_add(&edge, v) = (struct segment_edge){x->v[k].end, (uint32_t)i, 0};
		}
	}
	if (edge.v_n)
		qsort(edge.v, edge.v_n, sizeof(*edge.v), edge_compare);
	for (size_t i = 0; i < edge.v_n; i++) {
		cross(&open, &edge.v[i]);
		if (i + 1 < edge.v_n && edge.v[i + 1].time > edge.v[i].time && open.n)
			segment_add(s, edge.v[i].time, edge.v[i + 1].time, &open);
	}
	free(edge.v);
	free(open.window);
	free(open.at);
}

void segments_release(struct segments *s)
{
	free(s->v);
	free(s->member);
	memset(s, 0, sizeof(*s));
}
