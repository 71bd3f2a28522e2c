/* distribution.c: order statistics and histograms. */
#include "analyze/profile/distribution.h"

#include <math.h>
#include <string.h>

#include "analyze/base/base.h"

void distribution_make(struct distribution *d, const double *v, size_t n, size_t bins)
{
	double *sorted, squares = 0;

	*d = (struct distribution){.n = n, .bins = bins};
	if (!n)
		return;
	sorted = mem_copy(v, n, sizeof(*v));
	qsort(sorted, n, sizeof(*sorted), compare_doubles);
	for (size_t i = 0; i < n; i++)
		d->sum += v[i];
	d->mean = d->sum / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (v[i] - d->mean) * (v[i] - d->mean);
	d->sd = sqrt(squares / (double)n);
	d->least = sorted[0];
	d->largest = sorted[n - 1];
	d->median = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
	if (d->least == d->largest || bins < 1)
		d->bins = 1;
	for (size_t i = 0, at = 0; i < n; i++) {
		while (at + 1 < d->bins && sorted[i] >= distribution_edge(d, at + 1))
			at++;
		d->bin[at]++;
	}
	free(sorted);
}

double distribution_edge(const struct distribution *d, size_t bin)
{
	return bin == d->bins ? d->largest
			      : d->least + (d->largest - d->least) * (double)bin / (double)d->bins;
}
