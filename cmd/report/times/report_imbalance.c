/* report_imbalance.c: tau-report imbalance: regions by the time that is lost because threads have
 * unequal shares. */
#include <math.h>
#include <string.h>

#include "analyze/base/quantity.h"
#include "analyze/profile/imbalance.h"
#include "analyze/profile/profile.h"
#include "analyze/profile/waiting_threads.h"
#include "analyze/trace/region_work.h"
#include "cmd/picture/bars.h"
#include "cmd/profile/profile_table.h"
#include "cmd/report/report.h"
#include "cmd/report/times/time_tables.h"
#include "cmd/table/region_name.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"

#define TOP_TEXT   20
#define TOP_OTHERS 5 /* of them regions of runtimes */
#define TOP_SVG    16

struct imbalance_report {
	const struct report_options *o;
	const struct report_runs *r;
	const struct profile *p;
	struct imbalance x;
	struct time_columns c;
	size_t metric;
	int text, threads;
};

/* Tables that have a column. */
enum { AS_TEXT = 1, AS_DATA = 2 };

/* One row, a member for each column. */
struct imbalance_cells {
	double share, lost, lost_per_thread, mean, largest;
	const char *where, *least_at;
	int64_t largest_rank, largest_thread;
	double least;
	int64_t least_rank, least_thread, threads;
	const char *work;
	int64_t have;
	double imbalance;
	const char *region;
};

/* clang-format off: one column, one paragraph */
static const struct table_field fields[] = {
	{FIELD(struct imbalance_cells, share), TABLE_NUMBER, "share_pct", "%", .precision = 1,
	 .meaning = "lost time as a share of the exclusive time of all threads; of "
		    "a metric that is not a time, of the largest total of a thread times the "
		    "number of threads",
	 .formula = "100 * lost / whole"},
	{FIELD(struct imbalance_cells, lost), TABLE_NUMBER, "lost", NULL, .scaled = 1,
	 .meaning = "how long n threads together wait for the slowest: n x (largest "
		    "- mean), less if some processes end earlier, because a thread waits only "
		    "while its process runs"},
	{FIELD(struct imbalance_cells, lost_per_thread), TABLE_NUMBER, "lost_per_thread", "lost/n",
	 .scaled = 1, .spare = 2,
	 .meaning = "lost / n: the most that perfect balance of this region can "
		    "save",
	 .formula = "lost / threads"},
	{FIELD(struct imbalance_cells, mean), TABLE_NUMBER, "mean", NULL, .scaled = 1,
	 .meaning = "exclusive time divided by n; a thread without the region "
		    "counts as 0"},
	{FIELD(struct imbalance_cells, largest), TABLE_NUMBER, "largest", NULL, .scaled = 1,
	 .meaning = "largest exclusive time of one thread"},
	{FIELD(struct imbalance_cells, where), TABLE_TEXT, "where", NULL, .only = AS_TEXT,
	 .meaning = "rank of the thread with the largest time, or RANK.THREAD if "
		    "processes have several threads"},
	{FIELD(struct imbalance_cells, least_at), TABLE_TEXT, "least_at", "least", .spare = 3,
	 .only = AS_TEXT, .meaning = "rank of the thread with the smallest time"},
	{FIELD(struct imbalance_cells, largest_rank), TABLE_INTEGER, "largest_rank", NULL,
	 .only = AS_DATA, .meaning = "rank of the thread with this time"},
	{FIELD(struct imbalance_cells, largest_thread), TABLE_INTEGER, "largest_thread", NULL,
	 .only = AS_DATA, .meaning = "number of this thread in its process"},
	{FIELD(struct imbalance_cells, least), TABLE_NUMBER, "least", NULL, .scaled = 1,
	 .only = AS_DATA, .meaning = "smallest exclusive time of one thread"},
	{FIELD(struct imbalance_cells, least_rank), TABLE_INTEGER, "least_rank", NULL,
	 .only = AS_DATA, .meaning = "rank of the thread with this time"},
	{FIELD(struct imbalance_cells, least_thread), TABLE_INTEGER, "least_thread", NULL,
	 .only = AS_DATA, .meaning = "number of this thread in its process"},
	{FIELD(struct imbalance_cells, threads), TABLE_INTEGER, "threads", NULL, .only = AS_DATA,
	 .meaning = "n: number of threads whose thread number has the region in any "
		    "process"},
	{FIELD(struct imbalance_cells, work), TABLE_TEXT, "work", NULL, .only = AS_DATA,
	 .meaning = "kind of work in the region"},
	{FIELD(struct imbalance_cells, have), TABLE_INTEGER, "with_region", "have", .spare = 1,
	 .meaning = "number of threads that have the region"},
	{FIELD(struct imbalance_cells, imbalance), TABLE_NUMBER, "imbalance", "max/mean",
	 .precision = 2, .meaning = "largest divided by mean; 1 if all threads have the same",
	 .formula = "largest / mean"},
	{FIELD(struct imbalance_cells, region), TABLE_TEXT, "region", NULL, .fit = region_name_fit,
	 .meaning = "name of the region"},
	{0},
};
/* clang-format on */

static void columns(struct table *t, const struct imbalance_report *a)
{
	const struct field_scale scale = time_scale(&a->c);

	table_fields(t, fields, a->text ? AS_TEXT : AS_DATA, &scale);
}

static void row_put(struct table *t, const struct imbalance_report *a,
		    const struct imbalance_row *r)
{
	const char *full = a->p->timer[a->p->path[r->path].timer].name;
	const struct profile_thread *largest = &a->p->thread[r->largest_at],
				    *least = &a->p->thread[r->least_at];
	char *name = a->text ? region_name_short(full) : mem_string(full),
	     *where = profile_thread_name(largest, a->threads),
	     *least_at = profile_thread_name(least, a->threads);

	table_row(t);
	table_put_fields(t, &(struct imbalance_cells){
				    .share = a->x.whole > 0 ? 100 * r->lost / a->x.whole : NAN,
				    .lost = r->lost,
				    .lost_per_thread = r->lost / r->n,
				    .mean = imbalance_mean(r),
				    .largest = r->largest,
				    .where = where,
				    .least_at = least_at,
				    .largest_rank = largest->node,
				    .largest_thread = largest->thread,
				    .least = r->least,
				    .least_rank = least->node,
				    .least_thread = least->thread,
				    .threads = r->n,
				    .work = region_work_name(r->work),
				    .have = r->have,
				    .imbalance = imbalance_ratio(r),
				    .region = name,
			    });
	free(name);
	free(where);
	free(least_at);
}

static void notes(struct table *t, const struct imbalance_report *a)
{
	const char *unit = a->c.unit ? a->c.unit : "";
	size_t n;
	char *programs = profile_programs(a->p, &n);

	report_load_notes(t, a->r);
	table_note(t, "%zu PE%s, %u thread%s. Values in %s; shares of %.*f %s.",
		   profile_pes(a->p), plural(profile_pes(a->p)), a->x.threads,
		   plural(a->x.threads), a->c.unit ? unit : a->p->metric[a->metric].name,
		   a->c.precision, a->x.whole / a->c.size, unit);
	if (a->text)
		table_note(t,
			   "lost: how long the threads together wait for the slowest, n x (largest "
			   "- mean), while their processes run.");
	if (programs)
		table_note(t,
			   "Programs: %s. A region is compared over the processes of the one that "
			   "spends most time in it; messages over all that have them.",
			   programs);
	free(programs);
	table_fact_number(t, a->c.unit ? "whole_us" : "whole", a->x.whole);
}

/* How many rows of useful work, and of runtimes, are shown. */
static void shown_rows(const struct imbalance_report *a, size_t *useful, size_t *others)
{
	size_t rest = a->x.v_n - a->x.useful_n, most = report_rows_shown(a->o, a->x.v_n, TOP_TEXT);
	int brief = a->text && a->o->top < 0;

	*others = brief ? (rest < TOP_OTHERS ? rest : TOP_OTHERS) : 0;
	*useful = a->x.useful_n < most - *others ? a->x.useful_n : most - *others;
	*others = rest < most - *useful ? rest : most - *useful;
}

/* Where imbalance arises, then where it shows. */
static void print(struct imbalance_report *a, FILE *f, size_t width)
{
	char *title = profile_table_title(a->p, report_unit_time(a->o));
	struct table *t = table_new(a->text ? title : "Imbalance by region");
	size_t shown, left;

	shown_rows(a, &shown, &left);
	notes(t, a);
	columns(t, a);
	for (size_t i = 0; i < shown; i++)
		row_put(t, a, &a->x.v[i]);
	/* Sorted rows are not in two parts. */
	if (left && shown && a->text && !a->o->sorting)
		table_rule(t);
	for (size_t i = 0; i < left; i++)
		row_put(t, a, &a->x.v[a->x.useful_n + i]);
	if (left && !a->o->sorting)
		table_remark(t,
			     "Below the line: regions of runtimes, where threads wait because of "
			     "the regions above.");
	if (shown + left < a->x.v_n)
		table_remark(t,
			     "%zu of %zu regions; --top 0 lists all. tau-report threads REGION "
			     "shows each thread.",
			     shown + left, a->x.v_n);
	report_table(t, a->o, f, width);
	free(title);
}

static void picture(struct imbalance_report *a, FILE *f)
{
	size_t most = a->o->top > 0 ? (size_t)a->o->top : TOP_SVG;
	struct bars b = {0};
	char text[3][QUANTITY_TEXT];

	for (size_t i = 0; i < a->x.useful_n && i < most && a->x.v[i].lost > 0; i++) {
		const struct imbalance_row *r = &a->x.v[i];
		char *name = region_name_short(a->p->timer[a->p->path[r->path].timer].name);
		char *at = profile_thread_name(&a->p->thread[r->largest_at], a->threads);

		bars_add(&b, name,
			 mem_printf("largest %s on %s, mean %s of %u",
				    time_short(a->o, a->p, a->metric, r->largest, text[0]), at,
				    time_short(a->o, a->p, a->metric, imbalance_mean(r), text[1]),
				    r->n),
			 r->lost,
			 quantity_with_percent(time_short(a->o, a->p, a->metric, r->lost, text[2]),
					       a->x.whole > 0 ? 100 * r->lost / a->x.whole : 0),
			 1);
		free(name);
		free(at);
	}
	b.title = "Time lost to imbalance";
	b.subtitle = mem_printf("%s: %s in all on %u thread%s.", a->r->run[0].title,
				time_short(a->o, a->p, a->metric, a->x.whole, text[0]),
				a->x.threads, plural(a->x.threads));
	b.foot = "Bars: how long the threads together wait for the slowest, if all do: "
		 "n x (largest - mean), while their processes run. Shares are of the time of all "
		 "threads.";
	bars_print(&b, f);
	free((char *)b.subtitle);
	bars_release(&b);
}

static int report_imbalance(const struct report_options *o, const struct report_runs *r,
			    struct output *out, size_t width, struct error *e)
{
	struct imbalance_report a = {.o = o, .r = r, .text = o->format == REPORT_TEXT};
	int code = report_one_profile(o, r, "imbalance", "text csv json svg", &a.metric, e);
	struct waiting *w;

	if (code)
		return code;
	a.p = r->run[0].profile;
	w = waiting_find(&a.p, 1, TIMER_MEASURED);
	imbalance_make(&a.x, a.p, w, a.metric);
	waiting_free(w);
	a.threads = profile_has_threads(a.p);
	a.c = time_columns_of(o, a.p, a.metric, a.x.v_n ? a.x.v[0].largest : 0);
	if (a.x.threads < 2)
		code = error_set(e, ERROR_INPUT, "%s: it has one thread: nothing to compare",
				 r->run[0].name);
	else if (o->format == REPORT_SVG)
		picture(&a, out->file);
	else
		print(&a, out->file, width);
	imbalance_release(&a.x);
	return code;
}

const struct report_kind kind_imbalance = {
	.name = "imbalance",
	.columns = (const struct table_field *const[]){fields, NULL},
	.about = "regions by the time lost because threads have unequal shares",
	.question = QUESTION_SLOW,
	.example = "--top 5 run",
	.print = report_imbalance,
	.options = REPORT_PICK "metric where threads",
	.whole = 1,
	.no_memory = 1,
	.part = REPORT_PART,
	.title = "Imbalance",
	.page = REPORT_PAGE_BOTH,
};
