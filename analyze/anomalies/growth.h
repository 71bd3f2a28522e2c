/*
 * growth.h: regions whose instances take longer and longer.
 *
 * y = mean own times of blocks of consecutive instances in a thread (instance_times.h), B >= 10 of them. Mann (1945) and
 * Kendall (1975), with the correction for ties:
 *
 *	S = sum over i < j of sign(y_j - y_i)	variance = (B (B - 1) (2 B + 5) - sum over ties g (g - 1) (2 g + 5)) / 18
 *	z = (S - 1) / sqrt(variance) > quantile 1 - a / N of the normal distribution
 *
 * with a and N as in robust.h; N is the number of series. The slope is the median of (y_j - y_i) /
 * (j - i) over all pairs (Theil 1950, Sen 1968). The growth from the first to the last block must
 * be at least 3 % of the median. The typical value is the median less half of this growth, the
 * value is the median plus half of it, and the cost is the mean of the two above the typical value,
 * times the number of instances.
 *
 * If the only change point of the series (change_points.h) is a jump, the anomaly begins there; otherwise with the first instance.
 * A region is excluded if a region inside it has at least half of its cost. Threads of one region
 * are one anomaly.
 */
#ifndef GROWTH_H
#define GROWTH_H

#include "analyze/anomalies/anomaly_add.h"

#define GROWTH_LEAST 10 /* blocks */

void growth_find(struct anomalies *a, const struct instance_times *x);

#endif
