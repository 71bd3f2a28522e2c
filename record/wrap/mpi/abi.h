/*
 * abi.h: the MPI that the wrapper is built for. The same files make a wrapper for each: what differs (handles, statuses, names of
 * files and of entry points) is in abi_NAME.h and abi_NAME.c, which the makefile selects: ABI_HEADER.
 *
 * Each header gives mpi.h as it should be seen, ABI_NAME, ABI_WRAPPER, ABI_OTHER, ABI_HANDLE_ZEROS, status_bytes(), status_cancelled(),
 * request_is_shared(), type_bytes_known(), type_size_note(); and each file the functions below.
 */
#ifndef TAU_WRAP_MPI_ABI_H
#define TAU_WRAP_MPI_ABI_H

#include ABI_HEADER

#include <dlfcn.h>
#include <stdbool.h>

/* Is the MPI of this process of this kind? Its functions can be found. */
bool abi_is(void);
/* Finds what mpi.h names by variables of the library. Called often: whenever a function is looked up. */
void abi_find(void);
/* Are they found? */
bool abi_ready(void);

/* Does a file of this name (no folder) belong to MPI? */
bool abi_is_file(const char *name);
/*
 * Is `caller` the entry point of the Fortran binding for the function `real`, which it calls? An entry point also calls other
 * functions (handle conversions, MPI_Comm_size), which the program has not called.
 */
bool abi_is_entry(const Dl_info *caller, const char *real);

/* Types of the variables of MPI's tool interface. */
enum abi_type {
	ABI_INT,
	ABI_UNSIGNED,
	ABI_LONG,
	ABI_UNSIGNED_LONG,
	ABI_UNSIGNED_LONG_LONG,
	ABI_COUNT,
	ABI_INT32,
	ABI_UINT32,
	ABI_INT64,
	ABI_UINT64,
	ABI_DOUBLE,
	ABI_BOOL,
	ABI_CHAR,
	ABI_TYPES
};
/* The handle; a null one: unknown. */
MPI_Datatype abi_type(enum abi_type type);

#endif
