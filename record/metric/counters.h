/*
 * counters.h: the limits of names and numbers of metrics.
 */
#ifndef COUNTERS_H
#define COUNTERS_H

#include "record/format.h"

#define METRIC_NAME 128
#define COUNTERS TAU_METRICS

#endif
