/*
 * wrappers.h: the table of wrappers (tau-wrapper(7)). `list` is always the argument of --wrap: names or paths
 * separated by commas, or NULL where the libraries that the program links decide.
 */
#ifndef WRAPPERS_H
#define WRAPPERS_H

#include <limits.h>

#include "cmd/record/launch/launch.h"

/*
 * Path of a shared object of the recorder, "" for libtau.so itself: beside the program (built) or in ../lib/tau
 * (installed). A name with a slash is the path of a wrapper itself. 0: there is none.
 */
int library_find(const char *name, char out[PATH_MAX]);

/*
 * The version of what wrappers call in libtau.so; NULL: unknown. The caller frees it. A wrapper that defines a function
 * WRAPPER_MADE_FOR with another version at its end is refused.
 */
#define WRAPPER_MADE_FOR "tau_wrapper_made_for_"
char *wrappers_version(void);
/*
 * Every word of the list must be a wrapper that is there, or "none", or each is one with a sign. A wrapper with a path must find all
 * that it calls in libtau.so: the loader would end the program.
 */
int wrappers_check(const char *list, struct error *e);
/*
 * The list without signs: "+io,-mpi" is what the program would get without a list, with io and without mpi. The caller frees it.
 * NULL: no list.
 */
char *wrappers_resolve(const struct target *t, const char *list);
/* Which constructs of OpenMP are recorded: the word of --openmp; NULL: as usual. */
int wrappers_openmp(const char *level, struct error *e);

/* Does the program get this wrapper? */
int wrapper_recorded(const char *name, const struct target *t, const char *list);

/* Prints that MPI is not recorded, if the program has one without a wrapper and the list does not exclude it. */
void wrappers_mpi_check(const struct target *t, const char *list);
/* Is the program linked with a library by which the processes of a job find each other? */
int wrappers_parallel(const struct target *t);

/* Prints the table; with a target, which of them it would get. */
void wrappers_list(const struct target *t, const char *list);

/*
 * The library of a sanitizer that the program brings, NULL: none. The memory wrapper cannot precede its
 * allocator and is not used.
 */
const char *wrappers_sanitizer(const struct target *t);
/* Sets the options that its sanitizer needs beside the recorder. memory: it was to be recorded. */
void wrappers_sanitizer_allow(const struct target *t, int memory);

/*
 * Value of LD_PRELOAD: the recorder, the wrappers and what was there before. `also`: those that other options need, separated by
 * commas. The caller frees it. NULL: the recorder is not installed.
 */
char *wrappers_preload(const struct target *t, const char *list, const char *also);

/* Prints the variables by which runtimes find their wrappers, as far as they are set: VARIABLE=VALUE. */
void wrappers_show(void);

#endif
