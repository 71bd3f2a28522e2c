/* timeline_shared.c: rows of a run of many streams, and what of them is kept beside the run. */
#include "cmd/report/events/timeline_rows.h"

#include <string.h>

#include "analyze/messages/activity.h"
#include "analyze/messages/messages.h"
#include "analyze/messages/messages_parts.h"
#include "analyze/messages/row_cells.h"
#include "analyze/messages/selection.h"
#include "analyze/trace/trace.h"
#include "cmd/report/events/report_trace.h"

/* Which streams have time in a region, and how much each region has. */
struct named_streams {
	const struct messages *m;
	char *named;
	int64_t *ns;
};

static void on_named(void *to, uint32_t stream, uint32_t path, int64_t from, int64_t until)
{
	const struct named_streams *x = to;

	path = selection_path(x->m->selection, path);
	if (!path || path == TRACE_NONE || !selection_stream(x->m->selection, stream))
		return;
	x->named[stream] |= until > from;
	x->ns[x->m->paths.v[path].region] += until - from;
}

/* ---- kept rows ---- */

static void on_ns(void *to, const struct trace_cell *c)
{
	int64_t *ns = to;

	for (size_t i = 0; i < c->n; i++)
		ns[c->v[i].region] += c->v[i].ns;
}

static int can_answer(const struct row_cells *c, const struct timeline_kept *kept)
{
	return !c->failed && kept->on_grid && c->power <= kept->ask.power;
}

/* The streams of each kept row are those of a row of the picture. */
static int is_same(const struct row_cells *c, const struct timeline_rows *x)
{
	for (size_t i = 0; i < x->streams; i++)
		if (c->row_of[x->order[i]] != c->row_of[x->shared[x->order[i]]])
			return 0;
	return c->row_n == x->groups;
}

/* Fills the cells of rows that are those of `named`. 0: they are others, or have no time there. */
static int rows_fill(const struct row_cells *c, struct timeline_rows *x, struct activity *a,
		     const struct report_trace *r, const struct timeline_kept *kept,
		     const char *named, int regions)
{
	struct trace_cells ask = kept->ask;
	int64_t *ns;
	int any = 0;

	timeline_rows_share(x, r, a, named, TIMELINE_ROWS_TABLE);
	if (!is_same(c, x))
		return 0;
	ns = mem_alloc((r->trace->region_n + 1) * sizeof(*ns));
	ask.receive = on_ns;
	ask.to = ns;
	for (size_t i = 0; i < c->row_n; i++)
		row_cells_pass(c, i, &ask);
	for (size_t i = 0; i < r->trace->region_n; i++)
		any |= ns[i] > 0;
	if (any)
		timeline_choose(x, r->trace, ns, regions);
	free(ns);
	if (!any)
		return 0;
	timeline_rows_share(x, r, a, named, TIMELINE_ROWS_TABLE);
	ask.receive = activity_add_cell;
	for (size_t i = 0; i < c->row_n; i++) {
		ask.to = &(struct activity_stream){a, c->row[i].stream[0]};
		row_cells_pass(c, i, &ask);
		activity_keep(a, c->row[i].stream[0]);
	}
	return 1;
}

/* ---- the run ---- */

/* 1: rows were kept. */
static int kept_fill(struct timeline_rows *x, struct activity *a, const struct report_trace *r,
		     const struct timeline_kept *kept, const char *named, int regions)
{
	struct row_cells c;
	int filled;

	if (!row_cells_get(&c, r->trace))
		return 0;
	filled = can_answer(&c, kept) && rows_fill(&c, x, a, r, kept, named, regions);
	row_cells_release(&c);
	return filled;
}

/* Are the sums of rows to be kept? */
static int is_kept(const struct timeline_rows *x, const struct report_trace *r,
		   const struct timeline_kept *kept)
{
	const struct trace *t = r->trace;
	uint64_t records = 0;

	for (size_t s = 0; s < t->stream_n; s++)
		records += t->stream[s].records;
	return kept && !(x->wanted && x->wanted->given) && t->ops->knows & TRACE_KNOWS_NUMBERS &&
	       !r->messages.span && !r->messages.selection && records >= ROW_CELLS_RUN &&
	       !memchr(kept->skip, 1, t->stream_n);
}

/* A part of the streams. */
struct region_part {
	struct named_streams named;
	struct row_cells rows;
	struct messages_use use[2];
};

struct region_parts {
	struct named_streams *all;
	struct row_cells *rows; /* of all; failed: none are made */
	const uint32_t *shared;
	const char *named;
	size_t n;
	struct region_part *v;
};

static void part_begin(void *to, size_t i, struct messages *m)
{
	const struct region_parts *x = to;
	struct region_part *p = &x->v[i];

	p->named = (struct named_streams){.m = m, .named = x->all->named};
	p->named.ns = mem_alloc((m->trace->region_n + 1) * sizeof(*p->named.ns));
	p->use[0] = (struct messages_use){.busy = on_named, .to = &p->named, .window_only = 1};
	m->use = p->use;
	m->use_n = 1;
	if (x->rows->failed)
		return;
	p->use[m->use_n++] = row_cells_use(&p->rows, m, x->shared, x->named);
	p->rows.parts_most /= x->n;
}

static void part_end(void *to, size_t i, const struct messages *m)
{
	const struct region_parts *x = to;

	for (size_t k = 0; k < m->trace->region_n; k++)
		x->all->ns[k] += x->v[i].named.ns[k];
	if (!x->rows->failed)
		row_cells_join(x->rows, &x->v[i].rows);
}

/* A selection is of all streams. */
static int parts_read(struct region_parts *x, struct report_trace *r, struct error *e)
{
	struct messages *m = &r->messages;
	const struct messages_parts parts = {
		.whole = m, .together = x->shared, .begin = part_begin, .end = part_end, .to = x};
	int code;

	x->v = mem_alloc(x->n * sizeof(*x->v));
	if (x->n > 1) {
		code = messages_parts_read(&parts, x->n, e);
	} else {
		part_begin(x, 0, m);
		code = messages_read(m, e);
		if (!code)
			part_end(x, 0, m);
		m->use_n = 0;
	}
	for (size_t i = 0; i < x->n; i++) {
		row_cells_release(&x->v[i].rows);
		free(x->v[i].named.ns);
	}
	free(x->v);
	return code;
}

/* Reads how much time streams and regions have, and keeps the sums of rows, which end up in c. */
static int regions_read(struct timeline_rows *x, struct activity *a, struct report_trace *r,
			const struct timeline_kept *kept, struct named_streams *y,
			const char *named, struct row_cells *c, struct error *e)
{
	const unsigned threads = r->o->load && !r->messages.selection ? r->o->load->threads : 1;
	struct region_parts parts = {
		.all = y, .rows = c, .named = named, .n = messages_parts_n(&r->messages, threads)};
	int code;

	c->failed = !is_kept(x, r, kept);
	if (!c->failed) {
		timeline_rows_share(x, r, a, named, TIMELINE_ROWS_TABLE);
		row_cells_use(c, &r->messages, x->shared, named);
		parts.shared = x->shared;
	}
	code = parts_read(&parts, r, e);
	/* What there is to note about a stream is found where it is read. */
	if (!code && !c->failed && !r->trace->late_n)
		row_cells_keep(c, r->trace);
	return code;
}

int timeline_shared(struct timeline_rows *x, struct activity *a, struct report_trace *r,
		    struct timeline_kept *kept, int regions, int *filled, struct error *e)
{
	const size_t n = r->trace->stream_n;
	const struct selection *s = r->messages.selection;
	struct named_streams y = {&r->messages, mem_alloc(n + 1),
				  mem_alloc((r->trace->region_n + 1) * sizeof(*y.ns))};
	char *named = timeline_streams_named(r);
	struct row_cells c = {0};
	int code = 0, any, by_time;

	*filled = kept && !s && kept_fill(x, a, r, kept, named, regions);
	if (!*filled) {
		if (kept)
			timeline_kept_sum(kept, r, a, y.ns);
		code = regions_read(x, a, r, kept, &y, named, &c, e);
		for (size_t i = 0; i < n && kept; i++)
			y.named[i] |= kept->known[i];
		any = memchr(y.named, 1, n) != NULL;
		/* Cells of single streams are kept while all events are read again. */
		*filled = !code && any && kept && !memchr(kept->known, 1, n) &&
			  can_answer(&c, kept) && rows_fill(&c, x, a, r, kept, named, regions);
		if (*filled)
			trace_settle(r->trace);
		if (!code && !*filled) {
			timeline_choose(x, r->trace, y.ns, regions);
			by_time = !any || (s && selection_regions(s));
			timeline_rows_share(x, r, a, by_time ? y.named : named,
					    kept ? TIMELINE_ROWS_TABLE : TIMELINE_ROWS_SVG);
		}
		report_trace_again(r);
	}
	row_cells_release(&c);
	free(named);
	free(y.named);
	free(y.ns);
	return code;
}
