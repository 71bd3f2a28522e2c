/*
 * perf.h: the kernel's own events, under the names that PAPI has for them.
 */
#ifndef PERF_H
#define PERF_H

#include "record/metric/counters.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A group of counters of one thread that are read together. Zero: none are open. */
struct perf_group {
	int fd[COUNTERS];	/* fd[0] leads */
	uint64_t id[COUNTERS];	/* as the kernel numbers them: what is read must be of these */
	uint32_t n;
};

int perf_find(const char *name);	/* a code, or -1 */
bool perf_in_kernel(int code);	/* the event happens in the kernel only: without permission nothing is counted */
bool perf_hardware(struct metric_refusal *r);	/* does the processor have counters that may be used? */
int file_move_high(int fd);	/* the same file, by a number that open() will hardly reach */
bool perf_try(int code, struct metric_refusal *r);	/* can it be opened here? */
bool perf_open(struct perf_group *g, const int *code, uint32_t n);	/* for the calling thread */
bool perf_read(struct perf_group *g, int64_t *value);
void perf_close(struct perf_group *g);

#endif
