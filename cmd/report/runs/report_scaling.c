/* report_scaling.c: tau-report scaling: time, speedup and efficiency of runs and regions over PEs,
 * with models. */
#include <math.h>
#include <string.h>

#include "analyze/base/quantity.h"
#include "analyze/profile/profile.h"
#include "analyze/scaling/scaling.h"
#include "cmd/report/memory/report_memory_scaling.h"
#include "cmd/report/report.h"
#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"
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

/* ---- columns ---- */

/* For what fields are repeated: numbers of PEs, those whose speedup is shown, the largest, those that are predicted. */
enum { EACH_COUNT = 1, EACH_SHOWN, EACH_LAST, EACH_PREDICTED, EACHES };
/* Tables that have a column. */
enum { OF_TIMES = 1, OF_VALUES = 2, AS_DATA = 4, OF_INCLUSIVE = 8 };

/* One row, a member for each column. */
struct scaling_cells {
	const double *value, *speedup, *efficiency, *share, *predicted, *low, *high;
	const char *model, *fit;
	double c0, c1, exponent;
	int64_t log2_exponent;
	double smape;
	const char *region;
};

/* clang-format off: one column, one paragraph */
static const struct table_field fields[] = {
	{FIELD(struct scaling_cells, value), TABLE_NUMBER, "time_*", "*", .scaled = 1,
	 .each = EACH_COUNT, .only = OF_TIMES,
	 .meaning = "exclusive time per PE or thread on this number of PEs or "
		    "threads; of several runs, the mean"},
	{FIELD(struct scaling_cells, value), TABLE_NUMBER, "value_*", "*", .scaled = 1,
	 .each = EACH_COUNT, .only = OF_VALUES,
	 .meaning = "exclusive value per PE or thread on this number of PEs or "
		    "threads"},
	{FIELD(struct scaling_cells, value), TABLE_NUMBER, "inclusive_*", "*", .scaled = 1,
	 .each = EACH_COUNT, .only = OF_INCLUSIVE,
	 .meaning = "inclusive value per PE or thread on this number of PEs or "
		    "threads; of several runs, the mean"},
	{FIELD(struct scaling_cells, speedup), TABLE_NUMBER, "speedup_*", "speedup", .precision = 2,
	 .each = EACH_SHOWN, .spare = 4,
	 .meaning = "efficiency x n / n0 on n PEs; n0 is the smallest number of PEs",
	 .formula = "efficiency_$ * $ / n0", .source = "PerfExplorer"},
	{FIELD(struct scaling_cells, efficiency), TABLE_NUMBER, "efficiency_*", "eff.",
	 .precision = 2, .each = EACH_SHOWN,
	 .meaning = "strong scaling: T(n0) n0 / (n T(n)); weak scaling: T(n0) / "
		    "T(n); T(n) is the time on n PEs, n0 the smallest number of PEs",
	 .source = "PerfExplorer"},
	{FIELD(struct scaling_cells, share), TABLE_NUMBER, "share_pct_*", "share %", .precision = 1,
	 .each = EACH_LAST,
	 .meaning = "share of the row in the sum of all regions on this number of "
		    "PEs"},
	{FIELD(struct scaling_cells, predicted), TABLE_NUMBER, "predicted_*", "at *", .scaled = 1,
	 .each = EACH_PREDICTED,
	 .meaning = "forecast of the model; empty if it is not credible, over 10 % "
		    "of a sum has no model, or fewer PEs had more",
	 .source = "Hoeting et al. 1999"},
	{FIELD(struct scaling_cells, low), TABLE_NUMBER, "low_*", "low", .scaled = 1,
	 .each = EACH_PREDICTED, .beside = 1, .meaning = "lower end of its 95 % interval",
	 .source = "Hoeting et al. 1999"},
	{FIELD(struct scaling_cells, high), TABLE_NUMBER, "high_*", "high", .scaled = 1,
	 .each = EACH_PREDICTED, .beside = 1, .meaning = "upper end of its 95 % interval",
	 .source = "Hoeting et al. 1999"},
	{FIELD(struct scaling_cells, model), TABLE_TEXT, "model", NULL, .spare = 2,
	 .meaning = "c0 + c1 x P^i x log2(P)^j: the curve of Extra-P's search space "
		    "with the least leave-one-out error, unless a constant is as good; the orders "
		    "of all "
		    "likely curves if none is credible but the value grows",
	 .source = "Calotoiu et al. 2013"},
	{FIELD(struct scaling_cells, fit), TABLE_TEXT, "fit", NULL, .spare = 5,
	 .meaning = "error of the model when each point is predicted from the "
		    "others (SMAPE), or why there is no model or no formula",
	 .source = "Extra-P"},
	{FIELD(struct scaling_cells, c0), TABLE_NUMBER, "c0", NULL, .only = AS_DATA,
	 .meaning = "constant of the model, in us or bytes", .source = "Extra-P"},
	{FIELD(struct scaling_cells, c1), TABLE_NUMBER, "c1", NULL, .only = AS_DATA,
	 .meaning = "factor of the model's term", .source = "Extra-P"},
	{FIELD(struct scaling_cells, exponent), TABLE_NUMBER, "exponent", NULL, .only = AS_DATA,
	 .meaning = "i: exponent of P", .source = "Extra-P"},
	{FIELD(struct scaling_cells, log2_exponent), TABLE_INTEGER, "log2_exponent", NULL,
	 .only = AS_DATA, .meaning = "j: exponent of log2(P)", .source = "Extra-P"},
	{FIELD(struct scaling_cells, smape), TABLE_NUMBER, "leave_one_out_smape_pct", NULL,
	 .only = AS_DATA,
	 .meaning = "mean of 200 |f - y| / (|f| + |y|) of predicted f and measured "
		    "y; leave-one-out: each point is predicted from the others",
	 .source = "Extra-P"},
	COMPARED_REGION(struct scaling_cells, region),
	{0},
};
/* clang-format on */

void scaling_each(const struct scaling_shown *x, double n, struct field_each *each)
{
	field_each_add(each, mem_printf("%.0f", n), mem_printf("%.0f %s", n, scaling_unit(x, n)));
}

/* The first number of PEs whose speedup is shown: text has the last only. */
static size_t first_shown(const struct scaling_shown *x)
{
	return x->o->format == REPORT_TEXT ? x->s.p_n - 1 : 0;
}

static void columns_add(struct table *t, const struct scaling_shown *x)
{
	struct field_each each[EACHES] = {0};

	for (size_t i = 0; i < x->s.p_n; i++) {
		scaling_each(x, x->s.p[i], &each[EACH_COUNT]);
		if (i >= first_shown(x))
			scaling_each(x, x->s.p[i], &each[EACH_SHOWN]);
	}
	scaling_each(x, x->s.p[x->s.p_n - 1], &each[EACH_LAST]);
	for (size_t i = 0; i < x->predict_n; i++)
		scaling_each(x, x->predict[i], &each[EACH_PREDICTED]);
	compared_fields(t, &x->c, fields,
			(x->o->inclusive ? OF_INCLUSIVE
			 : x->c.is_time	 ? OF_TIMES
					 : OF_VALUES) |
				(x->o->format == REPORT_TEXT ? 0 : AS_DATA),
			each);
	table_field_spare(t, offsetof(struct scaling_cells, value), scaling_spare);
	for (size_t i = 0; i < EACHES; i++)
		field_each_release(&each[i]);
}

int scaling_spare(size_t i)
{
	(void)i;
	return 3;
}

/* ---- rows ---- */

/* The numbers of a row: by number of PEs, and by number that is predicted. */
struct numbers {
	double *value, *speedup, *efficiency, *predicted, *low, *high;
};

static struct numbers numbers_new(const struct scaling_shown *x)
{
	size_t n = x->s.p_n, m = x->predict_n;
	double *v = mem_alloc(3 * (n + m) * sizeof(*v));

	for (size_t i = 0; i < 3 * (n + m); i++)
		v[i] = NAN;
	return (struct numbers){v,	       v + n,	      v + 2 * n, v + 3 * n,
				v + 3 * n + m, v + 3 * n + 2 * m};
}

/* What a row has with these values by number of PEs. */
static struct scaling_cells cells_of(const struct scaling_shown *x, struct numbers *n,
				     const double *value)
{
	for (size_t i = 0; i < x->s.p_n; i++) {
		n->value[i] = compared_value(&x->c, value[i]);
		n->speedup[i] = speedup_ratio(&x->s, value[0], value[i], i);
		n->efficiency[i] = speedup_efficiency(&x->s, value[0], value[i], i);
	}
	return (struct scaling_cells){
		.value = n->value,
		.speedup = n->speedup + first_shown(x),
		.efficiency = n->efficiency + first_shown(x),
		.predicted = n->predicted,
		.low = n->low,
		.high = n->high,
		.c0 = NAN,
		.c1 = NAN,
		.exponent = NAN,
		.log2_exponent = FIELD_MISSING,
		.smape = NAN,
	};
}

static void predict(const struct scaling_shown *x, struct numbers *n, const struct speedup_row *r)
{
	for (size_t i = 0; i < x->predict_n; i++) {
		struct scaling_forecast f;

		scaling_forecast(r->point, r->point_n, scaling_options(r->point, r->point_n),
				 &r->model, 0, x->predict[i], &f);
		if (!f.credible)
			continue;
		n->predicted[i] = compared_value(&x->c, f.value);
		n->low[i] = compared_value(&x->c, f.low);
		n->high[i] = compared_value(&x->c, f.high);
	}
}

/* NULL: there is neither a model nor a range of orders. */
static const char *model_words(const struct scaling_shown *x, const struct speedup_row *r,
			       char *text, size_t size)
{
	if (r->model.verdict == SCALING_CONSTANT)
		return "constant";
	if (!r->modelled && r->model.ranged)
		return scaling_orders_text(&r->model, text, size);
	return r->modelled ? scaling_model_text(&r->model,
						x->c.is_time ? time_number : plain_number, text,
						size)
			   : NULL;
}

static const char *fit_words(const struct speedup_row *r, char *text, size_t size)
{
	const struct scaling_model *m = &r->model;

	if (!r->modelled || r->assumed || m->verdict == SCALING_CONSTANT)
		snprintf(text, size, "%s%s",
			 r->modelled	    ? ""
			 : r->model.ranged ? "no formula: "
					   : "no model: ",
			 m->why);
	else
		snprintf(text, size, "%s%.1f %%%s%s",
			 m->verdict == SCALING_EXACT ? "exact, " : "", m->cv_smape_pct,
			 *m->why ? ", " : "", m->why);
	return text;
}

static void row_put(struct table *t, const struct scaling_shown *x, const struct speedup_row *r)
{
	size_t last = x->s.p_n - 1;
	struct numbers n = numbers_new(x);
	struct scaling_cells c = cells_of(x, &n, r->per);
	double share = 100 * r->per[last] / x->s.sum[last];
	char model[200], fit[240], *name = compared_name(&x->c, x->o, r->row);

	predict(x, &n, r);
	c.share = &share;
	c.model = model_words(x, r, model, sizeof(model));
	c.fit = fit_words(r, fit, sizeof(fit));
	if (r->modelled) {
		c.c0 = r->model.c0;
		c.c1 = r->model.c1;
		c.exponent = (double)r->model.term.i_over / r->model.term.i_under;
		c.log2_exponent = r->model.term.j;
		c.smape = r->assumed ? NAN : r->model.cv_smape_pct;
	}
	c.region = name;
	table_row(t);
	table_put_fields(t, &c);
	free(name);
	free(n.value);
}

static void whole_put(struct table *t, const struct scaling_shown *x, const double *value,
		      const char *name)
{
	struct numbers n = numbers_new(x);
	struct scaling_cells c = cells_of(x, &n, value);

	c.region = name;
	table_row(t);
	table_put_fields(t, &c);
	free(n.value);
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

/*
 * CPU cores of all hosts of a run; 0: unknown. In profiles of TAU, "CPU Cores" are those of one
 * package; only this recorder, which counts all of a host, records the CPUs that are allowed, too.
 */
static double cores_of(const struct profile *p)
{
	struct names hosts = {0};
	double cores = 0;

	for (uint32_t i = 0; i < p->thread_n; i++) {
		const char *host;
		double n = NAN;
		size_t before = hosts.name_n;

		if (p->thread[i].node < 0)
			continue;
		host = profile_meta_of(p, i, TAU_META_HOSTNAME);
		if (profile_meta_of(p, i, TAU_META_CPUS_ALLOWED))
			n = profile_meta_number_of(p, i, TAU_META_CPU_CORES);
		host = host ? host : "";
		if (!isnan(n) && names_add(&hosts, host, strlen(host)) == before)
			cores += n;
	}
	names_release(&hosts);
	return cores;
}

static void shared_cores_note(struct table *t, const struct scaling_shown *x)
{
	struct names noted = {0};
	char *words = mem_string("");

	for (size_t k = 0; k < x->r->run_n; k++) {
		size_t pes = x->c.m.run[k].pes, before = noted.name_n;
		double cores = cores_of(x->r->run[k].profile);
		char *one;

		if (!(cores > 0) || (double)pes <= cores)
			continue;
		one = mem_printf("%zu PE%s on %.0f core%s", pes, plural(pes), cores,
				 plural((size_t)cores));
		if (names_add(&noted, one, strlen(one)) == before)
			words = scaling_append(words, mem_join(before ? ", " : "", one, NULL));
		free(one);
	}
	if (noted.name_n)
		table_note(t, "PEs shared CPU cores: %s.", words);
	names_release(&noted);
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
	words = mem_string("");
	for (size_t k = 0; k < s->p_n; k++)
		words = scaling_append(words, mem_printf("%s%.*f", k ? ", " : "", x->c.precision,
							 compared_value(&x->c, s->work[k])));
	table_note(t, "Sums outside of MPI, OpenSHMEM and GASPI: %s.", words);
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
	if (s->law == s->detected && s->by_work)
		table_note(t,
			   "Strong scaling: the sum of the regions outside of MPI, OpenSHMEM and "
			   "GASPI falls by %s per %s; that of all regions does not fall at every "
			   "step.",
			   quantity_percent_text(100 * (1 - s->work[s->p_n - 1] / s->work[0]),
						 fall),
			   scaling_unit(x, 1));
	else if (s->law == s->detected)
		table_note(t, "%s scaling: the sum of all regions per %s%s %s.",
			   s->law == SPEEDUP_STRONG ? "Strong" : "Weak", scaling_unit(x, 1),
			   excludes ? ", without initialisation, finalisation and recorder," : "",
			   s->law == SPEEDUP_STRONG ? "falls at every step"
						    : "does not fall at every step");
	else
		table_note(t, "%s scaling, as --problem requests; the times suggest %s scaling.",
			   s->law == SPEEDUP_STRONG ? "Strong" : "Weak", law_words(s->detected));
	if (!x->o->problem && s->law == SPEEDUP_STRONG && !s->by_work && first < SMALL_FALL * last)
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
	if (!x->o->inclusive) {
		table_note(t, "Largest %s: %s.", x->c.what, largest);
		table_note(t, "%s", next);
	}
	if (s->unmodelled > 0)
		table_note(t, "Without a model: %s of the sum on %.0f %s.",
			   quantity_percent_text(100 * s->unmodelled, share), s->p[s->p_n - 1],
			   scaling_unit(x, s->p[s->p_n - 1]));
	table_note(t, "%sRows: %s, mean per %s; speedup, eff. and share on %.0f %s.", unit,
		   x->o->inclusive ? "inclusive" : "exclusive", scaling_unit(x, 1),
		   s->p[s->p_n - 1],
		   scaling_unit(x, s->p[s->p_n - 1]));
	compared_notes(t, &x->c, x->r);
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

	columns_add(t, x);
	notes(t, x);
	for (size_t i = 0; i < shown; i++)
		row_put(t, x, &x->s.row[i]);
	table_rule(t);
	whole_put(t, x, x->s.sum, "(sum)");
	whole_put(t, x, x->s.time, "(longest thread)");
	if (shown < x->s.row_n)
		table_remark(t, "%zu of %zu rows; --top 0 lists all.", shown, x->s.row_n);
	compared_matches(t, &x->c, x->r, x->o);
	report_table(t, x->o, f, width);
	free(title);
}

static int problem_read(const struct report_options *o, struct speedup *s, struct error *e)
{
	int found = s->law;
	int rc = o->problem ? report_value(o, "problem", o->problem, &found, e) : 0;

	s->law = (enum speedup_law)found;
	return rc;
}

/* Inclusive values overlap. */
static int inclusive_check(const struct report_options *o, struct error *e)
{
	if (o->inclusive && o->by && !strcmp(o->by, "group"))
		return error_set(e, ERROR_USAGE,
				 "scaling: --inclusive is for regions and call paths: a group has "
				 "no inclusive values");
	if (o->inclusive && o->format == REPORT_SVG)
		return error_set(e, ERROR_USAGE,
				 "scaling: --inclusive is for tables: a picture shows shares, "
				 "which are exclusive");
	return 0;
}

static int report_scaling(const struct report_options *o, const struct report_runs *r,
			  struct output *out, size_t width, struct error *e)
{
	struct scaling_shown x = {.o = o, .r = r};
	int rc = inclusive_check(o, e);

	rc = rc < 0 ? rc : memory_predict_read(&o->predict, &x.predict, &x.predict_n, e);
	if (rc < 0)
		return rc;
	rc = compared_make(&x.c, o, r, e);
	if (!rc) {
		speedup_make(&x.s, &x.c.m, o->inclusive);
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

static const struct report_values scaling_values[] = {
	{"problem",
	 (const struct report_value[]){
		 {"strong", "its size is the same in all runs", SPEEDUP_STRONG},
		 {"weak", "its size grows with the number of PEs", SPEEDUP_WEAK},
		 {0}},
	 ""},
	{0},
};

const struct report_kind kind_scaling = {
	.name = "scaling",
	.columns = (const struct table_field *const[]){fields, NULL},
	.about = "speedup and efficiency of runs and regions, with models",
	.question = QUESTION_SCALING,
	.runs = "RUN RUN...",
	.example = "--predict 1024 run2 run4 run8",
	.print = report_scaling,
	.options = "group region inside by metric where predict problem samples inclusive",
	.by = compared_bys,
	.values = scaling_values,
	.whole = 1,
	.callpaths = 1, /* what initialisation calls does not decide */
	.title = "Scaling",
	.page = REPORT_PAGE_BOTH,
	.several = 1,
	.part = REPORT_PART_PATHS,
	.sums = 1,
};
