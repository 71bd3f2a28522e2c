/* callers.h: which calls of MPI's functions are those of the program. */
#ifndef TAU_WRAP_MPI_CALLERS_H
#define TAU_WRAP_MPI_CALLERS_H

#include <stdbool.h>

#include "wrap.h"

/*
 * Of a call of PMPI_Xxx() that returns to `address`. A program that bypasses tools calls these, but so does each entry point of
 * the Fortran binding, with handles converted, and each function of a layer of the user's that the program calls instead of this
 * library. Only the calls of an entry point for the same function are recorded.
 */
bool mpi_from_entry(const struct wrap_function *f, const void *address);

/*
 * Of a call inside another recorded one, `outer`. MPI calls its own functions, and functions of the program (user operations,
 * attribute functions, error handlers, generalized requests), which call functions of MPI. Does this call come from the program?
 * bound: mpi_from_entry() was true. A layer of the user's may have passed `outer` on, and what it calls is not the program's; NULL:
 * none has.
 */
bool mpi_from_program(const struct wrap_function *f, const struct wrap_function *outer,
		      const void *address, bool bound);

#endif
