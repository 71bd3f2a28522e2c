/* speedup.c: collects values over numbers of PEs, detects the kind of scaling, and fits models. */
#include "analyze/compare/speedup.h"

#include <math.h>
#include <string.h>

#include "analyze/base/base.h"

#define WORK_LEAST 0.1 /* of the sum at the smallest n: less work shows no law */
#define STEPS 8 /* for each doubling of n, until the next region is found, exact to one PE */

static double count_of(const struct speedup *s, const struct run_column *c)
{
	return (double)(s->of_threads ? c->threads : c->pes);
}

static void counts_make(struct speedup *s, const struct run_matrix *m)
{
	size_t pes = m->run_n ? m->run[0].pes : 0;

	s->of_threads = 1;
	for (size_t k = 0; k < m->run_n; k++)
		s->of_threads &= m->run[k].pes == pes;
	s->p = mem_alloc((m->run_n + 1) * sizeof(*s->p));
	for (size_t k = 0; k < m->run_n; k++)
		s->p[k] = count_of(s, &m->run[k]);
	if (m->run_n)
		qsort(s->p, m->run_n, sizeof(*s->p), compare_doubles);
	for (size_t k = 0; k < m->run_n; k++)
		if (!s->p_n || s->p[k] > s->p[s->p_n - 1])
			s->p[s->p_n++] = s->p[k];
}

static size_t index_of(const struct speedup *s, double p)
{
	size_t k = 0;

	while (s->p[k] < p)
		k++;
	return k;
}

/* Does work fall, beside communication that does not? */
static int work_falls(const struct speedup *s)
{
	size_t last = s->p_n - 1;

	return s->work[last] < speedup_program(s, last) &&
	       s->work[0] >= WORK_LEAST * speedup_program(s, 0) &&
	       s->work[last] <= s->work[0] * sqrt(s->p[0] / s->p[last]);
}

static void runs_add_up(struct speedup *s, const struct run_matrix *m)
{
	s->runs = mem_alloc((s->p_n + 1) * sizeof(*s->runs));
	s->time = mem_alloc((s->p_n + 1) * sizeof(*s->time));
	s->sum = mem_alloc((s->p_n + 1) * sizeof(*s->sum));
	s->setup = mem_alloc((s->p_n + 1) * sizeof(*s->setup));
	s->work = mem_alloc((s->p_n + 1) * sizeof(*s->work));
	for (size_t r = 0; r < m->run_n; r++) {
		double p = count_of(s, &m->run[r]);
		size_t k = index_of(s, p);

		s->runs[k]++;
		s->time[k] += m->run[r].elapsed;
		s->sum[k] += m->run[r].excl / p;
		s->setup[k] += m->run[r].setup / p;
		s->work[k] += (m->run[r].excl - m->run[r].apart) / p;
	}
	s->detected = s->p_n > 1 ? SPEEDUP_STRONG : SPEEDUP_WEAK;
	for (size_t k = 0; k < s->p_n; k++) {
		s->time[k] /= (double)s->runs[k];
		s->sum[k] /= (double)s->runs[k];
		s->setup[k] /= (double)s->runs[k];
		s->work[k] /= (double)s->runs[k];
		if (k && speedup_program(s, k) >= speedup_program(s, k - 1))
			s->detected = SPEEDUP_WEAK;
	}
	s->by_work = s->detected == SPEEDUP_WEAK && s->p_n > 1 && work_falls(s);
	if (s->by_work)
		s->detected = SPEEDUP_STRONG;
	s->law = s->detected;
}

static void model_fit(struct speedup_row *r)
{
	struct scaling_model assumed;

	scaling_fit(r->point, r->point_n, scaling_options(r->point, r->point_n), &r->model);
	r->modelled = r->model.points > 1 && scaling_credible(&r->model);
	if (r->model.points == 3 && !r->modelled)
		r->modelled = r->assumed = scaling_fit_amdahl(r->point, r->point_n, &assumed);
	if (r->assumed)
		r->model = assumed;
}

static void rows_make(struct speedup *s, const struct run_matrix *m, int inclusive)
{
	size_t *with = mem_alloc((s->p_n + 1) * sizeof(*with));

	for (size_t i = 0; i < m->row_n; i++) {
		struct speedup_row r = {.row = i};

		memset(with, 0, s->p_n * sizeof(*with));
		r.per = mem_alloc((s->p_n + 1) * sizeof(*r.per));
		r.point = mem_alloc((m->run_n + 1) * sizeof(*r.point));
		for (size_t k = 0; k < m->run_n; k++) {
			const struct run_cell *c = run_matrix_cell(m, i, k);
			double p = count_of(s, &m->run[k]);
			double value = (inclusive ? c->incl : c->excl) / p;

			if (!c->threads)
				continue;
			with[index_of(s, p)]++;
			r.per[index_of(s, p)] += value;
			r.point[r.point_n++] = (struct scaling_point){p, value};
		}
		for (size_t k = 0; k < s->p_n; k++)
			r.per[k] = with[k] ? r.per[k] / (double)with[k] : NAN;
		if (r.point_n) {
			model_fit(&r);
			*array_add(s, row) = r;
		} else {
			free(r.per);
			free(r.point);
		}
	}
	free(with);
}

struct at_largest {
	const struct run_matrix *m;
	size_t p_n;
};

static double or_none(double v)
{
	return isnan(v) ? -INFINITY : v;
}

/*
 * By the value at the largest n, then, if both rows lack it, at the next smaller n, then by name.
 */
static int compare_rows(const void *va, const void *vb, void *arg)
{
	const struct speedup_row *a = va, *b = vb;
	const struct at_largest *x = arg;

	for (size_t k = x->p_n; k--;)
		if (or_none(a->per[k]) != or_none(b->per[k]))
			return or_none(a->per[k]) > or_none(b->per[k]) ? -1 : 1;
	return strcmp(x->m->row[a->row].name, x->m->row[b->row].name);
}

static void largest_find(struct speedup *s)
{
	s->largest = mem_alloc((s->p_n + 1) * sizeof(*s->largest));
	for (size_t k = 0; k < s->p_n; k++)
		for (size_t i = 0; i < s->row_n; i++)
			if (or_none(s->row[i].per[k]) > or_none(s->row[s->largest[k]].per[k]))
				s->largest[k] = i;
}

/* The row with a model that has the largest value at p. */
static size_t top_at(const struct speedup *s, double p)
{
	size_t top = SIZE_MAX;
	double most = -INFINITY;

	for (size_t i = 0; i < s->row_n; i++) {
		double v = s->row[i].modelled ? scaling_value(&s->row[i].model, p) : -INFINITY;

		if (v > most) {
			most = v;
			top = i;
		}
	}
	return top;
}

/*
 * low and high are whole; row `now` is the largest at low, another row at high. Returns the first
 * whole number at which another row is the largest.
 */
static double first_beyond(const struct speedup *s, size_t now, double low, double high)
{
	while (high - low > 1) {
		double middle = floor((low + high) / 2);

		if (top_at(s, middle) == now)
			low = middle;
		else
			high = middle;
	}
	return high;
}

static void next_find(struct speedup *s)
{
	double most = s->p[s->p_n - 1], before = most;
	size_t now = s->largest[s->p_n - 1], found = SIZE_MAX;
	double all = s->sum[s->p_n - 1];

	for (size_t i = 0; i < s->row_n; i++)
		if (!s->row[i].modelled && s->row[i].per[s->p_n - 1] > 0)
			s->unmodelled += s->row[i].per[s->p_n - 1] / all;
	s->next = SIZE_MAX;
	if (!s->row[now].modelled)
		return;
	/*
	 * A model may show another row as the largest already at the end of the runs; only a change
	 * after that counts.
	 */
	for (int step = 1; step <= STEPS * (int)log2(SPEEDUP_REACH); step++) {
		double p = ceil(most * exp2((double)step / STEPS));

		found = top_at(s, p);
		if (found != now &&
		    scaling_value(&s->row[found].model, p) > scaling_value(&s->row[now].model, p)) {
			s->next_from = first_beyond(s, now, before, p);
			s->next = top_at(s, s->next_from);
			return;
		}
		before = p;
	}
}

void speedup_make(struct speedup *s, const struct run_matrix *m, int inclusive)
{
	struct at_largest by = {m, 0};

	memset(s, 0, sizeof(*s));
	counts_make(s, m);
	runs_add_up(s, m);
	rows_make(s, m, inclusive);
	by.p_n = s->p_n;
	if (s->row_n)
		qsort_r(s->row, s->row_n, sizeof(*s->row), compare_rows, &by);
	largest_find(s);
	s->next = SIZE_MAX;
	if (s->row_n && s->p_n > 1 && !inclusive)
		next_find(s);
}

void speedup_release(struct speedup *s)
{
	for (size_t i = 0; i < s->row_n; i++) {
		free(s->row[i].per);
		free(s->row[i].point);
	}
	free(s->row);
	free(s->p);
	free(s->runs);
	free(s->time);
	free(s->sum);
	free(s->setup);
	free(s->work);
	free(s->largest);
	memset(s, 0, sizeof(*s));
}

double speedup_efficiency(const struct speedup *s, double first, double value, size_t k)
{
	double ratio = value > 0 ? first / value : NAN;

	return s->law == SPEEDUP_STRONG ? ratio * s->p[0] / s->p[k] : ratio;
}

double speedup_ratio(const struct speedup *s, double first, double value, size_t k)
{
	return speedup_efficiency(s, first, value, k) * s->p[k] / s->p[0];
}
