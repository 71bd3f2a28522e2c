/* live_memory.c: merges the allocations and deallocations of streams into levels of the process. */
#include "analyze/summary/live_memory.h"

#include <string.h>

void live_memory_init(struct live_memory *l, const struct counters *c, const struct segments *s,
		      size_t window_n, int64_t end)
{
	memset(l, 0, sizeof(*l));
	l->counters = c;
	l->where.of = s;
	l->end = end;
	l->gone = INT64_MAX;
	l->row_n = c->level.names.name_n;
	l->now = mem_alloc(l->row_n * sizeof(*l->now));
	l->peak = mem_alloc(l->row_n * sizeof(*l->peak));
	l->window_now = mem_alloc(window_n * l->row_n * sizeof(*l->now));
	l->window_peak = mem_alloc(window_n * l->row_n * sizeof(*l->now));
	l->window_base = mem_alloc(window_n * l->row_n * sizeof(*l->now));
	l->window_begun = mem_alloc(window_n + 1);
	l->window_seen = mem_alloc(window_n + 1);
}

void live_memory_release(struct live_memory *l)
{
	free(l->now);
	free(l->peak);
	free(l->window_now);
	free(l->window_peak);
	free(l->window_base);
	free(l->window_begun);
	free(l->window_seen);
	free(l->change);
	free(l->spare);
}

static void level_raise(struct level *peak, const struct level *now)
{
	if (now->bytes > peak->bytes)
		peak->bytes = now->bytes;
	if (now->blocks > peak->blocks)
		peak->blocks = now->blocks;
}

static inline void row_change(struct live_memory *l, uint32_t row, const struct level_change *c)
{
	struct level now = l->now[row];

	/* Damaged sums may overflow, which must not be undefined behaviour. */
	now.bytes = (int64_t)((uint64_t)now.bytes + (uint64_t)c->bytes);
	now.blocks = (int64_t)((uint64_t)now.blocks + (uint64_t)c->blocks);
	l->now[row] = now;
	level_raise(&l->peak[row], &now);
}

/* Raises the peaks of a window by the known changes after the segment that ends now. */
static void inside_add(const struct live_memory *l, struct level *peak, const struct summary *s)
{
	for (size_t i = 0; i < s->level_n; i++) {
		const struct level_sum *x = &s->level[i];
		struct level most;

		if (x->row >= l->row_n)
			continue;
		most.bytes = (int64_t)((uint64_t)l->now[x->row].bytes + (uint64_t)x->peak.bytes);
		most.blocks = (int64_t)((uint64_t)l->now[x->row].blocks + (uint64_t)x->peak.blocks);
		level_raise(&peak[x->row], &most);
	}
}

static void segment_begin(struct live_memory *l, const struct segment *s)
{
	memcpy(l->peak, l->now, l->row_n * sizeof(*l->peak));
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t w = l->where.of->member[s->first + i];

		if (!l->window_begun[w])
			memcpy(&l->window_base[w * l->row_n], l->now,
			       l->row_n * sizeof(*l->now));
		l->window_begun[w] = 1;
	}
}

static void segment_end(struct live_memory *l, const struct segment *s)
{
	if (s->begin > l->end)
		return;
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t w = l->where.of->member[s->first + i];
		struct level *now = &l->window_now[w * l->row_n],
			     *peak = &l->window_peak[w * l->row_n];

		if (s->end > l->gone)
			memset(now, 0, l->row_n * sizeof(*now));
		else
			memcpy(now, l->now, l->row_n * sizeof(*now));
		for (size_t r = 0; r < l->row_n; r++) {
			if (!l->window_seen[w])
				peak[r] = l->peak[r];
			level_raise(&peak[r], &l->peak[r]);
		}
		l->window_seen[w] = 1;
		if (l->inside)
			inside_add(l, peak, &l->inside[s - l->where.of->v]);
	}
}

/*
 * Opens and closes segments up to a time; the time itself belongs to the segment that begins there.
 */
static void cross(struct live_memory *l, int64_t time)
{
	const struct segment *s;

	while ((s = segment_cross(&l->where, time)))
		if (l->where.open)
			segment_begin(l, s);
		else
			segment_end(l, s);
}

/* The end of the sorted run that begins at i. */
static size_t run_end(const struct level_change *v, size_t i, size_t n)
{
	if (i < n)
		i++;
	while (i < n && !level_change_after(&v[i - 1], &v[i]))
		i++;
	return i;
}

static void runs_merge(struct level_change *to, const struct level_change *a,
		       const struct level_change *middle, const struct level_change *end)
{
	const struct level_change *b = middle;

	while (a < middle && b < end)
		*to++ = level_change_after(a, b) ? *b++ : *a++;
	memcpy(to, a, (size_t)(middle - a) * sizeof(*a));
	memcpy(to + (middle - a), b, (size_t)(end - b) * sizeof(*b));
}

/*
 * Stable sort. The changes of each stream are in order, so pairs of sorted runs are merged until
 * one is left.
 */
static void changes_sort(struct live_memory *l)
{
	size_t n = l->change_n;

	while (l->unordered && run_end(l->change, 0, n) < n) {
		struct level_change *from = l->change;
		size_t cap = l->change_cap;

		if (l->spare_cap < l->change_cap) {
			free(l->spare);
			l->spare_cap = l->change_cap;
			l->spare = mem_resize(NULL, l->spare_cap, sizeof(*l->spare));
		}
		for (size_t low = 0; low < n;) {
			size_t middle = run_end(from, low, n), high = run_end(from, middle, n);

			runs_merge(l->spare + low, from + low, from + middle, from + high);
			low = high;
		}
		l->change = l->spare;
		l->change_cap = l->spare_cap;
		l->spare = from;
		l->spare_cap = cap;
	}
	l->unordered = 0;
}

void live_memory_advance(struct live_memory *l, int64_t before)
{
	int64_t edge = segment_edge(&l->where);
	size_t i = 0;

	changes_sort(l);
	for (; i < l->change_n && l->change[i].time < before; i++) {
		const struct level_change *c = &l->change[i];
		const struct counters_type *t = &l->counters->type[c->type];

		if (l->watch)
			l->watch(l->watch_to, c);
		if (c->time >= edge) {
			cross(l, c->time);
			edge = segment_edge(&l->where);
		}
		row_change(l, 0, c);
		for (size_t k = 0; k < COUNTERS_ROWS; k++)
			if (t->level[k] != TRACE_NONE)
				row_change(l, t->level[k], c);
	}
	if (i && i < l->change_n)
		memmove(l->change, l->change + i, (l->change_n - i) * sizeof(*l->change));
	l->change_n -= i;
	if (before == INT64_MAX)
		cross(l, INT64_MAX);
}
