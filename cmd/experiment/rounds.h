/* rounds.h: runs an experiment to its end, round by round. */
#ifndef ROUNDS_H
#define ROUNDS_H

#include "cmd/experiment/run_one.h"

/* Looks which runs are complete, starts and imports the others, and adds rounds as --until requires. Ends early at a signal. */
int rounds_run(struct run_all *a, struct error *e);

#endif
