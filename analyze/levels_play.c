/* levels_play.c: plays the memory of a process around what is known of it. */
#include "levels_play.h"

#include <string.h>

static struct stretch *segment_add(struct levels_known *k, const struct segment *s, int64_t begin,
				   int64_t end, size_t *cap)
{
	struct segment *to = array_add(&k->segments, v);

	*to = *s;
	to->begin = begin;
	to->end = end;
	if (*cap < k->segments.v_cap) {
		k->inside = mem_resize(k->inside, k->segments.v_cap, sizeof(*k->inside));
		*cap = k->segments.v_cap;
	}
	stretch_init(&k->inside[k->segments.v_n - 1], 0);
	return &k->inside[k->segments.v_n - 1];
}

int levels_known_make(struct levels_known *k, struct trace *t, uint32_t process,
		      const struct segments *s)
{
	const struct trace_ops *ops = t->ops;
	struct trace_levels *l = ops->levels_open ? ops->levels_open(t, process) : NULL;
	size_t cap = 0, cuts = 0;

	*k = (struct levels_known){0};
	if (!l)
		return 0;
	for (size_t i = 0; i < s->v_n; i++) {
		const struct segment *g = &s->v[i];
		struct stretch *inside = segment_add(k, g, g->begin, g->end, &cap);

		if (!ops->levels_inside(l, g->begin, g->end, inside))
			continue;
		k->segments.v[k->segments.v_n - 1].end = inside->begin;
		segment_add(k, g, inside->end, g->end, &cap);
		cuts++;
	}
	ops->levels_close(l);
	k->segments.member = s->member;
	k->segments.member_n = s->member_n;
	if (!cuts)
		levels_known_release(k);
	return cuts > 0;
}

void levels_known_release(struct levels_known *k)
{
	for (size_t i = 0; i < k->segments.v_n; i++)
		stretch_release(&k->inside[i]);
	free(k->inside);
	free(k->segments.v);
	memset(k, 0, sizeof(*k));
}

int levels_play(const struct player_shared *like, const struct levels_known *k,
		const uint32_t *stream, size_t n, int64_t end, struct levels *levels,
		struct error *e)
{
	struct player_shared shared = {.trace = like->trace,
				       .window_n = like->window_n,
				       .end = like->end,
				       .tick = like->tick,
				       .tick_to = like->tick_to};
	struct player *p = mem_alloc((n + 1) * sizeof(*p));
	size_t opened = 0;
	int code = 0;

	machine_paths_init(&shared.paths, 0);
	stack_tree_init(&shared.tree);
	counters_init(&shared.counters, shared.trace, 0);
	levels->inside = k->inside;
	while (opened < n && code >= 0) {
		code = player_open(&p[opened], &shared, &k->segments, levels, stream[opened], end,
				   e);
		opened++;
	}
	if (code >= 0)
		code = players_advance(p, n, levels, NULL, e);
	for (size_t i = 0; i < opened; i++)
		player_close(&p[i]);
	free(p);
	counters_release(&shared.counters);
	machine_paths_release(&shared.paths);
	stack_tree_release(&shared.tree);
	return code < 0 ? code : 0;
}
