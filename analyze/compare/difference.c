/* difference.c: subtracts two runs row by row, and finds the rows that explain the difference. */
#include "analyze/compare/difference.h"

#include <math.h>
#include <string.h>

static int compare_changes(const void *va, const void *vb, void *arg)
{
	const struct difference_row *a = va, *b = vb;
	const struct run_matrix *m = arg;

	if (fabs(a->change) != fabs(b->change))
		return fabs(a->change) > fabs(b->change) ? -1 : 1;
	return strcmp(m->row[a->row].name, m->row[b->row].name);
}

static double or_zero(double v)
{
	return isnan(v) ? 0 : v;
}

/* Marks the first rows until little is left. Rows that are equal in both runs explain nothing. */
static void explain(struct difference *d)
{
	double sum = 0;

	while (d->explaining < d->v_n && sum < DIFFERENCE_EXPLAINED * d->gross) {
		const struct difference_row *r = &d->v[d->explaining++];

		sum += fabs(r->change);
		d->explained_net += r->change;
	}
	d->explained = d->gross > 0 ? sum / d->gross : NAN;
}

void difference_make(struct difference *d, const struct run_matrix *m, const double scale[2],
		     int inclusive)
{
	memset(d, 0, sizeof(*d));
	for (size_t i = 0; i < m->row_n; i++) {
		const struct run_cell *a = run_matrix_cell(m, i, 0), *b = run_matrix_cell(m, i, 1);
		double change = or_zero(b->excl) * scale[1] - or_zero(a->excl) * scale[0];
		struct difference_row *r;

		if (!a->threads && !b->threads)
			continue;
		r = array_add(d, v);
		r->row = i;
		r->before = (inclusive ? a->incl : a->excl) * scale[0];
		r->after = (inclusive ? b->incl : b->excl) * scale[1];
		r->change = or_zero(r->after) - or_zero(r->before);
		r->calls_before = a->calls;
		r->calls_after = b->calls;
		r->explains = change;
		d->before += or_zero(a->excl) * scale[0];
		d->after += or_zero(b->excl) * scale[1];
		d->gross += fabs(change);
	}
	d->net = d->after - d->before;
	for (size_t i = 0; i < d->v_n; i++)
		d->v[i].explains = d->gross > 0 ? fabs(d->v[i].explains) / d->gross : NAN;
	if (d->v_n)
		qsort_r(d->v, d->v_n, sizeof(*d->v), compare_changes, (void *)m);
	if (!inclusive)
		explain(d);
}

void difference_release(struct difference *d)
{
	free(d->v);
	memset(d, 0, sizeof(*d));
}
