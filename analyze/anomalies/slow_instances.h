/*
 * slow_instances.h: instances of a region that take unusually long.
 *
 * x = log of the own time of an instance, because noise of times is relative and never below 0. An instance is slow if
 *
 *	x > max(median, q) + t s	(robust.h; of the same region in the same thread, at least 10 instances)
 *
 * where 1 of 20 instances, at least one, are above q: a region may have several usual times. s is at least 1 %, the resolution
 * of the histogram. Tests are all instances of such regions. The cost is own time -
 * exp(median).
 *
 * The first instance of a region often initializes something, so it is no anomaly: slow ones are counted, with the time by which
 * they exceed the median; one that is inside another one has no time of its own in this sum.
 *
 * An instance that is slow because of one inside it, which has at least half of the cost, is left out. The same instance in
 * several threads is one anomaly. Per region and thread, the INSTANCE_LONGEST longest instances are looked at.
 */
#ifndef SLOW_INSTANCES_H
#define SLOW_INSTANCES_H

#include "analyze/anomalies/anomalies.h"

#define SLOW_LEAST 10 /* instances */

void slow_instances_find(struct anomalies *a, const struct instance_times *x);

#endif
