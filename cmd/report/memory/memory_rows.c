/* memory_rows.c: chooses the rows that memory-scaling shows, sums up the others, and puts numbers
 * and models in words. */
#include "analyze/base/quantity.h"
#include "analyze/memory/memory.h"
#include "analyze/scaling/scaling.h"
#include "cmd/report/memory/report_memory_scaling.h"
#include "cmd/report/report.h"
#include "cmd/table/table.h"

#include <math.h>
#include <string.h>

#include "cmd/table/table_text.h"

#define MUCH_PCT 5 /* of the growth of everything: a picture shows such a row in any case */

const char *const memory_view_titles[] = {"live bytes at the end of the window",
					  "peak bytes inside the window",
					  "bytes allocated inside the window"};
const char *const memory_by_titles[MEMORY_BYS] = {
	[MEMORY_BY_TYPE] = "type",
	[MEMORY_BY_OWNER] = "type and owner",
	[MEMORY_BY_PARENT] = "type and immediate owner",
	[MEMORY_BY_SITE] = "type and site",
	[MEMORY_BY_ALL] = "type, owner and site",
};
const char *const memory_kind_words[] = {
	[MEMORY_TYPED] = "typed",     [MEMORY_SLAB] = "slab",
	[MEMORY_UNTYPED] = "untyped", [MEMORY_UNACCOUNTED] = "unaccounted",
	[MEMORY_MAPPED] = "mapped",   [MEMORY_VARIABLE] = "variable",
};
const char *const memory_per_titles[] = {"mean per PE", "the largest PE", "the whole job"};

const struct report_by memory_bys[] = {
	MEMORY_BY_ROWS,
	[MEMORY_BYS] = {0},
};

const struct report_value memory_views[] = {
	{"live", "the bytes that are live at the end of the window", MEMORY_LIVE},
	{"peak", "the most bytes that were live at one time inside the window", MEMORY_PEAK},
	{"cumulative", "all bytes that were allocated inside the window", MEMORY_CUMULATIVE},
	{0},
};
const struct report_value memory_pers[] = {
	{"pe", "the mean over PEs", MEMORY_PER_PE},
	{"job", "the sum over PEs", MEMORY_PER_JOB},
	{0},
};
const struct report_value memory_pers_and_max[] = {
	{"pe", "the mean over PEs", MEMORY_PER_PE},
	{"max", "the PE with the most", MEMORY_PER_MAX},
	{"job", "the sum over PEs", MEMORY_PER_JOB},
	{0},
};

int memory_query_read(const struct report_options *o, struct memory_query *q, struct error *e)
{
	int view = 0, what = 0;
	size_t detail = 0;

	if (report_value(o, "view", o->view, &view, e) ||
	    report_value(o, "per", o->per, &what, e) || report_by(o, &detail, e))
		return e->code;
	if (o->top < -1)
		return error_set(e, ERROR_USAGE, "--top: %ld is less than 0", o->top);
	*q = (struct memory_query){(enum memory_measure)view, (enum memory_per)what,
				   (enum memory_by)detail};
	return 0;
}

unsigned memory_names_shown(enum memory_by by)
{
	int owner = by == MEMORY_BY_OWNER || by == MEMORY_BY_PARENT || by == MEMORY_BY_ALL,
	    site = by == MEMORY_BY_SITE || by == MEMORY_BY_ALL;

	return (owner ? MEMORY_WITH_OWNER : 0) | (site ? MEMORY_WITH_SITE : 0);
}

struct memory_names memory_names_of(const struct memory_growth *g)
{
	return (struct memory_names){g->type ? g->type : g->name, g->owner, g->site};
}

double memory_at(const struct memory_shown *m, const struct memory_growth *g, size_t pes,
		 enum memory_per per, int objects)
{
	double sum = 0;
	size_t n = 0;

	for (size_t k = 0; k < m->s->run_n; k++) {
		const struct memory *run = m->s->run[k];

		if (run->pes != pes)
			continue;
		sum += objects ? memory_objects(run, &g->value[k], per)
			       : memory_bytes(run, &g->value[k], per);
		n++;
	}
	return n ? sum / (double)n : NAN;
}

double memory_pct(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : NAN;
}

double memory_growth_pct(const struct memory_shown *m, const struct memory_growth *g)
{
	double all = m->s->all.last - m->s->all.first;

	return all > 0 ? 100 * (g->last - g->first) / all : NAN;
}

/* Coefficients that are whole bytes stay whole where that is short: 1304 B, not 1.27 KiB. */
static char *coefficient(double value, char *buf, size_t size)
{
	char text[QUANTITY_TEXT];
	int whole = fabs(value - round(value)) < 1e-6 * fabs(value) && fabs(value) < 10000;

	snprintf(buf, size, "%s",
		 whole ? quantity_in_text(value, 0, "B", text) : quantity_size_text(value, text));
	return buf;
}

/* P times the term: what the job has of a number that each PE has. */
static struct scaling_term times_p(struct scaling_term t)
{
	t.i_over += t.i_under;
	return t;
}

char *memory_growth_words(const struct memory_shown *m, const struct scaling_model *model,
			  char *buf, size_t size)
{
	int job = m->s->query.per == MEMORY_PER_JOB;
	struct scaling_model whole = *model;
	char each[160];

	if (model->verdict == SCALING_SUM) {
		snprintf(buf, size, "sum of its rows");
	} else if (!scaling_credible(model)) {
		snprintf(buf, size, "not credible");
	} else if (model->verdict == SCALING_CONSTANT && (!job || model->c0 == 0)) {
		snprintf(buf, size, "constant");
	} else if (!job) {
		scaling_model_text(model, coefficient, buf, size);
	} else if (model->c0 == 0 || model->c1 == 0) {
		whole.c1 = model->c0 == 0 ? model->c1 : model->c0;
		whole.c0 = 0;
		whole.term = times_p(model->term);
		scaling_model_text(&whole, coefficient, buf, size);
	} else {
		snprintf(buf, size, "(%s) x P",
			 scaling_model_text(model, coefficient, each, sizeof(each)));
	}
	return buf;
}

/* The order of one term of a model in the unit that is queried. */
static struct scaling_term queried(const struct memory_shown *m, const struct scaling_model *model,
				   struct scaling_term t)
{
	int job = m->s->query.per == MEMORY_PER_JOB &&
		  (model->c0 != 0 || model->c1 != 0 || model->verdict == SCALING_SUM);

	/* What falls towards something does not grow. */
	if (t.i_over < 0 && model->c0 != 0)
		t = (struct scaling_term){0, 1, 0};
	return job ? times_p(t) : t;
}

/* Below this share of bytes in rows with a model, the others may grow faster than all of these. */
#define ORDER_SHARE_PCT 90

char *memory_order_words(const struct memory_shown *m, const struct memory_growth *g, char *buf,
			 size_t size)
{
	struct scaling_model unit = g->model;
	int sum = g->model.verdict == SCALING_SUM, in_part;
	char order[80];

	*buf = 0;
	if (!scaling_credible(&g->model) && !sum)
		return buf;
	in_part = sum && !(memory_modelled_pct(m->s, g) >= ORDER_SHARE_PCT);
	/* The sum may grow although a part does not. */
	if (in_part && unit.most.i_over <= 0 && unit.most.j <= 0)
		return buf;
	unit.least = queried(m, &g->model, g->model.least);
	unit.most = queried(m, &g->model, g->model.most);
	scaling_orders_text(&unit, order, sizeof(order));
	snprintf(buf, size, "%s%s", in_part ? "at least " : "", order);
	return buf;
}

int memory_can_forecast(const struct memory_growth *g)
{
	return scaling_credible(&g->model) || g->model.verdict == SCALING_SUM;
}

void memory_share_at(const struct memory_shown *m, size_t pes, struct memory_share *out)
{
	double *to = (double *)out;
	size_t n = 0;

	memset(out, 0, sizeof(*out));
	for (size_t k = 0; k < m->s->run_n; k++) {
		struct memory_share one;
		const double *from = (const double *)&one;

		if (m->s->run[k]->pes != pes)
			continue;
		memory_share(m->s, k, &one);
		for (size_t i = 0; i < sizeof(one) / sizeof(double); i++)
			to[i] += from[i];
		n++;
	}
	for (size_t i = 0; i < sizeof(*out) / sizeof(double); i++)
		to[i] /= (double)n;
}

static int compare_size(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return x < y ? -1 : x > y;
}

static void shown_pes(struct memory_shown *m)
{
	m->pes = mem_alloc(m->s->run_n * sizeof(*m->pes));
	for (size_t k = 0; k < m->s->run_n; k++)
		m->pes[k] = m->s->run[k]->pes;
	qsort(m->pes, m->s->run_n, sizeof(*m->pes), compare_size);
	for (size_t k = 0; k < m->s->run_n; k++)
		if (!k || m->pes[k] != m->pes[k - 1])
			m->pes[m->pes_n++] = m->pes[k];
}

int memory_named(const struct memory_growth *g)
{
	return g->kind == MEMORY_TYPED || g->kind == MEMORY_SLAB || g->kind == MEMORY_MAPPED ||
	       g->owner;
}

/* The sums below the named rows, in this order; those of the untyped follow enum memory_side. */
enum rest { REST_NAMED, REST_OPENMPI, REST_SUPPORT, REST_OTHER, REST_UNACCOUNTED, RESTS };

static enum rest rest_of(const struct memory_growth *g)
{
	if (g->kind == MEMORY_UNACCOUNTED)
		return REST_UNACCOUNTED;
	if (memory_named(g))
		return REST_NAMED;
	return REST_OPENMPI + (enum rest)g->side;
}

const char *memory_mpi(const struct memory_series *s)
{
	int mpich = 0;

	for (size_t i = 0; i < s->row_n; i++) {
		const struct memory_growth *g = &s->row[i];
		const char *name = g->type ? g->type : g->name;

		if (g->side != MEMORY_OPENMPI)
			continue;
		if (g->kind != MEMORY_UNTYPED)
			return "Open MPI";
		mpich |= strstr(name, "[libmpich") || strstr(name, "[libmpi.so.12");
	}
	return mpich ? "MPICH" : "Open MPI";
}

/* Rows that are not shown one by one are shown as a sum, so that all add up. */
static void shown_sums(struct memory_shown *m, const char *shown)
{
	static const char *const name[RESTS] = {
		"other rows", "untyped: ", "untyped: PMIx, UCX and other support",
		"untyped: program and other libraries", "unaccounted"};
	size_t *member = mem_alloc(m->s->row_n * sizeof(*member));

	for (enum rest rest = 0; rest < RESTS; rest++) {
		size_t n = 0;
		char *text;

		for (size_t i = 0; i < m->s->row_n; i++)
			if (!shown[i] && rest_of(&m->s->row[i]) == rest)
				member[n++] = i;
		if (!n)
			continue;
		text = rest == REST_UNACCOUNTED
			       ? mem_string(name[rest])
			       : mem_printf("%s%s (%zu)", name[rest],
					    rest == REST_OPENMPI ? memory_mpi(m->s) : "", n);
		memory_series_sum(m->s, member, n, text, &m->sum[m->sum_n]);
		free(text);
		if (rest == REST_OPENMPI)
			m->openmpi = &m->sum[m->sum_n];
		*array_add(m, row) = &m->sum[m->sum_n++];
	}
	free(member);
}

/* A row that grows for certain: much, or by a credible model. */
static int grows(const struct memory_shown *m, const struct memory_growth *g)
{
	return memory_growth_pct(m, g) >= MUCH_PCT ||
	       (g->last > g->first && g->model.c1 > 0 && scaling_credible(&g->model));
}

/* Marks up to top named rows; in a picture those that grow for certain before those that just
 * differ. */
static void shown_choose(const struct memory_shown *m, size_t top, int picture, char *shown)
{
	for (int certain = picture; certain >= 0; certain--)
		for (size_t i = 0; i < m->s->row_n && top; i++) {
			const struct memory_growth *g = &m->s->row[i];

			if (shown[i] || !memory_named(g) || (certain && !grows(m, g)))
				continue;
			shown[i] = 1;
			top--;
		}
}

void memory_shown_init(struct memory_shown *m, const struct memory_series *s, long top, int picture)
{
	char *shown = mem_alloc(s->row_n);

	memset(m, 0, sizeof(*m));
	m->s = s;
	shown_pes(m);
	if (top)
		shown_choose(m, (size_t)top, picture, shown);
	else
		memset(shown, 1, s->row_n);
	for (size_t i = 0; i < s->row_n; i++)
		if (shown[i])
			*array_add(m, row) = &s->row[i];
	m->rule = m->row_n;
	shown_sums(m, shown);
	free(shown);
}

void memory_shown_release(struct memory_shown *m)
{
	for (size_t i = 0; i < m->sum_n; i++)
		memory_growth_release(&m->sum[i]);
	free(m->row);
	free(m->pes);
}

static const struct memory_growth *row_of(const struct memory_series *s, const char *name)
{
	for (size_t i = 0; i < s->row_n; i++)
		if (!strcmp(s->row[i].name, name))
			return &s->row[i];
	return NULL;
}

static double bytes_of(const struct memory_growth *g)
{
	return g && g->value[0].known ? g->value[0].bytes : 0;
}

void memory_peak_note(struct table *t, const struct memory_series *live,
		      const struct memory_series *peak)
{
	const double all = bytes_of(&peak->all);
	const struct memory_growth *most = NULL;
	double gone = 0;
	char then[QUANTITY_TEXT], now[QUANTITY_TEXT], share[QUANTITY_TEXT];

	for (size_t i = 0; i < peak->row_n; i++) {
		const struct memory_growth *g = &peak->row[i];
		double d = bytes_of(g) - bytes_of(row_of(live, g->name));

		if (d > gone) {
			gone = d;
			most = g;
		}
	}
	if (!most || !live->all.value[0].known || 2 * bytes_of(&live->all) >= all)
		return;
	table_note(t,
		   "Most of the peak is no longer live at the end: %s had %s, %s of the peak, "
		   "and has %s. Try: tau-report memory --view peak",
		   most->name, quantity_size_text(bytes_of(most), then),
		   quantity_percent_text(100 * bytes_of(most) / all, share),
		   quantity_size_text(bytes_of(row_of(live, most->name)), now));
}
