/* tracking.h: what --memory of tau-record says, and TAU's variables for it. */
#ifndef TRACKING_H
#define TRACKING_H

#include "../analyze/base.h"

/*
 * memory: comma separated words of --memory, "" for the default, NULL: as TAU_TRACK_MEMORY_LEAKS says. Sets the variables that the
 * wrapper of memory reads; *wanted: it is to be used. ERROR_USAGE.
 */
int tracking_set(const char *memory, int *wanted, struct error *e);

#endif
