/*
 * distribution.h: describes the distribution of numbers by order statistics and a histogram.
 *
 *	sd = sqrt(sum (x - mean)^2 / n)		of the population, as in derived_threads.h
 *	median = x at (n + 1) / 2 of the sorted values, or the mean of the two in the middle
 *	bin i of k holds least + i w <= x < least + (i + 1) w, w = (largest - least) / k; the last one holds the largest, too
 */
#ifndef DISTRIBUTION_H
#define DISTRIBUTION_H

#include <stddef.h>

#define DISTRIBUTION_BINS 100

struct distribution {
	size_t n;
	double sum, mean, sd, least, median, largest;
	size_t bins;		/* 1 if all values are equal */
	size_t bin[DISTRIBUTION_BINS];
};

/*
 * v: n numbers in any order; not changed. bins: at most DISTRIBUTION_BINS. If n is 0, all results
 * but `bins` are 0. O(n log n).
 */
void distribution_make(struct distribution *d, const double *v, size_t n, size_t bins);

/* The lower edge of a bin; bin `bins`: the upper edge of the last one. */
double distribution_edge(const struct distribution *d, size_t bin);

#endif
