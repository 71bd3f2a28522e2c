/*
 * launch.h: what tau-record finds out before it starts a program: what kind of file it is, what it links, and which
 * directory its job records into.
 */
#ifndef LAUNCH_H
#define LAUNCH_H

#include "analyze/base/base.h"
#include "cmd/record/mpi_abi.h"
#include "convert/code/needed.h"

/* The program that a command starts. */
struct target {
	char path[4096];	/* the program found */
	char elf[4096];		/* the same, or the interpreter of a script */
	char interpreter[4096];	/* the ELF file's dynamic loader; "" = statically linked */
	struct needed needed;	/* all that the loader would load */
	int known;		/* it is known what that is */
	struct mpi_library mpi;	/* the MPI among it */
	int everywhere;		/* the name of the recorder that only the GNU loader loads can be used */
	const char *obstacle;	/* why it cannot be recorded, NULL: it can */
};

/*
 * Finds `command` as execvp would; library is the path of libtau.so, NULL: unknown. ERROR_SYSTEM: there is none (errno ENOENT or EACCES).
 */
int target_find(const char *command, const char *library, struct target *t, struct error *e);
void target_release(struct target *t);

/* Is this the launcher of a parallel job, whose processes are what is to be recorded? */
int target_is_launcher(const char *command);

/* Did such a launcher start this very process, as one of many that are all recorded? */
int launched_as_rank(void);

/* The job this process belongs to, by what its launcher gave to it. */
struct job {
	char key[256];		/* the same in all processes of the job, different in other jobs */
	long size;		/* processes in the job, 1 alone */
	long rank;		/* of this process, from the launcher; -1 unknown */
	int ends_all;		/* a process that ends with an error ends the others, too */
};
void job_find(struct job *j);
/* Is this process to speak for all of them? */
int job_speaks(void);
/* The same for the recorder in the program. */
void job_speaks_set(void);
/* The name of the job's run, if the user has given none; the caller frees it. */
char *job_directory(const struct target *t, const struct job *j);

#endif
