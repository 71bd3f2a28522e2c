/*
 * slow_instances.h: finds instances of a region that take unusually long.
 *
 * x = log of the own time of an instance, because noise of times is relative and never below 0. An instance is slow if
 *
 *	x > max(median, q) + t s	(robust.h; of the same region in the same thread, at least 10 instances)
 *
 * where q is the value that 1 of 20 instances, and at least one, exceed, because a region may have
 * several usual times. s is at least 1 %, the resolution of the histogram. Each instance of such a
 * region is one test. The cost is own time - exp(median).
 *
 * The first instance of a region often initializes something, so it is not an anomaly: slow first
 * instances are counted, with the time by which they exceed the median. One that is inside another
 * one adds no time to this sum.
 *
 * The last iteration of a loop (loop_times.h) may contain what follows the loop, so it is no anomaly either.
 *
 * A slow instance is excluded if a slow instance inside it has at least half of its cost. The same
 * instance in several threads is one anomaly. Only the INSTANCE_LONGEST longest instances per
 * region and thread are tested.
 */
#ifndef SLOW_INSTANCES_H
#define SLOW_INSTANCES_H

#include "analyze/anomalies/anomaly_add.h"

#define SLOW_LEAST 10 /* instances */

void slow_instances_find(struct anomalies *a, const struct instance_times *x);

#endif
