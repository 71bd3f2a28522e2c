/*
 * db_jobs.h: imports several runs at once, each in a process of its own. Runs are read side by side; they are stored one after the
 * other in the order of the command line, so that trials get the same numbers as one by one.
 */
#ifndef DB_JOBS_H
#define DB_JOBS_H

#include <stddef.h>

#include "analyze/base/base.h"

/*
 * Calls one(to, i) for each i below n, at most jobs of them at a time, in child processes. It calls jobs_turn() before it stores
 * or prints. The first error in that order is returned, and later runs are not stored.
 */
int jobs_run(size_t n, size_t jobs, int (*one)(void *to, size_t i, struct error *e), void *to,
	     struct error *e);

/* Waits until all runs before this one are stored. Ends the process if one of them failed. Nothing happens outside of jobs_run(). */
void jobs_turn(void);

#endif
