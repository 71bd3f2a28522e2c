/* activity.c: adds up the time of regions by cell of time while streams are read. */
#include "analyze/messages/activity.h"

#include <string.h>

#include "analyze/messages/selection.h"

#define PARTS_SEARCHED 64   /* of a cell */
#define PARTS_MERGED   4096 /* the parts beyond these are merged */

int64_t activity_edge(const struct activity *x, size_t cell)
{
	return x->begin + (int64_t)((__int128)(x->end - x->begin) * (int64_t)cell /
				    (int64_t)x->cell_n);
}

static void rows_start(struct activity *x)
{
	for (uint32_t s = 0; s < x->m->trace->stream_n; s++) {
		x->row[s].from = activity_edge(x, 0);
		x->row[s].until = activity_edge(x, 1);
	}
}

void activity_show(struct activity *x, uint32_t stream)
{
	x->row[stream].shown = 1;
}

void activity_align(struct activity *x, int64_t length)
{
	int64_t over = x->begin % length;

	x->begin -= over < 0 ? over + length : over;
	x->cell_n = (size_t)((x->end - x->begin + length - 1) / length);
	x->cell_n += !x->cell_n;
	x->end = x->begin + (int64_t)x->cell_n * length;
	rows_start(x);
}

static void now_add(struct activity_row *r, uint32_t region, uint64_t visits, int64_t ns)
{
	*array_add(r, now) = (struct activity_part){(uint32_t)r->cell, region, visits, ns};
}

void activity_add_cell(void *to, const struct trace_cell *c)
{
	const struct activity_stream *into = to;
	const struct activity *x = into->to;
	const int64_t length = (x->end - x->begin) / (int64_t)x->cell_n;
	struct activity_row *r = &x->row[into->stream];

	r->cell = x->cell_n > 1 ? (size_t)(c->cell - x->begin / length) : 0;
	for (size_t i = 0; i < c->n; i++)
		now_add(r, c->v[i].region, i ? 0 : c->visits + (r->cell ? 0 : c->crosses),
			c->v[i].ns);
}

void activity_drop(struct activity *x, uint32_t stream)
{
	x->row[stream].now_n = 0;
	x->row[stream].cell = 0;
}

/* The part that has those of a region in a cell; NULL: none. */
static struct activity_part *shared_part(const struct activity *x, struct activity_row *r,
					 const struct activity_part *of)
{
	const uint32_t category = x->category[of->region];
	struct activity_part *p;

	if (category >= x->category_n)
		return NULL;
	if (!r->part) {
		r->part_n = r->part_cap = x->cell_n * x->category_n;
		r->part = mem_alloc(r->part_n * sizeof(*r->part));
	}
	p = &r->part[of->cell * x->category_n + category];
	p->cell = of->cell;
	p->region = category;
	return p;
}

static struct activity_part *own_part(struct activity_row *r, const struct activity_part *of)
{
	struct activity_part *p = array_add(r, part);

	*p = (struct activity_part){of->cell, of->region, 0, 0};
	return p;
}

void activity_keep(struct activity *x, uint32_t stream)
{
	struct activity_row *from = &x->row[stream];

	for (size_t i = 0; i < from->now_n; i++) {
		const struct activity_part *of = &from->now[i];
		struct activity_part *p =
			x->shared ? shared_part(x, &x->row[x->shared[stream]], of)
				  : own_part(from, of);

		if (!p)
			continue;
		p->visits += of->visits;
		p->ns += of->ns;
	}
	from->now_n = from->merged = 0;
}

void activity_end(struct activity *x)
{
	for (uint32_t s = 0; s < x->m->trace->stream_n; s++)
		activity_keep(x, s);
}

void activity_regions(const struct activity *x, int64_t *ns)
{
	for (uint32_t s = 0; s < x->m->trace->stream_n; s++)
		for (size_t i = 0; i < x->row[s].part_n; i++)
			ns[x->row[s].part[i].region] += x->row[s].part[i].ns;
}

/* ---- while streams are read ---- */

static int by_region(const void *va, const void *vb)
{
	const struct activity_part *a = va, *b = vb;

	return a->region < b->region ? -1 : a->region > b->region;
}

/* One part for each region of the current cell. */
static void cell_merge(struct activity_row *r)
{
	struct activity_part *v = r->now;
	size_t to = 0;

	if (!r->now_n)
		return;
	qsort(v, r->now_n, sizeof(*v), by_region);
	for (size_t i = 1; i < r->now_n; i++) {
		if (v[i].region != v[to].region) {
			v[++to] = v[i];
			continue;
		}
		v[to].visits += v[i].visits;
		v[to].ns += v[i].ns;
	}
	r->merged = r->now_n = to + 1;
}

/* The part of a region in the current cell. In one of many regions it can be a further part. */
static struct activity_part *part_of(struct activity_row *r, uint32_t region)
{
	uint32_t *near = &r->near[region % ACTIVITY_NEAR];
	size_t i = *near, last;

	if (i < r->now_n && r->now[i].region == region)
		return &r->now[i];
	i = r->now_n;
	last = i > PARTS_SEARCHED ? i - PARTS_SEARCHED : 0;
	while (i > last && r->now[i - 1].region != region)
		i--;
	if (i == last) {
		if (r->now_n > 2 * r->merged + PARTS_MERGED)
			cell_merge(r);
		now_add(r, region, 0, 0);
		i = r->now_n;
	}
	*near = (uint32_t)(i - 1);
	return &r->now[i - 1];
}

static void spend(struct activity_row *r, uint32_t region, uint64_t visits, int64_t ns)
{
	struct activity_part *p = part_of(r, region);

	p->visits += visits;
	p->ns += ns;
}

/* Moves on to the cell of a time; times never decrease. */
static void row_reach(struct activity *x, uint32_t stream, int64_t time)
{
	struct activity_row *r = &x->row[stream];

	if (time >= r->until && r->cell + 1 < x->cell_n)
		activity_keep(x, stream);
	while (time >= r->until && r->cell + 1 < x->cell_n) {
		size_t by = (size_t)((time - r->until) / (r->until - r->from + 1));

		r->cell += 1 + by < x->cell_n - r->cell ? 1 + by : x->cell_n - 1 - r->cell;
		r->from = r->until;
		r->until = activity_edge(x, r->cell + 1);
		if (by)
			r->from = activity_edge(x, r->cell);
	}
}

void activity_add(struct activity *x, uint32_t stream, uint32_t region, int64_t time, int64_t ns)
{
	row_reach(x, stream, time);
	spend(&x->row[stream], region, 1, ns);
}

/* A span inside the current cell, in a region that it has: nearly all spans are. 0: it is not. */
static inline int near_add(struct activity_row *r, uint32_t region, int64_t from, int64_t until)
{
	const uint32_t i = r->near[region % ACTIVITY_NEAR];

	if (until > r->until || from >= r->until || i >= r->now_n || r->now[i].region != region)
		return 0;
	r->now[i].visits++;
	r->now[i].ns += until - from;
	return 1;
}

static void on_busy(void *to, uint32_t stream, uint32_t path, int64_t from, int64_t until)
{
	struct activity *x = to;
	struct activity_row *r = &x->row[stream];
	uint32_t region;
	uint64_t visits = 1;

	if (x->m->selection && selection_stream(x->m->selection, stream))
		path = selection_path(x->m->selection, path);
	else if (x->m->selection)
		path = 0;
	if (!path || path == TRACE_NONE)
		return;
	region = x->m->paths.v[path].region;
	if (near_add(r, region, from, until))
		return;
	row_reach(x, stream, from);
	while (until > r->until && r->cell + 1 < x->cell_n) {
		spend(r, region, visits, r->until - from);
		visits = 0;
		from = r->until;
		row_reach(x, stream, from);
	}
	spend(r, region, visits, until - from);
}

void activity_line(struct activity *x, uint32_t from, uint32_t to, int64_t sent, int64_t received)
{
	if (x->message_n < ACTIVITY_MESSAGES)
		x->message[x->message_n] = (struct activity_message){from, to, sent, received};
	x->message_n++;
}

/* Do both ends of the message have a row, which a line can connect? */
static int is_shown(const struct activity *x, const struct message *m)
{
	struct selection *s = x->m->selection;

	return selection_has(s, m->send->stream, m->send->path) &&
	       selection_has(s, m->recv->stream, m->recv->path);
}

static void on_left(void *to, struct message_call *c, int inside)
{
	struct activity *x = to;

	for (const struct message *m = c->received; m; m = m->next_received) {
		if (m->send && inside && is_shown(x, m))
			activity_line(x, m->send->stream, c->stream, m->send->enter, c->leave);
	}
}

struct messages_use activity_use(struct activity *x, const struct messages *m, size_t cells)
{
	const struct trace *t = m->trace;

	*x = (struct activity){.m = m,
			       .cell_n = cells,
			       .begin = INT64_MAX,
			       .end = INT64_MIN};
	x->row = mem_alloc((t->stream_n + 1) * sizeof(*x->row));
	for (uint32_t p = 0; p < t->process_n; p++) {
		struct window_span s = messages_span(m, p);

		s.begin = s.begin > t->process[p].start ? s.begin : t->process[p].start;
		s.end = s.end < t->process[p].end ? s.end : t->process[p].end;
		if (s.end <= s.begin)
			continue;
		x->begin = s.begin < x->begin ? s.begin : x->begin;
		x->end = s.end > x->end ? s.end : x->end;
	}
	if (x->end < x->begin)
		x->begin = x->end = 0;
	rows_start(x);
	return (struct messages_use){
		.busy = on_busy, .left = on_left, .to = x, .window_calls = 1};
}

static void row_release(struct activity_row *r)
{
	free(r->part);
	free(r->now);
}

void activity_release(struct activity *x)
{
	for (size_t i = 0; x->m && i < x->m->trace->stream_n; i++)
		row_release(&x->row[i]);
	free(x->row);
	x->row = NULL;
}
