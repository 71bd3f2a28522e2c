/* coll.c: the table of coll.h in code. */
#include "coll.h"
#include "peers.h"

uint64_t type_size(MPI_Datatype type)
{
	MPI_Count size = 0;

	if (real_MPI_Type_size_x(type, &size) || size < 0)
		return 0;
	type_size_note(type, (uint64_t)size);
	return (uint64_t)size;
}

static struct coll coll_of(unsigned kind, const struct peers *p)
{
	return (struct coll){.kind = p ? kind : TAU_COLLS, .comm = p ? p->id : 0, .root = -1};
}

/* Is the caller the root? Fills in c->root; a process that takes no part gets no record. */
static int is_root(struct coll *c, const struct peers *p, int root)
{
	if (!p)
		return 0;
	if (!p->inter) {
		c->root = peers_rank(p, root);
		return root == p->rank;
	}
	if (root == MPI_PROC_NULL) {
		c->kind = TAU_COLLS;
		return 0;
	}
	c->root =
		root == MPI_ROOT ? peers_rank(&peers_world, peers_world.rank) : peers_rank(p, root);
	return root == MPI_ROOT;
}

static bool is_there(struct counts c)
{
	return c.small || c.large;
}

static MPI_Count count_at(struct counts c, int i)
{
	return c.large ? c.large[i] : c.small[i];
}

static uint64_t times(int n, uint64_t bytes)
{
	return (uint64_t)n * bytes;
}

/* Bytes of counts[0..n), without the neighbours that are not there (there == NULL: all are). */
static uint64_t sum(int n, struct counts counts, MPI_Datatype type, const int *there)
{
	uint64_t elements = 0, size = type_bytes(1, type);
	int i;

	for (i = 0; is_there(counts) && i < n; i++)
		if (!there || there[i] != MPI_PROC_NULL)
			elements += (uint64_t)count_at(counts, i);
	return elements * size;
}

static uint64_t sum_typed(int n, struct counts counts, const MPI_Datatype *types, const int *there)
{
	uint64_t bytes = 0;
	int i;

	for (i = 0; is_there(counts) && types && i < n; i++)
		if (!there || there[i] != MPI_PROC_NULL)
			bytes += type_bytes(count_at(counts, i), types[i]);
	return bytes;
}

/* A missing array is for MPI to complain about. */
static MPI_Count count_of(struct counts counts, const struct peers *p)
{
	return is_there(counts) ? count_at(counts, p->rank) : 0;
}

static int present(int n, const int *there)
{
	int i, present = 0;

	for (i = 0; i < n; i++)
		present += there[i] != MPI_PROC_NULL;
	return present;
}

struct coll coll_barrier(MPI_Comm comm)
{
	return coll_of(TAU_COLL_BARRIER, peers_of_comm(comm));
}

struct coll coll_fence(MPI_Win win)
{
	return coll_of(TAU_COLL_BARRIER, peers_of_win(win));
}

struct coll coll_bcast(MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm)
{
	struct peers *p = peers_of_comm(comm);
	struct coll c = coll_of(TAU_COLL_BROADCAST, p);

	if (is_root(&c, p, root))
		c.sent = type_bytes(count, type);
	else if (c.kind < TAU_COLLS)
		c.received = type_bytes(count, type);
	return c;
}

struct coll coll_gather(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
			MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	struct peers *p = peers_of_comm(comm);
	struct coll c = coll_of(TAU_COLL_GATHER, p);
	uint64_t one = 0;

	if (is_root(&c, p, root)) {
		one = type_bytes(recvcount, recvtype);
		c.received = times(p->n, one);
	}
	if (c.kind == TAU_COLLS || root == MPI_ROOT)
		return c;
	c.sent = sendbuf == MPI_IN_PLACE ? one : type_bytes(sendcount, sendtype);
	return c;
}

struct coll coll_gatherv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
			 struct counts recvcounts, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	struct peers *p = peers_of_comm(comm);
	struct coll c = coll_of(TAU_COLL_GATHER, p);
	int at_root = is_root(&c, p, root);

	if (at_root)
		c.received = sum(p->n, recvcounts, recvtype, NULL);
	if (c.kind == TAU_COLLS || root == MPI_ROOT)
		return c;
	if (at_root && sendbuf == MPI_IN_PLACE)
		c.sent = type_bytes(count_of(recvcounts, p), recvtype);
	else
		c.sent = type_bytes(sendcount, sendtype);
	return c;
}

/* A scatter is a gather in the other direction. */
static struct coll scatter_of(struct coll gather)
{
	struct coll c = gather;

	c.sent = gather.received;
	c.received = gather.sent;
	if (c.kind < TAU_COLLS)
		c.kind = TAU_COLL_SCATTER;
	return c;
}

struct coll coll_scatter(MPI_Count sendcount, MPI_Datatype sendtype, const void *recvbuf,
			 MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	return scatter_of(
		coll_gather(recvbuf, recvcount, recvtype, sendcount, sendtype, root, comm));
}

struct coll coll_scatterv(struct counts sendcounts, MPI_Datatype sendtype, const void *recvbuf,
			  MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	return scatter_of(
		coll_gatherv(recvbuf, recvcount, recvtype, sendcounts, sendtype, root, comm));
}

struct coll coll_allgather(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
			   MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
	struct peers *p = peers_of_comm(comm);
	struct coll c = coll_of(TAU_COLL_ALLGATHER, p);
	uint64_t one;

	if (!p)
		return c;
	one = type_bytes(recvcount, recvtype);
	c.sent = sendbuf == MPI_IN_PLACE ? one : type_bytes(sendcount, sendtype);
	c.received = times(p->n, one);
	return c;
}

struct coll coll_allgatherv(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
			    struct counts recvcounts, MPI_Datatype recvtype, MPI_Comm comm)
{
	struct peers *p = peers_of_comm(comm);
	struct coll c = coll_of(TAU_COLL_ALLGATHER, p);

	if (!p)
		return c;
	c.sent = sendbuf == MPI_IN_PLACE ? type_bytes(count_of(recvcounts, p), recvtype)
					 : type_bytes(sendcount, sendtype);
	c.received = sum(p->n, recvcounts, recvtype, NULL);
	return c;
}

struct coll coll_alltoall(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
			  MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
	struct peers *p = peers_of_comm(comm);
	struct coll c = coll_of(TAU_COLL_ALLTOALL, p);

	if (!p)
		return c;
	c.received = times(p->n, type_bytes(recvcount, recvtype));
	c.sent =
		sendbuf == MPI_IN_PLACE ? c.received : times(p->n, type_bytes(sendcount, sendtype));
	return c;
}

struct coll coll_alltoallv(const void *sendbuf, struct counts sendcounts, MPI_Datatype sendtype,
			   struct counts recvcounts, MPI_Datatype recvtype, MPI_Comm comm)
{
	struct peers *p = peers_of_comm(comm);
	struct coll c = coll_of(TAU_COLL_ALLTOALL, p);

	if (!p)
		return c;
	c.received = sum(p->n, recvcounts, recvtype, NULL);
	c.sent = sendbuf == MPI_IN_PLACE ? c.received : sum(p->n, sendcounts, sendtype, NULL);
	return c;
}

struct coll coll_alltoallw(const void *sendbuf, struct counts sendcounts,
			   const MPI_Datatype *sendtypes, struct counts recvcounts,
			   const MPI_Datatype *recvtypes, MPI_Comm comm)
{
	struct peers *p = peers_of_comm(comm);
	struct coll c = coll_of(TAU_COLL_ALLTOALL, p);

	if (!p)
		return c;
	c.received = sum_typed(p->n, recvcounts, recvtypes, NULL);
	c.sent =
		sendbuf == MPI_IN_PLACE ? c.received : sum_typed(p->n, sendcounts, sendtypes, NULL);
	return c;
}

struct coll coll_reduce(MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm)
{
	struct peers *p = peers_of_comm(comm);
	struct coll c = coll_of(TAU_COLL_REDUCE, p);

	if (is_root(&c, p, root))
		c.received = type_bytes(count, type);
	if (c.kind < TAU_COLLS && root != MPI_ROOT)
		c.sent = type_bytes(count, type);
	return c;
}

struct coll coll_allreduce(MPI_Count count, MPI_Datatype type, MPI_Comm comm)
{
	struct coll c = coll_of(TAU_COLL_ALLREDUCE, peers_of_comm(comm));

	if (c.kind < TAU_COLLS)
		c.sent = c.received = type_bytes(count, type);
	return c;
}

struct coll coll_scan(MPI_Count count, MPI_Datatype type, MPI_Comm comm)
{
	struct coll c = coll_allreduce(count, type, comm);

	if (c.kind < TAU_COLLS)
		c.kind = TAU_COLL_SCAN;
	return c;
}

struct coll coll_exscan(MPI_Count count, MPI_Datatype type, MPI_Comm comm)
{
	struct peers *p = peers_of_comm(comm);
	struct coll c = coll_scan(count, type, comm);

	if (p && p->rank == 0)
		c.received = 0;
	return c;
}

struct coll coll_reduce_scatter(struct counts recvcounts, MPI_Datatype type, MPI_Comm comm)
{
	struct peers *p = peers_of_comm(comm);
	struct coll c = coll_of(TAU_COLL_REDUCE_SCATTER, p);

	if (!p)
		return c;
	c.sent = sum(p->size, recvcounts, type, NULL);
	c.received = type_bytes(count_of(recvcounts, p), type);
	return c;
}

struct coll coll_reduce_scatter_block(MPI_Count recvcount, MPI_Datatype type, MPI_Comm comm)
{
	struct peers *p = peers_of_comm(comm);
	struct coll c = coll_of(TAU_COLL_REDUCE_SCATTER, p);

	if (!p)
		return c;
	c.received = type_bytes(recvcount, type);
	c.sent = times(p->size, c.received);
	return c;
}

/* The entry of a communicator with a topology. */
static struct peers *neighbours_of(MPI_Comm comm)
{
	struct peers *p = peers_of_comm(comm);

	return p && peers_neighbours(p, comm) == 0 ? p : NULL;
}

struct coll coll_neighbor_allgather(MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
				    MPI_Datatype recvtype, MPI_Comm comm)
{
	struct peers *p = neighbours_of(comm);
	struct coll c = coll_of(TAU_COLL_ALLGATHER, p);

	if (!p)
		return c;
	c.sent = type_bytes(sendcount, sendtype);
	c.received = times(present(p->in_n, p->in), type_bytes(recvcount, recvtype));
	return c;
}

struct coll coll_neighbor_allgatherv(MPI_Count sendcount, MPI_Datatype sendtype,
				     struct counts recvcounts, MPI_Datatype recvtype, MPI_Comm comm)
{
	struct peers *p = neighbours_of(comm);
	struct coll c = coll_of(TAU_COLL_ALLGATHER, p);

	if (!p)
		return c;
	c.sent = type_bytes(sendcount, sendtype);
	c.received = sum(p->in_n, recvcounts, recvtype, p->in);
	return c;
}

struct coll coll_neighbor_alltoall(MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
				   MPI_Datatype recvtype, MPI_Comm comm)
{
	struct peers *p = neighbours_of(comm);
	struct coll c = coll_of(TAU_COLL_ALLTOALL, p);

	if (!p)
		return c;
	c.sent = times(present(p->out_n, p->out), type_bytes(sendcount, sendtype));
	c.received = times(present(p->in_n, p->in), type_bytes(recvcount, recvtype));
	return c;
}

struct coll coll_neighbor_alltoallv(struct counts sendcounts, MPI_Datatype sendtype,
				    struct counts recvcounts, MPI_Datatype recvtype, MPI_Comm comm)
{
	struct peers *p = neighbours_of(comm);
	struct coll c = coll_of(TAU_COLL_ALLTOALL, p);

	if (!p)
		return c;
	c.sent = sum(p->out_n, sendcounts, sendtype, p->out);
	c.received = sum(p->in_n, recvcounts, recvtype, p->in);
	return c;
}

struct coll coll_neighbor_alltoallw(struct counts sendcounts, const MPI_Datatype *sendtypes,
				    struct counts recvcounts, const MPI_Datatype *recvtypes,
				    MPI_Comm comm)
{
	struct peers *p = neighbours_of(comm);
	struct coll c = coll_of(TAU_COLL_ALLTOALL, p);

	if (!p)
		return c;
	c.sent = sum_typed(p->out_n, sendcounts, sendtypes, p->out);
	c.received = sum_typed(p->in_n, recvcounts, recvtypes, p->in);
	return c;
}
