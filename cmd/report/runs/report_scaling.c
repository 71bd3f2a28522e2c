/* report_scaling.c: tau-report scaling: time, speedup and efficiency of runs and regions over PEs,
 * with models. */
#include <math.h>
#include <string.h>

#include "analyze/base/quantity.h"
#include "analyze/profile/profile.h"
#include "analyze/scaling/scaling.h"
#include "cmd/report/memory/report_memory_scaling.h"
#include "cmd/report/report.h"
#include "cmd/shared/choice.h"
#include "cmd/table/table.h"
#include "cmd/report/runs/report_scaling.h"
#include "record/metadata.h"

#define TOP_TEXT   20
#define WEAK_GAIN 0.05 /* above 1, an efficiency that is no noise */
#define SMALL_FALL 1.2 /* below, strong scaling is doubtful: noise falls, too */

static const char *law_words(enum speedup_law law)
{
	return law == SPEEDUP_STRONG ? "strong" : "weak";
}

/* "1.500 ms": a coefficient of a model of times, which are microseconds. */
static char *time_number(double value, char *buf, size_t size)
{
	char text[QUANTITY_TEXT];

	snprintf(buf, size, "%s", quantity_time_text(1000 * fabs(value), text));
	return buf;
}

static char *plain_number(double value, char *buf, size_t size)
{
	snprintf(buf, size, "%.6g", value);
	return buf;
}

static void model_put(struct table *t, size_t column, const struct scaling_shown *x,
		      const struct speedup_row *r)
{
	char text[200];

	if (r->model.verdict == SCALING_CONSTANT)
		table_put_text(t, column, "constant");
	else if (r->modelled)
		table_put_text(t, column,
			       scaling_model_text(&r->model,
						  x->c.is_time ? time_number : plain_number, text,
						  sizeof(text)));
}

static void fit_put(struct table *t, size_t column, const struct speedup_row *r)
{
	const struct scaling_model *m = &r->model;
	char text[240];

	if (!r->modelled || r->assumed || m->verdict == SCALING_CONSTANT)
		snprintf(text, sizeof(text), "%s%s", r->modelled ? "" : "no model: ", m->why);
	else
		snprintf(text, sizeof(text), "%s%.1f %%%s%s",
			 m->verdict == SCALING_EXACT ? "exact, " : "", m->cv_smape_pct,
			 *m->why ? ", " : "", m->why);
	table_put_text(t, column, text);
}

/* ---- columns ---- */

struct columns {
	size_t *value, *speedup,
		*efficiency; /* by count; in text the last two for the largest only */
	size_t share, model, fit, predicted, machine, name;
};

static size_t count_column(struct table *t, const struct scaling_shown *x, const char *key,
			   size_t k, const char *name, int precision)
{
	char *whole = mem_printf("%s_%.0f", key, x->s.p[k]);
	size_t column = table_column(t, TABLE_NUMBER, whole, name, NULL, precision);

	free(whole);
	return column;
}

static void predicted_columns(struct table *t, const struct scaling_shown *x, struct columns *k)
{
	static const char *const part[] = {"predicted", "low", "high"};

	for (size_t i = 0; i < x->predict_n; i++)
		for (int j = 0; j < 3; j++) {
			char *key = mem_printf("%s_%s%s%.0f", part[j],
					       x->c.is_time ? x->c.unit_name : "",
					       x->c.is_time ? "_" : "", x->predict[i]),
			     *name = j ? mem_string(part[j])
				       : mem_printf("at %.0f %s", x->predict[i],
						    scaling_unit(x, x->predict[i]));
			size_t column =
				table_column(t, TABLE_NUMBER, key, name, NULL, x->c.precision);

			k->predicted = i || j ? k->predicted : column;
			free(key);
			free(name);
		}
}

static void machine_columns(struct table *t, struct columns *k)
{
	k->machine = table_column(t, TABLE_NUMBER, "c0", NULL, NULL, 0);
	table_column(t, TABLE_NUMBER, "c1", NULL, NULL, 0);
	table_column(t, TABLE_NUMBER, "exponent", NULL, NULL, 0);
	table_column(t, TABLE_INTEGER, "log2_exponent", NULL, NULL, 0);
	table_column(t, TABLE_NUMBER, "leave_one_out_smape_pct", NULL, NULL, 0);
}

static void columns_add(struct table *t, const struct scaling_shown *x, struct columns *k)
{
	int text = x->o->format == REPORT_TEXT;
	size_t n = x->s.p_n;
	char *key = x->c.is_time ? compared_key(&x->c, "time") : mem_string("value");

	k->value = mem_alloc(3 * n * sizeof(*k->value));
	k->speedup = k->value + n;
	k->efficiency = k->speedup + n;
	for (size_t i = 0; i < n; i++) {
		char *name = mem_printf("%.0f %s", x->s.p[i], scaling_unit(x, x->s.p[i]));

		k->value[i] = count_column(t, x, key, i, name, x->c.precision);
		if (i && i + 1 < n)
			table_column_spare(t, k->value[i], 3);
		free(name);
	}
	for (size_t i = text ? n - 1 : 0; i < n; i++)
		k->speedup[i] = count_column(t, x, "speedup", i, "speedup", 2);
	for (size_t i = text ? n - 1 : 0; i < n; i++)
		k->efficiency[i] = count_column(t, x, "efficiency", i, "eff.", 2);
	k->share = count_column(t, x, "share_pct", n - 1, "share %", 1);
	predicted_columns(t, x, k);
	k->model = table_column(t, TABLE_TEXT, "model", NULL, NULL, 0);
	k->fit = table_column(t, TABLE_TEXT, "fit", NULL, NULL, 0);
	table_column_spare(t, k->fit, 5);
	table_column_spare(t, k->model, 2);
	table_column_spare(t, k->speedup[n - 1], 4);
	if (!text)
		machine_columns(t, k);
	k->name = compared_name_column(t, &x->c);
	free(key);
}

static void values_put(struct table *t, const struct scaling_shown *x, const struct columns *k,
		       const double *value)
{
	size_t n = x->s.p_n;

	for (size_t i = 0; i < n; i++)
		table_put_number(t, k->value[i], compared_value(&x->c, value[i]));
	for (size_t i = x->o->format == REPORT_TEXT ? n - 1 : 0; i < n; i++) {
		table_put_number(t, k->speedup[i], speedup_ratio(&x->s, value[0], value[i], i));
		table_put_number(t, k->efficiency[i],
				 speedup_efficiency(&x->s, value[0], value[i], i));
	}
}

static void predicted_put(struct table *t, const struct scaling_shown *x, const struct columns *k,
			  const struct speedup_row *r)
{
	for (size_t i = 0; i < x->predict_n; i++) {
		struct scaling_forecast f;

		scaling_forecast(r->point, r->point_n, scaling_options(r->point, r->point_n),
				 &r->model, 0, x->predict[i], &f);
		if (!f.credible)
			continue;
		table_put_number(t, k->predicted + 3 * i, compared_value(&x->c, f.value));
		table_put_number(t, k->predicted + 3 * i + 1, compared_value(&x->c, f.low));
		table_put_number(t, k->predicted + 3 * i + 2, compared_value(&x->c, f.high));
	}
}

static void row_put(struct table *t, const struct scaling_shown *x, const struct columns *k,
		    const struct speedup_row *r)
{
	size_t last = x->s.p_n - 1;

	table_row(t);
	values_put(t, x, k, r->per);
	table_put_number(t, k->share, 100 * r->per[last] / x->s.sum[last]);
	predicted_put(t, x, k, r);
	model_put(t, k->model, x, r);
	fit_put(t, k->fit, r);
	if (x->o->format != REPORT_TEXT && r->modelled) {
		table_put_number(t, k->machine, r->model.c0);
		table_put_number(t, k->machine + 1, r->model.c1);
		table_put_number(t, k->machine + 2,
				 (double)r->model.term.i_over / r->model.term.i_under);
		table_put_integer(t, k->machine + 3, r->model.term.j);
		if (!r->assumed)
			table_put_number(t, k->machine + 4, r->model.cv_smape_pct);
	}
	compared_put_name(t, k->name, &x->c, x->o, r->row);
}

static void whole_put(struct table *t, const struct scaling_shown *x, const struct columns *k,
		      const double *value, const char *name)
{
	table_row(t);
	values_put(t, x, k, value);
	table_put_text(t, k->name, name);
}

/* ---- the whole ---- */

/* One line for each number of PEs would be long: "1.00, 3.12, 6.31 (ideal 1, 4, 16)". */
static char *list_of(const struct scaling_shown *x, int efficiency)
{
	const struct speedup *s = &x->s;
	char *words = mem_string("");

	for (size_t k = 0; k < s->p_n; k++)
		words = scaling_append(
			words,
			mem_printf("%s%.2f", k ? ", " : "",
				   efficiency ? speedup_efficiency(s, s->time[0], s->time[k], k)
					      : speedup_ratio(s, s->time[0], s->time[k], k)));
	for (size_t k = 0; k < s->p_n && !efficiency; k++)
		words = scaling_append(
			words, mem_printf("%s%.4g", k ? ", " : " (ideal ", s->p[k] / s->p[0]));
	return efficiency ? words : scaling_append(words, mem_string(")"));
}

static const char *meta_of(const struct profile *p, uint32_t thread, const char *name)
{
	const char *own = profile_meta(p, thread, name);

	return own ? own : profile_meta(p, UINT32_MAX, name);
}

/*
 * CPU cores of all hosts of a run; 0: unknown. In profiles of TAU, "CPU Cores" are those of one
 * package; only this recorder, which counts all of a host, records the CPUs that are allowed, too.
 */
static double cores_of(const struct profile *p)
{
	struct names hosts = {0};
	double cores = 0;

	for (uint32_t i = 0; i < p->thread_n; i++) {
		const char *host, *n;
		size_t before = hosts.name_n;

		if (p->thread[i].node < 0)
			continue;
		host = meta_of(p, i, TAU_META_HOSTNAME);
		n = meta_of(p, i, TAU_META_CPUS_ALLOWED) ? meta_of(p, i, TAU_META_CPU_CORES) : NULL;
		host = host ? host : "";
		if (n && names_add(&hosts, host, strlen(host)) == before)
			cores += strtod(n, NULL);
	}
	names_release(&hosts);
	return cores;
}

static void shared_cores_note(struct table *t, const struct scaling_shown *x)
{
	char *words = mem_string("");
	size_t n = 0;

	for (size_t k = 0; k < x->r->run_n; k++) {
		size_t pes = x->c.m.run[k].pes;
		double cores = cores_of(x->r->run[k].profile);

		if (cores > 0 && (double)pes > cores)
			words = scaling_append(
				words, mem_printf("%s%zu PE%s on %.0f core%s", n++ ? ", " : "", pes,
						  plural(pes), cores, plural((size_t)cores)));
	}
	if (n)
		table_note(t, "PEs shared CPU cores: %s.", words);
	free(words);
}

/* What is excluded from the sums that decide, on each number of PEs. */
static void decides_note(struct table *t, const struct scaling_shown *x)
{
	const struct speedup *s = &x->s;
	char *words = mem_string("");

	for (size_t k = 0; k < s->p_n; k++)
		words = scaling_append(
			words, mem_printf("%s%.*f - %.*f", k ? ", " : "", x->c.precision,
					  compared_value(&x->c, s->sum[k]), x->c.precision,
					  compared_value(&x->c, s->setup[k])));
	table_note(t,
		   "Sums per %s that decide: %s. Excluded are calls that begin or end MPI, "
		   "OpenSHMEM or GASPI, with all that they call, and the recorder's own regions.",
		   scaling_unit(x, 1), words);
	free(words);
}

/* Is each efficiency that weak scaling gives above 1? Then the problem hardly grows with the PEs. */
static int weak_gains(const struct speedup *s)
{
	int all = s->p_n > 1;

	for (size_t k = 1; k < s->p_n; k++)
		all &= speedup_efficiency(s, s->time[0], s->time[k], k) > 1 + WEAK_GAIN;
	return all;
}

/* How the law was detected, or that it was requested. */
static void law_notes(struct table *t, const struct scaling_shown *x)
{
	const struct speedup *s = &x->s;
	double first = speedup_program(s, 0), last = speedup_program(s, s->p_n - 1);
	char fall[QUANTITY_TEXT];
	int excludes = 0;

	for (size_t k = 0; k < s->p_n; k++)
		excludes |= s->setup[k] > 0;
	if (s->law == s->detected)
		table_note(t, "%s scaling: the sum of all regions per %s%s %s.",
			   s->law == SPEEDUP_STRONG ? "Strong" : "Weak", scaling_unit(x, 1),
			   excludes ? ", without initialisation, finalisation and recorder," : "",
			   s->law == SPEEDUP_STRONG ? "falls at every step"
						    : "does not fall at every step");
	else
		table_note(t, "%s scaling, as --problem requests; the times suggest %s scaling.",
			   s->law == SPEEDUP_STRONG ? "Strong" : "Weak", law_words(s->detected));
	if (!x->o->problem && s->law == SPEEDUP_STRONG && first < SMALL_FALL * last)
		table_note(t,
			   "It falls by %s only. If the problem grows with the %s: "
			   "--problem weak.",
			   quantity_percent_text(100 * (1 - last / first), fall),
			   scaling_unit(x, 2));
	if (!x->o->problem && s->law == SPEEDUP_WEAK && weak_gains(s))
		table_note(t, "All efficiencies are above 1, as if the problem were the same in "
			      "all runs. If it is: --problem strong.");
	else if (!x->o->problem && s->law == SPEEDUP_WEAK)
		table_note(t, "This is detected from the times alone; "
			      "--problem strong|weak sets it.");
	if (x->o->explain)
		decides_note(t, x);
}

static void notes(struct table *t, const struct scaling_shown *x)
{
	const struct speedup *s = &x->s;
	char *counts = scaling_counts(x), *ratio = list_of(x, 0), *efficiency = list_of(x, 1),
	     *largest = scaling_largest(x), *next = scaling_next(x),
	     *unit = compared_unit_words(&x->c), share[QUANTITY_TEXT];

	table_note(t, "Runs: %zu, on %s.", x->r->run_n, counts);
	law_notes(t, x);
	shared_cores_note(t, x);
	table_note(t, "Speedup of the longest thread: %s.", ratio);
	table_note(t, "Efficiency: %s.", efficiency);
	table_note(t, "Largest %s: %s.", x->c.what, largest);
	table_note(t, "%s", next);
	if (s->unmodelled > 0)
		table_note(t, "Without a model: %s of the sum on %.0f %s.",
			   quantity_percent_text(100 * s->unmodelled, share), s->p[s->p_n - 1],
			   scaling_unit(x, s->p[s->p_n - 1]));
	table_note(t, "%sRows: exclusive, mean per %s; speedup, eff. and share on %.0f %s.",
		   unit, scaling_unit(x, 1), s->p[s->p_n - 1],
		   scaling_unit(x, s->p[s->p_n - 1]));
	report_load_notes(t, x->r);
	table_fact_text(t, "scaling", law_words(s->law));
	table_fact_text(t, "detected", law_words(s->detected));
	table_fact_text(t, "counts", s->of_threads ? "threads" : "pes");
	table_fact_text(t, "metric", x->c.metric);
	if (s->next != SIZE_MAX) {
		table_fact_text(t, "next", x->c.m.row[s->row[s->next].row].name);
		table_fact_number(t, "next_from", s->next_from);
	}
	table_fact_number(t, "n0", s->p[0]);
	free(counts);
	free(unit);
	free(ratio);
	free(efficiency);
	free(largest);
	free(next);
}

static void table_of(const struct scaling_shown *x, FILE *f, size_t width)
{
	size_t shown = report_rows_shown(x->o, x->s.row_n, TOP_TEXT);
	char *title =
		mem_printf("Scaling: %s by %s", x->c.is_time ? "time" : x->c.metric, x->c.what);
	struct table *t = table_new(title);
	struct columns k;

	columns_add(t, x, &k);
	notes(t, x);
	for (size_t i = 0; i < shown; i++)
		row_put(t, x, &k, &x->s.row[i]);
	table_rule(t);
	whole_put(t, x, &k, x->s.sum, "(sum)");
	whole_put(t, x, &k, x->s.time, "(longest thread)");
	if (shown < x->s.row_n)
		table_remark(t, "%zu of %zu rows; --top 0 lists all.", shown, x->s.row_n);
	compared_matches(t, &x->c, x->r, x->o);
	report_table(t, x->o, f, width);
	free(k.value);
	free(title);
}

static int problem_read(const struct report_options *o, struct speedup *s, struct error *e)
{
	static const char *const words[] = {"weak", "strong"};
	size_t found = s->law;
	int rc = choice_option("--problem", o->problem, words, 2, &found, e);

	s->law = (enum speedup_law)found;
	return rc;
}

static int report_scaling(const struct report_options *o, const struct report_runs *r,
			  struct output *out, size_t width, struct error *e)
{
	struct scaling_shown x = {.o = o, .r = r};
	int rc = memory_predict_read(&o->predict, &x.predict, &x.predict_n, e);

	if (rc < 0)
		return rc;
	rc = compared_make(&x.c, o, r, e);
	if (!rc) {
		speedup_make(&x.s, &x.c.m);
		rc = problem_read(o, &x.s, e);
		if (!rc && x.s.p_n < 2)
			rc = error_set(e, ERROR_USAGE,
				       "scaling needs runs on different numbers of PEs or threads");
		else if (!rc && o->format == REPORT_SVG)
			scaling_chart(&x, out->file);
		else if (!rc)
			table_of(&x, out->file, width);
		speedup_release(&x.s);
	}
	compared_release(&x.c);
	free(x.predict);
	return rc;
}

const struct report_kind kind_scaling = {
	.name = "scaling",
	.about = "speedup and efficiency of runs and regions, with models",
	.question = QUESTION_SCALING,
	.runs = "RUN RUN...",
	.example = "--predict 1024 run2 run4 run8",
	.print = report_scaling,
	.options = "by metric where predict problem samples",
	.by = compared_bys,
	.whole = 1,
	.callpaths = 1, /* what initialisation calls does not decide */
	.title = "Scaling",
	.page = REPORT_PAGE_BOTH,
	.several = 1,
	.sums = 1,
};
