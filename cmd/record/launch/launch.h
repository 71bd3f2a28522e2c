/*
 * launch.h: what tau-record finds out before it starts a program: what kind of file it is, what it links, and which
 * directory its job records into.
 */
#ifndef LAUNCH_H
#define LAUNCH_H

#include "analyze/base/base.h"
#include "cmd/record/launch/mpi_abi.h"
#include "convert/code/needed.h"
#include "cmd/record/launch/launch_types.h"

/*
 * Finds `command` as execvp would; library is the path of libtau.so, NULL: unknown. ERROR_SYSTEM: there is none (errno ENOENT or EACCES).
 */
int target_find(const char *command, const char *library, struct target *t, struct error *e);
void target_release(struct target *t);

/* Is this the launcher of a parallel job, whose processes are what is to be recorded? */
int target_is_launcher(const char *command);

/* Did such a launcher start this very process, as one of many that are all recorded? */
int launched_as_rank(void);
void job_find(struct job *j);
/* Is this process to speak for all of them? */
int job_speaks(void);
/* The same for the recorder in the program. */
void job_speaks_set(void);
/* The name of the job's run, if the user has given none; the caller frees it. */
char *job_directory(const struct target *t, const struct job *j);

#endif
