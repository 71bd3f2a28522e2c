/* mpi_abi.h: which MPI a program is linked with, by what the library exports: its name proves nothing. */
#ifndef MPI_ABI_H
#define MPI_ABI_H

#include "convert/code/needed.h"

/* Kinds of MPI libraries that a program cannot exchange: handles, constants and structures differ. */
enum mpi_abi { MPI_ABI_NONE, MPI_ABI_OPEN_MPI, MPI_ABI_MPICH, MPI_ABI_STANDARD, MPI_ABI_UNKNOWN };

struct mpi_library {
	enum mpi_abi abi;
	const char *name; /* for people: "the MPICH ABI" */
	const char *path; /* of the library, owned by what it was found in */
};

/* The library that defines MPI for the program at `path`: among what it needs, or itself. */
void mpi_library_find(const char *path, const struct needed *n, struct mpi_library *out);

#endif
