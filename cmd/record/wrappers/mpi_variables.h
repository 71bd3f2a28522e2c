/*
 * mpi_variables.h: the variables of MPI's tool interface (MPI_T): a list of them, and control variables that are set for a program.
 * A process of its own loads the MPI library and the MPI wrapper to find out which there are.
 */
#ifndef MPI_VARIABLES_H
#define MPI_VARIABLES_H

#include <stddef.h>

#include "analyze/base/base.h"

/* Prints the variables whose names contain one of n words; n 0: all. ERROR_INPUT: none; ERROR_SYSTEM: they are unavailable. */
int mpi_variables_list(char **words, int n, struct error *e);

/* How many there are. ERROR_SYSTEM: they are unavailable. */
int mpi_variables_count(size_t *control, size_t *performance, struct error *e);

/*
 * Sets control variables in the environment: those of lines NAME=VALUE of a file, or NULL; and those that TAU's variables
 * TAU_MPI_T_CVAR_METRICS and TAU_MPI_T_CVAR_VALUES name. ERROR_INPUT: one cannot be set; ERROR_SYSTEM.
 */
int mpi_variables_set(const char *file, struct error *e);
/* Prints what was set: VARIABLE=VALUE. */
void mpi_variables_show(void);

#endif
