/* scaling_shares.c: shares of regions in the time, by number of PEs: their order, and stacked bars. */
#include <math.h>

#include "cmd/picture/stacked.h"
#include "cmd/report/runs/compared_runs.h"
#include "cmd/report/runs/report_scaling.h"

double scaling_part(const struct speedup *s, size_t row, size_t k)
{
	const struct speedup_row *r = &s->row[row];
	size_t with = 0;

	for (size_t i = 0; i < r->point_n; i++)
		with += r->point[i].p >= s->p[k] && r->point[i].p <= s->p[k];
	return r->per[k] * (double)with / (double)s->runs[k];
}

static double share_of(const struct speedup *s, size_t row, size_t k)
{
	return scaling_part(s, row, k) / s->sum[k];
}

double scaling_share_most(const struct speedup *s, size_t row)
{
	double most = 0;

	for (size_t k = 0; k < s->p_n; k++)
		most = fmax(most, share_of(s, row, k));
	return most;
}

static int largest_first(const void *va, const void *vb, void *of)
{
	const size_t *a = va, *b = vb;
	double x = scaling_share_most(of, *a), y = scaling_share_most(of, *b);

	return x != y ? (x < y ? 1 : -1) : (*a > *b) - (*a < *b);
}

size_t *scaling_by_share(const struct speedup *s, size_t *n)
{
	size_t *order = mem_alloc((s->row_n + 1) * sizeof(*order));

	*n = 0;
	for (size_t i = 0; i < s->row_n; i++)
		if (scaling_share_most(s, i) > 0)
			order[(*n)++] = i;
	qsort_r(order, *n, sizeof(*order), largest_first, (void *)s);
	return order;
}

const char *scaling_axis(const struct scaling_shown *x)
{
	return x->s.of_threads ? "threads" : "processing elements (PEs)";
}

void scaling_shares(const struct scaling_shown *x, struct stacked *s, FILE *f)
{
	size_t n, *order = scaling_by_share(&x->s, &n), most = STACKED_MOST;

	if (x->o->top > 0 && x->o->top < STACKED_MOST)
		most = (size_t)x->o->top;
	s->others = n > most;
	s->x_title = scaling_axis(x);
	for (size_t i = 0; i < n && i < most; i++) {
		size_t row = x->s.row[order[i]].row;

		stacked_part(s, compared_name(&x->c, x->o, row), compared_brief(&x->c, x->o, row));
	}
	for (size_t k = 0; k < x->s.p_n; k++) {
		double *share = stacked_bar(s, mem_printf("%.0f", x->s.p[k]));

		for (size_t i = 0; i < s->n; i++)
			share[i] = share_of(&x->s, order[i], k);
	}
	stacked_print(s, f);
	stacked_release(s);
	free(order);
}
