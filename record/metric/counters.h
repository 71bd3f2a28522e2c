/*
 * counters.h: the limits of names and numbers of metrics, and why one is refused.
 */
#ifndef COUNTERS_H
#define COUNTERS_H

#include "record/format.h"
#include "record/metadata.h"

#define METRIC_NAME 128
#define COUNTERS TAU_METRICS

/* Why a metric is not available here. */
struct metric_refusal {
	const char *cause;	/* TAU_REFUSED_... */
	char why[256];		/* for people */
};
typedef void refuse_function(void *to, const char *name, const char *cause, const char *why);

#endif
