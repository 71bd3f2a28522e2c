/* report_anomalies.c: tau-report anomalies: what a run does that it usually does not. */
#include <math.h>
#include <string.h>

#include "analyze/anomalies/anomalies.h"
#include "analyze/anomalies/instance_times.h"
#include "analyze/anomalies/loop_times.h"
#include "analyze/anomalies/robust.h"
#include "cmd/picture/bars.h"
#include "cmd/report/events/anomaly_text.h"
#include "cmd/report/events/report_trace.h"
#include "cmd/report/report.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"
#include "convert/io/paths.h"
#include "convert/profile_format.h"

#define TOP_TEXT 10

struct anomalies_report {
	const struct report_options *o;
	const struct report_trace *r;
	const struct instance_times *x;
	const struct anomalies *a;
	double useful; /* ns; shares are of it */
};

static double share(const struct anomalies_report *b, double ns)
{
	return b->useful > 0 ? 100 * ns / b->useful : NAN;
}

/* ---- text: a table for each kind ---- */

static const char *const title[ANOMALY_KINDS] = {
	"Instances that take unusually long",
	"Ranks unlike the others",
	"Regions that take longer over time",
};

/* Tables that have a column, by the kind of anomaly. */
enum {
	OF_INSTANCES = 1 << ANOMALY_INSTANCE,
	OF_RANKS = 1 << ANOMALY_RANK,
	OF_GROWTH = 1 << ANOMALY_GROWTH,
};

/* One row, a member for each column. */
struct anomalies_text_cells {
	double cost, share, value, typical;
	const char *place;
	int64_t ranks;
	const char *window;
};

/* clang-format off: one column, one paragraph */
static const struct table_field text_fields[] = {
	{FIELD(struct anomalies_text_cells, cost), TABLE_NUMBER, "cost_ms", "cost", "ms",
	 .precision = 3, .meaning = "time above the typical time, over all ranks with the anomaly"},
	{FIELD(struct anomalies_text_cells, share), TABLE_NUMBER, "share_pct", "%", .precision = 1,
	 .meaning = "cost as a share of the useful time of all threads"},
	{FIELD(struct anomalies_text_cells, value), TABLE_NUMBER, "value_ms", "instance", "ms",
	 .precision = 3, .only = OF_INSTANCES,
	 .meaning = "time of the instance without the regions that it called; of a "
		    "rank, exclusive time; of growth, mean of the last block of instances"},
	{FIELD(struct anomalies_text_cells, value), TABLE_NUMBER, "value_ms", "rank has", "ms",
	 .precision = 3, .only = OF_RANKS,
	 .meaning = "time of the instance without the regions that it called; of a "
		    "rank, exclusive time; of growth, mean of the last block of instances"},
	{FIELD(struct anomalies_text_cells, value), TABLE_NUMBER, "value_ms", "at the end", "ms",
	 .precision = 3, .only = OF_GROWTH,
	 .meaning = "time of the instance without the regions that it called; of a "
		    "rank, exclusive time; of growth, mean of the last block of instances"},
	{FIELD(struct anomalies_text_cells, typical), TABLE_NUMBER, "typical_ms", "typical", "ms",
	 .precision = 3, .only = OF_INSTANCES,
	 .meaning = "median of the other times; of growth, mean of the first block "
		    "of instances"},
	{FIELD(struct anomalies_text_cells, typical), TABLE_NUMBER, "typical_ms", "median", "ms",
	 .precision = 3, .only = OF_RANKS,
	 .meaning = "median of the other times; of growth, mean of the first block "
		    "of instances"},
	{FIELD(struct anomalies_text_cells, typical), TABLE_NUMBER, "typical_ms", "at the begin",
	 "ms", .precision = 3, .only = OF_GROWTH,
	 .meaning = "median of the other times; of growth, mean of the first block "
		    "of instances"},
	{FIELD(struct anomalies_text_cells, place), TABLE_TEXT, "rank", "rank",
	 .meaning = "rank of the process"},
	{FIELD(struct anomalies_text_cells, ranks), TABLE_INTEGER, "ranks", "ranks",
	 .only = OF_INSTANCES | OF_GROWTH, .meaning = "number of ranks with the same anomaly"},
	{FIELD(struct anomalies_text_cells, window), TABLE_TEXT, "window", "region",
	 .only = OF_RANKS, .meaning = "value for option -w that selects the instance"},
	{FIELD(struct anomalies_text_cells, window), TABLE_TEXT, "window", "window",
	 .only = OF_INSTANCES | OF_GROWTH,
	 .meaning = "value for option -w that selects the instance"},
	{0},
};
/* clang-format on */

static void text_row(struct table *t, const struct anomalies_report *b, const struct anomaly *a)
{
	char *place = anomaly_place(b->r->trace, a), *window = anomaly_window(b->x, a);

	if (!window)
		window = anomaly_region(b->r->trace, a);
	table_row(t);
	table_put_fields(t, &(struct anomalies_text_cells){
				    .cost = report_ms(a->cost),
				    .share = share(b, a->cost),
				    .value = report_ms(a->value),
				    .typical = report_ms(a->typical),
				    .place = place,
				    .ranks = a->streams,
				    .window = window,
			    });
	free(place);
	free(window);
}

/* What was tested, and how sure the answer is. */
static void tests_note(struct table *t, const struct anomalies_report *b, enum anomaly_kind kind)
{
	static const char *const one[ANOMALY_KINDS] = {"instance", "time of a rank in a region",
						       "region of a thread"};
	static const char *const many[ANOMALY_KINDS] = {"instances", "times of ranks in regions",
							"regions of threads"};
	size_t n = b->a->tests[kind];

	table_note(t, "%s: %zu %s tested; the chance of a false alarm is %.0f %%.", title[kind], n,
		   n == 1 ? one[kind] : many[kind], 100 * ROBUST_ALARMS);
}

/* The loops whose iterations were tested. */
static void loops_note(struct table *t, const struct anomalies_report *b)
{
	const struct trace *trace = b->r->trace;
	char *seen = mem_alloc(trace->region_n + 1);

	for (size_t i = 0; i < b->x->v_n; i++) {
		const struct instance_series *s = &b->x->v[i];

		if (!s->loop || !s->tested || seen[s->region]++)
			continue;
		table_note(t, "Ranks without a region of 10 instances: iterations from each call "
			      "of %s to the next one are tested instead.",
			   trace->region[s->region].name);
	}
	free(seen);
}

static void tests_notes(struct table *t, const struct anomalies_report *b)
{
	char text[QUANTITY_TEXT];

	loops_note(t, b);
	for (enum anomaly_kind k = 0; k < ANOMALY_KINDS; k++)
		if (b->a->tests[k])
			tests_note(t, b, k);
		else
			table_note(t, "%s: not tested, %s.", title[k],
				   k == ANOMALY_RANK ? "there are fewer than 8 ranks"
						     : "no region has 10 instances");
	if (!b->a->first_regions)
		return;
	table_note(t,
		   "First instances: %zu region%s, %s longer than their median; these are "
		   "not anomalies.",
		   b->a->first_regions, plural(b->a->first_regions),
		   report_time(b->o, b->a->first_ns, text));
	table_fact_number(t, "first_instance_regions", (double)b->a->first_regions);
	table_fact_number(t, "first_instances_ms", report_ms(b->a->first_ns));
}

static struct table *text_table(const struct anomalies_report *b, enum anomaly_kind kind,
				size_t first, int notes)
{
	struct table *t = table_new(title[kind]);
	size_t n = b->a->n[kind], shown = report_rows_shown(b->o, n, TOP_TEXT);
	int jump = 0;

	table_fields(t, text_fields, 1u << kind, NULL);
	if (notes) {
		report_trace_notes(t, b->r);
		tests_notes(t, b);
	}
	if (!b->a->v_n)
		table_note(t, "No anomalies were found.");
	for (size_t i = first; i < first + shown; i++) {
		text_row(t, b, &b->a->v[i]);
		jump |= b->a->v[i].jump;
	}
	if (shown < n)
		table_remark(t, "%zu of %zu; --top 0 lists all.", shown, n);
	if (jump)
		table_remark(t, "A window that does not begin with 1 begins at the instance "
				"from which the times are longer.");
	return t;
}

/* A kind without anomalies has no table; there is at least one table. */
static void text(const struct anomalies_report *b, FILE *f, size_t width)
{
	size_t first = 0, n = 0;

	for (enum anomaly_kind k = 0; k < ANOMALY_KINDS; first += b->a->n[k++]) {
		struct table *t;

		if (!b->a->n[k] && (b->a->v_n || k))
			continue;
		if (n)
			fputc('\n', f);
		t = text_table(b, k, first, !n++);
		if (first + b->a->n[k] == b->a->v_n)
			table_remark(t, "Times exclude messages, waits and the recorder. Cost: "
					"time above the typical time, over all ranks; %%: of all "
					"useful time.");
		report_table(t, b->o, f, width);
	}
}

/* ---- data: one table ---- */

/* One row, a member for each column. */
struct anomalies_data_cells {
	const char *kind, *region;
	int64_t rank, thread, threads, first, last;
	double begin, end, value, typical, cost, share;
	const char *window;
};

/* clang-format off: one column, one paragraph */
static const struct table_field data_fields[] = {
	{FIELD(struct anomalies_data_cells, kind), TABLE_TEXT, "kind", NULL, .precision = 6,
	 .meaning = "slow instance, rank unlike the others, or growth over time"},
	{FIELD(struct anomalies_data_cells, region), TABLE_TEXT, "region", NULL, .precision = 6,
	 .meaning = "name of the region"},
	{FIELD(struct anomalies_data_cells, rank), TABLE_INTEGER, "rank", NULL, .precision = 6,
	 .meaning = "rank of the process"},
	{FIELD(struct anomalies_data_cells, thread), TABLE_INTEGER, "thread", NULL, .precision = 6,
	 .meaning = "number of the thread in its process"},
	{FIELD(struct anomalies_data_cells, threads), TABLE_INTEGER, "threads", NULL,
	 .precision = 6, .meaning = "number of threads with the same anomaly"},
	{FIELD(struct anomalies_data_cells, first), TABLE_INTEGER, "first", NULL, .precision = 6,
	 .meaning = "first instance"},
	{FIELD(struct anomalies_data_cells, last), TABLE_INTEGER, "last", NULL, .precision = 6,
	 .meaning = "last instance"},
	{FIELD(struct anomalies_data_cells, begin), TABLE_NUMBER, "begin_ms", NULL, .precision = 6,
	 .meaning = "start of the window"},
	{FIELD(struct anomalies_data_cells, end), TABLE_NUMBER, "end_ms", NULL, .precision = 6,
	 .meaning = "end of the window"},
	{FIELD(struct anomalies_data_cells, value), TABLE_NUMBER, "value_ms", NULL, .precision = 6,
	 .meaning = "time of the instance without the regions that it called; of a "
		    "rank, exclusive time; of growth, mean of the last block of instances"},
	{FIELD(struct anomalies_data_cells, typical), TABLE_NUMBER, "typical_ms", NULL,
	 .precision = 6,
	 .meaning = "median of the other times; of growth, mean of the first block "
		    "of instances"},
	{FIELD(struct anomalies_data_cells, cost), TABLE_NUMBER, "cost_ms", NULL, .precision = 6,
	 .meaning = "time above the typical time, over all ranks with the anomaly"},
	{FIELD(struct anomalies_data_cells, share), TABLE_NUMBER, "share_pct", NULL, .precision = 6,
	 .meaning = "cost as a share of the useful time of all threads"},
	{FIELD(struct anomalies_data_cells, window), TABLE_TEXT, "window", NULL, .precision = 6,
	 .meaning = "value for option -w that selects the instance"},
	{0},
};
/* clang-format on */

static void data_row(struct table *t, const struct anomalies_report *b, const struct anomaly *a)
{
	const struct trace_stream *s = &b->r->trace->stream[a->stream];
	const char *name = b->r->trace->region[a->region].name;
	char *window = anomaly_window(b->x, a);
	char *region = mem_printf(a->loop ? "iter(%s)" : "%s", name);
	int timed = a->kind == ANOMALY_INSTANCE;

	table_row(t);
	table_put_fields(t, &(struct anomalies_data_cells){
				    .kind = anomaly_name(a->kind),
				    .region = region,
				    .rank = b->r->trace->process[s->process].node,
				    .thread = a->kind != ANOMALY_RANK ? s->thread : FIELD_MISSING,
				    .threads = a->streams,
				    .first = a->first ? (int64_t)a->first : FIELD_MISSING,
				    .last = a->first ? (int64_t)a->last : FIELD_MISSING,
				    .begin = timed ? report_ms((double)a->begin) : NAN,
				    .end = timed ? report_ms((double)a->end) : NAN,
				    .value = report_ms(a->value),
				    .typical = report_ms(a->typical),
				    .cost = report_ms(a->cost),
				    .share = share(b, a->cost),
				    .window = window,
			    });
	free(region);
	free(window);
}

static void data(const struct anomalies_report *b, FILE *f)
{
	struct table *t = table_new("Anomalies");
	size_t first = 0;

	table_fields(t, data_fields, 0, NULL);
	report_trace_notes(t, b->r);
	tests_notes(t, b);
	for (enum anomaly_kind k = 0; k < ANOMALY_KINDS; k++) {
		size_t shown = report_rows_shown(b->o, b->a->n[k], TOP_TEXT);

		for (size_t i = 0; i < shown; i++)
			data_row(t, b, &b->a->v[first + i]);
		first += b->a->n[k];
	}
	report_table(t, b->o, f, 0);
}

/* ---- the picture ---- */

static void picture_row(struct bars *p, const struct anomalies_report *b, const struct anomaly *a)
{
	static const int accent[ANOMALY_KINDS] = {1, 0, -1};
	char *place = anomaly_place(b->r->trace, a), *window = anomaly_window(b->x, a);
	char *name = window ? window : anomaly_region(b->r->trace, a), text[3][QUANTITY_TEXT];

	bars_add(p, name,
		 mem_printf("rank %s: %s, typically %s", place,
			    report_time(b->o, a->value, text[0]),
			    report_time(b->o, a->typical, text[1])),
		 a->cost, mem_string(report_time(b->o, a->cost, text[2])), accent[a->kind]);
	free(name);
	free(place);
}

/* Of each kind the same number as in text, those that cost most. */
static void picture(const struct anomalies_report *b, FILE *f)
{
	size_t first = 0, n = 0, most = b->o->top > 0 ? (size_t)b->o->top : TOP_TEXT;
	struct bars p = {.title = "Anomalies",
			 .foot = "Bars: time above the typical time, over all ranks. "
				 "Blue: instances that take unusually long. "
				 "Yellow: ranks unlike the others. "
				 "Grey: regions that take longer over time."};
	char *name = path_name(b->r->trace->path);

	for (enum anomaly_kind k = 0; k < ANOMALY_KINDS; first += b->a->n[k++])
		for (size_t i = 0; i < b->a->n[k] && i < most; i++, n++)
			picture_row(&p, b, &b->a->v[first + i]);
	p.subtitle = b->a->v_n ? mem_printf("%s: %zu of %zu, the costliest of each kind.", name, n,
					    b->a->v_n)
			       : mem_printf("%s: no anomalies were found.", name);
	bars_print(&p, f);
	bars_release(&p);
	free((char *)p.subtitle);
	free(name);
}

static int report_anomalies(const struct report_options *given, const struct report_runs *runs,
			    struct output *out, size_t width, struct error *e)
{
	struct report_options o = *given;
	struct report_trace r;
	struct instance_times x = {0};
	struct anomalies a = {0};
	struct messages_use use;
	struct anomalies_report b = {&o, &r, &x, &a, 0};
	int code = report_format_check(&o, "anomalies", "text csv json svg", e);

	(void)runs;
	if (code)
		return code;
	code = report_trace_open(&o, "anomalies", &r, e);
	if (!code) {
		use = instance_times_use(&x, &r.messages);
		code = report_trace_read(&r, &use, 1, e);
	}
	if (!code && !x.v_n)
		code = error_set(e, ERROR_INPUT,
				 "%s: it contains no regions besides messages%s. Try: tau-record "
				 "with compiler hooks or tau.h",
				 r.trace->path, r.part);
	if (!code) {
		anomalies_find(&a, &x);
		b.useful = loop_times_useful(&x);
		if (o.format == REPORT_TEXT)
			text(&b, out->file, width);
		else if (o.format != REPORT_SVG)
			data(&b, out->file);
		if (o.format == REPORT_SVG || report_draws(&o, &out))
			picture(&b, out->file);
	}
	anomalies_release(&a);
	instance_times_release(&x);
	report_trace_release(&r);
	return code;
}

const struct report_kind kind_anomalies = {
	.name = "anomalies",
	.columns = (const struct table_field *const[]){text_fields, data_fields, NULL},
	.about = "regions that take unusually long, and ranks that differ from the others",
	.question = QUESTION_SLOW,
	.example = "run",
	.print = report_anomalies,
	.options = REPORT_PICK,
	.events = 1,
	.title = "Anomalies",
	.page = REPORT_PAGE_BOTH,
};
