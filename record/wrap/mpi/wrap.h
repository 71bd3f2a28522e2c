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

/*
 * Functions that MPI 3 removed are still in the library; without these, mpi.h makes macros of their
 * names.
 */
#define OMPI_OMIT_MPI1_COMPAT_DECLS    1
#define OMPI_REMOVED_USE_STATIC_ASSERT 0
#include <mpi.h>

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

/*
 * The handles that mpi.h names are addresses inside libmpi. A wrapper that referred to them could
 * not be loaded without it, so they are looked up as the functions are; NULL before that.
 */
enum mpi_handle {
	HANDLE_COMM_WORLD,
	HANDLE_COMM_NULL,
	HANDLE_WIN_NULL,
	HANDLE_REQUEST_NULL,
	HANDLE_MESSAGE_NULL,
	HANDLE_MESSAGE_NO_PROC,
	HANDLE_DATATYPE_NULL,
	HANDLE_BYTE,
	HANDLE_INFO_NULL,
	HANDLE_GROUP_NULL,
	HANDLES
};
extern void *mpi_handles[HANDLES] __attribute__((visibility("hidden")));

/* The address of a variable of the library by its symbol; NULL: it has none. */
void *wrap_find_data(const char *symbol);

/* What a handle is of. */
enum peers_kind { PEERS_COMM = 1, PEERS_WIN = 2 };

#undef MPI_COMM_WORLD
#undef MPI_COMM_NULL
#undef MPI_WIN_NULL
#undef MPI_REQUEST_NULL
#undef MPI_MESSAGE_NULL
#undef MPI_MESSAGE_NO_PROC
#undef MPI_DATATYPE_NULL
#undef MPI_BYTE
#undef MPI_INFO_NULL
#undef MPI_GROUP_NULL
#define MPI_COMM_WORLD      ((MPI_Comm)mpi_handles[HANDLE_COMM_WORLD])
#define MPI_COMM_NULL       ((MPI_Comm)mpi_handles[HANDLE_COMM_NULL])
#define MPI_WIN_NULL        ((MPI_Win)mpi_handles[HANDLE_WIN_NULL])
#define MPI_REQUEST_NULL    ((MPI_Request)mpi_handles[HANDLE_REQUEST_NULL])
#define MPI_MESSAGE_NULL    ((MPI_Message)mpi_handles[HANDLE_MESSAGE_NULL])
#define MPI_MESSAGE_NO_PROC ((MPI_Message)mpi_handles[HANDLE_MESSAGE_NO_PROC])
#define MPI_DATATYPE_NULL   ((MPI_Datatype)mpi_handles[HANDLE_DATATYPE_NULL])
#define MPI_BYTE            ((MPI_Datatype)mpi_handles[HANDLE_BYTE])
#define MPI_INFO_NULL       ((MPI_Info)mpi_handles[HANDLE_INFO_NULL])
#define MPI_GROUP_NULL      ((MPI_Group)mpi_handles[HANDLE_GROUP_NULL])

#endif
