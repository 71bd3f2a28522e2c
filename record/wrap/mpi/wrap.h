/*
 * wrap.h: what all files of the MPI wrapper include: mpi.h as it should be seen, the recorder, the
 * real functions.
 *
 * The wrapper is built against one MPI and bound to it at run time only: real_MPI_Xxx() (generated)
 * calls the library's PMPI_Xxx, found at its first use, so that the wrapper needs no libmpi and
 * none is loaded for it.
 */
#ifndef TAU_WRAP_MPI_H
#define TAU_WRAP_MPI_H

#include "abi.h"

#include "tau.h"
#include "format.h"
#include "tool_due.h"

/* The MPI of the process is the one that this wrapper is made for; elsewhere calls are passed on, and nothing else is done. */
int mpi_usable_find(void);
extern int mpi_usable_known __attribute__((visibility("hidden"))); /* 1 it is, 0 not known yet */
static inline int mpi_usable(void)
{
	return __builtin_expect(__atomic_load_n(&mpi_usable_known, __ATOMIC_RELAXED) == 1, 1) ||
	       mpi_usable_find();
}

#include "mpi.gen.c"

/* The address of a variable of the library by its symbol; NULL: it has none. */
void *wrap_find_data(const char *symbol);

/* What a handle is of. */
enum peers_kind { PEERS_COMM = 1, PEERS_WIN = 2 };

#endif
