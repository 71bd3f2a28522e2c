/* activity.c: adds up the time of regions by cell of time while streams are read. */
#include "analyze/messages/activity.h"

#include <string.h>

#include "analyze/messages/selection.h"

int64_t activity_edge(const struct activity *x, size_t cell)
{
	return x->begin + (int64_t)((__int128)(x->end - x->begin) * (int64_t)cell /
				    (int64_t)x->cell_n);
}

void activity_show(struct activity *x, uint32_t stream)
{
	struct activity_row *r = &x->row[stream];

	if (r->ns)
		return;
	r->ns = mem_alloc(x->cell_n * x->category_n * sizeof(*r->ns));
	r->events = mem_alloc(x->cell_n * sizeof(*r->events));
	r->from = activity_edge(x, 0);
	r->until = activity_edge(x, 1);
}

void activity_align(struct activity *x, int64_t length)
{
	int64_t over = x->begin % length;

	x->begin -= over < 0 ? over + length : over;
	x->cell_n = (size_t)((x->end - x->begin + length - 1) / length);
	x->cell_n += !x->cell_n;
	x->end = x->begin + (int64_t)x->cell_n * length;
}

void activity_add_cell(struct activity *x, uint32_t stream, const struct trace_cell *c)
{
	const int64_t length = (x->end - x->begin) / (int64_t)x->cell_n;
	const size_t cell = x->cell_n > 1 ? (size_t)(c->cell - x->begin / length) : 0;

	for (size_t i = 0; i < c->n; i++) {
		uint32_t category = x->category[c->v[i].region];

		if (category >= x->category_n)
			continue;
		activity_show(x, stream);
		x->row[stream].ns[cell * x->category_n + category] += c->v[i].ns;
	}
	if (x->row[stream].ns)
		x->row[stream].events[cell] += c->visits + (!cell && c->crosses);
}

void activity_drop(struct activity *x, uint32_t stream)
{
	free(x->row[stream].ns);
	free(x->row[stream].events);
	x->row[stream] = (struct activity_row){0};
}

/* Moves on to the cell of a time; times never decrease. */
static void row_reach(const struct activity *x, struct activity_row *r, int64_t time)
{
	while (time >= r->until && r->cell + 1 < x->cell_n) {
		size_t by = (size_t)((time - r->until) / (r->until - r->from + 1));

		r->cell += 1 + by < x->cell_n - r->cell ? 1 + by : x->cell_n - 1 - r->cell;
		r->from = r->until;
		r->until = activity_edge(x, r->cell + 1);
		if (by)
			r->from = activity_edge(x, r->cell);
	}
}

static void on_busy(void *to, uint32_t stream, uint32_t path, int64_t from, int64_t until)
{
	struct activity *x = to;
	struct activity_row *r = &x->row[stream];
	uint32_t category;

	path = selection_path(x->m->selection, path);
	if (!path || path == TRACE_NONE || !selection_stream(x->m->selection, stream))
		return;
	category = x->category[x->m->paths.v[path].region];
	if (category >= x->category_n)
		return;
	activity_show(x, stream);
	row_reach(x, r, from);
	r->events[r->cell]++;
	while (until > r->until && r->cell + 1 < x->cell_n) {
		r->ns[r->cell * x->category_n + category] += r->until - from;
		from = r->until;
		row_reach(x, r, from);
	}
	r->ns[r->cell * x->category_n + category] += until - from;
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

struct messages_use activity_use(struct activity *x, const struct messages *m, size_t cells,
				 const uint32_t *category, size_t category_n)
{
	const struct trace *t = m->trace;

	*x = (struct activity){.m = m,
			       .category = category,
			       .category_n = category_n,
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
	return (struct messages_use){.busy = on_busy, .left = on_left, .to = x};
}

void activity_release(struct activity *x)
{
	for (size_t i = 0; x->m && i < x->m->trace->stream_n; i++) {
		free(x->row[i].ns);
		free(x->row[i].events);
	}
	free(x->row);
	x->row = NULL;
}
