/* narrow.c: intervals of the times of repeated runs. */
#include "cmd/experiment/narrow.h"

#include <math.h>

#include "analyze/base/quantity.h"
#include "analyze/compare/two_samples.h"

void cell_times_of(const struct run_plan *p, size_t cell, struct cell_times *t)
{
	double sum = 0, squares = 0;

	*t = (struct cell_times){.mean_ns = NAN, .half_ns = NAN};
	for (size_t i = 0; i < p->run_n; i++)
		if (p->run[i].cell == cell && !isnan(p->run[i].span_ns)) {
			sum += p->run[i].span_ns;
			t->n++;
		}
	if (!t->n)
		return;
	t->mean_ns = sum / (double)t->n;
	for (size_t i = 0; i < p->run_n; i++)
		if (p->run[i].cell == cell && !isnan(p->run[i].span_ns))
			squares +=
				(p->run[i].span_ns - t->mean_ns) * (p->run[i].span_ns - t->mean_ns);
	if (t->n > 1)
		t->half_ns = student_percentile(0.975, (double)(t->n - 1)) *
			     sqrt(squares / (double)(t->n - 1) / (double)t->n);
}

int cell_is_narrow(const struct run_plan *p, size_t cell)
{
	struct cell_times t;

	if (!p->x->until)
		return 1;
	cell_times_of(p, cell, &t);
	return t.half_ns / t.mean_ns * 100 * QUANTITY_ONE_PERCENT <= (double)p->x->until;
}
