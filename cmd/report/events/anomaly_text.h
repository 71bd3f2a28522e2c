/* anomaly_text.h: anomalies in words and windows, for the kind anomalies and for overviews. */
#ifndef ANOMALY_TEXT_H
#define ANOMALY_TEXT_H

#include "analyze/anomalies/anomalies.h"

/* "slow instance", "odd rank", "growth" */
const char *anomaly_name(enum anomaly_kind kind);
/* The region as a user names it. To be freed. */
char *anomaly_region(const struct trace *t, const struct anomaly *a);
/* "3", or "3.1" if its process has several threads. To be freed. */
char *anomaly_place(const struct trace *t, const struct anomaly *a);
/*
 * The window of its instances, as -w takes it: "solve#17@2", without the rank if several ranks have it; "iter(MPI_Barrier)=17" of
 * iterations. A time span if windows do not number these instances or iterations. NULL: an odd rank has none. To be freed.
 */
char *anomaly_window(const struct instance_times *x, const struct anomaly *a);

#endif
