/*
 * anomalies.h: what a run does that it usually does not. Tests are such that a run in which nothing is unusual has an anomaly
 * of a kind with a probability of at most ROBUST_ALARMS; slow_instances.h, odd_ranks.h and growth.h have the formulas.
 */
#ifndef ANOMALIES_H
#define ANOMALIES_H

#include "analyze/anomalies/instance_times.h"

enum anomaly_kind { ANOMALY_INSTANCE, ANOMALY_RANK, ANOMALY_GROWTH, ANOMALY_KINDS };

struct anomaly {
	enum anomaly_kind kind;
	uint32_t region, stream;	/* stream: the worst of `streams` */
	uint32_t streams;
	uint64_t first, last;		/* instances; 0: no instances */
	int64_t begin, end;		/* ns; of an instance in `stream` */
	double value, typical;		/* ns of own time; of an instance, a rank, or at the end and the begin */
	double cost;			/* ns more than typical, over all streams; less than 0 of a rank with less */
	int jump;			/* growth: at once, at instance `first` */
};

struct anomalies {
	struct anomaly *v;		/* by kind, the most expensive first */
	size_t v_n, v_cap;
	size_t n[ANOMALY_KINDS];	/* of each kind in v */
	size_t tests[ANOMALY_KINDS];	/* instances, ranks of regions, series */
	size_t regions;			/* regions with enough instances */
	size_t first_regions;		/* regions whose first instance is slow, which is no anomaly */
	double first_ns;		/* by which these exceed their medians, over all threads */
};

/* Release it. */
void anomalies_find(struct anomalies *a, const struct instance_times *x);
void anomalies_release(struct anomalies *a);

/* For the files below: adds one of a kind, with the same in other streams added up if `same` (region and first instance). */
struct anomaly *anomaly_add(struct anomalies *a, const struct anomaly *one, int same);

#endif
