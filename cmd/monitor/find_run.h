/* find_run.h: the run that records a process, or a job. */
#ifndef FIND_RUN_H
#define FIND_RUN_H

#include "analyze/base/base.h"

/*
 * The run directory of the process, or of the first process below it that is recorded (as below mpirun), from their
 * environment. *out is the caller's. ERROR_SYSTEM: there is no such process; ERROR_INPUT: none of them is recorded.
 */
int find_run(long pid, char **out, struct error *e);

/*
 * The run of a job's processes on this host: those whose environment has the job as that of Slurm (SLURM_JOB_ID), PBS, LSF, Flux,
 * Cobalt, or as the name that Open MPI's launcher gives it (PMIX_NAMESPACE). *out is the caller's. ERROR_INPUT: none of them is
 * recorded, or they have several runs.
 */
int find_run_of_job(const char *job, char **out, struct error *e);

#endif
