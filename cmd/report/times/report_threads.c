/* report_threads.c: tau-report threads REGION: how the time of a region is spread over ranks and
 * threads. */
#include <math.h>
#include <string.h>

#include "analyze/profile/distribution.h"
#include "analyze/profile/imbalance.h"
#include "analyze/profile/profile.h"
#include "analyze/profile/waiting_threads.h"
#include "analyze/trace/region_names.h"
#include "analyze/trace/timer_name.h"
#include "cmd/picture/columns.h"
#include "cmd/profile/profile_table.h"
#include "cmd/report/report.h"
#include "cmd/report/times/time_tables.h"
#include "cmd/table/region_name.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"

#define TOP_TEXT 10
#define BINS     10
#define BAR      40

/* A thread that has the region, or is compared with those that have it. */
struct value {
	uint32_t thread;
	int has, compared;
	double calls, subrs, excl, incl, squares;
};

struct threads_report {
	const struct report_options *o;
	const struct report_runs *r;
	const struct profile *p;
	size_t metric;
	const char *name; /* of the region, or of a sampled function */
	int samples;
	struct value *v; /* by thread */
	size_t v_n, v_cap;
	size_t threads;    /* threads that do not only wait */
	size_t have, zero; /* those with the region; those that lack it and count as 0 */
	struct distribution d;
	struct time_columns c;
	int text, numbers; /* threads have numbers */
};

/* ---- which region ---- */

/* Samples have no name here: they are looked for by function. */
static const char *timer_name(const void *of, size_t i)
{
	const struct profile_timer *t = &((const struct profile *)of)->timer[i];

	return profile_timer_kind(t) == TIMER_MEASURED ? t->name : "";
}

/* "work" of "[SAMPLE] work [{a.c} {6}]" is the word? */
static int is_sampled(const char *name, const char *word)
{
	const char *code = profile_timer_code(name);

	return code && name_short(code) == strlen(word) && !strncmp(code, word, strlen(word));
}

/* chosen[timer] = 1 of the region, or of all lines of a sampled function. */
static int choose(struct threads_report *a, char *chosen, struct error *e)
{
	const struct region_list list = {a->p, a->p->timer_n, timer_name};
	struct regions found = {0};
	const char *word = a->o->word, *near;
	int code = a->o->samples ? 0 : region_find_in(&list, word, &found, a->r->run[0].name, e);

	if (code < 0)
		return code;
	for (size_t i = 0; i < found.v_n; i++) {
		const char *name = a->p->timer[found.v[i]].name;

		/* Several names: call sites of one function. */
		chosen[found.v[i]] = 1;
		a->name = i && strcmp(a->name, name) != 0 ? word : name;
	}
	free(found.v);
	for (size_t i = 0; !code && i < a->p->timer_n; i++)
		if (is_sampled(a->p->timer[i].name, word)) {
			chosen[i] = 1;
			a->samples = 1;
			a->name = word;
		}
	if (a->name)
		return 0;
	near = region_near_in(&list, word);
	return time_no_region(a->o, &a->r->run[0], word, near, e);
}

/* Removes the threads that neither have the region nor are compared. */
static void values_choose(struct threads_report *a, const char *chosen,
			  const struct waiting *waiting)
{
	char *compared = mem_alloc(a->p->thread_n + 1);
	size_t n = 0;

	imbalance_compared(a->p, waiting, chosen, compared);
	a->have = a->zero = 0;
	for (size_t i = 0; i < a->v_n; i++) {
		struct value x = a->v[i];

		x.compared = compared[x.thread];
		if (x.has && waiting_class(waiting, &a->p->thread[x.thread]) == WAITING_WAITS)
			x.compared = 1;
		a->have += (size_t)x.has;
		a->zero += x.compared && !x.has;
		if (x.has || x.compared)
			a->v[n++] = x;
	}
	a->v_n = n;
	free(compared);
}

/* waiting: threads that are excluded, because they only wait; NULL: none. */
static void values_read(struct threads_report *a, const char *chosen, const struct waiting *waiting)
{
	a->threads = 0;
	for (uint32_t i = 0; i < a->p->thread_n; i++) {
		const struct profile_thread *t = &a->p->thread[i];
		struct value x = {.thread = i};

		enum waiting_class class = waiting_class(waiting, t);

		if (t->node < 0)
			continue;
		for (size_t k = 0; k < t->row_n; k++) {
			const double *value = &t->values[t->row[k].first];
			uint32_t timer = a->p->path[t->row[k].path].timer;

			if (a->p->path[t->row[k].path].parent != PROFILE_FLAT || !chosen[timer] ||
			    !waiting_row_counts(class, NULL, a->p, timer))
				continue;
			x.has = 1;
			x.calls += t->row[k].calls;
			x.subrs += t->row[k].subrs;
			x.squares += profile_squared(a->p, t, &t->row[k], a->metric);
			x.incl += value[a->metric];
			x.excl += value[a->p->metric_n + a->metric];
		}
		/* One that mostly waits counts if it has the region. */
		if (class != WAITING_COUNTS && !x.has)
			continue;
		*array_add(a, v) = x;
		a->threads++;
	}
	values_choose(a, chosen, waiting);
}

static void values_make(struct threads_report *a, const char *chosen)
{
	struct waiting *w = waiting_find(&a->p, 1, TIMER_MEASURED);
	size_t n = 0;
	double *v;

	values_read(a, chosen, w);
	/* A region of queues of devices alone */
	if (!a->v_n) {
		struct waiting *queues = waiting_for_queues();

		values_read(a, chosen, queues);
		waiting_free(queues);
	}
	/* A region of threads alone that only wait */
	if (!a->v_n)
		values_read(a, chosen, NULL);
	v = mem_alloc((a->v_n + 1) * sizeof(*v));
	for (size_t i = 0; i < a->v_n; i++)
		if (a->v[i].compared)
			v[n++] = a->v[i].excl;
	distribution_make(&a->d, v, n, BINS);
	free(v);
	waiting_free(w);
}

/* ---- tables ---- */

static const char *place_of(const struct threads_report *a, double value, char text[32])
{
	for (size_t i = 0; i < a->v_n; i++)
		if (a->v[i].compared && a->v[i].excl == value) {
			char *name = profile_thread_name(&a->p->thread[a->v[i].thread], a->numbers);

			snprintf(text, 32, "%s", name);
			free(name);
			return text;
		}
	return "";
}

static void summary(struct table *t, const struct threads_report *a)
{
	const struct distribution *d = &a->d;
	const char *unit = a->c.unit ? a->c.unit : "", *what = a->numbers ? "thread" : "rank";
	char least[32], largest[32];
	double s = a->c.size;
	int p = a->c.precision;

	report_load_notes(t, a->r);
	table_note(t, "%s: %zu of %zu threads have it%s. %s, in %s.", a->name, a->have, a->threads,
		   a->samples ? " in samples" : "",
		   a->samples ? "Sampled CPU time" : "Exclusive values",
		   a->c.unit ? unit : a->p->metric[a->metric].name);
	table_note(t, "Sum %.*f, mean %.*f, standard deviation %.*f, median %.*f.", p, d->sum / s,
		   p, d->mean / s, p, d->sd / s, p, d->median / s);
	table_note(t, "Largest %.*f (%s %s), least %.*f (%s %s), largest/mean %.2f.", p,
		   d->largest / s, what, place_of(a, d->largest, largest), p, d->least / s, what,
		   place_of(a, d->least, least), d->largest / d->mean);
	table_fact_text(t, "region", a->name);
	table_fact_number(t, "threads", (double)a->threads);
	table_fact_number(t, "sum", d->sum);
	table_fact_number(t, "mean", d->mean);
	table_fact_number(t, "sd", d->sd);
	table_fact_number(t, "median", d->median);
	table_fact_number(t, "least", d->least);
	table_fact_number(t, "largest", d->largest);
}

/* One row, a member for each column. */
struct bin_cells {
	double from, to;
	int64_t threads;
	const char *histogram;
};

/* clang-format off: one column, one paragraph */
static const struct table_field bin_fields[] = {
	{FIELD(struct bin_cells, from), TABLE_NUMBER, "from", NULL,
	 .scaled = 1,
	 .meaning = "start of the range of values; 10 ranges of equal width"},
	{FIELD(struct bin_cells, to), TABLE_NUMBER, "to", NULL,
	 .scaled = 1,
	 .meaning = "end of the range; this value belongs to the next range"},
	{FIELD(struct bin_cells, threads), TABLE_INTEGER, "threads", NULL,
	 .meaning = "number of threads with values in this range"},
	{FIELD(struct bin_cells, histogram), TABLE_TEXT, "histogram", NULL,
	 .meaning = "number of threads as a bar"},
	{0},
};
/* clang-format on */

/* Text: how many threads have how much. */
static void histogram(const struct threads_report *a, FILE *f, size_t width)
{
	const struct field_scale scale = time_scale(&a->c);
	char *title = profile_table_title(a->p, report_unit_time(a->o));
	struct table *t = table_new(title);
	size_t most = 1;

	summary(t, a);
	table_fields(t, bin_fields, 0, &scale);
	table_keep_order(t);
	for (size_t i = 0; i < a->d.bins; i++)
		most = a->d.bin[i] > most ? a->d.bin[i] : most;
	for (size_t i = 0; i < a->d.bins; i++) {
		char bar[BAR + 1] = "";
		size_t n = (a->d.bin[i] * BAR + most - 1) / most;

		memset(bar, '#', n);
		table_row(t);
		table_put_fields(t, &(struct bin_cells){
					    .from = distribution_edge(&a->d, i),
					    .to = distribution_edge(&a->d, i + 1),
					    .threads = (int64_t)a->d.bin[i],
					    .histogram = bar,
				    });
	}
	report_table(t, a->o, f, width);
	free(title);
}

static int largest_first(const void *va, const void *vb)
{
	const struct value *a = va, *b = vb;

	if (a->excl != b->excl)
		return a->excl > b->excl ? -1 : 1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

/* Tables that have a column. */
enum { OF_TIMERS = 1, OF_SAMPLES = 2, WITH_SQUARES = 4 };

/* One row, a member for each column. */
struct threads_row_cells {
	int64_t rank, thread;
	double calls, exclusive, inclusive, subrs, squares, of_mean;
};

/* clang-format off: one column, one paragraph */
static const struct table_field row_fields[] = {
	{FIELD(struct threads_row_cells, rank), TABLE_INTEGER, "rank", NULL,
	 .meaning = "rank of the process"},
	{FIELD(struct threads_row_cells, thread), TABLE_INTEGER, "thread", NULL,
	 .meaning = "number of the thread in its process"},
	{FIELD(struct threads_row_cells, calls), TABLE_NUMBER, "calls", "calls", .only = OF_TIMERS,
	 .meaning = "calls of the region in this thread"},
	{FIELD(struct threads_row_cells, calls), TABLE_NUMBER, "calls", "samples",
	 .only = OF_SAMPLES, .meaning = "calls of the region in this thread"},
	{FIELD(struct threads_row_cells, exclusive), TABLE_NUMBER, "exclusive", NULL, .scaled = 1,
	 .meaning = "time in the region itself, without the regions that it called"},
	{FIELD(struct threads_row_cells, inclusive), TABLE_NUMBER, "inclusive", NULL, .scaled = 1,
	 .meaning = "time in the region, with the regions that it called"},
	{FIELD(struct threads_row_cells, subrs), TABLE_NUMBER, "subrs", NULL, .spare = 2,
	 .only = OF_TIMERS, .meaning = "calls that the region made in this thread"},
	PROFILE_SQUARES(struct threads_row_cells, .spare = 1, .only = WITH_SQUARES),
	{FIELD(struct threads_row_cells, of_mean), TABLE_NUMBER, "of_mean_pct", "of mean", "%",
	 .precision = 1,
	 .meaning = "exclusive time divided by the mean; a thread without the "
		    "region counts as 0",
	 .formula = "100 * exclusive / mean"},
	{0},
};
/* clang-format on */

static void rows(struct threads_report *a, FILE *f, size_t width)
{
	const struct field_scale scale = time_scale(&a->c);
	struct table *t = table_new(a->text ? NULL : "Distribution over threads");
	size_t shown = report_rows_shown(a->o, a->v_n, TOP_TEXT);

	if (!a->text)
		summary(t, a);
	table_fields(t, row_fields,
		     (a->samples ? OF_SAMPLES : OF_TIMERS) | (a->o->squares ? WITH_SQUARES : 0),
		     &scale);
	if (a->text)
		qsort(a->v, a->v_n, sizeof(*a->v), largest_first);
	for (size_t i = 0; i < shown; i++) {
		const struct value *v = &a->v[i];

		table_row(t);
		table_put_fields(t,
				 &(struct threads_row_cells){
					 .rank = a->p->thread[v->thread].node,
					 .thread = a->p->thread[v->thread].thread,
					 .calls = v->calls,
					 .subrs = v->subrs,
					 .exclusive = v->excl,
					 .inclusive = v->incl,
					 .squares = v->has ? v->squares : NAN,
					 .of_mean = a->d.mean > 0 ? 100 * v->excl / a->d.mean : NAN,
				 });
	}
	if (shown < a->v_n)
		table_remark(t, "%zu of %zu threads, the largest first; --top 0 lists all.", shown,
			     a->v_n);
	if (a->zero)
		table_remark(t, "%zu thread%s without the region count%s as 0, as in imbalance.",
			     a->zero, plural(a->zero), a->zero == 1 ? "s" : "");
	if (a->threads > a->have + a->zero)
		table_remark(t,
			     "%zu thread%s without the region %s not included: no process has it "
			     "in a thread with the same number.",
			     a->threads - a->have - a->zero, plural(a->threads - a->have - a->zero),
			     a->threads - a->have - a->zero == 1 ? "is" : "are");
	report_table(t, a->o, f, width);
}

/* ---- the picture ---- */

static void picture(const struct threads_report *a, FILE *f)
{
	struct columns x = {.x_title = a->numbers ? "threads, by rank" : "ranks",
			    .mean = a->d.mean,
			    .bins = a->d.bins,
			    .bin = a->d.bin,
			    .text = time_value_text,
			    .of = &(struct time_value){a->o, a->p, a->metric}};
	char *name = region_name_short(a->name), mean[QUANTITY_TEXT], largest[QUANTITY_TEXT];

	for (size_t i = 0; i < a->v_n; i++) {
		struct columns_value *v = array_add(&x, v);

		v->name = profile_thread_name(&a->p->thread[a->v[i].thread], a->numbers);
		v->value = a->v[i].excl;
	}
	x.title = name;
	x.subtitle = mem_printf("%s: exclusive values of %zu of %zu threads; mean %s, largest %s, "
				"largest/mean %.2f.",
				a->r->run[0].title, a->have, a->threads,
				time_short(a->o, a->p, a->metric, a->d.mean, mean),
				time_short(a->o, a->p, a->metric, a->d.largest, largest),
				a->d.largest / a->d.mean);
	columns_print(&x, f);
	free((char *)x.subtitle);
	free(name);
	columns_release(&x);
}

static int report_threads(const struct report_options *o, const struct report_runs *r,
			  struct output *out, size_t width, struct error *e)
{
	struct threads_report a = {.o = o, .r = r, .text = o->format == REPORT_TEXT};
	int code = report_one_profile(o, r, "threads", "text csv json svg", &a.metric, e);
	char *chosen;

	if (code)
		return code;
	a.p = r->run[0].profile;
	if (o->squares && !profile_is_time(a.p, a.metric))
		return error_set(e, ERROR_USAGE, "--squares is for times");
	a.numbers = profile_has_threads(a.p);
	chosen = mem_alloc(a.p->timer_n + 1);
	code = choose(&a, chosen, e);
	if (!code) {
		values_make(&a, chosen);
		a.c = time_columns_of(o, a.p, a.metric, a.d.largest);
		if (!a.v_n)
			code = error_set(e, ERROR_INPUT, "%s: no thread has '%s'", r->run[0].name,
					 a.name);
	}
	if (!code && o->format == REPORT_SVG) {
		picture(&a, out->file);
	} else if (!code) {
		if (a.text) {
			histogram(&a, out->file, width);
			putc('\n', out->file);
		}
		rows(&a, out->file, width);
	}
	free(chosen);
	free(a.v);
	return code;
}

const struct report_kind kind_threads = {
	.name = "threads",
	.columns = (const struct table_field *const[]){bin_fields, row_fields, NULL},
	.about = "distribution of a region over ranks and threads",
	.question = QUESTION_SLOW,
	.example = "solve run",
	.print = report_threads,
	.options = REPORT_PICK "metric where samples sample-resolution squares threads",
	.whole = 1,
	.no_memory = 1,
	.part = REPORT_PART,
	.word = "REGION",
};
