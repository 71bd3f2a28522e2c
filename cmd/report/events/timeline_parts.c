/* timeline_parts.c: fills the cells of a timeline on several threads, which read a part of the streams each. */
#include "analyze/messages/activity.h"
#include "analyze/messages/messages_parts.h"
#include "analyze/messages/selection.h"
#include "analyze/messages/time_cells.h"
#include "analyze/trace/trace.h"
#include "cmd/report/events/report_trace.h"
#include "cmd/report/events/timeline_rows.h"

/* Rows of a stream are written by the part that reads it. */
struct timeline_part {
	struct activity activity;
	struct time_cells cells;
	struct messages_use use[2];
};

struct timeline_parts {
	const struct activity *a;
	const struct time_cells *cells;
	const struct messages_use *use;
	size_t use_n;
	struct timeline_part *v;
};

static void begin(void *to, size_t i, struct messages *m)
{
	const struct timeline_parts *x = to;
	struct timeline_part *p = &x->v[i];

	p->activity = *x->a;
	p->activity.m = m;
	p->cells = *x->cells;
	p->cells.m = m;
	for (size_t k = 0; k < x->use_n; k++)
		p->use[k] = x->use[k];
	p->use[0].to = &p->activity;
	p->use[1].to = &p->cells;
	m->use = p->use;
	m->use_n = x->use_n;
}

/* Into how many parts streams are dealt. Lines of messages, and call paths that are selected, are of all streams. */
static size_t parts_of(const struct report_trace *r, const struct messages_use *fill)
{
	const struct selection *s = r->messages.selection;
	const unsigned threads = r->o->load ? r->o->load->threads : 1;

	if (!fill->window_only || (s && selection_regions(s)))
		return 1;
	return messages_parts_n(&r->messages, threads);
}

int timeline_parts_read(struct activity *a, struct report_trace *r, struct messages_use *use,
			size_t use_n, const struct time_cells *cells, struct error *e)
{
	const size_t n = parts_of(r, use);
	struct timeline_parts x = {a, cells, use, use_n, NULL};
	const struct messages_parts parts = {
		.whole = &r->messages, .together = a->shared, .begin = begin, .to = &x};
	int code;

	if (n == 1)
		return report_trace_read(r, use, use_n, e);
	x.v = mem_alloc(n * sizeof(*x.v));
	code = messages_parts_read(&parts, n, e);
	free(x.v);
	if (!code)
		trace_settle(r->trace);
	return code;
}
