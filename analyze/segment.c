/* segment.c: cuts overlapping windows into disjoint segments. */
#include "segment.h"

#include <string.h>

static int time_compare(const void *va, const void *vb)
{
	const int64_t *a = va, *b = vb;

	return *a < *b ? -1 : *a > *b;
}

struct times {
	int64_t *v;
	size_t v_n, v_cap;
};

void segments_make(struct segments *s, const struct window_spans *spans, size_t window_n)
{
	size_t *at = mem_alloc((window_n + 1) * sizeof(*at));
	struct times cut = { 0 };

	memset(s, 0, sizeof(*s));
	for (size_t w = 0; w < window_n; w++) {
		for (size_t i = 0; i < spans[w].v_n; i++) {
			*array_add(&cut, v) = spans[w].v[i].begin;
			*array_add(&cut, v) = spans[w].v[i].end;
		}
	}
	if (cut.v_n)
		qsort(cut.v, cut.v_n, sizeof(*cut.v), time_compare);
	for (size_t i = 0; i + 1 < cut.v_n; i++) {
		struct segment new = { cut.v[i], cut.v[i + 1], s->member_n, 0 };

		if (new.begin == new.end)
			continue;
		for (size_t w = 0; w < window_n; w++) {
			const struct window_spans *x = &spans[w];

			while (at[w] < x->v_n && x->v[at[w]].end <= new.begin)
				at[w]++;
			if (at[w] == x->v_n || x->v[at[w]].begin > new.begin)
				continue;
			*array_add(s, member) = (uint32_t)w;
			new.n++;
		}
		if (new.n)
			*array_add(s, v) = new;
	}
	free(cut.v);
	free(at);
}

void segments_release(struct segments *s)
{
	free(s->v);
	free(s->member);
	memset(s, 0, sizeof(*s));
}
