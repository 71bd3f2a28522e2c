/* profile_text.c: prints profiles as tables for people. */
#include "cmd/profile/profile_text.h"

#include <math.h>
#include <string.h>

#include "analyze/profile/region_rows.h"
#include "analyze/profile/derived_threads.h"
#include "analyze/profile/waiting_threads.h"
#include "cmd/shared/choice.h"
#include "cmd/shared/message.h"
#include "cmd/table/counter_table.h"
#include "cmd/profile/profile_table.h"
#include "cmd/table/table.h"
#include "record/metadata.h"

/* ---- what is around the tables ---- */

/* What the table does not show, and how to see it. */
static void remark_rest(struct table *t, const struct profile_table *a,
			const struct profile_text *o, size_t shown)
{
	size_t n = a->r->kind_n[a->kind], counters = 0;
	const char *what = o->paths ? "call paths" : "regions";

	if (!a->one)
		table_remark(t, PROFILE_TABLE_COMPARED);
	if (o->all)
		return;
	if (shown < n)
		table_remark(t, "%zu of %zu %s; --top 0 lists all, --all each thread as well.",
			     shown, n, what);
	if (a->r->paths && !o->paths)
		table_remark(t, "%zu call paths: --callpath lists them.", a->r->paths);
	for (size_t i = 0; i < a->p->metric_n; i++)
		if (i != a->metric && !profile_is_limit(a->p, i))
			table_remark(t, "Also measured: --metric %s", a->p->metric[i].name);
	for (size_t i = 0; i < a->p->counter_n; i++)
		counters++;
	if (counters && !o->counters)
		table_remark(t, "%zu counter%s: --counters lists %s.", counters, plural(counters),
			     counters == 1 ? "it" : "them");
}

static void print(struct table *t, const struct profile_text *o, FILE *f)
{
	table_print(t, f, TABLE_AS_TEXT, o->width);
	table_free(t);
}

/* Timers, then what samples found inside of them. */
static void print_kinds(FILE *f, const char *title, struct profile_table *a,
			const struct profile_text *o, int notes)
{
	enum profile_timer_kind last = o->all ? TIMER_STACK : TIMER_SAMPLE;

	for (a->kind = TIMER_MEASURED; a->kind <= last; a->kind++) {
		struct table *t;
		size_t shown;

		if (a->kind != TIMER_MEASURED && !a->r->kind_n[a->kind])
			continue;
		t = table_new(a->kind == TIMER_MEASURED ? title : NULL);
		if (a->kind != TIMER_MEASURED)
			fputc('\n', f);
		else if (notes)
			profile_table_notes(t, a);
		shown = profile_table_fill(t, a, o->all || o->top <= 0 ? 0 : (size_t)o->top);
		if (notes && a->kind == TIMER_MEASURED)
			remark_rest(t, a, o, shown);
		else if (notes && shown < a->r->kind_n[a->kind])
			table_remark(t, "%zu of %zu places", shown, a->r->kind_n[a->kind]);
		print(t, o, f);
	}
}

/* ---- a profile ---- */

static void print_counters(FILE *f, const struct profile *p, const struct profile_text *o)
{
	struct profile_thread derived[STATS_DERIVED];

	if (!p->counter_n)
		return;
	derived_derive(p, NULL, NULL, derived);
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
			struct profile_table a = {.p = p, .r = &r, .metric = m, .one = 1};

			region_rows_thread(&r, p, i, m, ROWS_ALL);
			a.unit = profile_unit_of(p, &r, m);
			fputc('\n', f);
			print_kinds(f, title, &a, o, 0);
			region_rows_release(&r);
			free(title);
		} while (++m < p->metric_n);
		if (t->sample_n) {
			fputc('\n', f);
			print(counter_table(p, t, NULL, 0, 1), o, f);
		}
	}
}

static enum region_rows_which rows_of(const struct profile_text *o)
{
	return o->all ? ROWS_ALL : o->paths ? ROWS_PATHS : ROWS_FLAT;
}

/* Regions of queues of devices, in a table of their own. */
static void print_queues(FILE *f, struct profile_table a, const struct profile_text *o)
{
	struct waiting *only = waiting_for_queues();
	struct region_rows r;
	struct table *t = table_new(NULL);

	region_rows_make(&r, a.p, only, a.metric, rows_of(o));
	a.r = &r;
	fputc('\n', f);
	profile_table_queues(t, a, o->all || o->top <= 0 ? 0 : (size_t)o->top);
	print(t, o, f);
	region_rows_release(&r);
	waiting_free(only);
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
	char *title = profile_table_title(p, NULL);
	double *least = profile_limit(p, TAU_METRIC_COMPENSATED_LEAST),
	       *most = profile_limit(p, TAU_METRIC_COMPENSATED_MOST);

	if (!p->thread_n) {
		text_printf(f, "%s\n", title);
		fputs("Nothing happened in this window.\n", f);
	}
	do {
		struct region_rows r;
		struct profile_table a = {.p = p,
					  .r = &r,
					  .metric = m,
					  .paths = o->paths,
					  .threads = profile_has_threads(p),
					  .least = m ? NULL : least,
					  .most = m ? NULL : most};

		if (!p->thread_n)
			break;
		region_rows_make(&r, p, waiting, m, rows_of(o));
		a.one = r.threads == 1;
		a.unit = profile_unit_of(p, &r, m);
		if (m > from)
			fputc('\n', f);
		print_kinds(f, m > from ? p->metric[m].name : title, &a, o, 1);
		if (r.queues)
			print_queues(f, a, o);
		region_rows_release(&r);
	} while (++m < to);
	if (o->counters || o->all)
		print_counters(f, p, o);
	if (o->all && p->thread_n > 1)
		print_threads(f, p, o);
	free(least);
	free(most);
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
