/* metric_probe.h: which metrics of --metrics the recorder can have on this machine. */
#ifndef METRIC_PROBE_H
#define METRIC_PROBE_H

#include "analyze/base/base.h"

/*
 * Checks each name of the list with the recorder's library, in a process of its own. *out: the list
 * for TAU_RECORD_METRICS, to be freed; "" when none is left. Those that are unavailable are printed on stderr,
 * once per job, and not used; with `strict` the first such name is an error instead.
 */
int metrics_check(const char *library, const char *list, int strict, char **out, struct error *e);

#endif
