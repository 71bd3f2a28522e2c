/*
 * abi_openmpi.h: what mpi.h of Open MPI means in a program: handles are addresses inside the library.
 *
 * A wrapper that referred to them could not be loaded without it, so they are looked up as the functions are; NULL before that.
 */
#ifndef TAU_WRAP_MPI_ABI_OPENMPI_H
#define TAU_WRAP_MPI_ABI_OPENMPI_H

/*
 * Functions that MPI 3 removed are still in the library; without these, mpi.h makes macros of their
 * names.
 */
#define OMPI_OMIT_MPI1_COMPAT_DECLS    1
#define OMPI_REMOVED_USE_STATIC_ASSERT 0
#include <mpi.h>

#include <stdint.h>

#define ABI_NAME	 "Open MPI"
#define ABI_WRAPPER	 "mpi"
#define ABI_OTHER	 "mpich, for MPICH, Intel MPI, MVAPICH and Cray MPICH"
#define ABI_HANDLE_ZEROS 4 /* low bits that all handles have the same */

enum abi_handle {
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
extern void *abi_handles[HANDLES] __attribute__((visibility("hidden")));

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
#define MPI_COMM_WORLD      ((MPI_Comm)abi_handles[HANDLE_COMM_WORLD])
#define MPI_COMM_NULL       ((MPI_Comm)abi_handles[HANDLE_COMM_NULL])
#define MPI_WIN_NULL        ((MPI_Win)abi_handles[HANDLE_WIN_NULL])
#define MPI_REQUEST_NULL    ((MPI_Request)abi_handles[HANDLE_REQUEST_NULL])
#define MPI_MESSAGE_NULL    ((MPI_Message)abi_handles[HANDLE_MESSAGE_NULL])
#define MPI_MESSAGE_NO_PROC ((MPI_Message)abi_handles[HANDLE_MESSAGE_NO_PROC])
#define MPI_DATATYPE_NULL   ((MPI_Datatype)abi_handles[HANDLE_DATATYPE_NULL])
#define MPI_BYTE            ((MPI_Datatype)abi_handles[HANDLE_BYTE])
#define MPI_INFO_NULL       ((MPI_Info)abi_handles[HANDLE_INFO_NULL])
#define MPI_GROUP_NULL      ((MPI_Group)abi_handles[HANDLE_GROUP_NULL])

/* ---- statuses ---- */

static inline uint64_t status_bytes(const MPI_Status *status)
{
	return status->_ucount;
}

static inline int status_cancelled(const MPI_Status *status)
{
	return status->_cancelled;
}

/* ---- requests ---- */

extern uintptr_t abi_request_empty __attribute__((visibility("hidden"))); /* 1: not known yet; 0: unknown */
uintptr_t abi_request_empty_find(void);

/* Is it the one handle that is returned for all operations that are complete? It is no part of mpi.h. */
static inline int request_is_shared(MPI_Request request)
{
	uintptr_t handle = __atomic_load_n(&abi_request_empty, __ATOMIC_RELAXED);

	if (handle == 1)
		handle = abi_request_empty_find();
	return (uintptr_t)request == handle;
}

/* ---- types ---- */

/*
 * The sizes of MPI's predefined types, which never change, by their handles, which are addresses
 * inside MPI and therefore unique. size: one more than the size; 0: not known yet.
 */
enum { OWN_TYPES = 256 };
struct own_type {
	uintptr_t type;
	uint64_t size;
};
extern struct own_type own_types[OWN_TYPES] __attribute__((visibility("hidden")));

static inline struct own_type *own_type_at(const void *type)
{
	return &own_types[(uintptr_t)type * 0x9e3779b97f4a7c15u >> 56];
}

/* Bytes of count >= 0 elements of a type of MPI's own; false: it has to be asked. */
static inline int type_bytes_known(MPI_Count count, MPI_Datatype type, uint64_t *bytes)
{
	const struct own_type *own = own_type_at(type);
	uint64_t size = __atomic_load_n(&own->size, __ATOMIC_RELAXED);

	*bytes = (uint64_t)count * (size - 1);
	return own->type == (uintptr_t)type && size;
}

/* MPI has been asked. */
static inline void type_size_note(MPI_Datatype type, uint64_t size)
{
	struct own_type *own = own_type_at(type);

	if (own->type == (uintptr_t)type)
		__atomic_store_n(&own->size, size + 1, __ATOMIC_RELAXED);
}

#endif
