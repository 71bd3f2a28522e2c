/* tracking.h: --memory of tau-record, and TAU's variables for it. */
#ifndef TRACKING_H
#define TRACKING_H

#include "analyze/base/base.h"

/* The argument of --memory; NULL: none. */
struct tracking {
	const char *memory;	/* comma separated words of --memory, "" for the default */
	const char *every;	/* --memory-every: the time between two readings */
	const char *metrics;	/* --metrics: HEAP_MEMORY may be among them */
};

/*
 * Sets the variables that the recorder and the wrapper of memory read; TAU_TRACK_MEMORY_LEAKS and TAU_TRACK_HEAP of the
 * environment count as words. *use: the wrapper is to be used. ERROR_USAGE.
 */
int tracking_set(const struct tracking *t, int *use, struct error *e);

#endif
