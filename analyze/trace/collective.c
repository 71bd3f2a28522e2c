/*
 * collective.c: which processes wait for which in a collective operation (MPI 4.0, 6.14: what a
 * correct program may rely on).
 */
#include "analyze/trace/collective.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "analyze/trace/event.h"

static const struct {
	const char *name; /* in lower case; the name of a Fortran region may end with an
			   * additional _ */
	uint8_t op, order;
} known[] = {
	{"mpi_barrier", COLL_BARRIER, COLLECTIVE_ALL},
	{"mpi_allreduce", COLL_ALLREDUCE, COLLECTIVE_ALL},
	{"mpi_allgather", COLL_ALLGATHER, COLLECTIVE_ALL},
	{"mpi_alltoall", COLL_ALLTOALL, COLLECTIVE_ALL},
	{"mpi_reduce_scatter_block", COLL_REDUCE_SCATTER, COLLECTIVE_ALL},
	{"mpi_bcast", COLL_BROADCAST, COLLECTIVE_FROM_ROOT},
	{"mpi_scatter", COLL_SCATTER, COLLECTIVE_FROM_ROOT},
	{"mpi_reduce", COLL_REDUCE, COLLECTIVE_TO_ROOT},
	{"mpi_gather", COLL_GATHER, COLLECTIVE_TO_ROOT},
	{"shmem_barrier_all", COLL_BARRIER, COLLECTIVE_ALL},
	{"shmem_sync_all", COLL_BARRIER, COLLECTIVE_ALL},
};

/* Does the region's name begin with `name`? */
static int same(const char *region, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < n; i++)
		if (tolower((unsigned char)region[i]) != name[i])
			return 0;
	n += region[n] == '_';
	return !isalnum((unsigned char)region[n]) && region[n] != '_';
}

enum collective_order collective_order(const char *region, uint32_t op)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (known[i].op == op && same(region, known[i].name))
			return (enum collective_order)known[i].order;
	return COLLECTIVE_FREE;
}
