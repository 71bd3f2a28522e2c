/* time_tables.c: columns of times, and the rows of a profile by thread, rank, group, file and queue. */
#include "cmd/report/times/time_tables.h"

#include <math.h>
#include <string.h>

#include "analyze/base/quantity.h"
#include "analyze/profile/profile.h"
#include "analyze/profile/thread_rows.h"
#include "analyze/profile/waiting_threads.h"
#include "analyze/trace/timer_name.h"
#include "cmd/picture/bars.h"
#include "cmd/table/region_name.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"

#define TOP_TEXT 20
#define TOP_SVG  16

/* ---- columns and values ---- */

struct time_columns time_columns_raw(const struct profile *p, size_t metric)
{
	return profile_is_time(p, metric) ? (struct time_columns){"us", "_us", 1, 3}
					  : (struct time_columns){NULL, "", 1, 0};
}

struct profile_unit time_unit(const struct report_options *o, const struct profile *p,
			      size_t metric, struct profile_unit suits)
{
	const struct table_unit *u = report_unit_time(o);

	return u && profile_is_time(p, metric)
		       ? (struct profile_unit){u->name, u->size, u->precision}
		       : suits;
}

struct time_columns time_columns_of(const struct report_options *o, const struct profile *p,
				    size_t metric, double largest)
{
	struct time_columns c = time_columns_raw(p, metric);
	struct profile_unit u = profile_unit_for(p, metric, largest, 1);

	u = time_unit(o, p, metric, u);
	if (o->format == REPORT_TEXT && u.name) {
		c.unit = u.name;
		c.suffix = !strcmp(u.name, "us")   ? "_us"
			   : !strcmp(u.name, "ms") ? "_ms"
			   : !strcmp(u.name, "ns") ? "_ns"
						   : "_s";
		c.size = u.size;
		c.precision = u.precision;
	}
	return c;
}

struct field_scale time_scale(const struct time_columns *c)
{
	return (struct field_scale){
		.suffix = c->suffix, .size = c->size, .precision = c->precision};
}

const char *time_text(const struct profile_table *a, double value, char text[QUANTITY_TEXT])
{
	return quantity_in_text(value / a->unit.size, a->unit.precision, a->unit.name, text);
}

const char *time_short(const struct report_options *o, const struct profile *p, size_t metric,
		       double value, char text[QUANTITY_TEXT])
{
	return profile_is_time(p, metric) ? report_time(o, 1000 * value, text)
					  : quantity_in_text(value, 0, NULL, text);
}

const char *time_value_text(const void *of, double value, char text[QUANTITY_TEXT])
{
	const struct time_value *v = of;

	return time_short(v->o, v->p, v->metric, value, text);
}

char *time_file_of(const struct profile_timer *t)
{
	struct name_location at;

	return name_location(t->name, &at) && at.file_n
		       ? mem_printf("%.*s", (int)at.file_n, at.file)
	       : t->file ? mem_string(t->file)
			 : NULL;
}

uint32_t time_line_of(const struct profile_timer *t)
{
	struct name_location at;

	return name_location(t->name, &at) && at.file_n ? at.line : t->line;
}

/* ---- threads and ranks ---- */

static double longest(const struct thread_rows *r)
{
	double most = 0;

	for (size_t i = 0; i < r->v_n; i++)
		most = fmax(most, r->v[i].time);
	return most;
}

static double useful(const struct thread_row *r)
{
	return r->work[WORK_COMPUTE] + r->work[WORK_FILES];
}

static int most_useful_first(const void *va, const void *vb)
{
	const struct thread_row *a = va, *b = vb;
	double x = a->waits ? -1 : useful(a), y = b->waits ? -1 : useful(b);

	if (x != y)
		return x > y ? -1 : 1;
	return a->node != b->node ? (a->node > b->node) - (a->node < b->node)
				  : (a->thread > b->thread) - (a->thread < b->thread);
}

/* Is it known of a thread how long it had no processor? */
static int has_to_run(const struct time_about *a, const struct thread_rows *r)
{
	int known = 0;

	for (size_t i = 0; i < r->v_n && !known; i++)
		known = !isnan(r->v[i].to_run);
	return known && profile_is_time(a->p, a->metric);
}

/* Tables that have a column. */
enum { OF_RANKS = 1, OF_THREADS = 2, WITH_NO_PROCESSOR = 4 };

/* One row, a member for each column. */
struct time_thread_cells {
	int64_t rank, number;
	double calls, time, work[WORK_KINDS], no_processor, asleep, most;
	const char *region;
};

/* On a narrow terminal, columns of zeros are not shown, and then those with the highest `spare`.
 * clang-format off: one column, one paragraph */
const struct table_field time_thread_fields[] = {
	{FIELD(struct time_thread_cells, rank), TABLE_INTEGER, "rank", NULL,
	 .meaning = "rank of the process"},
	{FIELD(struct time_thread_cells, number), TABLE_INTEGER, "threads", NULL, .only = OF_RANKS,
	 .meaning = "number of counted threads that have the regions of the row"},
	{FIELD(struct time_thread_cells, number), TABLE_INTEGER, "thread", NULL, .only = OF_THREADS,
	 .meaning = "number of the thread in its process"},
	{FIELD(struct time_thread_cells, calls), TABLE_NUMBER, "calls", NULL, .spare = 7,
	 .meaning = "number of calls over all threads; of code found by samples, "
		    "the number of samples"},
	{FIELD(struct time_thread_cells, time), TABLE_NUMBER, "time", NULL, .scaled = 1,
	 .meaning = "exclusive time of all regions in this rank, thread or file"},
	{FIELD(struct time_thread_cells, work[WORK_COMPUTE]), TABLE_NUMBER, "computation_pct",
	 "comp", "%", .precision = 1, .spare = 1,
	 .meaning = "time in all regions that the other shares do not cover, as a "
		    "share of the row's time"},
	{FIELD(struct time_thread_cells, work[WORK_FILES]), TABLE_NUMBER, "files_pct", "files", "%",
	 .precision = 1, .spare = 4,
	 .meaning = "time in regions that read and write files, as a share of the "
		    "row's time"},
	{FIELD(struct time_thread_cells, work[WORK_MESSAGES]), TABLE_NUMBER, "messages_pct", "msgs",
	 "%", .precision = 1, .spare = 2,
	 .meaning = "time in regions of MPI, OpenSHMEM, GASPI and UPC, as a share "
		    "of the row's time"},
	{FIELD(struct time_thread_cells, work[WORK_THREADS]), TABLE_NUMBER,
	 "thread_synchronisation_pct", "sync", "%", .precision = 1, .spare = 3,
	 .meaning = "time in regions in which threads wait for threads, as a share "
		    "of the row's time"},
	{FIELD(struct time_thread_cells, work[WORK_TOOL]), TABLE_NUMBER, "recorder_pct", "tool",
	 "%", .precision = 1, .spare = 6,
	 .meaning = "time in the recorder's own regions, as a share of the row's "
		    "time; 0 unless --region or --group selects them"},
	{FIELD(struct time_thread_cells, no_processor), TABLE_NUMBER, "no_processor_pct", "no CPU",
	 "%", .precision = 1, .only = WITH_NO_PROCESSOR,
	 .meaning = "time during which threads were ready to run but had no "
		    "processor, in the whole run, as a share of the row's time",
	 .formula = "100 * waiting to run / time",
	 .source = "run_delay of the kernel, /proc/PID/task/TID/schedstat"},
	{FIELD(struct time_thread_cells, asleep), TABLE_NUMBER, "asleep_pct", "asleep", "%",
	 .precision = 1, .only = WITH_NO_PROCESSOR, .spare = 8,
	 .meaning = "time during which threads neither ran nor were ready to run, in recorded "
		    "calls that wait or outside of them, in the whole run, as a share of the row's "
		    "time",
	 .formula = "100 * (life - CPU time - waiting to run) / time",
	 .source = "the clocks of threads, and run_delay of the kernel"},
	{FIELD(struct time_thread_cells, most), TABLE_NUMBER, "most", NULL, .scaled = 1, .spare = 5,
	 .meaning = "largest exclusive time of a region in the row"},
	{FIELD(struct time_thread_cells, region), TABLE_TEXT, "region", "in region",
	 .fit = region_name_fit, .meaning = "name of the region"},
	{0},
};
/* clang-format on */

static int has_work(const struct thread_rows *r, int kind)
{
	int some = 0;

	for (size_t i = 0; i < r->v_n && !some; i++)
		some = r->v[i].work[kind] > 0;
	return some;
}

static void thread_columns(struct table *t, const struct time_columns *c,
			   const struct thread_rows *r, int ranks, int to_run)
{
	const struct field_scale scale = time_scale(c);

	table_fields(t, time_thread_fields,
		     (ranks ? OF_RANKS : OF_THREADS) | (to_run ? WITH_NO_PROCESSOR : 0), &scale);
	for (int w = 0; w < WORK_KINDS; w++) {
		size_t at = offsetof(struct time_thread_cells, work) + (size_t)w * sizeof(double);
		size_t column = table_field_at(t, at);

		if (!has_work(r, w))
			table_column_spare(t, column, table_field_of(t, column)->spare + 10);
	}
}

/* A thread that did nothing but wait has none. */
static int has_shares(const struct thread_row *r)
{
	return r->time > 0 && (!r->waits || r->did > 0);
}

static void thread_put(struct table *t, const struct time_about *a, const struct thread_row *r,
		       int ranks)
{
	int shares = has_shares(r);
	struct time_thread_cells cells;
	char *name = r->top == PROFILE_FLAT        ? NULL
		     : a->o->format == REPORT_TEXT ? region_name_short(a->p->timer[r->top].name)
						   : mem_string(a->p->timer[r->top].name);

	table_row(t);
	cells = (struct time_thread_cells){
		.rank = r->node,
		.number = ranks ? (int64_t)r->threads : r->thread,
		.calls = r->calls,
		.time = r->time,
		.no_processor = r->time > 0 ? 100 * r->to_run / r->time : NAN,
		.asleep = r->time > 0 ? 100 * r->asleep / r->time : NAN,
		.most = name ? r->top_time : NAN,
		.region = name,
	};
	for (int w = 0; w < WORK_KINDS; w++)
		cells.work[w] = shares ? 100 * r->work[w] / r->time : NAN;
	table_put_fields(t, &cells);
	free(name);
}

void time_threads(const struct time_about *a, int ranks)
{
	struct thread_rows r;
	struct time_columns c;
	struct table *t;
	char *title = profile_table_title(a->p, report_unit_time(a->o));
	size_t shown, waiting = 0;
	int to_run;

	thread_rows_make(&r, a->p, a->waiting, a->metric, ranks);
	to_run = has_to_run(a, &r);
	c = time_columns_of(a->o, a->p, a->metric, longest(&r));
	t = table_new(title);
	report_load_notes(t, a->r);
	table_note(t, "%s by %s%s%s. Shares are of the time of the row.",
		   profile_is_time(a->p, a->metric) ? "Exclusive time"
						    : a->p->metric[a->metric].name,
		   ranks ? "rank" : "thread", c.unit ? ", in " : "", c.unit ? c.unit : "");
	thread_columns(t, &c, &r, ranks, to_run);
	shown = report_rows_shown(a->o, r.v_n, TOP_TEXT);
	if (shown < r.v_n)
		qsort(r.v, r.v_n, sizeof(*r.v), most_useful_first);
	for (size_t i = 0; i < shown; i++)
		thread_put(t, a, &r.v[i], ranks);
	for (size_t i = 0; i < r.v_n; i++)
		waiting += r.v[i].waits && !has_shares(&r.v[i]);
	if (waiting)
		table_remark(t, "%zu thread%s without shares only wait%s.", waiting,
			     plural(waiting), waiting == 1 ? "s" : "");
	if (shown < r.v_n)
		table_remark(t, "%zu of %zu %s, those that compute most first; --top 0 lists all.",
			     shown, r.v_n, ranks ? "ranks" : "threads");
	report_table(t, a->o, a->f, a->width);
	thread_rows_release(&r);
	free(title);
}

/* ---- groups and files ---- */

/* Tables that have a column. */
enum { AS_TEXT = 1, AS_DATA = 2, BY_GROUPS = 4, BY_FILES = 8 };

/* One row, a member for each column. */
struct group_cells {
	double share, exclusive, calls;
	int64_t regions, threads;
	double mean, largest;
	int64_t largest_rank, largest_thread;
	const char *where;
	double imbalance;
	const char *name;
	int64_t compared;
	const char *kind;
};

/* clang-format off: one column, one paragraph */
const struct table_field time_group_fields[] = {
	{FIELD(struct group_cells, share), TABLE_NUMBER, "share_pct", "%",
	 .precision = 1,
	 .meaning = "share of the exclusive time of all threads that are counted; "
	 "the waiting of threads that mostly wait is not",
	 .formula = "100 * exclusive / whole"},
	{FIELD(struct group_cells, exclusive), TABLE_NUMBER, "exclusive", NULL,
	 .scaled = 1,
	 .meaning = "time in the region itself, without the regions that it called; "
	 "sum over all threads",
	 .source = "TAU"},
	{FIELD(struct group_cells, calls), TABLE_NUMBER, "calls", NULL,
	 .meaning = "number of calls over all threads; of code found by samples, "
	 "the number of samples"},
	{FIELD(struct group_cells, regions), TABLE_INTEGER, "regions", NULL,
	 .spare = 2,
	 .meaning = "number of regions in the group or file"},
	{FIELD(struct group_cells, threads), TABLE_INTEGER, "threads", NULL,
	 .spare = 1,
	 .meaning = "number of counted threads that have the regions of the row"},
	{FIELD(struct group_cells, mean), TABLE_NUMBER, "mean", NULL,
	 .scaled = 1,
	 .meaning = "exclusive time divided by the number of threads that can have "
	 "the region; a thread without it counts as 0",
	 .formula = "exclusive / compared"},
	{FIELD(struct group_cells, largest), TABLE_NUMBER, "largest", NULL,
	 .scaled = 1,
	 .meaning = "largest exclusive time of one thread"},
	{FIELD(struct group_cells, largest_rank), TABLE_INTEGER, "largest_rank", NULL,
	 .only = AS_DATA,
	 .meaning = "rank of the thread with the largest time"},
	{FIELD(struct group_cells, largest_thread), TABLE_INTEGER, "largest_thread", NULL,
	 .only = AS_DATA,
	 .meaning = "number of this thread in its process"},
	{FIELD(struct group_cells, where), TABLE_TEXT, "where", NULL,
	 .only = AS_TEXT,
	 .meaning = "rank of the thread with the largest time, or RANK.THREAD if "
	 "processes have several threads"},
	{FIELD(struct group_cells, imbalance), TABLE_NUMBER, "imbalance", "max/mean",
	 .precision = 2,
	 .meaning = "largest divided by mean; 1 if all threads have the same",
	 .formula = "largest / mean"},
	{FIELD(struct group_cells, name), TABLE_TEXT, "group", NULL,
	 .only = BY_GROUPS,
	 .meaning = "groups of the region"},
	{FIELD(struct group_cells, name), TABLE_TEXT, "file", NULL,
	 .only = BY_FILES,
	 .meaning = "source file of the region"},
	{FIELD(struct group_cells, compared), TABLE_INTEGER, "compared", NULL,
	 .only = AS_DATA,
	 .meaning = "number of threads over which the mean is taken: those whose "
	 "thread number has the region in any process; threads without the region "
	 "count as 0"},
	{FIELD(struct group_cells, kind), TABLE_TEXT, "kind", NULL,
	 .only = AS_DATA,
	 .meaning = "group of threads, or of queues of devices"},
	{0},
};
/* clang-format on */

static void group_columns(struct table *t, const struct time_columns *c, int raw,
			  enum grouped_by by)
{
	const struct field_scale scale = time_scale(c);

	table_fields(t, time_group_fields,
		     (raw ? AS_DATA : AS_TEXT) | (by == GROUPED_GROUP ? BY_GROUPS : BY_FILES),
		     &scale);
}

static void group_put(struct table *t, const struct time_about *a, const struct grouped_rows *g,
		      const struct grouped_row *r, int queues)
{
	const struct profile_thread *at = &a->p->thread[r->sum.largest_at];
	char *where = profile_thread_name(at, profile_has_threads(a->p));
	int text = a->o->format == REPORT_TEXT;

	table_row(t);
	table_put_fields(
		t, &(struct group_cells){
			   .share = g->whole > 0 ? 100 * r->sum.excl / g->whole : NAN,
			   .exclusive = r->sum.excl,
			   .calls = r->sum.calls,
			   .regions = r->regions,
			   .threads = r->sum.threads,
			   .mean = region_row_mean(&r->sum),
			   .largest = r->sum.largest,
			   .largest_rank = r->sum.compared ? at->node : FIELD_MISSING,
			   .largest_thread = r->sum.compared ? at->thread : FIELD_MISSING,
			   .where = r->sum.compared ? where : "",
			   .imbalance = region_row_imbalance(&r->sum),
			   .name = r->name || !text ? r->name : "(none)",
			   .compared = r->sum.compared,
			   .kind = queues ? "device" : "thread",
		   });
	free(where);
}

/* Queues of devices below threads: text has a table of its own. */
static void groups_queues(struct table *t, const struct time_about *a, const struct grouped_rows *q,
			  const struct time_columns *c, enum grouped_by by)
{
	int text = a->o->format == REPORT_TEXT;
	size_t shown = report_rows_shown(a->o, q->v_n, TOP_TEXT);

	if (text) {
		putc('\n', a->f);
		t = table_new(NULL);
		table_note(t, "%u queue%s of devices; shares of %.*f%s%s.", a->queues,
			   plural(a->queues), c->precision, q->whole / c->size, c->unit ? " " : "",
			   c->unit ? c->unit : "");
		group_columns(t, c, 0, by);
	}
	for (size_t i = 0; i < shown; i++)
		group_put(t, a, q, &q->v[i], 1);
	if (text)
		report_table(t, a->o, a->f, a->width);
}

/* q: of queues of devices; NULL: there are none. */
static void groups_table(const struct time_about *a, const struct grouped_rows *g,
			 const struct grouped_rows *q, enum grouped_by by)
{
	struct time_columns c =
		time_columns_of(a->o, a->p, a->metric, g->v_n ? g->v[0].sum.excl : 0);
	size_t shown = report_rows_shown(a->o, g->v_n, TOP_TEXT);
	char *title = profile_table_title(a->p, report_unit_time(a->o));
	struct table *t = table_new(title);

	report_load_notes(t, a->r);
	table_note(t, "%s by %s%s%s; shares of %.*f%s%s.",
		   profile_is_time(a->p, a->metric) ? "Exclusive time"
						    : a->p->metric[a->metric].name,
		   by == GROUPED_GROUP ? "group of regions" : "source file", c.unit ? ", in " : "",
		   c.unit ? c.unit : "", c.precision, g->whole / c.size, c.unit ? " " : "",
		   c.unit ? c.unit : "");
	table_fact_number(t, profile_is_time(a->p, a->metric) ? "whole_us" : "whole", g->whole);
	group_columns(t, &c, a->o->format != REPORT_TEXT, by);
	for (size_t i = 0; i < shown; i++)
		group_put(t, a, g, &g->v[i], 0);
	if (q && a->o->format != REPORT_TEXT)
		groups_queues(t, a, q, &c, by);
	if (shown < g->v_n)
		table_remark(t, "%zu of %zu rows; --top 0 lists all.", shown, g->v_n);
	if (g->several)
		table_remark(t, "%u region%s of several groups count%s in each of them.",
			     g->several, plural(g->several), g->several == 1 ? "s" : "");
	report_table(t, a->o, a->f, a->width);
	if (q && a->o->format == REPORT_TEXT)
		groups_queues(NULL, a, q, &c, by);
	free(title);
}

static void groups_picture(const struct time_about *a, const struct grouped_rows *g,
			   enum grouped_by by)
{
	size_t most = a->o->top > 0 ? (size_t)a->o->top : TOP_SVG,
	       shown = g->v_n < most ? g->v_n : most;
	struct bars b = {0};
	char text[QUANTITY_TEXT];

	for (size_t i = 0; i < shown; i++) {
		const struct grouped_row *v = &g->v[i];

		bars_add(&b, v->name ? v->name : "(none)",
			 isnan(region_row_imbalance(&v->sum))
				 ? mem_printf("%u region%s, %.0f calls", v->regions,
					      plural(v->regions), v->sum.calls)
				 : mem_printf("%u region%s, %.0f calls, max/mean %.2f", v->regions,
					      plural(v->regions), v->sum.calls,
					      region_row_imbalance(&v->sum)),
			 v->sum.excl,
			 quantity_with_percent(time_short(a->o, a->p, a->metric, v->sum.excl, text),
					       g->whole > 0 ? 100 * v->sum.excl / g->whole : 0),
			 v->name ? 1 : -1);
	}
	b.title = by == GROUPED_GROUP ? "Time by group of regions" : "Time by source file";
	b.subtitle = mem_printf("%s: %s over %u thread%s.", a->r->run[0].title,
				time_short(a->o, a->p, a->metric, g->whole, text), g->threads,
				plural(g->threads));
	b.foot = "Bars: exclusive values summed over all threads.";
	bars_print(&b, a->f);
	free((char *)b.subtitle);
	bars_release(&b);
}

void time_groups(const struct time_about *a, enum grouped_by by)
{
	struct grouped_rows g, q = {0};

	grouped_rows_make(&g, a->p, a->waiting, a->metric, by);
	if (a->queues) {
		struct waiting *only = waiting_for_queues();

		grouped_rows_make(&q, a->p, only, a->metric, by);
		waiting_free(only);
	}
	if (a->o->format == REPORT_SVG)
		groups_picture(a, &g, by);
	else
		groups_table(a, &g, a->queues ? &q : NULL, by);
	grouped_rows_release(&g);
	grouped_rows_release(&q);
}

int time_no_region(const struct report_options *o, const struct report_run *run, const char *word,
		   const char *near, struct error *e)
{
	const char *window = run->profile->window;
	char *hint = near ? mem_printf("; did you mean '%s'?", near) : mem_string("");

	error_set(e, ERROR_INPUT, "%s: there is no region '%s'%s%s%s%s", run->name, word,
		  window ? " in window " : "", window ? window : "",
		  o->load && o->load->only ? " in the selected threads and regions" : "", hint);
	free(hint);
	return e->code;
}
