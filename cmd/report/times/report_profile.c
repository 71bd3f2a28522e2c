/* report_profile.c: tau-report profile: the time of regions over all threads, or of threads, ranks,
 * groups and files. */
#include <math.h>
#include <string.h>

#include "analyze/base/quantity.h"
#include "analyze/profile/grouped_rows.h"
#include "analyze/profile/profile.h"
#include "analyze/profile/region_rows.h"
#include "analyze/profile/waiting_threads.h"
#include "cmd/picture/bars.h"
#include "cmd/report/report.h"
#include "cmd/report/times/time_tables.h"
#include "cmd/profile/profile_table.h"
#include "cmd/shared/choice.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"

#define TOP_TEXT 20
#define TOP_SVG  16

enum by { BY_REGION, BY_RANK, BY_THREAD, BY_GROUP, BY_FILE, BY_QUEUE };

/* What is printed, and what of it. */
struct profile_report {
	const struct report_options *o;
	const struct report_runs *r;
	const struct profile *p;
	struct waiting *waiting;
	uint32_t queues;	/* of devices, whose regions have rows of their own */
	enum region_rows_key key;	/* that regions are sorted by */
	struct profile_table t;
	FILE *f;
	size_t width;
};

/* ---- regions ---- */

/* What shares are of, in us if it is a time. */
static void whole_fact(struct table *t, const struct profile_report *a)
{
	table_fact_number(t, profile_is_time(a->p, a->t.metric) ? "whole_us" : "whole",
			  profile_table_whole(&a->t));
}

/* What text does not show, and how to see it. */
static void remarks(struct table *t, const struct profile_report *a, size_t shown)
{
	size_t n = a->t.r->kind_n[a->t.kind];

	if (!a->t.one && shown && a->t.kind == TIMER_MEASURED)
		table_remark(t, PROFILE_TABLE_COMPARED);
	if (shown < n)
		table_remark(t, "%zu of %zu %s; --top 0 lists all.", shown, n,
			     a->t.kind == TIMER_SAMPLE ? "sampled places" : "regions");
	if (a->t.kind == TIMER_SAMPLE)
		return;
	for (size_t i = 0; i < a->p->metric_n; i++)
		if (i != a->t.metric)
			table_remark(t, "Also measured: --metric %s", a->p->metric[i].name);
}

static void regions_text(struct profile_report *a)
{
	enum profile_timer_kind first = a->o->samples ? TIMER_SAMPLE : TIMER_MEASURED;

	for (a->t.kind = first; a->t.kind <= TIMER_SAMPLE; a->t.kind++) {
		size_t n = a->t.r->kind_n[a->t.kind], shown;
		char *title;
		struct table *t;

		if (a->t.kind != first && !n)
			continue;
		title = profile_table_title(a->p, report_unit_time(a->o));
		if (a->t.kind != first)
			putc('\n', a->f);
		t = table_new(a->t.kind == first ? title : NULL);
		free(title);
		if (a->t.kind == first)
			report_load_notes(t, a->r);
		if (a->t.kind == first)
			profile_table_notes(t, &a->t);
		else
			table_note(t, "Samples; shares of %.*f%s%s.", a->t.unit.precision,
				   profile_table_whole(&a->t) / a->t.unit.size,
				   a->t.unit.name ? " " : "", a->t.unit.name ? a->t.unit.name : "");
		whole_fact(t, a);
		shown = profile_table_fill(t, &a->t, report_rows_shown(a->o, n, TOP_TEXT));
		remarks(t, a, shown);
		report_table(t, a->o, a->f, a->width);
	}
}

/* The regions of queues of devices below those of threads. */
static void queues_text(struct profile_report *a, const struct region_rows *rows)
{
	struct profile_table q = a->t;
	struct table *t = table_new(NULL);

	q.r = rows;
	putc('\n', a->f);
	profile_table_queues(t, q, report_rows_shown(a->o, rows->kind_n[TIMER_MEASURED], TOP_TEXT));
	report_table(t, a->o, a->f, a->width);
}

enum { WITH_SQUARES = 1 }; /* a table that has a column */

/* One row, a member for each column. */
struct profile_region_cells {
	const char *kind, *region, *group, *file;
	int64_t line, threads;
	double calls, subrs, exclusive, inclusive, squares, share, mean, largest;
	int64_t largest_rank, largest_thread;
	double imbalance;
	int64_t compared;
};

/* clang-format off: one column, one paragraph */
static const struct table_field region_fields[] = {
	{FIELD(struct profile_region_cells, kind), TABLE_TEXT, "kind", NULL,
	 .meaning = "region, code found by samples, or region of queues of devices"},
	{FIELD(struct profile_region_cells, region), TABLE_TEXT, "region", NULL,
	 .meaning = "name of the region"},
	{FIELD(struct profile_region_cells, group), TABLE_TEXT, "group", NULL,
	 .meaning = "groups of the region"},
	{FIELD(struct profile_region_cells, file), TABLE_TEXT, "file", NULL,
	 .meaning = "source file of the region"},
	{FIELD(struct profile_region_cells, line), TABLE_INTEGER, "line", NULL,
	 .meaning = "line in this file"},
	{FIELD(struct profile_region_cells, threads), TABLE_INTEGER, "threads", NULL,
	 .meaning = "number of counted threads that have the regions of the row"},
	{FIELD(struct profile_region_cells, calls), TABLE_NUMBER, "calls", NULL,
	 .meaning = "number of calls over all threads; of code found by samples, "
		    "the number of samples"},
	{FIELD(struct profile_region_cells, subrs), TABLE_NUMBER, "subrs", NULL,
	 .meaning = "calls that the region made, over all threads"},
	{FIELD(struct profile_region_cells, exclusive), TABLE_NUMBER, "exclusive", NULL,
	 .scaled = 1,
	 .meaning = "time in the region itself, without the regions that it called; "
		    "sum over all threads",
	 .source = "TAU"},
	{FIELD(struct profile_region_cells, inclusive), TABLE_NUMBER, "inclusive", NULL,
	 .scaled = 1,
	 .meaning = "time from enter to leave, with the regions that it called; sum "
		    "over all threads; a recursive call counts once",
	 .source = "TAU"},
	PROFILE_SQUARES(struct profile_region_cells, .only = WITH_SQUARES),
	{FIELD(struct profile_region_cells, share), TABLE_NUMBER, "share_pct", NULL, .precision = 1,
	 .meaning = "share of the exclusive time of all threads that are counted; "
		    "the waiting of threads that mostly wait is not",
	 .formula = "100 * exclusive / whole"},
	{FIELD(struct profile_region_cells, mean), TABLE_NUMBER, "mean", NULL, .scaled = 1,
	 .meaning = "exclusive time divided by the number of threads that can have "
		    "the region; a thread without it counts as 0",
	 .formula = "exclusive / compared"},
	{FIELD(struct profile_region_cells, largest), TABLE_NUMBER, "largest", NULL, .scaled = 1,
	 .meaning = "largest exclusive time of one thread"},
	{FIELD(struct profile_region_cells, largest_rank), TABLE_INTEGER, "largest_rank", NULL,
	 .meaning = "rank of the thread with the largest time"},
	{FIELD(struct profile_region_cells, largest_thread), TABLE_INTEGER, "largest_thread", NULL,
	 .meaning = "number of this thread in its process"},
	{FIELD(struct profile_region_cells, imbalance), TABLE_NUMBER, "imbalance", NULL,
	 .precision = 2, .meaning = "largest divided by mean; 1 if all threads have the same",
	 .formula = "largest / mean"},
	{FIELD(struct profile_region_cells, compared), TABLE_INTEGER, "compared", NULL,
	 .meaning = "number of threads over which the mean is taken: those whose "
		    "thread number has the region in any process; threads without the region "
		    "count as 0"},
	{0},
};
/* clang-format on */

static void regions_row(struct table *t, const struct profile_report *a, const struct region_row *r,
			const char *kind)
{
	const struct profile_timer *timer = &a->p->timer[a->p->path[r->path].timer];
	const struct profile_thread *at = &a->p->thread[r->largest_at];
	double whole = profile_table_whole(&a->t);
	char *name = profile_table_name(&a->t, r), *file = time_file_of(timer);
	uint32_t line = time_line_of(timer);

	table_row(t);
	table_put_fields(t, &(struct profile_region_cells){
				    .kind = kind,
				    .region = name,
				    .group = timer->groups,
				    .file = file,
				    .line = line ? line : FIELD_MISSING,
				    .threads = r->threads,
				    .calls = r->calls,
				    /* Samples call nothing. */
				    .subrs = a->t.kind == TIMER_MEASURED ? r->subrs : NAN,
				    .exclusive = r->excl,
				    .inclusive = r->incl,
				    .squares = a->t.kind == TIMER_MEASURED ? r->squares : NAN,
				    .share = whole > 0 ? 100 * r->excl / whole : NAN,
				    .mean = region_row_mean(r),
				    .largest = r->largest,
				    .largest_rank = r->compared ? at->node : FIELD_MISSING,
				    .largest_thread = r->compared ? at->thread : FIELD_MISSING,
				    .imbalance = region_row_imbalance(r),
				    .compared = r->compared,
			    });
	free(name);
	free(file);
}

static void regions_rows(struct table *t, const struct profile_report *a, const char *kind)
{
	const struct region_row *row = &a->t.r->v[region_rows_first(a->t.r, a->t.kind)];
	size_t n = report_rows_shown(a->o, a->t.r->kind_n[a->t.kind], TOP_TEXT);

	for (size_t i = 0; i < n; i++)
		regions_row(t, a, &row[i], kind);
}

/* For machines: one table, times in microseconds. queues: rows of queues of devices; NULL: none. */
static void regions_data(struct profile_report *a, const struct region_rows *queues)
{
	const struct time_columns c = time_columns_raw(a->p, a->t.metric);
	const struct field_scale scale = time_scale(&c);
	struct table *t = table_new("Time by region");
	enum profile_timer_kind kind = a->o->samples ? TIMER_SAMPLE : TIMER_MEASURED;

	report_load_notes(t, a->r);
	table_fact_text(t, "metric", a->p->metric[a->t.metric].name);
	table_fact_number(t, "pes", (double)profile_pes(a->p));
	table_fact_number(t, "threads", a->t.r->threads);
	table_fact_number(t, "waiting_threads", a->t.r->waiting);
	table_fact_number(t, "queues", a->queues);
	whole_fact(t, a);
	table_fields(t, region_fields, a->o->squares ? WITH_SQUARES : 2, &scale);
	for (a->t.kind = kind; a->t.kind <= TIMER_SAMPLE; a->t.kind++)
		regions_rows(t, a, a->t.kind == TIMER_SAMPLE ? "sample" : "region");
	if (queues) {
		a->t.r = queues;
		a->t.kind = TIMER_MEASURED;
		regions_rows(t, a, "device");
	}
	report_table(t, a->o, a->f, 0);
}

static void regions_picture(struct profile_report *a)
{
	int alone = !a->o->samples && !profile_has_regions(a->p) &&
		    a->t.r->kind_n[TIMER_SAMPLE],
	    samples = a->o->samples || alone;
	enum profile_timer_kind kind = samples ? TIMER_SAMPLE : TIMER_MEASURED;
	size_t n = a->t.r->kind_n[kind], most = a->o->top > 0 ? (size_t)a->o->top : TOP_SVG,
	       shown = n < most ? n : most;
	const struct region_row *row = &a->t.r->v[region_rows_first(a->t.r, kind)];
	struct bars b = {0};
	char **name, value[2][QUANTITY_TEXT];
	double rest = 0, whole;

	a->t.kind = kind;
	whole = profile_table_whole(&a->t);
	name = profile_table_names(&a->t, row, shown);
	for (size_t i = 0; i < shown; i++) {
		const struct region_row *v = &row[i];
		char *at = profile_thread_name(&a->p->thread[v->largest_at], a->t.threads);

		bars_add(&b, name[i],
			 a->t.one || isnan(region_row_imbalance(v))
				 ? mem_printf("%.0f calls", v->calls)
				 : mem_printf("%.0f calls, max/mean %.2f, most on %s %s", v->calls,
					      region_row_imbalance(v),
					      a->t.threads ? "thread" : "rank", at),
			 v->excl,
			 quantity_with_percent(time_text(&a->t, v->excl, value[0]),
					       whole > 0 ? 100 * v->excl / whole : 0),
			 1);
		free(at);
		free(name[i]);
	}
	for (size_t i = shown; i < n; i++)
		rest += row[i].excl;
	if (shown < n)
		bars_add(&b, "others", mem_printf("%zu more", n - shown), rest,
			 quantity_with_percent(time_text(&a->t, rest, value[0]),
					       whole > 0 ? 100 * rest / whole : 0),
			 -1);
	b.title = kind == TIMER_SAMPLE ? "Where the samples were" : "Where the time goes";
	b.subtitle = mem_printf(
		"%s: exclusive %s, %s over %u thread%s.", a->r->run[0].title,
		profile_is_time(a->p, a->t.metric) ? "time" : a->p->metric[a->t.metric].name,
		time_text(&a->t, whole, value[1]), a->t.r->threads, plural(a->t.r->threads));
	b.foot = alone ? "The run has no regions: these are its samples, summed over all threads."
		       : "Bars: exclusive values summed over all threads, without regions called "
			 "from it.";
	bars_print(&b, a->f);
	free((char *)b.subtitle);
	free(name);
	bars_release(&b);
}

static int regions(struct profile_report *a, struct error *e)
{
	struct region_rows rows, of_queues = {0}, *queues = NULL;
	int code = 0;

	region_rows_make(&rows, a->p, a->waiting, a->t.metric, ROWS_FLAT);
	region_rows_sort(&rows, a->p, a->key);
	if (a->queues && !a->o->samples) {
		struct waiting *only = waiting_for_queues();

		region_rows_make(&of_queues, a->p, only, a->t.metric, ROWS_FLAT);
		waiting_free(only);
		region_rows_sort(&of_queues, a->p, a->key);
		queues = &of_queues;
	}
	a->t.r = &rows;
	a->t.unit = time_unit(a->o, a->p, a->t.metric,
			       profile_unit_of(a->p, &rows, a->t.metric));
	a->t.one = rows.threads == 1;
	if (a->o->samples && !rows.kind_n[TIMER_SAMPLE])
		code = error_set(e, ERROR_INPUT,
				 "%s: it contains no samples. Try: tau-record --sample",
				 a->r->run[0].name);
	else if (a->o->format == REPORT_SVG)
		regions_picture(a);
	else if (a->o->format == REPORT_TEXT)
		regions_text(a);
	else
		regions_data(a, queues);
	if (queues && !code && a->o->format == REPORT_TEXT)
		queues_text(a, queues);
	region_rows_release(&rows);
	region_rows_release(&of_queues);
	return code;
}

/* ---- the kind ---- */

/* Regions can be sorted by values that have no column, and a picture shows the first ones. Is
 * --sort such a value? */
static int sorts_regions(struct report_sorting *s, enum region_rows_key *key)
{
	for (size_t i = 0; s && i < ROWS_KEYS; i++) {
		report_sorting_key(s, region_rows_keys[i]);
		if (!strcmp(s->column, region_rows_keys[i])) {
			*key = (enum region_rows_key)i;
			return 1;
		}
	}
	return 0;
}

static int print_by(struct profile_report *a, enum by by, struct error *e)
{
	struct time_about t = {a->o,	 a->r,	      a->p, a->waiting,
			       a->queues, a->t.metric, a->f, a->width};

	if (by == BY_REGION)
		return regions(a, e);
	if (a->o->samples || a->o->squares)
		return error_set(e, ERROR_USAGE, "--%s is for rows by region",
				 a->o->samples ? "samples" : "squares");
	if (by == BY_QUEUE)
		return time_queues(&t, e);
	if (by == BY_RANK || by == BY_THREAD)
		time_threads(&t, by == BY_RANK);
	else
		time_groups(&t, by == BY_GROUP ? GROUPED_GROUP : GROUPED_FILE);
	return 0;
}

static const struct report_by bys[] = {
	{"region", "region"},
	{"rank", "rank"},
	{"thread", "thread"},
	{"group", "group of regions"},
	{"file", "source file"},
	{"queue", "queue of a device"},
	{0},
};

static int profile_print(const struct report_options *o, const struct report_runs *r, enum by by,
			 struct output *out, size_t width, struct error *e)
{
	struct report_options sorted = *o;
	struct profile_report a = {.o = &sorted, .r = r, .f = out->file, .width = width};
	int code = report_one_profile(o, r, "profile", "text csv json svg", &a.t.metric, e);

	if (code)
		return code;
	a.p = a.t.p = r->run[0].profile;
	a.t.threads = profile_has_threads(a.p);
	a.t.squares = o->squares;
	if (o->squares && !profile_is_time(a.p, a.t.metric))
		return error_set(e, ERROR_USAGE, "--squares is for times");
	if (by != BY_REGION && o->format == REPORT_SVG && by != BY_GROUP && by != BY_FILE)
		return error_set(e, ERROR_USAGE, "--by %s has no picture: use threads REGION",
				 bys[by].name);
	if (by == BY_REGION && sorts_regions(o->sorting, &a.key)) {
		o->sorting->found = 1;
		sorted.sorting = NULL;
	}
	{
		struct waiting *w = waiting_find(&a.p, 1, TIMER_MEASURED);

		a.waiting = w;
		a.queues = waiting_queues(a.p);
		code = print_by(&a, by, e);
		waiting_free(w);
	}
	return code;
}

static int report_profile(const struct report_options *o, const struct report_runs *r,
			  struct output *out, size_t width, struct error *e)
{
	size_t by;
	int code = report_by(o, &by, e);

	return code ? code : profile_print(o, r, (enum by)by, out, width, e);
}

/* tau-report groups: the same by group. */
static int report_groups(const struct report_options *o, const struct report_runs *r,
			 struct output *out, size_t width, struct error *e)
{
	return profile_print(o, r, BY_GROUP, out, width, e);
}

const struct report_kind kind_profile = {
	.name = "profile",
	.columns = (const struct table_field *const[]){region_fields, profile_table_fields,
						       time_thread_fields, time_group_fields,
						       time_queue_fields, NULL},
	.about = "time per region, rank, group or file, over all threads",
	.question = QUESTION_SLOW,
	.example = "--by rank --top 10 run",
	.print = report_profile,
	.options = REPORT_PICK "by metric where samples sample-resolution squares threads",
	.by = bys,
	.whole = 1,
	.no_memory = 1,
	.part = REPORT_PART,
	.title = "Profile",
	.page = REPORT_PAGE_BOTH,
};

const struct report_kind kind_groups = {
	.name = "groups",
	.columns = (const struct table_field *const[]){time_group_fields, NULL},
	.about = "time per group of regions",
	.question = QUESTION_SLOW,
	.example = "run",
	.print = report_groups,
	.options = REPORT_PICK "metric where threads",
	.whole = 1,
	.no_memory = 1,
	.part = REPORT_PART,
	.title = "Groups",
	.page = REPORT_PAGE_BOTH,
};
