/* robust.c: medians and limits that outliers do not move. */
#include "analyze/anomalies/robust.h"

#include <stdlib.h>

#include "analyze/base/base.h"
#include "analyze/compare/two_samples.h"

#define EFFICIENCY 0.37

double robust_median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), compare_doubles);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

double robust_deviation(double mad, size_t n)
{
	return n < 2 ? 0 : 1.4826 * (double)n / ((double)n - 0.8) * mad;
}

double robust_limit(size_t n, size_t tests)
{
	double df = EFFICIENCY * (double)(n - 1);

	return student_percentile(1 - ROBUST_ALARMS / (double)(tests ? tests : 1),
				  df < 1 ? 1 : df);
}
