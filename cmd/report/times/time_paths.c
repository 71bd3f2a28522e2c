/* time_paths.c: the tree of call paths that a report is about. */
#include "cmd/report/times/time_paths.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "analyze/base/quantity.h"
#include "analyze/profile/profile.h"
#include "analyze/profile/waiting_threads.h"
#include "analyze/trace/region_names.h"
#include "cmd/profile/profile_table.h"
#include "cmd/table/table.h"
#include "cmd/report/times/time_tables.h"

/* "5" and "5%". */
int cut_read(const char *text, double *cut, struct error *e)
{
	static const struct quantity_option percent = {"--cut", QUANTITY_PERCENT, "",
						       "0%",    "100%",           "5%"};
	int64_t v;

	if (quantity_option(&percent, text, &v, e))
		return e->code;
	*cut = (double)v / QUANTITY_ONE_PERCENT;
	return 0;
}

static void tree_make(struct time_paths *a, enum paths_of of)
{
	struct waiting *w = of == PATHS_OF_QUEUES ? waiting_for_queues()
						  : waiting_find(&a->p, 1, TIMER_MEASURED);

	a->of = of;
	a->samples = of == PATHS_OF_SAMPLES;
	a->others = !a->samples && profile_has_samples(a->p);
	if (of == PATHS_OF_THREADS)
		a->queues = waiting_queues(a->p);
	call_tree_make(&a->tree, a->p, w, a->metric, a->samples ? TIMER_SAMPLE : TIMER_MEASURED);
	waiting_free(w);
}

void time_paths_of_queues(struct time_paths *a)
{
	if (!a->queues)
		return;
	call_tree_release(&a->tree);
	tree_make(a, PATHS_OF_QUEUES);
}

/* A tree of nothing but the time outside of all regions shows nothing; the samples do, if their call paths are known. */
static void samples_if_alone(struct time_paths *a)
{
	if (a->o->word || !a->others || profile_has_regions(a->p))
		return;
	call_tree_release(&a->tree);
	tree_make(a, PATHS_OF_SAMPLES);
	a->alone = a->tree.v_n > 0;
	if (!a->alone) {
		call_tree_release(&a->tree);
		tree_make(a, PATHS_OF_THREADS);
	}
}

int time_paths_begin(struct time_paths *a, const char *kind, const char *formats,
		     const struct report_options *o, const struct report_runs *r, struct error *e)
{
	int code;

	*a = (struct time_paths){.o = o, .r = r};
	code = report_one_profile(o, r, kind, formats, &a->metric, e);
	if (!code && o->cut)
		code = cut_read(o->cut, &a->cut, e);
	if (code)
		return code;
	a->p = r->run[0].profile;
	if (o->samples && !profile_has_samples(a->p))
		return error_set(e, ERROR_INPUT,
				 "%s: it contains no samples. Try: tau-record --sample",
				 r->run[0].name);
	tree_make(a, o->samples ? PATHS_OF_SAMPLES : PATHS_OF_THREADS);
	samples_if_alone(a);
	if (!o->samples && !a->tree.v_n)
		time_paths_of_queues(a);
	if (o->samples && !a->tree.v_n) {
		call_tree_release(&a->tree);
		return error_set(e, ERROR_INPUT, "%s: it contains no call paths of samples",
				 r->run[0].name);
	}
	return 0;
}

void time_paths_end(struct time_paths *a)
{
	call_tree_release(&a->tree);
}

void time_paths_note(struct table *t, const struct time_paths *a, const struct time_columns *c)
{
	size_t pes = profile_pes(a->p);
	int queues = a->of == PATHS_OF_QUEUES;
	const char *row = queues ? "queue" : "thread", *unit = c->unit ? c->unit : "";
	const char *what = a->samples                         ? "Sampled CPU time"
			   : profile_is_time(a->p, a->metric) ? "Times"
							      : a->p->metric[a->metric].name;

	table_note(t, "%zu PE%s, %u %s%s%s. %s%s%s, summed over %ss; shares of %.*f%s%s.", pes,
		   plural(pes), a->tree.threads, row, plural(a->tree.threads),
		   queues ? " of devices" : "", what, c->unit ? " in " : "", unit, row,
		   c->precision, a->tree.whole / c->size, c->unit ? " " : "", unit);
}

struct table *time_paths_table(const struct time_paths *a, const struct time_columns *c,
			       const char *title)
{
	char *run = profile_table_title(a->p, report_unit_time(a->o));
	struct table *t = table_new(a->o->format == REPORT_TEXT ? run : title);

	report_load_notes(t, a->r);
	time_paths_note(t, a, c);
	table_fact_text(t, "metric", a->p->metric[a->metric].name);
	table_fact_number(t, profile_is_time(a->p, a->metric) ? "whole_us" : "whole",
			  a->tree.whole);
	free(run);
	return t;
}

void time_paths_remarks(struct table *t, const struct time_paths *a)
{
	if (!a->tree.paths && a->tree.v_n > 1)
		table_remark(t, "No call paths were recorded: regions are listed side by side.");
	if (a->alone)
		table_remark(t, "%s", TIME_PATHS_ALONE);
	if (a->others)
		table_remark(t, "%s", TIME_PATHS_OTHERS);
}

/* ---- one region ---- */

static const char *tree_name(const void *of, size_t i)
{
	return ((const struct call_tree *)of)->names.name[i];
}

/* 1: found, 0: there is none. */
static int word_find(const struct time_paths *a, uint32_t *name, struct error *e)
{
	const struct region_list list = {&a->tree, a->tree.names.name_n, tree_name};
	struct regions found;
	char *word = mem_string(a->o->word);
	size_t n = strlen(word);
	int code = region_find_in(&list, word, &found, a->r->run[0].name, e);

	/* "MPI_Send()" for "MPI_Send", as profiles of other tools have it. */
	if (!code && n > 2 && !strcmp(word + n - 2, "()")) {
		word[n - 2] = 0;
		code = region_find_in(&list, word, &found, a->r->run[0].name, e);
	}
	free(word);
	if (code != 1)
		return code;
	*name = found.v[0];
	for (size_t i = 1; i < found.v_n && code == 1; i++)
		if (strcmp(a->tree.names.name[found.v[i]], a->tree.names.name[*name]) != 0)
			code = error_set(e, ERROR_INPUT,
					 "%s: '%s' has %zu call sites: use the full name of one, "
					 "such as '%s'",
					 a->r->run[0].name, a->o->word, found.v_n,
					 a->tree.names.name[*name]);
	free(found.v);
	return code;
}

int time_paths_word(struct time_paths *a, uint32_t *name, struct error *e)
{
	int code = word_find(a, name, e);
	const char *near;

	if (!code && a->of == PATHS_OF_THREADS && a->queues) {
		time_paths_of_queues(a);
		code = word_find(a, name, e);
	}
	if (!code && a->others) {
		call_tree_release(&a->tree);
		tree_make(a, PATHS_OF_SAMPLES);
		code = word_find(a, name, e);
	}
	if (code)
		return code < 0 ? code : 0;
	near = region_near_in(&(struct region_list){&a->tree, a->tree.names.name_n, tree_name},
			      a->o->word);
	return time_no_region(a->o, &a->r->run[0], a->o->word, near, e);
}
