/* report_timeline.c: tau-report timeline: what each PE and thread does over time. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "analyze/base/quantity.h"
#include "analyze/messages/activity.h"
#include "analyze/messages/messages.h"
#include "analyze/messages/selection.h"
#include "analyze/messages/time_cells.h"
#include "analyze/stream/moments.h"
#include "cmd/report/events/cells_option.h"
#include "cmd/report/events/report_trace.h"
#include "cmd/report/events/rows_option.h"
#include "cmd/report/events/timeline_calls.h"
#include "cmd/report/events/timeline_rows.h"
#include "cmd/report/report.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"

#define CELLS_TEXT 64
#define CELLS_SVG  960
#define CELLS_SAMPLES 128 /* of a picture; samples are some 10 ms apart */

/* As in bys. */
enum {
	BY_GROUP,
	BY_REGION,
	BY_FUNCTION,
	BY_CALL,
	BY_MESSAGE,
	BY_WAIT,
	BY_MOMENT,
	BY_ITERATION,
	BY_ROW
};

/* The letter of the category with the largest share: a small one if that is below half. */
static char cell_letter(const struct timeline_rows *x, const struct activity *a,
			const struct timeline_row *r, size_t cell, size_t per)
{
	int64_t length = (activity_edge(a, cell + 1) - activity_edge(a, cell)) * (int64_t)per;
	const int64_t *ns = &r->ns[cell * x->category_n];
	size_t most = 0;

	for (size_t k = 1; k < x->category_n; k++)
		most = ns[k] > ns[most] ? k : most;
	if (!ns[most])
		return '.';
	return (char)(2 * ns[most] >= length
			      ? x->category[most].letter
			      : tolower((unsigned char)x->category[most].letter));
}

static void cells_note(struct table *t, const struct timeline_rows *x, const struct report_trace *r,
		       const struct activity *a)
{
	static const char samples[] = "Rows consist of samples of CPU time.";
	static const char without[] = "No region was recorded here: rows consist of samples of "
				      "CPU time.";
	uint64_t events = 0, most = 0;
	char text[3][QUANTITY_TEXT];

	for (size_t i = 0; i < x->row_n; i++)
		for (size_t c = 0; c < a->cell_n; c++) {
			events += x->row[i].events[c];
			most = x->row[i].events[c] > most ? x->row[i].events[c] : most;
		}
	if (x->sampled)
		table_note(t, "%s", x->no_regions ? without : samples);
	table_note(t,
		   "From %s to %s in %zu cells of %s. A cell has %.1f %s "
		   "on average, at most %" PRIu64 ".",
		   report_moment(r->o, (double)a->begin, text[0]),
		   report_moment(r->o, (double)a->end, text[1]), a->cell_n,
		   report_trace_time(r, (double)(a->end - a->begin) / (double)a->cell_n, text[2]),
		   x->row_n ? (double)events / (double)(a->cell_n * x->row_n) : 0,
		   x->sampled ? "samples" : "changes of region", most);
}

/* One row, a member for each column. */
struct line_cells {
	const char *pe, *cells;
};

/* clang-format off: one column, one paragraph */
static const struct table_field line_fields[] = {
	{FIELD(struct line_cells, pe), TABLE_TEXT, "pe", "PE",
	 .meaning = "rank, or RANK.THREAD if processes have several threads"},
	{FIELD(struct line_cells, cells), TABLE_TEXT, "cells", "time",
	 .fixed = 1,
	 .meaning = "equal parts of the window; each letter is the group with "
	 "the most time in the part, a capital if it has at least half of it"},
	{0},
};
/* clang-format on */

static struct table *text_table(const struct timeline_rows *x, const struct report_trace *r,
				const struct activity *a)
{
	struct table *t = table_new("Timeline");

	table_fields(t, line_fields, 0, NULL);
	report_trace_notes(t, r);
	cells_note(t, x, r, a);
	for (size_t i = 0; i < x->row_n; i++) {
		char line[CELLS_MOST + 1];

		for (size_t c = 0; c < a->cell_n; c++)
			line[c] = cell_letter(x, a, &x->row[i], c, x->row[i].streams);
		line[a->cell_n] = '\0';
		table_row(t);
		table_put_fields(t, &(struct line_cells){x->row[i].name, line});
	}
	for (size_t k = 0; k < x->category_n; k++)
		table_remark(t, "%c %s", x->category[k].letter, x->category[k].name);
	table_remark(t, "A letter is the %s with the most time in the cell, in "
			"lower case if it has less than half of it. A dot: no %s.",
		     x->sampled ? "binary or function" : "group or region",
		     x->sampled ? "sample" : "region");
	return t;
}

/* Tables that have a column. */
enum { OF_GROUPS = 1, OF_REGIONS = 2 };

/* One row, a member for each column. */
struct timeline_cell_cells {
	const char *pe;
	double begin, end;
	const char *name;
	double time;
	int64_t changes;
};

/* clang-format off: one column, one paragraph */
static const struct table_field cell_fields[] = {
	{FIELD(struct timeline_cell_cells, pe), TABLE_TEXT, "pe", NULL,
	 .meaning = "rank, or RANK.THREAD if processes have several threads"},
	{FIELD(struct timeline_cell_cells, begin), TABLE_NUMBER, "begin_ms", NULL, "ms",
	 .precision = 6,
	 .meaning = "start of the cell; of the first one it may be before the window"},
	{FIELD(struct timeline_cell_cells, end), TABLE_NUMBER, "end_ms", NULL, "ms", .precision = 6,
	 .meaning = "end of the cell; of the last one it may be after the window"},
	{FIELD(struct timeline_cell_cells, name), TABLE_TEXT, "region", NULL, .only = OF_REGIONS,
	 .meaning = "region; with --by function, or of a run without regions: function in "
		    "samples"},
	{FIELD(struct timeline_cell_cells, name), TABLE_TEXT, "group", NULL, .only = OF_GROUPS,
	 .meaning = "group of regions; of a run without regions: binary in samples"},
	{FIELD(struct timeline_cell_cells, time), TABLE_NUMBER, "time_ms", NULL, "ms",
	 .precision = 6, .meaning = "exclusive time of the group or region in the cell"},
	{FIELD(struct timeline_cell_cells, changes), TABLE_INTEGER, "changes", NULL,
	 .meaning = "number of enters and leaves of the group or region in the cell, or "
		    "of samples"},
	{0},
};
/* clang-format on */

/* Category k in a cell of a row. */
static void cell_put(struct table *t, const struct timeline_rows *x, const struct activity *a,
		     size_t row, size_t cell, size_t k)
{
	const struct timeline_row *of = &x->row[row];

	table_put_fields(t, &(struct timeline_cell_cells){
				    .pe = of->name,
				    .begin = report_ms((double)activity_edge(a, cell)),
				    .end = report_ms((double)activity_edge(a, cell + 1)),
				    .name = x->category[k].name,
				    .time = report_ms((double)of->ns[cell * x->category_n + k]),
				    .changes = (int64_t)of->events[cell],
			    });
}

/* Processes that are still being recorded. */
static size_t running(const struct trace *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->process_n; i++)
		n += t->process[i].running != 0;
	return n;
}

static struct table *cell_table(const struct timeline_rows *x, const struct report_trace *r,
				const struct activity *a, int regions)
{
	struct table *t = table_new("Timeline");

	table_fields(t, cell_fields, regions ? OF_REGIONS : OF_GROUPS, NULL);
	report_trace_notes(t, r);
	cells_note(t, x, r, a);
	table_fact_number(t, "begin_ns", (double)a->begin);
	table_fact_number(t, "end_ns", (double)a->end);
	table_fact_number(t, "cells", (double)a->cell_n);
	table_fact_number(t, "run_end_ns", (double)r->trace->end);
	table_fact_number(t, "running", (double)running(r->trace));
	table_fact_number(t, "sampled", x->sampled);
	for (size_t i = 0; i < x->row_n; i++)
		for (size_t c = 0; c < a->cell_n; c++)
			for (size_t k = 0; k < x->category_n; k++) {
				int64_t ns = x->row[i].ns[c * x->category_n + k];

				if (!ns)
					continue;
				table_row(t);
				cell_put(t, x, a, i, c, k);
			}
	return t;
}

/* Prepares the use that fills the cells. */
static int cells_begin(struct activity *a, struct report_trace *r, struct messages_use *use,
		       const struct cells_wanted *w, struct error *e)
{
	*use = activity_use(a, &r->messages, w->length ? 1 : w->n);
	if (!w->length)
		return 0;
	if (cells_check(r->o->cells, w, a->end - a->begin, e) < 0)
		return e->code;
	activity_align(a, w->length);
	return 0;
}

/* Fills the cells from what is kept and, of the other streams, from events; keeps cells where all events are read. */
static int cells_fill(struct timeline_rows *x, struct activity *a, struct report_trace *r,
		      const struct messages_use *fill, struct timeline_kept *kept, int regions,
		      struct error *e)
{
	struct messages *m = &r->messages;
	struct messages_use use[2] = {*fill};
	struct time_cells cells = {0};
	size_t n = 1;
	int code = 0, filled = 0;

	if (kept) {
		timeline_kept_begin(kept, r, a);
		m->skip = kept->skip;
	}
	if (r->trace->stream_n > TIMELINE_SHARED)
		code = timeline_shared(x, a, r, kept, regions, &filled, e);
	if (code || filled)
		return code;
	if (kept)
		timeline_kept_fill(kept, r, a);
	if (!m->span && !m->selection) {
		use[1] = time_cells_use(&cells, m, CELLS_RUN);
		n += cells.kept > 0;
	}
	code = timeline_parts_read(a, r, use, n, &cells, e);
	time_cells_end(&cells, !code);
	activity_end(a);
	return code;
}

static void categories_choose(struct timeline_rows *x, const struct trace *t,
			      const struct activity *a, int regions)
{
	int64_t *ns = mem_alloc((t->region_n + 1) * sizeof(*ns));

	activity_regions(a, ns);
	timeline_choose(x, t, ns, regions);
	free(ns);
}

/* The categories and rows of what was read; of samples, if there are no regions. */
static int rows_fill(struct timeline_rows *x, struct report_trace *r, struct activity *a,
		     int regions, size_t most, struct error *e)
{
	const struct selection *s = r->messages.selection;
	const struct rows_wanted *wanted = x->wanted;
	int code;

	if (!x->shared)
		categories_choose(x, r->trace, a, regions);
	timeline_rows_make(x, r, a, most);
	if (x->row_n || (s && selection_regions(s)))
		return 0;
	timeline_rows_release(x);
	*x = (struct timeline_rows){.wanted = wanted};
	a->shared = NULL;
	code = timeline_samples(x, r, a, regions, e);
	x->no_regions = 1;
	if (!code)
		timeline_rows_make(x, r, a, most);
	return code;
}

/* Rows of functions in samples, whether or not there are regions. */
static int functions_fill(struct timeline_rows *x, struct report_trace *r, struct activity *a,
			  size_t most, struct error *e)
{
	int code = timeline_samples(x, r, a, 1, e);

	if (code)
		return code;
	timeline_rows_make(x, r, a, most);
	return x->row_n ? 0
			: error_set(e, ERROR_INPUT, "%s: it contains no samples%s",
				    r->trace->path, r->part);
}

/* The rows themselves, for which no event is read. */
static int print_rows(struct report_trace *r, struct activity *a, const struct rows_wanted *w,
		      FILE *f, size_t width)
{
	struct timeline_rows x = {.wanted = w};
	char *named = timeline_streams_named(r);

	activity_use(a, &r->messages, 1);
	timeline_rows_share(&x, r, a, named, TIMELINE_ROWS_TABLE);
	timeline_rows_make(&x, r, a, TIMELINE_ROWS_TABLE);
	timeline_row_list(&x, r, f, width);
	timeline_rows_release(&x);
	free(named);
	return 0;
}

static int print_all(const struct report_options *o, struct report_trace *r, struct activity *a,
		     const struct rows_wanted *w, int by, FILE *f, size_t width, struct error *e)
{
	static const struct timeline_words words[] = {
		{"Timeline", "the height of a colour is its share of the time", "lines: messages",
		 "blank: in no region"},
		{"Timeline", "samples of CPU time, by function or binary", "lines: messages",
		 "blank: no sample"}};
	struct timeline_rows x = {.wanted = w};
	struct timeline_kept kept = {0};
	struct stream_moments moments = {0};
	struct messages_use use;
	struct cells_wanted wanted;
	const int svg = o->format == REPORT_SVG, regions = by != BY_GROUP;
	const size_t most = svg ? TIMELINE_ROWS_SVG : TIMELINE_ROWS_TABLE;
	const size_t cells = !svg ? CELLS_TEXT : by == BY_FUNCTION ? CELLS_SAMPLES : CELLS_SVG;
	int code = cells_read(o->cells, cells, &wanted, e);

	if (!code)
		code = cells_begin(a, r, &use, &wanted, e);
	if (!code && !svg) { /* no lines of messages */
		use.left = NULL;
		use.window_only = 1;
	}
	if (!code && by != BY_FUNCTION)
		code = cells_fill(&x, a, r, &use, svg ? NULL : &kept, regions, e);
	if (!code)
		code = by == BY_FUNCTION ? functions_fill(&x, r, a, most, e)
					 : rows_fill(&x, r, a, regions, most, e);
	if (!code && svg)
		code = timeline_moments_read(r, &moments, e);
	if (!code) {
		if (!x.row_n)
			code = error_set(e, ERROR_INPUT, "%s: it contains no regions%s",
					 r->trace->path, r->part);
		else if (svg)
			timeline_picture(f, &x, r, a, &moments, &words[x.sampled]);
		else
			report_table(o->format == REPORT_TEXT ? text_table(&x, r, a)
							      : cell_table(&x, r, a, regions),
				     o, f, width);
	}
	timeline_rows_release(&x);
	timeline_kept_release(&kept);
	moments_release(&moments);
	return code;
}

static const struct report_by bys[] = {
	{"group", "letters and colours are groups of regions"},
	{"region", "letters and colours are regions"},
	{"function", "letters and colours are functions in samples of CPU time"},
	{"call", "a call of a region in the window"},
	{"message", "a message that is received in the window"},
	{"wait", "a wait for a late call, the longest first"},
	{"moment", "a mark, a time without recording, or an end by a signal"},
	{"iteration", "an iteration of the loop that takes much of the time, as -w iter finds it"},
	{"row", "a row of the timeline, with its host and PEs"},
	{0},
};

/* From BY_CALL on. */
static int (*const lists[])(struct report_trace *r, FILE *f, size_t width, struct error *e) = {
	timeline_calls, timeline_messages, timeline_waits, timeline_moments, timeline_iterations};

/* Options that are about other values of --by. */
static int options_check(const struct report_options *o, size_t by, struct error *e)
{
	if (by < BY_CALL && (o->top >= 0 || o->sorting))
		return error_set(e, ERROR_USAGE,
				 "timeline: --%s has no effect on this report without --by call, "
				 "message, wait, moment or iteration",
				 o->top >= 0 ? "top" : "sort");
	if (by >= BY_CALL && o->cells)
		return error_set(e, ERROR_USAGE,
				 "--cells is about time: --by %s has one row for each %s",
				 bys[by].name, bys[by].name);
	if (by >= BY_CALL && by != BY_ROW && o->rows)
		return error_set(e, ERROR_USAGE, "timeline: --rows has no effect with --by %s",
				 bys[by].name);
	return by >= BY_CALL
		       ? report_no_picture(
				 o, "timeline --by call, message, wait, moment, iteration and row",
				 e)
		       : 0;
}

static int report_timeline(const struct report_options *o, const struct report_runs *runs,
			   struct output *out, size_t width, struct error *e)
{
	struct activity *a;
	struct report_trace r;
	struct rows_wanted rows = {0};
	size_t by;
	int code;

	(void)runs;
	a = mem_alloc(sizeof(*a));
	code = report_trace_begin(o, "timeline", &by, &r, e);
	if (!code)
		code = options_check(o, by, e);
	if (!code)
		code = rows_read(o->rows, &rows, e);
	if (!code)
		code = by == BY_ROW   ? print_rows(&r, a, &rows, out->file, width)
		       : by < BY_CALL ? print_all(o, &r, a, &rows, (int)by, out->file, width, e)
				      : lists[by - BY_CALL](&r, out->file, width, e);
	activity_release(a);
	report_trace_release(&r);
	rows_release(&rows);
	free(a);
	return code;
}

const struct report_kind kind_timeline = {
	.name = "timeline",
	.columns = (const struct table_field *const[]){
		line_fields, cell_fields, timeline_call_fields, timeline_message_fields,
		timeline_wait_fields, timeline_moment_fields, timeline_iteration_fields,
		timeline_row_fields, NULL},
	.about = "what each PE and thread does over time",
	.question = QUESTION_TIME,
	.example = "-f svg -o timeline.svg run",
	.print = report_timeline,
	.options = REPORT_PICK "by cells rows threads",
	.by = bys,
	.events = 1,
	.title = "Timeline",
	.page = REPORT_PAGE_PICTURE,
};
