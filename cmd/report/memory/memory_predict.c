/* memory_predict.c: memory-scaling's forecasts: which numbers of PEs they are about, their values,
 * and sentences about them. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "analyze/base/base.h"
#include "analyze/base/quantity.h"
#include "analyze/memory/memory.h"
#include "analyze/scaling/scaling.h"
#include "cmd/report/memory/report_memory_scaling.h"
#include "cmd/table/table.h"
#include "cmd/table/table_text.h"

#define PES_MAX       1e12
#define REFUSED_SHOWN 3

static int read_text(const char *text, double *v, size_t *n, struct error *e)
{
	const char *at = text;
	char *end;

	for (;; at = end + 1) {
		errno = 0;
		v[*n] = (double)strtoll(at, &end, 10);
		if (errno || end == at || (*end && *end != ',') || v[*n] < 1 || v[*n] > PES_MAX)
			return error_set(e, ERROR_USAGE,
					 "--predict: '%s' is not a number of PEs from 1 to 10^12, "
					 "or several with commas",
					 text);
		++*n;
		if (!*end)
			return 0;
	}
}

int memory_predict_read(const struct option_list *list, double **out, size_t *n, struct error *e)
{
	size_t most = 0, kept = 0;

	for (size_t i = 0; i < list->v_n; i++)
		most += strlen(list->v[i]) + 1;
	*out = mem_alloc(most * sizeof(**out));
	*n = 0;
	for (size_t i = 0; i < list->v_n; i++)
		if (read_text(list->v[i], *out, n, e) < 0) {
			free(*out);
			*out = NULL;
			return e->code;
		}
	if (*n)
		qsort(*out, *n, sizeof(**out), compare_doubles);
	for (size_t i = 0; i < *n; i++)
		if (!i || (*out)[i] != (*out)[i - 1])
			(*out)[kept++] = (*out)[i];
	*n = kept;
	return 0;
}

/* "104 MiB to 137 MiB"; a negative value is printed as 0. Returns buf. */
static char *interval_words(const struct scaling_forecast *f, char *buf, size_t size)
{
	char low[QUANTITY_TEXT], high[QUANTITY_TEXT];

	snprintf(buf, size, "%s to %s", quantity_size_text(fmax(f->low, 0), low),
		 quantity_size_text(f->high, high));
	return buf;
}

/* What people read beside the value; to be freed. */
static char *ends_words(const struct memory_growth *g, const struct scaling_forecast *f,
			double without)
{
	char ends[80] = "", share[QUANTITY_TEXT];

	if (f->credible && without > 0)
		return mem_printf("%s, without %s of it", interval_words(f, ends, sizeof(ends)),
				  quantity_percent_text(without, share));
	if (f->credible)
		return mem_string(interval_words(f, ends, sizeof(ends)));
	if (scaling_credible(&g->model) && isfinite(f->high) && f->high > 0)
		return mem_printf("not credible: %s", interval_words(f, ends, sizeof(ends)));
	if (g->part && f->why[0])
		return mem_printf("not credible: %.90s", f->why);
	return mem_string("not credible");
}

void memory_forecasts_make(struct memory_forecasts *x, const struct memory_shown *m,
			   const struct memory_growth *g)
{
	size_t n = m->predict_n;

	*x = (struct memory_forecasts){.n = n};
	x->value = mem_alloc((4 * n + 1) * sizeof(*x->value));
	x->low = x->value + n;
	x->high = x->low + n;
	x->without = x->high + n;
	x->interval = mem_alloc((2 * n + 1) * sizeof(*x->interval));
	x->why = x->interval + n;
	for (size_t i = 0; i < n; i++) {
		struct scaling_forecast f;

		x->without[i] = memory_forecast(m->s, g, m->predict[i], &f);
		x->value[i] = f.credible ? f.value : NAN;
		/* The range of the curves that fit is printed even if it is too wide to be a
		 * forecast. */
		x->low[i] = f.low;
		x->high[i] = f.high;
		x->interval[i] = ends_words(g, &f, x->without[i]);
		x->why[i] = f.credible ? NULL : mem_string(f.why);
	}
}

void memory_forecasts_release(struct memory_forecasts *x)
{
	for (size_t i = 0; i < 2 * x->n; i++)
		free(x->interval[i]);
	free(x->interval);
	free(x->value);
}

char *memory_predict_words(const struct memory_shown *m, const struct memory_growth *g)
{
	double p = m->predict_n ? m->predict[m->predict_n - 1] : 0;
	char value[QUANTITY_TEXT], low[QUANTITY_TEXT], high[QUANTITY_TEXT];
	struct scaling_forecast f;

	if (!m->predict_n)
		return NULL;
	memory_forecast(m->s, g, p, &f);
	if (!f.credible)
		return mem_printf("no credible forecast for %.0f PEs", p);
	quantity_size_text(f.value, value);
	if (!strcmp(quantity_size_text(f.low, low), quantity_size_text(f.high, high)))
		return mem_printf("%.0f PEs: %s", p, value);
	/* One unit for both ends where it is the same. */
	if (!strcmp(strchr(low, ' '), strchr(high, ' ')))
		*strchr(low, ' ') = 0;
	return mem_printf("%.0f PEs: %s (%s to %s)", p, value, low, high);
}

/* The largest rows without a forecast, and why they have none. */
static void refused_print(struct table *t, const struct memory_shown *m, double pes)
{
	const struct memory_growth *large[REFUSED_SHOWN] = {NULL};
	struct scaling_forecast f;
	size_t n = 0, shown = 0;
	char *text = mem_string("");

	for (size_t k = 0; k < m->s->row_n; k++) {
		const struct memory_growth *g = &m->s->row[k], *less = g;

		memory_forecast(m->s, g, pes, &f);
		if (f.credible || !(g->last > 0))
			continue;
		n++;
		for (size_t i = 0; i < REFUSED_SHOWN && less; i++)
			if (!large[i] || large[i]->last < less->last) {
				const struct memory_growth *next = large[i];

				large[i] = less;
				less = next;
			}
	}
	for (; shown < REFUSED_SHOWN && large[shown]; shown++) {
		char *longer;

		memory_forecast(m->s, large[shown], pes, &f);
		longer = mem_printf("%s%s%s (%s)", text, shown ? "; " : "", large[shown]->name,
				    f.why);
		free(text);
		text = longer;
	}
	if (n > shown)
		table_remark(t, "Without one: %s; and %zu more row%s.", text, n - shown,
			     plural(n - shown));
	else if (n)
		table_remark(t, "Without one: %s.", text);
	free(text);
}

/* What the rows that can be forecast come to, and how much of today's bytes they are. */
void memory_predict_remarks(struct table *t, const struct memory_shown *m)
{
	for (size_t i = 0; i < m->predict_n; i++) {
		double sum = 0, today = 0;
		size_t known = 0;
		char size[QUANTITY_TEXT], share[QUANTITY_TEXT], key[64];

		for (size_t k = 0; k < m->s->row_n; k++) {
			const struct memory_growth *g = &m->s->row[k];
			struct scaling_forecast f;

			memory_forecast(m->s, g, m->predict[i], &f);
			if (!f.credible)
				continue;
			known++;
			sum += f.value;
			today += isfinite(g->last) ? g->last : 0;
		}
		snprintf(key, sizeof(key), "predicted_sum_%.0f", m->predict[i]);
		table_fact_number(t, key, known ? sum : NAN);
		if (!known) {
			table_remark(t,
				     "At %.0f PE%s no row has a credible forecast: the runs are on "
				     "%zu number%s of PEs%s.",
				     m->predict[i], plural((size_t)m->predict[i]), m->pes_n,
				     plural(m->pes_n),
				     m->pes_n < POINTS_MODEL ? ", and a model needs 4" : "");
			continue;
		}
		table_remark(t,
			     "At %.0f PE%s, rows with a credible forecast add up to %s (%s); on "
			     "%zu they are %s of everything.",
			     m->predict[i], plural((size_t)m->predict[i]),
			     quantity_size_text(sum, size), memory_per_titles[m->s->query.per],
			     m->s->most,
			     quantity_percent_text(memory_pct(today, m->s->all.last), share));
		refused_print(t, m, m->predict[i]);
	}
}
