/*
 * wrap.h: what all files of the MPI wrapper include: mpi.h as it should be seen, the recorder, the real functions.
 *
 * The wrapper is built against one MPI and bound to it at run time only: real_MPI_Xxx() (generated) calls the
 * library's PMPI_Xxx, found at its first use, so that the wrapper needs no libmpi and none is loaded for it.
 */
#ifndef TAU_WRAP_MPI_H
#define TAU_WRAP_MPI_H

/* Functions that MPI 3 removed are in the library still; mpi.h makes macros of their names unless told so. */
#define OMPI_OMIT_MPI1_COMPAT_DECLS 1
#define OMPI_REMOVED_USE_STATIC_ASSERT 0
#include <mpi.h>

#include "tau.h"
#include "format.h"
#include "mpi.gen.c"

#endif
