/* anomaly_add.h: the anomalies of a run, and how the files of this folder add one. */
#ifndef ANOMALY_ADD_H
#define ANOMALY_ADD_H

#include "analyze/anomalies/instance_times.h"

enum anomaly_kind { ANOMALY_INSTANCE, ANOMALY_RANK, ANOMALY_GROWTH, ANOMALY_KINDS };

struct anomaly {
	enum anomaly_kind kind;
	uint32_t region, stream;	/* stream: that of the worst of `streams` */
	uint32_t streams;
	uint64_t first, last;		/* numbers of instances, from 1; 0: the anomaly is not
					 * about instances */
	int64_t begin, end;		/* ns, in `stream`: of an instance; of growth: of the
					 * instances first to last */
	double value, typical;		/* ns of own time, found and typical: of an instance or a
					 * rank; of growth: at the end and at the begin */
	double cost;			/* ns above typical, sum over all streams; below 0 for a
					 * rank with less */
	int loop;			/* its instances are iterations that begin with calls of the
					 * region */
	int jump;			/* growth: all at once, at instance `first` */
};

struct anomalies {
	struct anomaly *v;		/* by kind, the most expensive first */
	size_t v_n, v_cap;
	size_t n[ANOMALY_KINDS];	/* of each kind in v */
	size_t tests[ANOMALY_KINDS];	/* number of tests: of instances, of ranks in regions, of
					 * series */
	size_t regions;			/* regions with enough instances */
	size_t first_regions;		/* regions whose first instance is slow, which is no anomaly */
	double first_ns;		/* sum over all threads of the time by which these exceed
					 * their medians */
};

/*
 * Adds an anomaly; if `same`, an anomaly of the same region and first
 * instance in another stream is added to the existing one. The result is valid until the next call.
 */
struct anomaly *anomaly_add(struct anomalies *a, const struct anomaly *one, int same);

#endif
