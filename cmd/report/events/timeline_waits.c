/* timeline_waits.c: single waits of a window, the longest first, each with the call for which it waited. */
#include <string.h>

#include "analyze/messages/awaited.h"
#include "analyze/messages/messages.h"
#include "analyze/messages/waits.h"
#include "cmd/report/events/report_trace.h"
#include "cmd/report/events/timeline_calls.h"
#include "cmd/report/report.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"

struct wait_line {
	uint32_t stream, path, late_stream, late_path;
	enum wait_pattern pattern;
	int64_t begin, end;
};

struct wait_lines {
	struct wait_line *row;
	size_t row_n, row_cap;
	size_t most;	/* rows that are wanted, the longest */
	size_t n;	/* all that were found */
};

static int longest_first(const void *va, const void *vb)
{
	const struct wait_line *a = va, *b = vb;
	const int64_t m = a->end - a->begin, n = b->end - b->begin;

	if (m != n)
		return m > n ? -1 : 1;
	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return (a->stream > b->stream) - (a->stream < b->stream);
}

/* Keeps the longest ones. Twice as many are collected before, so that sorting costs little. */
static void keep_longest(struct wait_lines *x)
{
	if (x->row_n)
		qsort(x->row, x->row_n, sizeof(*x->row), longest_first);
	x->row_n = x->row_n < x->most ? x->row_n : x->most;
}

static void on_found(void *to, const struct wait_found *w)
{
	struct wait_lines *x = to;

	x->n++;
	if (x->row_n >= 2 * x->most)
		keep_longest(x);
	*array_add(x, row) = (struct wait_line){.stream = w->call->stream,
						.path = w->call->path,
						.late_stream = w->late->stream,
						.late_path = w->late->path,
						.pattern = w->pattern,
						.begin = w->begin,
						.end = w->end};
}

/* One row, a member for each column. */
struct wait_cells {
	const char *pe;
	double begin, time;
	const char *pattern, *region, *late_pe, *late_region;
};

/* clang-format off: one column, one paragraph */
const struct table_field timeline_wait_fields[] = {
	{FIELD(struct wait_cells, pe), TABLE_TEXT, "pe", "PE",
	 .meaning = "who waits: rank, or RANK.THREAD if processes have several threads"},
	{FIELD(struct wait_cells, begin), TABLE_NUMBER, "begin_ms", "begin", "ms",
	 .precision = 6,
	 .meaning = "begin of the wait, which can be before the window"},
	{FIELD(struct wait_cells, time), TABLE_NUMBER, "time_ms", "time", "ms",
	 .precision = 6,
	 .meaning = "length of the wait, in a call that ends inside the window"},
	{FIELD(struct wait_cells, pattern), TABLE_TEXT, "pattern", NULL,
	 .meaning = "kind of wait, as tau-report waits describes it"},
	{FIELD(struct wait_cells, region), TABLE_TEXT, "region", "in",
	 .meaning = "region that waits"},
	{FIELD(struct wait_cells, late_pe), TABLE_TEXT, "late_pe", "for PE",
	 .meaning = "for whom it waits"},
	{FIELD(struct wait_cells, late_region), TABLE_TEXT, "late_region", "until",
	 .meaning = "region whose begin it waits for"},
	{0},
};
/* clang-format on */

static char *region_name(const struct report_trace *r, uint32_t path)
{
	if (!path)
		return report_trace_name(r, REGION_ROOT);
	return report_trace_name(r, r->trace->region[r->messages.paths.v[path].region].name);
}

static void wait_put(struct table *t, const struct report_trace *r, const struct wait_line *w,
		     int threads)
{
	char *pe = timeline_place(r->trace, w->stream, threads);
	char *late_pe = timeline_place(r->trace, w->late_stream, threads);
	char *region = region_name(r, w->path), *late_region = region_name(r, w->late_path);

	table_row(t);
	table_put_fields(t, &(struct wait_cells){
				    .pe = pe,
				    .begin = report_ms((double)w->begin),
				    .time = report_ms((double)(w->end - w->begin)),
				    .pattern = wait_name(w->pattern),
				    .region = region,
				    .late_pe = late_pe,
				    .late_region = late_region,
			    });
	free(pe);
	free(late_pe);
	free(region);
	free(late_region);
}

static void waits_print(struct report_trace *r, const struct wait_lines *x, FILE *f, size_t width)
{
	struct table *t = table_new("Waits");
	size_t shown;
	int threads = 0;

	table_order(t, "the longest first");
	table_fields(t, timeline_wait_fields, 0, NULL);
	report_trace_notes(t, r);
	table_fact_number(t, "waits", (double)x->n);
	shown = timeline_rows_printed(t, r, x->n);
	shown = shown < x->row_n ? shown : x->row_n;
	for (size_t i = 0; i < shown; i++)
		threads |= r->trace->stream[x->row[i].stream].thread > 0 ||
			   r->trace->stream[x->row[i].late_stream].thread > 0;
	for (size_t i = 0; i < shown; i++)
		wait_put(t, r, &x->row[i], threads);
	report_table(t, r->o, f, width);
}

int timeline_waits(struct report_trace *r, FILE *f, size_t width, struct error *e)
{
	struct waits waits;
	struct wait_lines x = {
		.most = report_rows_shown(r->o, TIMELINE_LIST_MOST, TIMELINE_ROWS_TEXT)};
	struct messages_use use = waits_use(&waits, &r->messages);
	int code;

	waits.found = on_found;
	waits.found_to = &x;
	code = report_trace_read(r, &use, 1, e);
	if (!code && x.most == TIMELINE_LIST_MOST)
		code = timeline_too_many(r, x.n, "waits", e);
	if (!code) {
		keep_longest(&x);
		waits_print(r, &x, f, width);
	}
	waits_release(&waits);
	free(x.row);
	return code;
}
