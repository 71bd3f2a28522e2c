/*
 * submit.h: runs as jobs of Slurm. A job is known by its name, NAME.RUN.ID, so that it is submitted once even if tau-experiment is killed
 * at any moment; when it ends, its script leaves a file with the exit status.
 */
#ifndef SUBMIT_H
#define SUBMIT_H

#include "cmd/experiment/run_one.h"

/* The runs that are to do: jobs that have ended are taken over, those in the queue are waited for, and others are submitted. */
int submit_runs(struct run_all *a, struct error *e);

/*
 * Waits until a job has ended, and takes it over. 1: *at is its run, which is now RUN_RECORDED or RUN_FAILED; 0: no job is left, or a
 * signal has arrived.
 */
int submit_wait(struct run_all *a, size_t *at, struct error *e);

/* The number of runs that are jobs in the queue. */
size_t submit_count(const struct run_plan *p);

#endif
