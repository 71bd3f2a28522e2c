/* timeline_groups.c: which streams share a row of a timeline, the names of rows, and a list of
 * them. */
#include <stdio.h>
#include <string.h>

#include "analyze/base/mem_stream.h"
#include "analyze/messages/selection.h"
#include "cmd/report/events/report_trace.h"
#include "cmd/report/events/rows_option.h"
#include "cmd/report/events/timeline_calls.h"
#include "cmd/report/events/timeline_rows.h"
#include "cmd/report/report.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"

/* ---- which share one ---- */

/* What the order of streams needs: by process, the lowest PE of its host. */
struct host_order {
	const struct trace *t;
	int32_t *first;
};

static const char *host_of(const struct trace_process *p)
{
	return p->host ? p->host : "";
}

static int by_host(const void *va, const void *vb, void *to)
{
	const struct host_order *x = to;
	const struct trace_stream *a = &x->t->stream[*(const uint32_t *)va],
				  *b = &x->t->stream[*(const uint32_t *)vb];
	const struct trace_process *p = &x->t->process[a->process], *q = &x->t->process[b->process];
	const int32_t first[2] = {x->first[a->process], x->first[b->process]};
	const int host = strcmp(host_of(p), host_of(q));

	if (host)
		return first[0] != first[1] ? first[0] < first[1] ? -1 : 1 : host;
	if (p->node != q->node)
		return p->node < q->node ? -1 : 1;
	if (a->device != b->device)
		return a->device - b->device;
	return (a->thread > b->thread) - (a->thread < b->thread);
}

/* Streams of a host, and of a PE, follow one another. */
static void order_by_host(const struct trace *t, uint32_t *stream, size_t n)
{
	struct host_order x = {t, mem_alloc((t->process_n + 1) * sizeof(*x.first))};
	struct names names = {0};
	int32_t *lowest = mem_alloc((t->process_n + 1) * sizeof(*lowest));
	uint32_t *host = mem_alloc((t->process_n + 1) * sizeof(*host));
	size_t known = 0;

	for (size_t i = 0; i < t->process_n; i++) {
		const char *name = host_of(&t->process[i]);

		host[i] = names_add(&names, name, strlen(name));
		if (host[i] == known)
			lowest[known++] = t->process[i].node;
		else if (t->process[i].node < lowest[host[i]])
			lowest[host[i]] = t->process[i].node;
	}
	for (size_t i = 0; i < t->process_n; i++)
		x.first[i] = lowest[host[i]];
	if (n)
		qsort_r(stream, n, sizeof(*stream), by_host, &x);
	names_release(&names);
	free(lowest);
	free(host);
	free(x.first);
}

/* Does the stream share a row with the one before it? */
static int is_together(const struct rows_wanted *w, const struct trace *t, uint32_t before,
		       uint32_t stream)
{
	const struct trace_stream *a = &t->stream[before], *b = &t->stream[stream];
	const struct trace_process *p = &t->process[a->process], *q = &t->process[b->process];
	const enum row_level level = rows_level(w, q);

	if (rows_level(w, p) != level)
		return 0;
	if (level == ROW_HOST)
		return !strcmp(host_of(p), host_of(q));
	return a->process == b->process &&
	       (level == ROW_PE || (level == ROW_THREAD && a->device && b->device));
}

void timeline_groups_make(struct timeline_rows *x, const struct report_trace *r, size_t most)
{
	const struct rows_wanted *w = x->wanted;
	size_t groups = 0, number = 0;

	if (w && w->given)
		order_by_host(r->trace, x->order, x->streams);
	else
		report_trace_order(r, x->order, x->streams);
	x->begins = mem_alloc(x->streams + 1);
	for (size_t i = 0; i < x->streams; i++) {
		x->begins[i] = (char)(!i || !w || !w->given ||
				      !is_together(w, r->trace, x->order[i - 1], x->order[i]));
		groups += (size_t)x->begins[i];
	}
	x->per = groups > most ? (groups + most - 1) / most : 1;
	x->groups = 0;
	for (size_t i = 0; i < x->streams; i++) {
		x->begins[i] = (char)(x->begins[i] && number++ % x->per == 0);
		x->groups += (size_t)x->begins[i];
	}
}

char *timeline_streams_named(const struct report_trace *r)
{
	const struct trace *t = r->trace;
	char *named = mem_alloc(t->stream_n + 1);

	for (uint32_t s = 0; s < t->stream_n; s++)
		named[s] = (char)(t->stream[s].records && !t->stream[s].values &&
				  selection_stream(r->messages.selection, s));
	return named;
}

/* ---- names ---- */

char *timeline_row_name(const struct timeline_rows *x, const struct timeline_row *r, int threads)
{
	const int given = x->wanted && x->wanted->given;

	if (given && r->level == ROW_HOST && r->last_level == ROW_HOST)
		return r->host == r->last_host || !strcmp(r->host, r->last_host)
			       ? mem_string(r->host)
			       : mem_printf("%s..%s", r->host, r->last_host);
	if (x->per > 1 && r->first != r->last)
		return mem_printf("%d..%d", (int)r->first, (int)r->last);
	if (given && x->per == 1 && r->level == ROW_THREAD && r->streams > 1)
		return mem_printf("%d.queues", (int)r->first);
	if (threads && !(given && r->level == ROW_PE))
		return mem_printf("%d.%u", (int)r->first, r->thread);
	return mem_printf("%d", (int)r->first);
}

/* ---- the list ---- */

/* One row, a member for each column. */
struct row_list_cells {
	const char *pe, *level, *host, *pes;
	int64_t streams;
};

/* clang-format off: one column, one paragraph */
const struct table_field timeline_row_fields[] = {
	{FIELD(struct row_list_cells, pe), TABLE_TEXT, "pe", "row",
	 .meaning = "its name: rank, RANK.THREAD if processes have several threads, or a host; "
		    "FIRST..LAST of several"},
	{FIELD(struct row_list_cells, level), TABLE_TEXT, "level", NULL,
	 .meaning = "what has a row: queue (and each thread), thread (the queues of a PE share "
		    "one), pe or host"},
	{FIELD(struct row_list_cells, host), TABLE_TEXT, "host", NULL,
	 .meaning = "host of its first PE"},
	{FIELD(struct row_list_cells, pes), TABLE_TEXT, "pes", "PEs",
	 .meaning = "its PEs, as --rank selects them"},
	{FIELD(struct row_list_cells, streams), TABLE_INTEGER, "streams", NULL,
	 .meaning = "number of threads and queues in it"},
	{0},
};
/* clang-format on */

/* "0..3,8": nodes of streams from `first` on, which ascend but for hosts that follow one another.
 */
static char *pes_text(const struct timeline_rows *x, const struct trace *t, size_t first,
		      size_t end)
{
	size_t size;
	char *text = NULL;
	FILE *f = mem_stream(&text, &size);
	int32_t from = 0, to = -2;
	int any = 0;

	for (size_t i = first; i <= end; i++) {
		const int32_t node = i < end ? t->process[t->stream[x->order[i]].process].node : -2;

		if (i > first && node == to)
			continue;
		if (i > first && i < end && node == to + 1) {
			to = node;
			continue;
		}
		if (i > first) {
			fprintf(f, from == to ? "%s%d" : "%s%d..%d", any ? "," : "", (int)from,
				(int)to);
			any = 1;
		}
		from = to = node;
	}
	fclose(f);
	return text;
}

int timeline_row_list(const struct timeline_rows *x, struct report_trace *r, FILE *f, size_t width)
{
	struct table *t = table_new("Rows");

	table_fields(t, timeline_row_fields, 0, NULL);
	report_trace_notes(t, r);
	for (size_t i = 0, at = 0, end; i < x->row_n; i++, at = end) {
		const struct timeline_row *row = &x->row[i];
		char *pes;

		for (end = at + 1; end < x->streams && !x->begins[end];)
			end++;
		pes = pes_text(x, r->trace, at, end);
		table_row(t);
		table_put_fields(t,
				 &(struct row_list_cells){row->name, rows_level_name(row->level),
							  row->host, pes, (int64_t)row->streams});
		free(pes);
	}
	report_table(t, r->o, f, width);
	return 0;
}
