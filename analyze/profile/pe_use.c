/* pe_use.c: computes efficiencies from the first threads of all processing elements. */
#include "analyze/profile/pe_use.h"

#include <math.h>

static double useful_of(const struct thread_row *r)
{
	double sum = 0;

	for (int w = 0; w < WORK_KINDS; w++)
		sum += region_work_useful((enum region_work)w) ? r->work[w] : 0;
	return sum;
}

/* By program: its processes are PEs. To be freed. */
static char *programs_count(const struct thread_rows *r)
{
	uint32_t n = 1, most = 0;
	double *useful;
	char *counts;
	int messages = 0;

	for (size_t i = 0; i < r->v_n; i++)
		n = r->v[i].program >= n ? r->v[i].program + 1 : n;
	useful = mem_alloc(n * sizeof(*useful));
	counts = mem_alloc(n);
	for (size_t i = 0; i < r->v_n; i++) {
		useful[r->v[i].program] += useful_of(&r->v[i]);
		if (r->v[i].work[WORK_MESSAGES] > 0)
			messages = counts[r->v[i].program] = 1;
	}
	for (uint32_t i = 1; i < n; i++)
		most = useful[i] > useful[most] ? i : most;
	if (!messages)
		counts[most] = 1;
	free(useful);
	return counts;
}

void pe_use_make(struct pe_use *u, const struct thread_rows *r)
{
	double least = INFINITY, all = 0;
	char *counts = programs_count(r);

	*u = (struct pe_use){.useful_largest = -1};
	for (size_t i = 0; i < r->v_n; i++) {
		const struct thread_row *row = &r->v[i];
		double useful = useful_of(row);

		if (!counts[row->program]) {
			u->others += !row->thread && !row->context;
			continue;
		}
		if (!row->waits) {
			u->threads++;
			all += useful;
		}
		if (row->thread || row->context)
			continue;
		u->n++;
		u->time += row->time;
		u->useful += useful;
		u->runtime = fmax(u->runtime, row->time);
		for (int w = 0; w < WORK_KINDS; w++)
			u->work[w] += row->work[w];
		if (useful > u->useful_largest) {
			u->useful_largest = useful;
			u->largest_at = (uint32_t)i;
		}
		if (useful < least) {
			least = useful;
			u->least_at = (uint32_t)i;
		}
	}
	free(counts);
	if (u->useful_largest < 0)
		u->useful_largest = 0;
	u->load_balance =
		u->useful_largest > 0 ? u->useful / (double)u->n / u->useful_largest : NAN;
	u->communication = u->runtime > 0 ? u->useful_largest / u->runtime : NAN;
	u->hybrid =
		u->runtime > 0 && u->threads ? all / (double)u->threads / u->runtime : NAN;
	u->parallel = u->runtime > 0 ? u->useful / (double)u->n / u->runtime : NAN;
}
