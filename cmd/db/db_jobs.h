/*
 * db_jobs.h: imports several runs, each in a process of its own. Runs are read side by side; they are stored one after the
 * other in the order of the command line, so that trials get the same numbers as one by one. A run that cannot be read does not
 * keep those after it from being stored.
 */
#ifndef DB_JOBS_H
#define DB_JOBS_H

#include <stddef.h>

#include "analyze/base/base.h"

/* How the job of a run failed. */
struct job_failure {
	int signal;		/* which ended its process; 0: none */
	int last;		/* nothing can be stored any more: no job after it is of use */
	struct error e;		/* unless a signal ended it */
};

struct jobs {
	void *to;
	/*
	 * Imports run number i, in a child process. It calls jobs_turn() before it stores or prints. Returns 0, or the
	 * error in f->e.
	 */
	int (*one)(void *to, size_t i, struct job_failure *f);
	/* Called in the parent for each run that failed, in order. */
	void (*failed)(void *to, size_t i, struct job_failure *f);
};

/*
 * Runs jobs 0 to n - 1, at most at_once of them at a time. Returns 0 when all were started, also if some failed; ERROR_SYSTEM: no process
 * can be started. Jobs after a last one are not started, or end before they store.
 */
int jobs_run(const struct jobs *jobs, size_t n, size_t at_once, struct error *e);

/* Waits until all runs before this one are stored or have failed. Ends the process if nothing can be stored any more. Nothing happens outside of jobs_run(). */
void jobs_turn(void);

#endif
