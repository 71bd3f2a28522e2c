/* look_summary.h: one line about a look: hosts, threads, processes, records. */
#ifndef LOOK_SUMMARY_H
#define LOOK_SUMMARY_H

#include "cmd/monitor/look.h"

/* The number of hosts in each state. */
void look_host_counts(const struct look *l, size_t n[LOOK_HOST_STATES]);
/*
 * "3 PEs, 12 threads; 3 processes running, 0 ended; 4567 records, 0 lost", after the number of hosts if there are some; to be freed.
 * width: in columns; 0: any. If the line is wider, its words are shorter and the bytes in flight are dropped, then numbers by their
 * importance: "0 events lost", the number of records, "0 ended", and so on. The number of processes that run is always there.
 */
char *look_summary(const struct look *l, size_t width);

#endif
