/*
 * launchers.h: the launchers of parallel jobs, one row each: how their processes are recognised, and where each finds its job, its
 * rank and the number of processes. A process may have the variables of several: a launcher that was started by another one
 * passes on what it got.
 */
#ifndef LAUNCHERS_H
#define LAUNCHERS_H

#include "analyze/base/base.h"

enum { LAUNCHER_PROCESSES = 12, LAUNCHER_NAMES = 6 };

struct launcher {
	const char *name;
	/* Names of the processes that start the ranks, as far as the kernel keeps them: 15 characters. */
	const char *parents[LAUNCHER_PROCESSES];
	const char *commands[LAUNCHER_NAMES]; /* those that users type, if they are others */
	const char *rank[LAUNCHER_NAMES]; /* environment variables: the first that is set */
	const char *size[LAUNCHER_NAMES];
	/* Variables that name the job, the first that is set; "A B": both, with a dot between. */
	const char *job[LAUNCHER_NAMES];
	/* Options of such a process whose values, with a dot between, name it; they come before the variables. */
	const char *options[LAUNCHER_NAMES];
	/* A process that ends with an error before it has started MPI ends the others, which would wait for it. */
	int ends_all;
	int mpich; /* what it starts has an MPI of the MPICH ABI, unless more is known */
};
extern const struct launcher launchers[]; /* in the order in which their variables are trusted; name NULL ends */

/* What the launcher of a process gave to it. */
struct launched {
	const struct launcher *by; /* NULL: none is known */
	char job[256];		   /* the same for all processes of the job, and for no others */
	long rank;		   /* -1: unknown */
	long size;		   /* 1: unknown, or alone */
};

/*
 * Of this process: by the nearest process above it that is one of a launcher, and if there is none by the variables alone. They
 * are read with getenv().
 */
void launched_find(struct launched *l);
/* Is this process's parent, by its name, one that starts ranks? */
int launched_directly(void);
/* Is this the name of a launcher's command? */
int launcher_is(const char *command);
/* The number of processes that the variables of any launcher give; 1: none does. */
long launched_size(void);

#endif
