/* program_run.h: starts the program, forwards signals to it, waits for it, and ends as it ended. */
#ifndef PROGRAM_RUN_H
#define PROGRAM_RUN_H

#include <signal.h>

#include "cmd/record/launch/cpu_samples.h"
#include "cmd/record/launch/run_claim.h"

/* The program gets the umask as it is; ours takes no rights from the owner of the run. */
void program_umask_narrow(void);
/* Signals that are sent to the caller go to the program from now on. */
void program_signals_forward(void);

/*
 * Runs the program, with the signals in `mask` blocked, and waits. Returns its wait status, or -1 - errno if it could not be started.
 * Its row is written into the run's table, and place contains it with the CPU time of the program. samples: NULL, or it becomes the
 * samples of the program and what it starts (NULL: there are none).
 */
int program_run(const struct target *t, char **argv, const sigset_t *mask, const char *directory, const struct job *job,
		struct run_place *place, struct cpu_samples **samples);

/* Ends as the program ended: returns its exit status, or ends by the same signal without a second core file. */
int program_end_like(int status);

#endif
