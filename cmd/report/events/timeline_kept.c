/* timeline_kept.c: what of a timeline is kept beside the trace, so that no events are read for it. */
#include "cmd/report/events/timeline_rows.h"

#include <string.h>

#include "analyze/messages/activity.h"
#include "analyze/messages/time_cells.h"
#include "analyze/messages/messages.h"
#include "analyze/messages/selection.h"

/* May a limit of the window be anywhere in a cell? Not inside the life of the process, unless a cell begins there. */
static int is_edge(int64_t limit, int64_t length, int outside)
{
	return outside || (limit >= 0 && limit % length == 0);
}

/* Has the window of each process whole cells? */
static int spans_fit(const struct report_trace *r, int64_t length)
{
	for (uint32_t p = 0; p < r->trace->process_n; p++) {
		const struct trace_process *of = &r->trace->process[p];
		const struct window_span s = messages_span(&r->messages, p);

		if (!is_edge(s.begin, length, s.begin <= of->start) ||
		    !is_edge(s.end, length, s.end >= of->end))
			return 0;
	}
	return 1;
}

/* The cells of the picture; 0: they are not on the grid. */
static int cells_of(const struct report_trace *r, const struct activity *a,
		    struct trace_cells *out)
{
	const int64_t length = (a->end - a->begin) / (int64_t)a->cell_n;

	out->n = a->cell_n;
	if (a->begin < 0 || a->end <= a->begin)
		return 0;
	if (a->cell_n == 1) { /* one for all time */
		out->power = CELLS_POWER_MOST;
		return spans_fit(r, INT64_C(1) << out->power);
	}
	if (!time_cells_power(length, &out->power) || a->begin % length != 0 ||
	    a->begin + length * (int64_t)a->cell_n != a->end)
		return 0;
	out->first = a->begin / length;
	return spans_fit(r, length);
}

void timeline_kept_begin(struct timeline_kept *k, const struct report_trace *r,
			 const struct activity *a)
{
	const struct trace *t = r->trace;
	const struct selection *s = r->messages.selection;

	*k = (struct timeline_kept){.skip = mem_alloc(t->stream_n + 1),
				    .known = mem_alloc(t->stream_n + 1)};
	for (uint32_t i = 0; i < t->stream_n; i++)
		k->skip[i] = !selection_stream(s, i);
	if (!(t->ops->knows & TRACE_KNOWS_CELLS) || (s && selection_regions(s)))
		return;
	k->on_grid = cells_of(r, a, &k->ask);
	if (!k->on_grid)
		return;
	for (uint32_t i = 0; i < t->stream_n; i++)
		k->known[i] = !k->skip[i] && t->stream[i].records >= CELLS_RUN / CELLS_STREAM;
}

/* 1: all cells of the stream were passed. */
static int cells_get(struct timeline_kept *k, struct trace *t, uint32_t stream,
		     void (*receive)(void *to, const struct trace_cell *c), void *to)
{
	struct trace_index ask = {.kind = TRACE_INDEX_CELLS,
				  .process = t->stream[stream].process,
				  .stream = &stream,
				  .n = 1,
				  .cells = &k->ask};
	struct error e = {0};

	k->ask.receive = receive;
	k->ask.to = to;
	return t->ops->index(t, &ask, &e) > 0;
}

/* A stream has no more time than the run; in a damaged file it can. */
static int is_possible(const struct trace *t, const struct activity_row *r)
{
	int64_t left = t->end;

	for (size_t i = 0; i < r->now_n; i++) {
		if (r->now[i].ns > left)
			return 0;
		left -= r->now[i].ns;
	}
	return 1;
}

/* Reads the cells of a stream into its row, which does not keep them yet. 0: it has none. */
static int row_read(struct timeline_kept *k, const struct report_trace *r, struct activity *a,
		    uint32_t s)
{
	struct activity_stream to = {a, s};

	if (!k->known[s])
		return 0;
	k->known[s] = (char)(cells_get(k, r->trace, s, activity_add_cell, &to) &&
			     is_possible(r->trace, &a->row[s]));
	k->skip[s] = k->known[s];
	if (!k->known[s])
		activity_drop(a, s);
	return k->known[s];
}

void timeline_kept_sum(struct timeline_kept *k, const struct report_trace *r, struct activity *a,
		       int64_t *ns)
{
	for (uint32_t s = 0; s < r->trace->stream_n; s++) {
		if (!row_read(k, r, a, s))
			continue;
		for (size_t i = 0; i < a->row[s].now_n; i++)
			ns[a->row[s].now[i].region] += a->row[s].now[i].ns;
		activity_drop(a, s);
	}
}

void timeline_kept_fill(struct timeline_kept *k, const struct report_trace *r, struct activity *a)
{
	for (uint32_t s = 0; s < r->trace->stream_n; s++)
		if (row_read(k, r, a, s))
			activity_keep(a, s);
}

void timeline_kept_release(struct timeline_kept *k)
{
	free(k->skip);
	free(k->known);
}
