/* memory_scaling_tables.c: the tables of memory-scaling: for people, and for machines. */
#include "analyze/base/quantity.h"
#include "analyze/memory/memory.h"
#include "analyze/scaling/scaling.h"
#include "cmd/report/memory/report_memory_scaling.h"

#include <math.h>
#include <string.h>

#include "cmd/table/table.h"
#include "cmd/table/table_fields.h"

/* For what fields are repeated. */
enum { EACH_COUNT = 1, EACH_PREDICTED, EACHES };

/* ---- for people ---- */

/* Tables that have a column: of several numbers of PEs; one has no growth. */
enum { OF_ONE = 1, OF_SEVERAL = 2 };

/* One row, a member for each column. */
struct scaling_text_cells {
	struct memory_names name;
	const double *bytes;
	double share;
	const char *model, *order, *fit;
	const double *predicted;
	const char *const *interval;
	double objects, second, third;
};

/* clang-format off: one column, one paragraph */
const struct table_field memory_scaling_text_fields[] = {
	MEMORY_NAMES(struct scaling_text_cells, name),
	{FIELD(struct scaling_text_cells, bytes), TABLE_BYTES, "*", NULL, .each = EACH_COUNT,
	 .meaning = "bytes on this number of PEs: mean per PE, or what --per selects"},
	{FIELD(struct scaling_text_cells, share), TABLE_NUMBER, "share", "growth", "%",
	 .precision = 1, .spare = 1, .only = OF_SEVERAL,
	 .meaning = "share of the total growth from the smallest to the largest "
		    "number of PEs"},
	{FIELD(struct scaling_text_cells, model), TABLE_TEXT, "model", "model per PE",
	 .only = OF_SEVERAL,
	 .meaning = "c0 + c1 x P^i x log2(P)^j: the curve of Extra-P's search space "
		    "with the least leave-one-out error, unless a constant is as good",
	 .source = "Calotoiu et al. 2013"},
	{FIELD(struct scaling_text_cells, order), TABLE_TEXT, "order", NULL, .only = OF_SEVERAL,
	 .meaning = "how the model grows with many PEs, in O notation"},
	{FIELD(struct scaling_text_cells, fit), TABLE_TEXT, "fit", NULL, .spare = 1,
	 .only = OF_SEVERAL,
	 .meaning = "error of the model when each point is predicted from the "
		    "others (SMAPE), or why there is no model",
	 .source = "Extra-P"},
	{FIELD(struct scaling_text_cells, predicted), TABLE_BYTES, "predicted_*", "at *",
	 .each = EACH_PREDICTED, .only = OF_SEVERAL,
	 .meaning = "forecast of the model; empty if it is not credible, over 10 % "
		    "of a sum has no model, or fewer PEs had more",
	 .source = "Hoeting et al. 1999"},
	{FIELD(struct scaling_text_cells, interval), TABLE_TEXT, "interval_*", "95 % interval",
	 .each = EACH_PREDICTED, .beside = 1, .only = OF_SEVERAL,
	 .meaning = "95 % interval of the forecast", .source = "Hoeting et al. 1999"},
	{FIELD(struct scaling_text_cells, objects), TABLE_NUMBER, "objects", NULL, .precision = 1,
	 .spare = 6, .meaning = "number of blocks on the largest number of PEs"},
	{FIELD(struct scaling_text_cells, second), TABLE_BYTES, "second", "largest PE", .spare = 5,
	 .meaning = "a second value on the largest number of PEs, named in the "
		    "heading"},
	{FIELD(struct scaling_text_cells, third), TABLE_BYTES, "third", "job", .spare = 4,
	 .meaning = "a third value on the largest number of PEs, named in the "
		    "heading"},
	{0},
};
/* clang-format on */

/* How good the fit is, or why there is none. */
static char *fit_words(const struct memory_shown *shown, const struct memory_growth *g, char *buf,
		       size_t size)
{
	const struct scaling_model *m = &g->model;
	const char *comma = m->why[0] ? ", " : "";
	char share[QUANTITY_TEXT];

	if (m->verdict == SCALING_EXACT)
		snprintf(buf, size, "exact%s%s", comma, m->why);
	else if (m->verdict == SCALING_CREDIBLE)
		snprintf(buf, size, "R2 %.4f, leave-one-out error %.2g %%%s%.40s", m->adjusted_r2,
			 m->cv_smape_pct, comma, m->why);
	else if (m->verdict == SCALING_SUM)
		snprintf(buf, size, "%s of it in rows with a model",
			 quantity_percent_text(memory_modelled_pct(shown->s, g), share));
	else
		snprintf(buf, size, "%s", m->why);
	return buf;
}

static void each_predicted(struct field_each *each, const struct memory_shown *m)
{
	for (size_t i = 0; i < m->predict_n; i++)
		field_each_add(each, mem_printf("%.0f", m->predict[i]),
			       mem_printf("%.0f PE%s", m->predict[i],
					  plural((size_t)m->predict[i])));
}

/* The ends matter most: those between are removed last, and evenly. */
static int spare_of(size_t i)
{
	return 2 + (int)(i % 2);
}

static void text_columns(struct table *t, const struct memory_shown *m)
{
	enum memory_per per = m->s->query.per;
	struct field_each each[EACHES] = {0};
	char text[64];

	for (size_t i = 0; i < m->pes_n; i++)
		field_each_add(&each[EACH_COUNT],
			       mem_printf("%zu PE%s", m->pes[i], plural(m->pes[i])), NULL);
	each_predicted(&each[EACH_PREDICTED], m);
	table_fields_each(t, memory_scaling_text_fields,
			  memory_names_shown(m->s->query.by) |
				  (m->pes_n > 1 ? OF_SEVERAL : OF_ONE),
			  NULL, each);
	table_field_spare(t, offsetof(struct scaling_text_cells, bytes), spare_of);
	if (m->pes_n > 1 && per == MEMORY_PER_JOB)
		table_field_heading(t, offsetof(struct scaling_text_cells, model),
				    "model of the job");
	snprintf(text, sizeof(text), "objects on %zu", m->pes[m->pes_n - 1]);
	table_field_heading(t, offsetof(struct scaling_text_cells, objects), text);
	if (per == MEMORY_PER_MAX)
		table_field_heading(t, offsetof(struct scaling_text_cells, second), "mean");
	if (per == MEMORY_PER_JOB)
		table_field_heading(t, offsetof(struct scaling_text_cells, third), "mean");
	for (size_t i = 0; i < EACHES; i++)
		field_each_release(&each[i]);
}

static void text_row(struct table *t, const struct memory_shown *m, const struct memory_growth *g)
{
	enum memory_per per = m->s->query.per;
	size_t most = m->pes[m->pes_n - 1];
	double *bytes = mem_alloc(m->pes_n * sizeof(*bytes));
	struct memory_forecasts f;
	char model[200], order[200], fit[200];

	for (size_t k = 0; k < m->pes_n; k++)
		bytes[k] = memory_at(m, g, m->pes[k], per, 0);
	memory_forecasts_make(&f, m, g);
	table_row(t);
	table_put_fields(t,
			 &(struct scaling_text_cells){
				 .name = memory_names_of(g),
				 .bytes = bytes,
				 .share = memory_growth_pct(m, g),
				 .model = memory_growth_words(m, &g->model, model, sizeof(model)),
				 .order = memory_order_words(m, g, order, sizeof(order)),
				 .fit = fit_words(m, g, fit, sizeof(fit)),
				 .predicted = f.value,
				 .interval = (const char *const *)f.interval,
				 .objects = memory_at(m, g, most, per, 1),
				 .second = memory_at(
					 m, g, most,
					 per == MEMORY_PER_MAX ? MEMORY_PER_PE : MEMORY_PER_MAX, 0),
				 .third = memory_at(
					 m, g, most,
					 per == MEMORY_PER_JOB ? MEMORY_PER_PE : MEMORY_PER_JOB, 0),
			 });
	memory_forecasts_release(&f);
	free(bytes);
}

struct table *memory_scaling_text(const struct memory_shown *m)
{
	char *title = mem_printf(
		"Memory by object %s: %s, %s", memory_by_titles[m->s->query.by],
		memory_view_titles[m->s->query.measure], memory_per_titles[m->s->query.per]);
	struct table *t = table_new(title);

	free(title);
	text_columns(t, m);
	for (size_t i = 0; i <= m->row_n; i++) {
		if (i == m->rule || i == m->row_n)
			table_rule(t);
		text_row(t, m, i < m->row_n ? m->row[i] : &m->s->all);
	}
	return t;
}

/* ---- for machines ---- */

/* What is measured on each number of PEs. */
enum { MEAN_BYTES, LARGEST_BYTES, JOB_BYTES, MEAN_OBJECTS, LARGEST_OBJECTS, JOB_OBJECTS, MEASURED };
static const struct {
	enum memory_per per;
	int objects;
} measured[MEASURED] = {
	[MEAN_BYTES] = {MEMORY_PER_PE, 0},	[LARGEST_BYTES] = {MEMORY_PER_MAX, 0},
	[JOB_BYTES] = {MEMORY_PER_JOB, 0},	[MEAN_OBJECTS] = {MEMORY_PER_PE, 1},
	[LARGEST_OBJECTS] = {MEMORY_PER_MAX, 1}, [JOB_OBJECTS] = {MEMORY_PER_JOB, 1},
};

/* One row, a member for each column. */
struct scaling_data_cells {
	struct memory_names name;
	const char *kind, *part;
	const double *measured[MEASURED];
	double growth, growth_pct;
	const char *verdict, *why, *order;
	double c0, c1, exponent, log2_exponent, adjusted_r2, smape, cv_smape;
	const double *predicted, *low, *high, *without;
	const char *const *predicted_why;
};

/* clang-format off: one column, one paragraph */
const struct table_field memory_scaling_data_fields[] = {
	MEMORY_NAMES(struct scaling_data_cells, name),
	{FIELD(struct scaling_data_cells, kind), TABLE_TEXT, "kind", NULL,
	 .meaning = "objects, slabs (blocks that hold many objects), or bytes "
		    "without a type"},
	{FIELD(struct scaling_data_cells, part), TABLE_TEXT, "part", NULL,
	 .meaning = "Open MPI or MPICH, its support libraries, or others"},
	{FIELD(struct scaling_data_cells, measured[MEAN_BYTES]), TABLE_BYTES, "mean_bytes_*", NULL,
	 .each = EACH_COUNT, .meaning = "mean over the PEs of all runs with this number of PEs"},
	{FIELD(struct scaling_data_cells, measured[LARGEST_BYTES]), TABLE_BYTES, "largest_bytes_*",
	 NULL, .each = EACH_COUNT, .beside = 1, .meaning = "value of the PE that has the most"},
	{FIELD(struct scaling_data_cells, measured[JOB_BYTES]), TABLE_BYTES, "job_bytes_*", NULL,
	 .each = EACH_COUNT, .beside = 1, .meaning = "sum over the PEs"},
	{FIELD(struct scaling_data_cells, measured[MEAN_OBJECTS]), TABLE_NUMBER, "mean_objects_*",
	 NULL, .each = EACH_COUNT, .beside = 1,
	 .meaning = "mean over the PEs of all runs with this number of PEs"},
	{FIELD(struct scaling_data_cells, measured[LARGEST_OBJECTS]), TABLE_NUMBER,
	 "largest_objects_*", NULL, .each = EACH_COUNT, .beside = 1,
	 .meaning = "value of the PE that has the most"},
	{FIELD(struct scaling_data_cells, measured[JOB_OBJECTS]), TABLE_NUMBER, "job_objects_*",
	 NULL, .each = EACH_COUNT, .beside = 1, .meaning = "sum over the PEs"},
	{FIELD(struct scaling_data_cells, growth), TABLE_BYTES, "growth_bytes", NULL,
	 .meaning = "growth from the smallest to the largest number of PEs"},
	{FIELD(struct scaling_data_cells, growth_pct), TABLE_NUMBER, "growth_pct", NULL,
	 .meaning = "this growth as a share of the growth of all rows"},
	{FIELD(struct scaling_data_cells, verdict), TABLE_TEXT, "verdict", NULL,
	 .meaning = "whether the model is credible"},
	{FIELD(struct scaling_data_cells, why), TABLE_TEXT, "why", NULL,
	 .meaning = "reason if the model is not credible"},
	{FIELD(struct scaling_data_cells, order), TABLE_TEXT, "order", NULL,
	 .meaning = "how the model grows with many PEs, in O notation"},
	{FIELD(struct scaling_data_cells, c0), TABLE_BYTES, "c0", NULL,
	 .meaning = "constant of the model, in us or bytes", .source = "Extra-P"},
	{FIELD(struct scaling_data_cells, c1), TABLE_BYTES, "c1", NULL,
	 .meaning = "factor of the model's term", .source = "Extra-P"},
	{FIELD(struct scaling_data_cells, exponent), TABLE_NUMBER, "exponent", NULL,
	 .meaning = "i: exponent of P", .source = "Extra-P"},
	{FIELD(struct scaling_data_cells, log2_exponent), TABLE_NUMBER, "log2_exponent", NULL,
	 .meaning = "j: exponent of log2(P)", .source = "Extra-P"},
	{FIELD(struct scaling_data_cells, adjusted_r2), TABLE_NUMBER, "adjusted_r2", NULL,
	 .meaning = "share of the variance that the model explains, adjusted for its "
		    "coefficients"},
	{FIELD(struct scaling_data_cells, smape), TABLE_NUMBER, "smape_pct", NULL,
	 .meaning = "mean of 200 |f - y| / (|f| + |y|) of predicted f and measured "
		    "y; leave-one-out: each point is predicted from the others",
	 .source = "Extra-P"},
	{FIELD(struct scaling_data_cells, cv_smape), TABLE_NUMBER, "cv_smape_pct", NULL,
	 .meaning = "mean of 200 |f - y| / (|f| + |y|) of predicted f and measured "
		    "y; leave-one-out: each point is predicted from the others",
	 .source = "Extra-P"},
	{FIELD(struct scaling_data_cells, predicted), TABLE_BYTES, "predicted_bytes_*", NULL,
	 .each = EACH_PREDICTED,
	 .meaning = "forecast of the model; empty if it is not credible, over 10 % "
		    "of a sum has no model, or fewer PEs had more",
	 .source = "Hoeting et al. 1999"},
	{FIELD(struct scaling_data_cells, low), TABLE_BYTES, "predicted_low_*", NULL,
	 .each = EACH_PREDICTED, .beside = 1, .meaning = "lower end of its 95 % interval",
	 .source = "Hoeting et al. 1999"},
	{FIELD(struct scaling_data_cells, high), TABLE_BYTES, "predicted_high_*", NULL,
	 .each = EACH_PREDICTED, .beside = 1, .meaning = "upper end of its 95 % interval",
	 .source = "Hoeting et al. 1999"},
	{FIELD(struct scaling_data_cells, without), TABLE_NUMBER, "predicted_without_pct_*", NULL,
	 .each = EACH_PREDICTED, .beside = 1,
	 .meaning = "share of the bytes on the most PEs that is in rows without a "
		    "forecast, and so not in the sum"},
	{FIELD(struct scaling_data_cells, predicted_why), TABLE_TEXT, "predicted_why_*", NULL,
	 .each = EACH_PREDICTED, .beside = 1, .meaning = "reason if the forecast is not credible"},
	{0},
};
/* clang-format on */

static void data_columns(struct table *t, const struct memory_shown *m)
{
	struct field_each each[EACHES] = {0};

	for (size_t i = 0; i < m->pes_n; i++)
		field_each_add(&each[EACH_COUNT], mem_printf("%zu", m->pes[i]), NULL);
	each_predicted(&each[EACH_PREDICTED], m);
	table_fields_each(t, memory_scaling_data_fields, memory_names_shown(MEMORY_BY_ALL), NULL,
			  each);
	for (size_t i = 0; i < EACHES; i++)
		field_each_release(&each[i]);
}

/* A model that is not credible is not handed to programs either. */
static void model_set(struct scaling_data_cells *c, const struct scaling_model *model)
{
	int credible = scaling_credible(model);

	c->c0 = credible ? model->c0 : NAN;
	c->c1 = credible ? model->c1 : NAN;
	c->exponent = credible ? (double)model->term.i_over / model->term.i_under : NAN;
	c->log2_exponent = credible ? model->term.j : NAN;
	c->adjusted_r2 = credible ? model->adjusted_r2 : NAN;
	c->smape = credible ? model->smape_pct : NAN;
	c->cv_smape = credible ? model->cv_smape_pct : NAN;
}

static void data_row(struct table *t, const struct memory_shown *m, const struct memory_growth *g,
		     const char *kind)
{
	static const char *const verdict[] = {"exact", "credible", "constant",
					      "steps", "late growth", "not credible", "sum"};
	const char *const part[] = {memory_mpi(m->s), "support", "other"};
	/* The sum of other rows and the sum of all have no owner of their own. */
	int one_part = g->kind == MEMORY_UNTYPED || (strcmp(kind, "sum") && strcmp(kind, "all"));
	double *v = mem_alloc(m->pes_n * MEASURED * sizeof(*v));
	struct memory_forecasts f;
	char order[200];
	struct scaling_data_cells c = {
		.name = memory_names_of(g),
		.kind = kind,
		.part = one_part ? part[g->side] : NULL,
		.growth = g->last - g->first,
		.growth_pct = memory_growth_pct(m, g),
		.verdict = verdict[g->model.verdict],
		.why = g->model.why,
		.order = *memory_order_words(m, g, order, sizeof(order)) ? order : NULL,
	};

	for (size_t k = 0; k < MEASURED; k++) {
		for (size_t i = 0; i < m->pes_n; i++)
			v[k * m->pes_n + i] = memory_at(m, g, m->pes[i], measured[k].per,
							measured[k].objects);
		c.measured[k] = v + k * m->pes_n;
	}
	model_set(&c, &g->model);
	memory_forecasts_make(&f, m, g);
	c.predicted = f.value;
	c.low = f.low;
	c.high = f.high;
	c.without = f.without;
	c.predicted_why = (const char *const *)f.why;
	table_row(t);
	table_put_fields(t, &c);
	memory_forecasts_release(&f);
	free(v);
}

struct table *memory_scaling_data(const struct memory_shown *m)
{
	struct table *t = table_new("memory-scaling");

	data_columns(t, m);
	for (size_t i = 0; i < m->row_n; i++)
		data_row(t, m, m->row[i],
			 i < m->rule ? memory_kind_words[m->row[i]->kind] : "sum");
	data_row(t, m, &m->s->all, "all");
	return t;
}
