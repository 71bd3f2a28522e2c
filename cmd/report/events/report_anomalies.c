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
#include "convert/profile_format.h"

#define TOP_TEXT 10

struct about {
	const struct report_options *o;
	const struct report_trace *r;
	const struct instance_times *x;
	const struct anomalies *a;
	double useful; /* ns; shares are of it */
};

static void share_put(struct table *t, size_t column, const struct about *b, double ns)
{
	table_put_number(t, column, b->useful > 0 ? 100 * ns / b->useful : NAN);
}

/* ---- text: a table for each kind ---- */

static const char *const title[ANOMALY_KINDS] = {
	"Instances that take unusually long",
	"Ranks unlike the others",
	"Regions that take longer over time",
};

static void text_columns(struct table *t, enum anomaly_kind kind)
{
	static const char *const value[ANOMALY_KINDS] = {"instance", "rank has", "at the end"},
				 *const typical[ANOMALY_KINDS] = {"typical", "median",
								  "at the begin"};

	table_column(t, TABLE_NUMBER, "cost_ms", "cost", "ms", 3);
	table_column(t, TABLE_NUMBER, "share_pct", "%", NULL, 1);
	table_column(t, TABLE_NUMBER, "value_ms", value[kind], "ms", 3);
	table_column(t, TABLE_NUMBER, "typical_ms", typical[kind], "ms", 3);
	table_column(t, TABLE_TEXT, "rank", "rank", NULL, 0);
	if (kind != ANOMALY_RANK)
		table_column(t, TABLE_INTEGER, "ranks", "ranks", NULL, 0);
	table_column(t, TABLE_TEXT, "window", kind == ANOMALY_RANK ? "region" : "window", NULL, 0);
}

static void text_row(struct table *t, const struct about *b, const struct anomaly *a)
{
	char *place = anomaly_place(b->r->trace, a), *window = anomaly_window(b->x, a);
	size_t c = 0;

	if (!window)
		window = anomaly_region(b->r->trace, a);
	table_row(t);
	table_put_number(t, c++, report_ms(a->cost));
	share_put(t, c++, b, a->cost);
	table_put_number(t, c++, report_ms(a->value));
	table_put_number(t, c++, report_ms(a->typical));
	table_put_text(t, c++, place);
	if (a->kind != ANOMALY_RANK)
		table_put_integer(t, c++, a->streams);
	table_put_text(t, c, window);
	free(place);
	free(window);
}

/* What was tested, and how sure the answer is. */
static void tests_note(struct table *t, const struct about *b, enum anomaly_kind kind)
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
static void loops_note(struct table *t, const struct about *b)
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

static void tests_notes(struct table *t, const struct about *b)
{
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
	table_note(t, "First instances: %zu region%s, %.3f ms longer than their median; these are "
		      "not anomalies.",
		   b->a->first_regions, plural(b->a->first_regions), report_ms(b->a->first_ns));
	table_fact_number(t, "first_instance_regions", (double)b->a->first_regions);
	table_fact_number(t, "first_instances_ms", report_ms(b->a->first_ns));
}

static struct table *text_table(const struct about *b, enum anomaly_kind kind, size_t first,
				int notes)
{
	struct table *t = table_new(title[kind]);
	size_t n = b->a->n[kind], shown = report_rows_shown(b->o, n, TOP_TEXT);
	int jump = 0;

	text_columns(t, kind);
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
static void text(const struct about *b, FILE *f, size_t width)
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

static void data_row(struct table *t, const struct about *b, const struct anomaly *a)
{
	const struct trace_stream *s = &b->r->trace->stream[a->stream];
	const char *name = b->r->trace->region[a->region].name;
	char *window = anomaly_window(b->x, a);
	char *region = mem_printf(a->loop ? "iter(%s)" : "%s", name);

	table_row(t);
	table_put_text(t, 0, anomaly_name(a->kind));
	table_put_text(t, 1, region);
	table_put_integer(t, 2, b->r->trace->process[s->process].node);
	if (a->kind != ANOMALY_RANK)
		table_put_integer(t, 3, s->thread);
	table_put_integer(t, 4, a->streams);
	if (a->first) {
		table_put_integer(t, 5, (int64_t)a->first);
		table_put_integer(t, 6, (int64_t)a->last);
	}
	if (a->kind == ANOMALY_INSTANCE) {
		table_put_number(t, 7, report_ms((double)a->begin));
		table_put_number(t, 8, report_ms((double)a->end));
	}
	table_put_number(t, 9, report_ms(a->value));
	table_put_number(t, 10, report_ms(a->typical));
	table_put_number(t, 11, report_ms(a->cost));
	share_put(t, 12, b, a->cost);
	table_put_text(t, 13, window);
	free(region);
	free(window);
}

static void data(const struct about *b, FILE *f)
{
	static const struct {
		enum table_type type;
		const char *key;
	} column[] = {{TABLE_TEXT, "kind"},	    {TABLE_TEXT, "region"},
		      {TABLE_INTEGER, "rank"},	    {TABLE_INTEGER, "thread"},
		      {TABLE_INTEGER, "threads"},   {TABLE_INTEGER, "first"},
		      {TABLE_INTEGER, "last"},	    {TABLE_NUMBER, "begin_ms"},
		      {TABLE_NUMBER, "end_ms"},	    {TABLE_NUMBER, "value_ms"},
		      {TABLE_NUMBER, "typical_ms"}, {TABLE_NUMBER, "cost_ms"},
		      {TABLE_NUMBER, "share_pct"},  {TABLE_TEXT, "window"}};
	struct table *t = table_new("Anomalies");
	size_t first = 0;

	for (size_t i = 0; i < sizeof(column) / sizeof(*column); i++)
		table_column(t, column[i].type, column[i].key, NULL, NULL, 6);
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

static void picture_row(struct bars *p, const struct about *b, const struct anomaly *a)
{
	static const int accent[ANOMALY_KINDS] = {1, 0, -1};
	char *place = anomaly_place(b->r->trace, a), *window = anomaly_window(b->x, a);
	char *name = window ? window : anomaly_region(b->r->trace, a);

	bars_add(p, name,
		 mem_printf("rank %s: %.3f ms, typically %.3f ms", place, report_ms(a->value),
			    report_ms(a->typical)),
		 a->cost, mem_printf("%.3f ms", report_ms(a->cost)), accent[a->kind]);
	free(name);
	free(place);
}

/* Of each kind the same number as in text, those that cost most. */
static void picture(const struct about *b, FILE *f)
{
	size_t first = 0, n = 0, most = b->o->top > 0 ? (size_t)b->o->top : TOP_TEXT;
	struct bars p = {.title = "Anomalies",
			 .foot = "Bars: time above the typical time, over all ranks. "
				 "Blue: instances that take unusually long. "
				 "Yellow: ranks unlike the others. "
				 "Grey: regions that take longer over time."};
	char *name = profile_name_of(b->r->trace->path);

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
	struct about b = {&o, &r, &x, &a, 0};
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
	.about = "regions that take unusually long, and ranks that differ from the others",
	.question = QUESTION_SLOW,
	.example = "run",
	.print = report_anomalies,
	.options = REPORT_PICK,
	.events = 1,
	.title = "Anomalies",
	.page = REPORT_PAGE_BOTH,
};
