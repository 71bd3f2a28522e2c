/*
 * time_cells.c: adds up the time of regions by cells on a grid, in levels: the cells of each are
 * 2^UP times as long as those of the level before.
 */
#include "analyze/messages/time_cells.h"

#include <string.h>

#define UP TRACE_CELLS_UP
#define TOP 6		/* the last level has at most 2^TOP cells */
#define POWER_LEAST 4
#define TIME_MOST   (INT64_C(1) << 60)
#define CELLS_SPARE 65536

struct level_cell {
	struct trace_cell now;	/* n is not used: part_n */
	struct trace_cell_time *part;
	size_t part_n, part_cap;
	int begun;
};

static struct trace_cell_time *part_new(struct level_cell *l, uint32_t region)
{
	struct trace_cell_time *p = array_add(l, part);

	*p = (struct trace_cell_time){region, 0};
	return p;
}

/* Adds the time of a cell to another one. slot: by region, zero now and afterwards. */
static void parts_add(struct level_cell *l, const struct trace_cell *c, uint32_t *slot)
{
	for (size_t i = 0; i < l->part_n; i++)
		slot[l->part[i].region] = (uint32_t)i + 1;
	for (size_t i = 0; i < c->n; i++) {
		const uint32_t at = slot[c->v[i].region];

		(at ? &l->part[at - 1] : part_new(l, c->v[i].region))->ns += c->v[i].ns;
	}
	for (size_t i = 0; i < l->part_n; i++)
		slot[l->part[i].region] = 0;
}

static void level_add(struct cells_row *r, unsigned level, const struct trace_cell *c);

/* The cell is complete: it is kept, and added to that of the next level. */
static void level_end(struct cells_row *r, unsigned level)
{
	struct level_cell *l = &r->level[level];

	if (!l->begun)
		return;
	l->now.v = l->part;
	l->now.n = l->part_n;
	r->sink->put(r->sink, level, &l->now);
	level_add(r, level + 1, &l->now);
	if (!level)
		for (size_t i = 0; i < l->part_n; i++)
			r->slot[l->part[i].region] = 0;
	l->part_n = 0;
	l->begun = 0;
}

static void level_begin(struct cells_row *r, unsigned level, int64_t cell, int crosses)
{
	level_end(r, level);
	r->level[level].now = (struct trace_cell){.cell = cell, .crosses = crosses};
	r->level[level].begun = 1;
}

static void level_add(struct cells_row *r, unsigned level, const struct trace_cell *c)
{
	struct level_cell *l = &r->level[level];
	int64_t cell = c->cell >> UP;

	if (level == r->sink->levels)
		return;
	if (!l->begun || l->now.cell != cell)
		level_begin(r, level, cell, c->crosses && c->cell == cell * (1 << UP));
	l->now.visits += c->visits;
	parts_add(l, c, r->slot_above);
}

static void spend(struct cells_row *r, uint32_t region, int64_t ns)
{
	struct level_cell *l = r->level;
	uint32_t *slot = &r->slot[region];

	if (!*slot) {
		part_new(l, region);
		*slot = (uint32_t)l->part_n;
	}
	l->part[*slot - 1].ns += ns;
}

static void on_busy(void *to, uint32_t stream, uint32_t path, int64_t from, int64_t until)
{
	struct time_cells *x = to;
	struct cells_row *r = &x->row[stream];
	unsigned power;
	uint32_t region;
	int64_t cell;

	if (!r->sink || !path || r->failed)
		return;
	power = r->sink->power;
	if (from < 0 || until > TIME_MOST || (until >> power) > r->cells_most) {
		r->failed = 1;
		return;
	}
	region = x->m->paths.v[path].region;
	cell = from >> power;
	if (!r->level->begun || r->level->now.cell != cell)
		level_begin(r, 0, cell, 0);
	r->level->now.visits++;
	while (until > (cell + 1) << power) {
		const int64_t edge = ++cell << power;

		spend(r, region, edge - from);
		from = edge;
		level_begin(r, 0, cell, 1);
	}
	spend(r, region, until - from);
}

/* ---- begin and end ---- */

static uint64_t run_records(const struct trace *t)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t->stream_n; i++)
		n += t->stream[i].records;
	return n;
}

/* The length of the smallest cells, as a power of 2. */
static unsigned power_of(const struct trace_stream *s, size_t streams)
{
	const double share = streams > CELLS_FEW ? CELLS_SHARE_MANY : CELLS_SHARE;
	const double ns = (double)(s->last - s->first) * share / (double)s->records;
	unsigned power = POWER_LEAST;

	while (power < CELLS_POWER_MOST && (double)(INT64_C(1) << power) < ns)
		power++;
	return power;
}

static unsigned levels_of(int64_t length, unsigned power)
{
	unsigned n = 1;

	while (power + UP * n <= CELLS_POWER_MOST && length >> (power + UP * (n - 1)) >> TOP)
		n++;
	return n;
}

static void row_begin(struct time_cells *x, uint32_t stream)
{
	struct trace *t = x->m->trace;
	const struct trace_stream *s = &t->stream[stream];
	struct cells_row *r = &x->row[stream];
	struct trace_index ask = {.kind = TRACE_INDEX_CELLS_KEEP,
				  .process = s->process,
				  .stream = &stream,
				  .n = 1,
				  .power = power_of(s, t->stream_n)};
	struct error e = {0};

	ask.levels = levels_of(t->end, ask.power);
	if (!s->records || s->values || s->first < 0 || s->last < s->first ||
	    t->ops->index(t, &ask, &e) <= 0)
		return;
	r->sink = ask.sink;
	/* Times of a damaged trace can be after its last record. */
	r->cells_most = (s->last >> ask.power) + CELLS_SPARE;
	r->level = mem_alloc(ask.levels * sizeof(*r->level));
	r->slot = mem_alloc((t->region_n + 1) * sizeof(*r->slot));
	r->slot_above = mem_alloc((t->region_n + 1) * sizeof(*r->slot_above));
	x->kept++;
}

struct messages_use time_cells_use(struct time_cells *x, const struct messages *m, uint64_t least)
{
	const struct trace *t = m->trace;

	*x = (struct time_cells){.m = m, .row = mem_alloc((t->stream_n + 1) * sizeof(*x->row))};
	if (t->ops->knows & TRACE_KNOWS_CELLS && run_records(t) >= least)
		for (uint32_t s = 0; s < t->stream_n; s++)
			if (t->stream[s].records >= least / CELLS_STREAM)
				row_begin(x, s);
	return (struct messages_use){.busy = on_busy, .to = x, .window_only = 1};
}

void time_cells_end(struct time_cells *x, int complete)
{
	for (size_t i = 0; x->m && i < x->m->trace->stream_n; i++) {
		struct cells_row *r = &x->row[i];

		if (!r->sink)
			continue;
		for (unsigned l = 0; l < r->sink->levels; l++)
			level_end(r, l);
		for (unsigned l = 0; l < r->sink->levels; l++)
			free(r->level[l].part);
		r->sink->end(r->sink, complete && !r->failed && !x->m->trace->stream[i].damaged);
		free(r->level);
		free(r->slot);
		free(r->slot_above);
	}
	free(x->row);
}
