/*
 * papi.h: everything that PAPI counts. PAPI is loaded when a metric requires it.
 */
#ifndef PAPI_H
#define PAPI_H

#include "record/metric/counters.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct papi_sets {
	int set[COUNTERS];	/* an event set can hold events of one component only */
	uint32_t size[COUNTERS];	/* how many events it has */
	uint32_t place[COUNTERS];	/* of its events one after the other: where their values go */
	uint32_t n;
};

/* Finds an event and tries whether it counts here; a number for papi_start(), or -1. */
int papi_find(const char *name, struct metric_refusal *r);
bool papi_start(struct papi_sets *s, const int *event, uint32_t n);	/* for the calling thread */
bool papi_read(struct papi_sets *s, int64_t *value);	/* in the order of `event` */
void papi_stop(struct papi_sets *s);
void papi_after_fork(void);

#endif
