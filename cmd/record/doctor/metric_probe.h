/* metric_probe.h: which metrics of --metrics the recorder can have on this machine. */
#ifndef METRIC_PROBE_H
#define METRIC_PROBE_H

#include "analyze/base/base.h"

/* A metric that this machine does not have. */
struct metric_refused {
	char *name, *cause, *why; /* cause: TAU_REFUSED_... of record/metadata.h; why: for people */
};
struct metric_answer {
	struct metric_refused *refused;
	size_t refused_n, refused_cap;
	char *left;		/* the names that are available, with commas */
};
/* Asks the recorder's library about each name of the list; release *out also after an error. */
int metrics_request(const char *library, const char *list, struct metric_answer *out, struct error *e);
void metric_answer_release(struct metric_answer *a);

/*
 * The same for --metrics, whose list is reduced to those that are available, also in TAU_RECORD_METRICS; "" when none is left. The
 * others are printed on stderr, once per job, and not used; with `strict` the first such name is an error instead. NULL or "": no
 * metrics.
 */
int metrics_reduce(const char **list, int strict, struct error *e);

#endif
