/*
 * abi_mpich.h: what mpi.h of MPICH, and of those that took its ABI over (Intel MPI, MVAPICH, Cray MPICH), means in a program:
 * handles are numbers. Bits 30 and 31 are the kind: 1 predefined, 2 and 3 made later.
 */
#ifndef TAU_WRAP_MPI_ABI_MPICH_H
#define TAU_WRAP_MPI_ABI_MPICH_H

#include <mpi.h>

#include <stdint.h>

#define ABI_NAME	 "of the MPICH ABI"
#define ABI_WRAPPER	 "mpich"
#define ABI_OTHER	 "mpi, for Open MPI"
#define ABI_HANDLE_ZEROS 0 /* low bits that all handles have the same */

/* The one sentinel that is a variable of the library. */
extern int *abi_unweighted __attribute__((visibility("hidden")));
#undef MPI_UNWEIGHTED
#define MPI_UNWEIGHTED abi_unweighted

/* ---- statuses ---- */

static inline uint64_t status_bytes(const MPI_Status *status)
{
	return (uint64_t)((uint32_t)status->count_hi_and_cancelled >> 1) << 32 |
	       (uint32_t)status->count_lo;
}

static inline int status_cancelled(const MPI_Status *status)
{
	return status->count_hi_and_cancelled & 1;
}

/* ---- requests ---- */

/* Is it a predefined one, which is returned for all operations that are complete? */
static inline int request_is_shared(MPI_Request request)
{
	return (uint32_t)request >> 30 == 1;
}

/* ---- types ---- */

/* Bytes of count >= 0 elements of a type of MPI's own, whose handle holds its size; false: it has to be asked. */
static inline int type_bytes_known(MPI_Count count, MPI_Datatype type, uint64_t *bytes)
{
	enum { PREDEFINED = (uint32_t)MPI_BYTE >> 26 };

	*bytes = (uint64_t)count * ((uint32_t)type >> 8 & 0xff);
	return (uint32_t)type >> 26 == PREDEFINED;
}

static inline void type_size_note(MPI_Datatype type, uint64_t size)
{
	(void)type;
	(void)size;
}

#endif
