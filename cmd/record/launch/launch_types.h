/* launch_types.h: what is known of the program that is launched. */
#ifndef LAUNCH_TYPES_H
#define LAUNCH_TYPES_H

#include "analyze/base/base.h"
#include "cmd/record/launch/mpi_abi.h"
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

/* The job this process belongs to, by what its launcher gave to it. */
struct job {
	char key[256];		/* the same in all processes of the job, different in other jobs */
	long size;		/* processes in the job, 1 alone */
	long rank;		/* of this process, from the launcher; -1 unknown */
	int ends_all;		/* a process that ends with an error ends the others, too */
};

#endif
