/* profile_text.c: prints profiles as tables for people. */
#include "cmd/shared/profile_text.h"

#include <math.h>
#include <string.h>

#include "analyze/profile/region_rows.h"
#include "analyze/profile/derived_threads.h"
#include "cmd/shared/choice.h"
#include "cmd/shared/counter_table.h"
#include "cmd/shared/region_name.h"
#include "cmd/shared/table.h"

#define SAMPLE "[SAMPLE] "

struct unit {
	const char *name; /* NULL: a count */
	double size;      /* in microseconds */
	int precision;
};

/* What a table is about. */
struct about {
	const struct profile *p;
	const struct profile_text *o;
	const struct region_rows *r;
	enum profile_timer_kind kind;
	struct unit unit;
	int one;     /* thread */
	int threads; /* a process has several threads: its threads have numbers */
};

/* All times of a table have one unit, so that they take few digits and nanoseconds remain where
 * they matter. */
static struct unit unit_of(const struct profile *p, const struct region_rows *r, size_t metric)
{
	double largest = 0;
	int whole = 1;

	for (size_t i = 0; i < r->v_n; i++) {
		largest = fmax(largest, fmax(r->v[i].incl, r->v[i].excl));
		whole &= r->v[i].incl == rint(r->v[i].incl) && r->v[i].excl == rint(r->v[i].excl);
	}
	if (!profile_is_time(p, metric))
		return (struct unit){NULL, 1, whole ? 0 : 3};
	return largest >= 1e8   ? (struct unit){"s", 1e6, 3}
	       : largest >= 1e4 ? (struct unit){"ms", 1e3, 3}
				: (struct unit){"us", 1, 3};
}

/* ---- names ---- */

static char *path_name(const struct profile *p, uint32_t path)
{
	size_t n = profile_path_name(p, path, NULL, 0) + 1;
	char *s = mem_alloc(n);

	profile_path_name(p, path, s, n);
	return s;
}

static char *full_name(const struct about *a, const struct region_row *r)
{
	char *name = path_name(a->p, r->path);
	size_t skip = strlen(SAMPLE);

	if (a->kind == TIMER_SAMPLE && !strncmp(name, SAMPLE, skip))
		memmove(name, name + skip, strlen(name) - skip + 1);
	return name;
}

/* Names of n rows, to be freed: short, except where two rows would have the same. */
static char **names_of(const struct about *a, const struct region_row *row, size_t n)
{
	char **name = mem_alloc((n + 1) * sizeof(*name));
	uint32_t *times = mem_alloc((n + 1) * sizeof(*times)),
		 *id = mem_alloc((n + 1) * sizeof(*id));
	struct names found = {0};

	for (size_t i = 0; i < n; i++) {
		char *full = full_name(a, &row[i]);

		name[i] = region_name_short(full);
		id[i] = names_add(&found, name[i], strlen(name[i]));
		times[id[i]]++;
		free(full);
	}
	for (size_t i = 0; i < n; i++)
		if (times[id[i]] > 1) {
			free(name[i]);
			name[i] = full_name(a, &row[i]);
		}
	names_release(&found);
	free(times);
	free(id);
	return name;
}

/* ---- one table ---- */

static void columns(struct table *t, const struct about *a)
{
	const char *unit = a->unit.name;
	int precision = a->unit.precision;
	size_t region;

	table_column(t, TABLE_NUMBER, "share_pct", "%", NULL, 1);
	table_column(t, TABLE_NUMBER, "exclusive", NULL, NULL, precision);
	table_column_spare(t, table_column(t, TABLE_NUMBER, "inclusive", NULL, NULL, precision), 1);
	table_column(t, TABLE_NUMBER, "calls", a->kind == TIMER_MEASURED ? "calls" : "samples",
		     NULL, 0);
	if (a->one) {
		table_column_spare(t, table_column(t, TABLE_NUMBER, "subrs", NULL, NULL, 0), 3);
		table_column_spare(t,
				   table_column(t, TABLE_NUMBER, "per_call",
						unit ? "us/call" : "per call", NULL, 3),
				   2);
	} else {
		table_column(t, TABLE_NUMBER, "mean", NULL, NULL, precision);
		table_column(t, TABLE_NUMBER, "largest", NULL, NULL, precision);
		table_column(t, TABLE_TEXT, "where", NULL, NULL, 0);
		table_column_spare(
			t, table_column(t, TABLE_NUMBER, "imbalance", "max/mean", NULL, 2), 3);
	}
	region = table_column(t, TABLE_TEXT, "region",
			      a->kind == TIMER_SAMPLE  ? "sampled code"
			      : a->kind == TIMER_STACK ? "callers of sampled code"
			      : a->o->paths            ? "call path"
						       : "region",
			      NULL, 0);
	table_column_fit(t, region, region_name_fit);
}

/* Rank, with the number of the thread where processes have several. */
static char *place_of(const struct about *a, const struct profile_thread *t)
{
	return t->context   ? mem_printf("%d.%d.%d", t->node, t->context, t->thread)
	       : a->threads ? mem_printf("%d.%d", t->node, t->thread)
			    : mem_printf("%d", t->node);
}

static void put_row(struct table *t, const struct about *a, const struct region_row *r,
		    const char *name)
{
	double whole = a->r->whole[a->kind == TIMER_STACK ? TIMER_SAMPLE : a->kind];
	double size = a->unit.size;
	size_t column = 0;

	table_row(t);
	table_put_number(t, column++, whole > 0 ? 100 * r->excl / whole : NAN);
	table_put_number(t, column++, r->excl / size);
	table_put_number(t, column++, r->incl / size);
	table_put_number(t, column++, r->calls);
	if (a->one) {
		table_put_number(t, column++, r->subrs);
		table_put_number(t, column++, r->calls > 0 ? r->incl / r->calls : NAN);
	} else {
		char *where = place_of(a, &a->p->thread[r->largest_at]);

		table_put_number(t, column++, region_row_mean(r) / size);
		table_put_number(t, column++, r->largest / size);
		table_put_text(t, column++, where);
		table_put_number(t, column++, region_row_imbalance(r));
		free(where);
	}
	table_put_text(t, column, name);
}

/* Rows of a kind, the largest first; the number of those that are shown. */
static size_t put_rows(struct table *t, const struct about *a)
{
	const struct region_row *row = &a->r->v[region_rows_first(a->r, a->kind)];
	size_t n = a->r->kind_n[a->kind];
	size_t shown = a->o->all || a->o->top <= 0 || n < (size_t)a->o->top ? n : (size_t)a->o->top;
	char **name = names_of(a, row, shown);

	columns(t, a);
	for (size_t i = 0; i < shown; i++) {
		put_row(t, a, &row[i], name[i]);
		free(name[i]);
	}
	free(name);
	return shown;
}

/* ---- what stands around the tables ---- */

static void note_threads(struct table *t, const struct about *a, size_t metric)
{
	size_t pes = profile_pes(a->p);
	uint32_t threads = a->r->threads + a->r->waiting;
	char *waits = a->r->waiting
			      ? mem_printf(", of which %u only %s counted", a->r->waiting,
					   a->r->waiting == 1 ? "waits and is not" : "wait and are "
										     "not")
			      : mem_string("");

	table_note(t, "%zu PE%s, %u thread%s%s.", pes, plural(pes), threads, plural(threads),
		   waits);
	if (a->unit.name)
		table_note(t, "Times in %s; shares of %.*f %s.", a->unit.name, a->unit.precision,
			   a->r->whole[TIMER_MEASURED] / a->unit.size, a->unit.name);
	else
		table_note(t, "%s; shares of %.*f.", a->p->metric[metric].name, a->unit.precision,
			   a->r->whole[TIMER_MEASURED]);
	free(waits);
}

/* What the table leaves out, and how to see it. */
static void remark_rest(struct table *t, const struct about *a, size_t shown, size_t metric)
{
	size_t n = a->r->kind_n[a->kind], counters = 0;
	const char *what = a->o->paths ? "call paths" : "regions";

	if (!a->one)
		table_remark(t, "mean and largest: exclusive, over the threads that have the row.");
	if (a->o->all)
		return;
	if (shown < n)
		table_remark(t, "%zu of %zu %s; --top 0 lists all, --all each thread as well.",
			     shown, n, what);
	if (a->r->paths && !a->o->paths)
		table_remark(t, "%zu call paths: --callpath lists them.", a->r->paths);
	for (size_t i = 0; i < a->p->metric_n; i++)
		if (i != metric)
			table_remark(t, "Also measured: --metric %s", a->p->metric[i].name);
	for (size_t i = 0; i < a->p->counter_n; i++)
		counters++;
	if (counters && !a->o->counters)
		table_remark(t, "%zu counter%s: --counters lists %s.", counters, plural(counters),
			     counters == 1 ? "it" : "them");
}

static void print(struct table *t, const struct profile_text *o, FILE *f)
{
	table_print(t, f, TABLE_AS_TEXT, o->width);
	table_free(t);
}

/* Timers, then what samples found inside of them. */
static void print_kinds(FILE *f, const char *title, struct about *a, size_t metric, int notes)
{
	enum profile_timer_kind last = a->o->all ? TIMER_STACK : TIMER_SAMPLE;

	for (a->kind = TIMER_MEASURED; a->kind <= last; a->kind++) {
		struct table *t;
		size_t shown;

		if (a->kind != TIMER_MEASURED && !a->r->kind_n[a->kind])
			continue;
		t = table_new(a->kind == TIMER_MEASURED ? title : NULL);
		if (a->kind != TIMER_MEASURED)
			fputc('\n', f);
		else if (notes)
			note_threads(t, a, metric);
		shown = put_rows(t, a);
		if (notes && a->kind == TIMER_MEASURED)
			remark_rest(t, a, shown, metric);
		else if (notes && shown < a->r->kind_n[a->kind])
			table_remark(t, "%zu of %zu places", shown, a->r->kind_n[a->kind]);
		print(t, a->o, f);
	}
}

/* ---- a profile ---- */

static char *title_of(const struct profile *p)
{
	char *span = p->end_us >= p->begin_us ? mem_printf(" (%.3f to %.3f ms)", p->begin_us / 1000,
							   p->end_us / 1000)
					      : mem_string("");
	char *title = mem_printf("%s%s%s%s", p->name ? p->name : "profile",
				 p->window ? ", window " : "", p->window ? p->window : "", span);

	free(span);
	return title;
}

static int several_threads(const struct profile *p)
{
	for (size_t i = 0; i < p->thread_n; i++)
		if (p->thread[i].thread > 0)
			return 1;
	return 0;
}

static void print_counters(FILE *f, const struct profile *p, const struct profile_text *o)
{
	struct profile_thread derived[STATS_DERIVED];

	if (!p->counter_n)
		return;
	derived_derive(p, NULL, derived);
	fputc('\n', f);
	print(counter_table(p, &derived[-1 - STATS_TOTAL], "Counters over all threads",
			    o->all ? 0 : (size_t)o->top, o->all),
	      o, f);
	derived_release(derived);
}

/* Each thread by itself: its timers for each metric, and its counters. */
static void print_threads(FILE *f, const struct profile *p, const struct profile_text *o)
{
	for (uint32_t i = 0; i < p->thread_n; i++) {
		const struct profile_thread *t = &p->thread[i];
		size_t m = 0;

		if (t->node < 0)
			continue;
		do {
			char *title = mem_printf("Node %d, context %d, thread %d%s%s", t->node,
						 t->context, t->thread, m ? ": " : "",
						 m ? p->metric[m].name : "");
			struct region_rows r;
			struct about a = {.p = p, .o = o, .r = &r, .one = 1};

			region_rows_thread(&r, p, i, m, ROWS_ALL);
			a.unit = unit_of(p, &r, m);
			fputc('\n', f);
			print_kinds(f, title, &a, m, 0);
			region_rows_release(&r);
			free(title);
		} while (++m < p->metric_n);
		if (t->sample_n) {
			fputc('\n', f);
			print(counter_table(p, t, NULL, 0, 1), o, f);
		}
	}
}

/* The metric of that name, or the first. */
static size_t metric_of(const struct profile *p, const char *name)
{
	for (size_t i = 0; name && i < p->metric_n; i++)
		if (!strcmp(p->metric[i].name, name))
			return i;
	return 0;
}

static void print_profile(FILE *f, const struct profile *p, const struct waiting *waiting,
			  const struct profile_text *o)
{
	size_t from = metric_of(p, o->metric), to = o->all ? p->metric_n : from + 1, m = from;
	char *title = title_of(p);

	if (!p->thread_n)
		fprintf(f, "%s\nNothing happened in this window.\n", title);
	do {
		struct region_rows r;
		struct about a = {.p = p, .o = o, .r = &r, .threads = several_threads(p)};

		if (!p->thread_n)
			break;
		region_rows_make(&r, p, waiting, m,
				 o->all     ? ROWS_ALL
				 : o->paths ? ROWS_PATHS
					    : ROWS_FLAT);
		a.one = r.threads == 1;
		a.unit = unit_of(p, &r, m);
		if (m > from)
			fputc('\n', f);
		print_kinds(f, m > from ? p->metric[m].name : title, &a, m, 1);
		region_rows_release(&r);
	} while (++m < to);
	if (o->counters || o->all)
		print_counters(f, p, o);
	if (o->all && p->thread_n > 1)
		print_threads(f, p, o);
	free(title);
}

int profile_text_check(const struct profile_text *o, const struct profile *p, struct error *e)
{
	const char **name;
	size_t found;
	int code;

	if (!o->metric)
		return 0;
	name = mem_alloc((p->metric_n + 1) * sizeof(*name));
	for (size_t i = 0; i < p->metric_n; i++)
		name[i] = p->metric[i].name;
	code = choice_get("--metric", o->metric, name, p->metric_n, &found, e);
	free(name);
	return code;
}

void profile_text_print(FILE *f, const struct profile *p, size_t nth, const struct profile_text *o)
{
	struct waiting *waiting = waiting_find(&p, 1, TIMER_MEASURED);

	if (nth)
		fputc('\n', f);
	print_profile(f, p, waiting, o);
	waiting_free(waiting);
}
