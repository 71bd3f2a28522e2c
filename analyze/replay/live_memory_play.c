/* live_memory_play.c: plays the memory of a process around what is known of it. */
#include "analyze/replay/live_memory_play.h"

#include <string.h>

static struct summary *segment_add(struct live_memory_known *k, const struct segment *s,
				   int64_t begin, int64_t end, size_t *cap)
{
	struct segment *to = array_add(&k->segments, v);

	*to = *s;
	to->begin = begin;
	to->end = end;
	if (*cap < k->segments.v_cap) {
		k->inside = mem_resize(k->inside, k->segments.v_cap, sizeof(*k->inside));
		*cap = k->segments.v_cap;
	}
	summary_init(&k->inside[k->segments.v_n - 1], 0);
	return &k->inside[k->segments.v_n - 1];
}

/* ns of the process between two times. */
static uint64_t length(int64_t begin, int64_t end, const struct trace_process *p)
{
	begin = begin < p->start ? p->start : begin;
	end = end > p->end ? p->end : end;
	return end > begin ? (uint64_t)end - (uint64_t)begin : 0;
}

/* ns of a chunk of a stream with memory, on average. */
static uint64_t chunk_length(const struct trace *t, uint32_t process)
{
	const struct trace_process *p = &t->process[process];
	uint64_t chunks = 0, streams = 0;

	for (size_t i = 0; i < p->stream_n; i++) {
		const struct trace_stream *s = &t->stream[p->stream[i]];

		chunks += s->has_memory ? s->chunks : 0;
		streams += s->has_memory != 0;
	}
	return chunks ? length(p->start, p->end, p) * streams / chunks : 0;
}

int live_memory_known_make(struct live_memory_known *k, struct trace *t, uint32_t process,
			   const struct segments *s)
{
	const struct trace_ops *ops = t->ops;
	struct trace_memory *l = ops->memory_open ? ops->memory_open(t, process) : NULL;
	uint64_t inside_ns = 0, rest_ns = 0;
	size_t cap = 0;

	*k = (struct live_memory_known){0};
	if (!l)
		return 0;
	for (size_t i = 0; i < s->v_n; i++) {
		const struct segment *g = &s->v[i];
		struct summary *inside = segment_add(k, g, g->begin, g->end, &cap);

		rest_ns += length(g->begin, g->end, &t->process[process]);
		if (!ops->memory_inside(l, g->begin, g->end, inside))
			continue;
		inside_ns += length(inside->begin, inside->end, &t->process[process]);
		rest_ns -= length(inside->begin, inside->end, &t->process[process]);
		k->segments.v[k->segments.v_n - 1].end = inside->begin;
		segment_add(k, g, inside->end, g->end, &cap);
	}
	ops->memory_close(l);
	k->segments.member = s->member;
	k->segments.member_n = s->member_n;
	/* What is around it is read twice then, in whole chunks at both ends. */
	if (inside_ns > rest_ns + 4 * s->v_n * chunk_length(t, process))
		return 1;
	live_memory_known_release(k);
	return 0;
}

void live_memory_known_release(struct live_memory_known *k)
{
	for (size_t i = 0; i < k->segments.v_n; i++)
		summary_release(&k->inside[i]);
	free(k->inside);
	free(k->segments.v);
	memset(k, 0, sizeof(*k));
}

int live_memory_play(const struct player_shared *like, const struct live_memory_known *k,
		     const uint32_t *stream, size_t n, int64_t end, struct live_memory *levels,
		     struct error *e)
{
	struct player_shared shared = {.trace = like->trace,
				       .window_n = like->window_n,
				       .end = like->end,
				       .memory_only = 1,
				       .tick = like->tick,
				       .tick_to = like->tick_to};
	struct player *p = mem_alloc((n + 1) * sizeof(*p));
	size_t opened = 0;
	int code = 0;

	callstack_paths_init(&shared.paths, 0);
	stack_tree_init(&shared.tree);
	counters_init(&shared.counters, shared.trace, 0);
	levels->inside = k->inside;
	while (opened < n && code >= 0) {
		code = player_open(&p[opened], &shared, &k->segments, levels, stream[opened], end,
				   e);
		opened++;
	}
	if (code >= 0)
		code = players_advance(p, n, levels, e);
	for (size_t i = 0; i < opened; i++)
		player_close(&p[i]);
	free(p);
	counters_release(&shared.counters);
	callstack_paths_release(&shared.paths);
	stack_tree_release(&shared.tree);
	return code < 0 ? code : 0;
}
