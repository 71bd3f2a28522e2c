/*
 * anomalies.h: finds what a run does that it usually does not. The tests are such that a run in
 * which nothing is unusual has an anomaly of a kind with a probability of at most ROBUST_ALARMS;
 * slow_instances.h, odd_ranks.h and growth.h have the formulas.
 */
#ifndef ANOMALIES_H
#define ANOMALIES_H

#include "analyze/anomalies/anomaly_add.h"

/*
 * Finds the anomalies of x, whose regions and streams they refer to, and sets which iterations of x are tested. O(instances kept
 * log instances kept). Release a with anomalies_release().
 */
void anomalies_find(struct anomalies *a, struct instance_times *x);
void anomalies_release(struct anomalies *a);

#endif
