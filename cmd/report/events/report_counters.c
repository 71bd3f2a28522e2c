/* report_counters.c: tau-report counters: the values of counters, their rates, and their course
 * over time. */
#include <math.h>
#include <string.h>

#include "analyze/messages/samples.h"
#include "cmd/picture/courses.h"
#include "cmd/report/events/cells_option.h"
#include "cmd/report/events/report_trace.h"
#include "cmd/report/report.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"
#include "cmd/table/table_text.h"

#define TOP_TEXT 40
#define TOP_PICTURE 6

enum { BY_COUNTER, BY_THREAD, BY_TIME, BYS };

struct counters_report {
	const struct report_options *o;
	const struct report_trace *r;
	const struct samples *x;
	size_t by;
	int text, ascii;
};

/* The course of a counter as letters: heights between its least and its largest value; a blank if
 * there is no sample. */
static char *course(const struct counters_report *a, const struct samples_row *r)
{
	static const char *const levels[2][8] = {{"▁", "▂", "▃", "▄",
						  "▅", "▆", "▇", "█"},
						 {".", ":", "-", "=", "+", "*", "#", "@"}};
	const char *const *level = levels[a->ascii];
	double least = isnan(r->rise) ? INFINITY : 0, most = -INFINITY;
	char *text = mem_alloc(a->x->bins * strlen(levels[0][0]) + 1);

	*text = 0;
	for (size_t i = 0; i < a->x->bins; i++) {
		least = fmin(least, samples_at(a->x, r, i));
		most = fmax(most, samples_at(a->x, r, i));
	}
	for (size_t i = 0; i < a->x->bins; i++) {
		double v = samples_at(a->x, r, i);

		strcat(text, isnan(v)	   ? " "
			     : most > least ? level[(int)fmin(7, (v - least) / (most - least) * 8)]
					    : level[most > 0 ? 3 : 0]);
	}
	return text;
}

/* Tables that have a column: bits of --by, and text. */
enum {
	OF_COUNTERS = 1 << BY_COUNTER,
	OF_THREADS = 1 << BY_THREAD,
	OF_TIME = 1 << BY_TIME,
	OF_COURSE = 1 << BYS,
};

/* One row, a member for each column. */
struct counters_cells {
	int64_t rank, thread;
	double begin, end;
	int64_t samples, threads;
	double mean, least, largest, last, per_second;
	const char *course, *counter;
};

/* clang-format off: one column, one paragraph */
static const struct table_field fields[] = {
	{FIELD(struct counters_cells, rank), TABLE_INTEGER, "rank", "rank", .only = OF_THREADS,
	 .meaning = "rank of the process"},
	{FIELD(struct counters_cells, thread), TABLE_INTEGER, "thread", "thread",
	 .only = OF_THREADS, .meaning = "number of the thread in its process"},
	{FIELD(struct counters_cells, begin), TABLE_NUMBER, "begin_ms", "from", "ms",
	 .precision = 3, .only = OF_TIME, .meaning = "start of the part"},
	{FIELD(struct counters_cells, end), TABLE_NUMBER, "end_ms", "to", "ms", .precision = 3,
	 .only = OF_TIME, .meaning = "end of the part"},
	{FIELD(struct counters_cells, samples), TABLE_INTEGER, "samples", "samples", .spare = 3,
	 .only = OF_COUNTERS | OF_THREADS, .meaning = "number of values"},
	{FIELD(struct counters_cells, threads), TABLE_INTEGER, "threads", "threads", .spare = 4,
	 .only = OF_COUNTERS,
	 .meaning = "number of threads with values; queues of devices are not "
		    "threads"},
	{FIELD(struct counters_cells, mean), TABLE_NUMBER, "mean", "mean", .precision = 3,
	 .meaning = "mean of the values"},
	{FIELD(struct counters_cells, least), TABLE_NUMBER, "least", "least", .precision = 3,
	 .spare = 1, .meaning = "smallest value"},
	{FIELD(struct counters_cells, largest), TABLE_NUMBER, "largest", "largest", .precision = 3,
	 .meaning = "largest value"},
	{FIELD(struct counters_cells, last), TABLE_NUMBER, "last", "last", .precision = 3,
	 .spare = 2, .only = OF_COUNTERS | OF_THREADS, .meaning = "last value"},
	{FIELD(struct counters_cells, per_second), TABLE_NUMBER, "per_second", "per s",
	 .precision = 3,
	 .meaning = "sum of the increases from one value of a thread to the next, "
		    "divided by the time from the first to the last value"},
	{FIELD(struct counters_cells, course), TABLE_TEXT, "course", "over time", .only = OF_COURSE,
	 .fixed = 1,
	 .meaning = "the counter over 24 equal parts of the run; each row has its "
		    "own scale"},
	{FIELD(struct counters_cells, counter), TABLE_TEXT, "counter", "counter",
	 .meaning = "name of the counter"},
	{0},
};
/* clang-format on */

static void columns(struct table *t, const struct counters_report *a)
{
	unsigned course = a->text && a->by != BY_TIME ? OF_COURSE : 0;

	table_fields(t, fields, 1u << a->by | course, NULL);
}

static void row_put(struct table *t, const struct counters_report *a, const struct samples_row *r)
{
	const struct trace *trace = a->r->trace;
	const struct trace_stream *s = a->by == BY_THREAD ? &trace->stream[r->stream] : NULL;
	char *text = a->text ? course(a, r) : NULL;

	table_row(t);
	table_put_fields(t, &(struct counters_cells){
				    .rank = s ? trace->process[s->process].node : FIELD_MISSING,
				    .thread = s ? s->thread : FIELD_MISSING,
				    .samples = (int64_t)r->n,
				    .threads = r->threads,
				    .mean = samples_mean(r),
				    .least = r->min,
				    .largest = r->max,
				    .last = r->last,
				    .per_second = samples_rate(r),
				    .course = text,
				    .counter = trace->event[r->event].name,
			    });
	free(text);
}

static void times_put(struct table *t, const struct counters_report *a, const struct samples_row *r)
{
	for (size_t i = 0; i < a->x->bins; i++) {
		double v = samples_at(a->x, r, i);

		if (isnan(v))
			continue;
		table_row(t);
		table_put_fields(t, &(struct counters_cells){
					    .begin = report_ms((double)samples_begin(a->x, i)),
					    .end = report_ms((double)samples_begin(a->x, i + 1)),
					    .mean = isnan(r->rise) ? v : NAN,
					    .least = isnan(r->rise) ? r->bin[i].least : NAN,
					    .largest = isnan(r->rise) ? r->bin[i].largest : NAN,
					    .per_second = isnan(r->rise) ? NAN : v,
					    .counter = a->r->trace->event[r->event].name,
				    });
	}
}

/* "A, B, C" of the metrics that enter and leave carry; NULL: there are none. To be freed. */
static char *region_metrics(const struct trace *t)
{
	char *list = NULL;

	for (size_t i = 0; i < t->metric_n; i++) {
		char *longer = mem_printf("%s%s%s", list ? list : "", list ? ", " : "",
					  t->metric[i].name);

		free(list);
		list = longer;
	}
	return list;
}

static void notes(struct table *t, const struct counters_report *a)
{
	char text[2][QUANTITY_TEXT];

	report_trace_notes(t, a->r);
	table_note(t, "per s: increase per second of counters that never decrease, summed over the "
		      "threads.");
	if (a->text && a->by != BY_TIME)
		table_note(t,
			   "over time: %d equal parts of %s to %s; growth per second from "
			   "0, or mean from the least; each row has its own scale.",
			   (int)a->x->bins, report_moment(a->o, (double)a->x->begin, text[0]),
			   report_moment(a->o, (double)a->x->end, text[1]));
}

static void print_table(const struct counters_report *a, FILE *f, size_t width)
{
	struct table *t = table_new("Counters");
	size_t n = a->by == BY_THREAD ? a->x->row_n : a->x->all_n,
	       top = report_rows_shown(a->o, n, TOP_TEXT);
	char *metrics = region_metrics(a->r->trace);

	columns(t, a);
	notes(t, a);
	for (size_t i = 0; i < top; i++)
		if (a->by == BY_TIME)
			times_put(t, a, &a->x->all[i]);
		else
			row_put(t, a, a->by == BY_THREAD ? &a->x->row[i] : &a->x->all[i]);
	if (top < n)
		table_remark(t, "%zu of %zu %s; --top 0 lists all.", top, n,
			     a->by == BY_THREAD ? "rows" : "counters");
	if (metrics)
		table_remark(t, "Values of regions: %s. See tau-report profile --metric NAME.",
			     metrics);
	free(metrics);
	report_table(t, a->o, f, width);
}

/* "rank 1, thread 2, ", or "" of all threads; to be freed. */
static char *thread_words(const struct counters_report *a, const struct samples_row *r)
{
	const struct trace *trace = a->r->trace;
	const struct trace_stream *s = a->by == BY_THREAD ? &trace->stream[r->stream] : NULL;

	return s ? mem_printf("rank %d, thread %d, ", trace->process[s->process].node, s->thread)
		 : mem_string("");
}

static void line_add(struct courses *c, const struct counters_report *a,
		     const struct samples_row *r)
{
	struct courses_line *l = array_add(c, line);
	char *who = thread_words(a, r);

	l->name = mem_string(a->r->trace->event[r->event].name);
	l->from_zero = !isnan(r->rise);
	l->detail = l->from_zero
			    ? mem_printf("%sper second; of the whole: %.6g", who, samples_rate(r))
			    : mem_printf("%smean; of the whole: %.6g", who, samples_mean(r));
	l->y = mem_alloc(a->x->bins * sizeof(*l->y));
	for (size_t i = 0; i < a->x->bins; i++)
		l->y[i] = samples_at(a->x, r, i);
	free(who);
}

static void picture(const struct counters_report *a, FILE *f)
{
	size_t n = a->by == BY_THREAD ? a->x->row_n : a->x->all_n,
	       top = a->o->top < 0 ? TOP_PICTURE : report_rows_shown(a->o, n, TOP_PICTURE);
	char *sub = mem_printf("%zu of %zu %s, %d equal parts of the time; each has its own scale.",
			       top < n ? top : n, n,
			       a->by == BY_THREAD ? "counters of threads" : "counters",
			       (int)a->x->bins);
	struct courses c = {.title = "Counters over time",
			    .subtitle = sub,
			    .n = a->x->bins,
			    .edge = mem_alloc((a->x->bins + 1) * sizeof(*c.edge))};

	for (size_t i = 0; i <= c.n; i++)
		c.edge[i] = samples_begin(a->x, i);
	for (size_t i = 0; i < n && i < top; i++)
		line_add(&c, a, a->by == BY_THREAD ? &a->x->row[i] : &a->x->all[i]);
	courses_print(&c, f);
	courses_release(&c);
	free(sub);
}

/* The message names the metrics of regions, which users may look for here. */
static int no_counters(const struct report_trace *r, struct error *e)
{
	char *metrics = region_metrics(r->trace);
	int code = metrics ? error_set(e, ERROR_INPUT,
				       "%s: it contains no values of counters%s, but metrics of "
				       "regions: %s; try: tau-report profile --metric %s %s",
				       r->trace->path, r->part, metrics,
				       r->trace->metric[0].name, r->trace->path)
			   : error_set(e, ERROR_INPUT,
				       "%s: it contains no values of counters%s; programs "
				       "record them with TAU_EVENT, see tau-api(7)",
				       r->trace->path, r->part);

	free(metrics);
	return code;
}

/* --cells. */
static int cut(const struct counters_report *a, struct samples *x, struct error *e)
{
	struct cells_wanted w;

	if (!a->o->cells)
		return 0;
	if (a->by != BY_TIME)
		return error_set(e, ERROR_USAGE,
				 "counters: --cells has no effect without --by time");
	if (cells_read(a->o->cells, 0, &w, e) || cells_check(a->o->cells, &w, x->end - x->begin, e))
		return e->code;
	samples_cut(x, w.n, w.length);
	return 0;
}

static int report_counters(const struct report_options *given, const struct report_runs *runs,
			   struct output *out, size_t width, struct error *e)
{
	struct report_options o = *given;
	struct samples x = {0};
	struct report_trace r;
	struct counters_report a = {.o = &o, .r = &r, .x = &x, .text = o.format == REPORT_TEXT};
	struct messages_use use;
	int code = report_format_check(&o, "counters", "text csv json svg", e);

	(void)runs;
	if (!code)
		code = report_by(&o, &a.by, e);
	if (code)
		return code;
	a.ascii = table_ascii(width);
	code = report_trace_open(&o, "counters", &r, e);
	if (!code) {
		use = samples_use(&x, &r.messages);
		code = cut(&a, &x, e);
	}
	if (!code) {
		code = report_trace_read(&r, &use, 1, e);
	}
	if (!code) {
		samples_end(&x);
		if (!x.all_n)
			code = no_counters(&r, e);
		else if (o.format != REPORT_SVG)
			print_table(&a, out->file, width);
		a.text = 0;
		if (!code && (o.format == REPORT_SVG || report_draws(&o, &out)))
			picture(&a, out->file);
	}
	samples_release(&x);
	report_trace_release(&r);
	return code;
}

static const struct report_by bys[] = {
	{"counter", "counter"},
	{"thread", "thread and counter"},
	{"time", "part of the run, and counter"},
	{0},
};

const struct report_kind kind_counters = {
	.name = "counters",
	.columns = (const struct table_field *const[]){fields, NULL},
	.about = "values of counters, their rates, and their course over time",
	.question = QUESTION_TIME,
	.example = "--by time run",
	.print = report_counters,
	.options = "by cells rank thread",
	.by = bys,
	.events = 1,
	.title = "Counters",
	.page = REPORT_PAGE_BOTH,
};
