/* live_memory_play.c: plays the memory of a process only where no index holds its changes. */
#include "analyze/replay/live_memory_play.h"

#include <string.h>

#include "analyze/summary/summary.h"

/*
 * Adds a segment [begin, end). inside: the known changes that follow it, which it takes over; NULL:
 * none.
 */
static void segment_add(struct live_memory_known *k, const struct segment *s, int64_t begin,
			int64_t end, const struct summary *inside, size_t *cap)
{
	struct segment *to = array_add(&k->segments, v);
	size_t at = k->segments.v_n - 1;

	*to = *s;
	to->begin = begin;
	to->end = end;
	if (*cap < k->segments.v_cap) {
		k->inside = mem_resize(k->inside, k->segments.v_cap, sizeof(*k->inside));
		*cap = k->segments.v_cap;
	}
	if (inside)
		k->inside[at] = *inside;
	else
		summary_init(&k->inside[at], 0);
}

/* ns of the process between two times. */
static uint64_t length(int64_t begin, int64_t end, const struct trace_process *p)
{
	begin = begin < p->start ? p->start : begin;
	end = end > p->end ? p->end : end;
	return end > begin ? (uint64_t)end - (uint64_t)begin : 0;
}

/* Mean length in ns of a chunk of a stream with memory. */
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

/*
 * The known changes inside each segment; the caller frees the array and its summaries. NULL:
 * nothing is known.
 */
static struct summary *inside_get(struct trace *t, uint32_t process, const struct segments *s)
{
	struct trace_index index = {
		.kind = TRACE_INDEX_MEMORY, .process = process, .inside_n = s->v_n};
	struct error none = {0};

	if (!(t->ops->knows & TRACE_KNOWS_MEMORY))
		return NULL;
	index.inside = mem_alloc((s->v_n + 1) * sizeof(*index.inside));
	for (size_t i = 0; i < s->v_n; i++) {
		summary_init(&index.inside[i], 0);
		index.inside[i].begin = s->v[i].begin;
		index.inside[i].end = s->v[i].end;
	}
	if (t->ops->index(t, &index, &none) > 0)
		return index.inside;
	for (size_t i = 0; i < s->v_n; i++)
		summary_release(&index.inside[i]);
	free(index.inside);
	return NULL;
}

int live_memory_known_make(struct live_memory_known *k, struct trace *t, uint32_t process,
			   const struct segments *s)
{
	const struct trace_process *p = &t->process[process];
	struct summary *inside = inside_get(t, process, s);
	uint64_t inside_ns = 0, rest_ns = 0;
	size_t cap = 0;

	*k = (struct live_memory_known){0};
	if (!inside)
		return 0;
	for (size_t i = 0; i < s->v_n; i++) {
		const struct segment *g = &s->v[i];
		uint64_t known = length(inside[i].begin, inside[i].end, p);

		rest_ns += length(g->begin, g->end, p) - known;
		inside_ns += known;
		if (inside[i].begin == inside[i].end) {
			segment_add(k, g, g->begin, g->end, &inside[i], &cap);
			continue;
		}
		segment_add(k, g, g->begin, inside[i].begin, &inside[i], &cap);
		segment_add(k, g, inside[i].end, g->end, NULL, &cap);
	}
	free(inside);
	k->segments.member = s->member;
	k->segments.member_n = s->member_n;
	/*
	 * Then the chunks at both ends are read twice, once for memory and once for everything
	 * else.
	 */
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
	struct player_shared shared;
	struct player *p = mem_alloc((n + 1) * sizeof(*p));
	size_t opened = 0;
	int code = 0;

	player_shared_init(&shared, like->trace, 0, COUNTERS_SITES_NAMED);
	shared.window_n = like->window_n;
	shared.end = like->end;
	shared.memory_only = 1;
	shared.tick = like->tick;
	shared.tick_to = like->tick_to;
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
	player_shared_release(&shared);
	return code < 0 ? code : 0;
}
