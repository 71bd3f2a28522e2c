/* anomalies.c: all anomalies of a run, the most expensive of each kind first. */
#include "analyze/anomalies/anomalies.h"

#include <math.h>

#include "analyze/anomalies/growth.h"
#include "analyze/anomalies/loop_times.h"
#include "analyze/anomalies/odd_ranks.h"
#include "analyze/anomalies/slow_instances.h"

static int dearest(const void *va, const void *vb)
{
	const struct anomaly *a = va, *b = vb;
	double x = fabs(a->cost), y = fabs(b->cost);

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (x != y)
		return x > y ? -1 : 1;
	if (a->region != b->region)
		return a->region < b->region ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

void anomalies_find(struct anomalies *a, struct instance_times *x)
{
	*a = (struct anomalies){0};
	loop_times_choose(x);
	slow_instances_find(a, x);
	odd_ranks_find(a, x);
	growth_find(a, x);
	if (a->v_n)
		qsort(a->v, a->v_n, sizeof(*a->v), dearest);
}

void anomalies_release(struct anomalies *a)
{
	free(a->v);
	*a = (struct anomalies){0};
}
