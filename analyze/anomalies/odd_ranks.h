/*
 * odd_ranks.h: finds ranks that behave unlike the others in a region.
 *
 * x = exclusive time of a region in a process, over its threads; 0 if it never enters the region. Queues of devices count only for
 * regions that no thread has, as kernels. A rank is odd if
 *
 *	|x - median| > t s	(robust.h; over all ranks of one program, at least 8)
 *
 * The program is the executable (TAU_META_EXECUTABLE) that spends most time in the region: a shell and what it starts have unlike
 * work. Regions with at least 1 % of the exclusive time of all regions are tested, in both directions. s
 * is at least 1 % of the mean.
 * The cost is x - median.
 */
#ifndef ODD_RANKS_H
#define ODD_RANKS_H

#include "analyze/anomalies/anomaly_add.h"

#define ODD_LEAST 8 /* ranks */

void odd_ranks_find(struct anomalies *a, const struct instance_times *x);

#endif
