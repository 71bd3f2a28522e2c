/* compared_runs.c: makes the matrix of several runs, and prints its names and values alike in all
 * kinds. */
#include "cmd/report/runs/compared_runs.h"

#include <math.h>
#include <string.h>

#include "analyze/base/quantity.h"
#include "analyze/compare/name_family.h"
#include "analyze/profile/profile.h"
#include "cmd/shared/choice.h"
#include "cmd/table/region_name.h"
#include "cmd/table/table.h"

#define MATCHES_SHOWN 5
#define BRIEF         36

const struct report_by compared_bys[] = {
	{"region", "region"},
	{"path", "call path"},
	{"group", "group of regions"},
	{0},
};

int compared_by(const struct report_options *o, enum run_rows *by, struct error *e)
{
	size_t found;
	int rc = report_by(o, &found, e);

	*by = (enum run_rows)found;
	return rc;
}

static int has_rows(const struct run_matrix *m)
{
	for (size_t i = 0; i < m->row_n; i++)
		for (size_t k = 0; k < m->run_n; k++)
			if (run_matrix_cell(m, i, k)->threads)
				return 1;
	return 0;
}

/* Counts have no digits after the point, other values have. */
static int has_fractions(const struct run_matrix *m)
{
	for (size_t i = 0; i < m->row_n; i++)
		for (size_t k = 0; k < m->run_n; k++) {
			double value = run_matrix_cell(m, i, k)->excl;

			if (value != rint(value))
				return 1;
		}
	return 0;
}

/* Have the runs samples, and no region but the time outside of all regions? */
static int samples_only(const struct report_runs *r)
{
	int samples = 0;

	for (size_t k = 0; k < r->run_n; k++) {
		samples |= profile_has_samples(r->run[k].profile);
		if (profile_has_regions(r->run[k].profile))
			return 0;
	}
	return samples;
}

/* A gate is for the same rows in each run, which single samples are not. */
static void choose_samples(struct compared *c, const struct report_options *o,
			   const struct report_runs *r)
{
	int only = !o->samples && samples_only(r);

	c->samples = o->samples || (only && !o->gate);
	c->note = !only	     ? NULL
		  : o->gate ? "The runs have samples only: --samples compares them."
			    : "The runs have no regions: these are their samples.";
}

int compared_make(struct compared *c, const struct report_options *o, const struct report_runs *r,
		  struct error *e)
{
	static const char *const rows[] = {"region", "call path", "group"};
	const struct table_unit *unit = report_unit_time(o);
	enum run_rows by;
	int rc = compared_by(o, &by, e);

	memset(c, 0, sizeof(*c));
	if (rc < 0)
		return rc;
	choose_samples(c, o, r);
	run_matrix_begin(&c->m, by, c->samples ? TIMER_SAMPLE : TIMER_MEASURED);
	for (size_t k = 0; k < r->run_n; k++) {
		size_t metric;
		int is_time;

		if (report_metric(o, &r->run[k], &metric, e))
			return e->code;
		is_time = profile_is_time(r->run[k].profile, metric);
		if (k && is_time != c->is_time)
			return error_set(e, ERROR_INPUT,
					 "%s: its first metric is %s, that of %s is %s. Try: "
					 "--metric NAME",
					 r->run[k].name, r->run[k].profile->metric[metric].name,
					 r->run[0].name, c->metric);
		c->is_time = is_time;
		c->metric = k ? c->metric : r->run[k].profile->metric[metric].name;
		run_matrix_add(&c->m, r->run[k].profile, metric);
	}
	c->unit = !c->is_time ? 1 : unit ? unit->size : 1000;
	c->unit_given = unit != NULL;
	c->unit_name = !c->is_time ? NULL : unit ? unit->name : "ms";
	c->precision = !c->is_time ? 3 * has_fractions(&c->m) : unit ? unit->precision : 3;
	c->what = c->samples ? "sampled code" : rows[by];
	if (!has_rows(&c->m))
		return error_set(e, ERROR_INPUT,
				 o->samples ? "%s: it contains no samples. Try: tau-record --sample"
					    : "%s: it contains no regions",
				 r->run[0].name);
	return 0;
}

void compared_notes(struct table *t, const struct compared *c, const struct report_runs *r)
{
	report_load_notes(t, r);
	if (c->note)
		table_note(t, "%s", c->note);
}

void compared_release(struct compared *c)
{
	run_matrix_release(&c->m);
}

double compared_value(const struct compared *c, double value)
{
	double ns = rint(value * 1000);

	return c->is_time && fabs(ns - value * 1000) < 1e-3 ? ns / (c->unit * 1000)
							     : value / c->unit;
}

/* A time is in the unit that --unit names, or in the one that suits it. */
static const char *words(const struct compared *c, double value, char text[QUANTITY_TEXT])
{
	if (c->is_time && !c->unit_given)
		return quantity_time_text(rint(value * 1e6) / 1e3, text);
	return quantity_in_text(compared_value(c, value), c->precision, c->unit_name, text);
}

char *compared_words(const struct compared *c, double value)
{
	char text[QUANTITY_TEXT];

	return mem_string(words(c, value, text));
}

char *compared_change_words(const struct compared *c, double value)
{
	char text[QUANTITY_TEXT];

	words(c, value, text);
	return mem_printf("%s%s", strchr("-<>", *text) ? "" : "+", text);
}

char *compared_key(const struct compared *c, const char *key)
{
	return c->is_time ? mem_printf("%s_%s", key, c->unit_name) : mem_string(key);
}

void compared_fact(struct table *t, const struct compared *c, const char *key, double value)
{
	char *whole = compared_key(c, key);

	table_fact_number(t, whole, compared_value(c, value));
	free(whole);
}

char *compared_unit_words(const struct compared *c)
{
	return c->is_time ? mem_printf("Times in %s. ", c->unit_name) : mem_string("");
}

void compared_fields(struct table *t, const struct compared *c, const struct table_field *fields,
		     unsigned which, const struct field_each *each)
{
	char *suffix = compared_key(c, "");

	table_fields_each(t, fields, which,
			  &(struct field_scale){
				  .suffix = suffix, .size = 1, .precision = c->precision},
			  each);
	for (; fields->key; fields++)
		if (!strcmp(fields->key, COMPARED_REGION_KEY))
			table_field_heading(t, fields->offset, c->what);
	free(suffix);
}

char *compared_name(const struct compared *c, const struct report_options *o, size_t row)
{
	const char *name = c->m.row[row].name, *code = c->samples ? profile_timer_code(name) : NULL;

	name = code ? code : name;
	return o->format == REPORT_TEXT || o->format == REPORT_SVG || o->format == REPORT_GITHUB
		       ? region_name_short(name)
		       : mem_string(name);
}

char *compared_brief(const struct compared *c, const struct report_options *o, size_t row)
{
	char *name = compared_name(c, o, row);

	if (o->format == REPORT_SVG)
		region_name_fit(name, BRIEF);
	return name;
}

void compared_matches(struct table *t, const struct compared *c, const struct report_runs *r,
		      const struct report_options *o)
{
	size_t found = 0, shown = o->format == REPORT_TEXT ? MATCHES_SHOWN : SIZE_MAX;

	for (size_t k = 0; k < c->m.run_n; k++)
		for (size_t i = 0; i < c->m.timer.name_n; i++) {
			const char *mine = c->m.timer.name[i],
				   *other = i < c->m.run[k].as_n ? c->m.run[k].as[i] : NULL;

			if (other && found++ < shown)
				table_remark(t,
					     "Same function: '%s' is '%s' in %s (differs in %s).",
					     mine, other, r->run[k].name,
					     name_family_difference(mine, other));
		}
	if (found > shown)
		table_remark(t, "%zu more functions with two names; csv and json contain all.",
			     found - shown);
	table_fact_number(t, "matched_names", (double)found);
}

void compared_pes_note(struct table *t, const struct compared *c, const char *advice)
{
	for (size_t k = 1; k < c->m.run_n; k++)
		if (c->m.run[k].pes != c->m.run[0].pes) {
			table_note(t, "The runs have different numbers of PEs: %s.", advice);
			return;
		}
}
