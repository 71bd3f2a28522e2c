/* find_run.h: the run that records a process. */
#ifndef FIND_RUN_H
#define FIND_RUN_H

#include "analyze/base/base.h"

/*
 * The run directory of the process, or of the first process below it that is recorded (as below mpirun), from their
 * environment. *out is the caller's. ERROR_SYSTEM: there is no such process; ERROR_INPUT: none of them is recorded.
 */
int find_run(long pid, char **out, struct error *e);

#endif
