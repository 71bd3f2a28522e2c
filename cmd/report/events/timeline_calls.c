/* timeline_calls.c: single calls and messages of a window, as a picture near enough shows them. */
#include "cmd/report/events/timeline_calls.h"

#include <inttypes.h>
#include <string.h>

#include "analyze/messages/messages.h"
#include "analyze/messages/selection.h"
#include "cmd/report/report.h"
#include "cmd/table/table.h"


char *timeline_place(const struct trace *t, uint32_t stream, int threads)
{
	const struct trace_stream *s = &t->stream[stream];
	const int32_t node = t->process[s->process].node;

	return threads ? mem_printf("%d.%u", (int)node, s->thread) : mem_printf("%d", (int)node);
}

int timeline_too_many(const struct report_trace *r, size_t n, const char *what, struct error *e)
{
	return n < TIMELINE_LIST_MOST ? 0
			     : error_set(e, ERROR_INPUT,
					 "%s%s has more than %d %s: choose a shorter window with "
					 "-w",
					 r->trace->path, r->part, TIMELINE_LIST_MOST, what);
}

size_t timeline_rows_printed(struct table *t, const struct report_trace *r, size_t n)
{
	const size_t shown = report_rows_shown(r->o, n, TIMELINE_ROWS_TEXT);

	if (shown < n)
		table_remark(t, "%zu of %zu rows; --top 0 lists all.", shown, n);
	return shown;
}

/* ---- calls ---- */

struct open_call {
	uint32_t path;
	int64_t begin;
};
struct open_calls { /* of a stream, the outermost first */
	struct open_call *v;
	size_t v_n, v_cap;
};

struct call_row {
	uint32_t stream, path, depth;
	int64_t begin, end;
};

struct calls {
	const struct messages *m;
	struct open_calls *open; /* by stream */
	struct call_row *row;
	size_t row_n, row_cap;
};

static void on_begin(void *to, uint32_t stream, uint32_t path, int64_t time)
{
	struct calls *x = to;

	*array_add(&x->open[stream], v) = (struct open_call){path, time};
}

static void on_end(void *to, uint32_t stream, uint32_t path, int64_t time)
{
	struct calls *x = to;
	struct open_calls *open = &x->open[stream];
	const struct window_span s = messages_span(x->m, x->m->trace->stream[stream].process);
	struct open_call c;

	(void)path;
	if (!open->v_n)
		return;
	c = open->v[--open->v_n];
	if (time < s.begin || c.begin >= s.end || (time == s.begin && c.begin < time) ||
	    x->row_n >= TIMELINE_LIST_MOST || selection_path(x->m->selection, c.path) != c.path ||
	    !selection_stream(x->m->selection, stream))
		return;
	*array_add(x, row) = (struct call_row){
		stream, c.path, (uint32_t)open->v_n, c.begin > s.begin ? c.begin : s.begin,
		time < s.end ? time : s.end};
}

static int by_stream_and_begin(const void *va, const void *vb)
{
	const struct call_row *a = va, *b = vb;

	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return (a->depth > b->depth) - (a->depth < b->depth);
}

/* One row, a member for each column. */
struct call_cells {
	const char *pe;
	int64_t depth;
	double begin, end;
	const char *region;
};

/* clang-format off: one column, one paragraph */
const struct table_field timeline_call_fields[] = {
	{FIELD(struct call_cells, pe), TABLE_TEXT, "pe", "PE",
	 .meaning = "rank, or RANK.THREAD if processes have several threads"},
	{FIELD(struct call_cells, depth), TABLE_INTEGER, "depth", NULL,
	 .meaning = "number of calls around it"},
	{FIELD(struct call_cells, begin), TABLE_NUMBER, "begin_ms", "begin", "ms",
	 .precision = 6,
	 .meaning = "its begin; that of the window, if it began before"},
	{FIELD(struct call_cells, end), TABLE_NUMBER, "end_ms", "end", "ms",
	 .precision = 6,
	 .meaning = "its end; that of the window, if it ended later"},
	{FIELD(struct call_cells, region), TABLE_TEXT, "region", NULL,
	 .meaning = "region"},
	{0},
};
/* clang-format on */

static void calls_print(struct report_trace *r, const struct calls *x, FILE *f, size_t width)
{
	struct table *t = table_new("Calls");
	const struct callstack_path *paths = r->messages.paths.v;
	int threads = 0;

	table_fields(t, timeline_call_fields, 0, NULL);
	report_trace_notes(t, r);
	for (size_t i = 0; i < x->row_n; i++)
		threads |= r->trace->stream[x->row[i].stream].thread > 0;
	for (size_t i = 0, n = timeline_rows_printed(t, r, x->row_n); i < n; i++) {
		const struct call_row *c = &x->row[i];
		char *pe = timeline_place(r->trace, c->stream, threads);
		char *region =
			report_trace_name(r, r->trace->region[paths[c->path].region].name);

		table_row(t);
		table_put_fields(t, &(struct call_cells){pe, c->depth,
							 report_ms((double)c->begin),
							 report_ms((double)c->end), region});
		free(region);
		free(pe);
	}
	report_table(t, r->o, f, width);
}

int timeline_calls(struct report_trace *r, FILE *f, size_t width, struct error *e)
{
	const struct trace *t = r->trace;
	struct calls x = {.m = &r->messages,
			  .open = mem_alloc((t->stream_n + 1) * sizeof(*x.open))};
	char *skip = mem_alloc(t->stream_n + 1);
	struct messages_use use = {
		.begins = on_begin, .ends = on_end, .to = &x, .window_only = 1};
	int code;

	for (uint32_t s = 0; s < t->stream_n; s++)
		skip[s] = !selection_stream(r->messages.selection, s);
	r->messages.skip = skip;
	code = report_trace_read(r, &use, 1, e);
	if (!code)
		code = timeline_too_many(r, x.row_n, "calls", e);
	if (!code) {
		if (x.row_n)
			qsort(x.row, x.row_n, sizeof(*x.row), by_stream_and_begin);
		calls_print(r, &x, f, width);
	}
	r->messages.skip = NULL;
	for (uint32_t s = 0; s < t->stream_n; s++)
		free(x.open[s].v);
	free(skip);
	free(x.open);
	free(x.row);
	return code;
}

/* ---- messages ---- */

struct message_row {
	uint32_t from, to;
	int64_t sent, received;
	uint64_t bytes;
};

struct message_rows {
	const struct messages *m;
	struct message_row *row;
	size_t row_n, row_cap;
};

static void on_left(void *to, struct message_call *c, int inside)
{
	struct message_rows *x = to;
	struct selection *s = x->m->selection;

	for (const struct message *m = c->received; m; m = m->next_received)
		if (m->send && inside && x->row_n < TIMELINE_LIST_MOST &&
		    selection_has(s, m->send->stream, m->send->path) &&
		    selection_has(s, c->stream, c->path))
			*array_add(x, row) = (struct message_row){
				m->send->stream, c->stream, m->send->enter, c->leave, m->bytes};
}

static int by_time(const void *va, const void *vb)
{
	const struct message_row *a = va, *b = vb;

	if (a->sent != b->sent)
		return a->sent < b->sent ? -1 : 1;
	return (a->received > b->received) - (a->received < b->received);
}

/* One row, a member for each column. */
struct message_cells {
	const char *from, *to;
	double sent, received;
	int64_t bytes;
};

/* clang-format off: one column, one paragraph */
const struct table_field timeline_message_fields[] = {
	{FIELD(struct message_cells, from), TABLE_TEXT, "from", NULL,
	 .meaning = "sender: rank, or RANK.THREAD if processes have several threads"},
	{FIELD(struct message_cells, to), TABLE_TEXT, "to", NULL,
	 .meaning = "receiver"},
	{FIELD(struct message_cells, sent), TABLE_NUMBER, "sent_ms", "sent", "ms",
	 .precision = 6,
	 .meaning = "begin of the call that sent it"},
	{FIELD(struct message_cells, received), TABLE_NUMBER, "received_ms", "received", "ms",
	 .precision = 6,
	 .meaning = "end of the call that received it, inside the window"},
	{FIELD(struct message_cells, bytes), TABLE_INTEGER, "bytes", NULL,
	 .meaning = "its bytes"},
	{0},
};
/* clang-format on */

int timeline_messages(struct report_trace *r, FILE *f, size_t width, struct error *e)
{
	struct message_rows x = {.m = &r->messages};
	struct messages_use use = {.left = on_left, .to = &x, .window_calls = 1};
	int code = report_trace_read(r, &use, 1, e);

	if (!code)
		code = timeline_too_many(r, x.row_n, "messages", e);
	if (!code) {
		struct table *t = table_new("Messages");
		int threads = 0;

		for (size_t i = 0; i < x.row_n; i++)
			threads |= r->trace->stream[x.row[i].from].thread > 0 ||
				   r->trace->stream[x.row[i].to].thread > 0;
		table_fields(t, timeline_message_fields, 0, NULL);
		report_trace_notes(t, r);
		if (x.row_n)
			qsort(x.row, x.row_n, sizeof(*x.row), by_time);
		for (size_t i = 0, n = timeline_rows_printed(t, r, x.row_n); i < n; i++) {
			const struct message_row *m = &x.row[i];
			char *from = timeline_place(r->trace, m->from, threads);
			char *to = timeline_place(r->trace, m->to, threads);

			table_row(t);
			table_put_fields(t, &(struct message_cells){
						    from, to, report_ms((double)m->sent),
						    report_ms((double)m->received),
						    (int64_t)m->bytes});
			free(from);
			free(to);
		}
		report_table(t, r->o, f, width);
	}
	free(x.row);
	return code;
}
