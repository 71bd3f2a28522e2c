/*
 * coll.h: the bytes that a process sends and receives in a collective operation.
 *
 * The caller's send arguments define sent, its receive arguments define received: the part that it
 * sends to itself is included, MPI_IN_PLACE counts as if the data were in a buffer of their own,
 * and arguments that MPI ignores at the caller are never read. P = processes that the data go to or
 * come from (the size of the communicator; of the remote group of an intercommunicator), n = count
 * * size of the type:
 *
 *                          sent                          received
 *   barrier                0                             0
 *   broadcast              n at the root                 n elsewhere
 *   gather(v)              n                             P n (sum of n_i) at the root
 *   scatter(v)             P n (sum of n_i) at the root  n
 *   allgather(v)           n                             P n (sum of n_i)
 *   alltoall(v, w)         P n (sum of n_i)              P n (sum of n_i)
 *   reduce                 n                             n at the root
 *   allreduce, scan        n                             n   (exscan: 0 at rank 0)
 *   reduce_scatter         sum of n_i                    n_rank   (block: P n and n)
 *   neighbor_*             the same over the neighbours that exist
 *
 * In an intercommunicator the root is the process that passes MPI_ROOT; those that pass
 * MPI_PROC_NULL take no part.
 */
#ifndef TAU_WRAP_MPI_COLL_H
#define TAU_WRAP_MPI_COLL_H

#include "wrap.h"

struct coll {
	unsigned kind; /* enum tau_coll; TAU_COLLS: record nothing */
	uint32_t comm;
	int root; /* world rank, -1 where there is none */
	uint64_t sent, received;
};

/* Numbers of elements: a call whose name ends in _c has larger ones. NULL: no array, for which MPI will complain. */
struct counts {
	const int *small;
	const MPI_Count *large;
};

static inline struct counts counts_small(const int *of)
{
	return (struct counts){of, NULL};
}

static inline struct counts counts_large(const MPI_Count *of)
{
	return (struct counts){NULL, of};
}

#define COUNTS(of) _Generic((of), const int *: counts_small, const MPI_Count *: counts_large)(of)

struct coll coll_barrier(MPI_Comm comm);
struct coll coll_fence(MPI_Win win);
struct coll coll_bcast(MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm);
struct coll coll_gather(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
			MPI_Datatype recvtype, int root, MPI_Comm comm);
struct coll coll_gatherv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
			 struct counts recvcounts, MPI_Datatype recvtype, int root, MPI_Comm comm);
struct coll coll_scatter(MPI_Count sendcount, MPI_Datatype sendtype, const void *recvbuf, MPI_Count recvcount,
			 MPI_Datatype recvtype, int root, MPI_Comm comm);
struct coll coll_scatterv(struct counts sendcounts, MPI_Datatype sendtype, const void *recvbuf,
			  MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm);
struct coll coll_allgather(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
			   MPI_Datatype recvtype, MPI_Comm comm);
struct coll coll_allgatherv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
			    struct counts recvcounts, MPI_Datatype recvtype, MPI_Comm comm);
struct coll coll_alltoall(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
			  MPI_Datatype recvtype, MPI_Comm comm);
struct coll coll_alltoallv(const void *sendbuf, struct counts sendcounts, MPI_Datatype sendtype,
			   struct counts recvcounts, MPI_Datatype recvtype, MPI_Comm comm);
struct coll coll_alltoallw(const void *sendbuf, struct counts sendcounts,
			   const MPI_Datatype *sendtypes, struct counts recvcounts,
			   const MPI_Datatype *recvtypes, MPI_Comm comm);
struct coll coll_reduce(MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm);
struct coll coll_allreduce(MPI_Count count, MPI_Datatype type, MPI_Comm comm);
struct coll coll_scan(MPI_Count count, MPI_Datatype type, MPI_Comm comm);
struct coll coll_exscan(MPI_Count count, MPI_Datatype type, MPI_Comm comm);
struct coll coll_reduce_scatter(struct counts recvcounts, MPI_Datatype type, MPI_Comm comm);
struct coll coll_reduce_scatter_block(MPI_Count recvcount, MPI_Datatype type, MPI_Comm comm);
struct coll coll_neighbor_allgather(MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
				    MPI_Datatype recvtype, MPI_Comm comm);
struct coll coll_neighbor_allgatherv(MPI_Count sendcount, MPI_Datatype sendtype, struct counts recvcounts,
				     MPI_Datatype recvtype, MPI_Comm comm);
struct coll coll_neighbor_alltoall(MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
				   MPI_Datatype recvtype, MPI_Comm comm);
struct coll coll_neighbor_alltoallv(struct counts sendcounts, MPI_Datatype sendtype,
				    struct counts recvcounts, MPI_Datatype recvtype, MPI_Comm comm);
struct coll coll_neighbor_alltoallw(struct counts sendcounts, const MPI_Datatype *sendtypes,
				    struct counts recvcounts, const MPI_Datatype *recvtypes,
				    MPI_Comm comm);

uint64_t type_size(MPI_Datatype type); /* asks MPI; 0: it does not know */

/* Bytes of count elements; 0 for a null type, which MPI would complain about in the wrong place. */
static inline uint64_t type_bytes(MPI_Count count, MPI_Datatype type)
{
	uint64_t bytes;

	if (count <= 0 || !type || type == MPI_DATATYPE_NULL)
		return 0;
	return type_bytes_known(count, type, &bytes) ? bytes : (uint64_t)count * type_size(type);
}

static inline void coll_record(const struct coll *c)
{
	if (c->kind < TAU_COLLS)
		tau_coll(c->kind, c->comm, c->root, c->sent, c->received);
}

#endif
