/* collective.h: who waits for whom in a collective operation. */
#ifndef COLLECTIVE_H
#define COLLECTIVE_H

#include <stdint.h>

enum collective_order {
	COLLECTIVE_FREE,	/* nobody, or it cannot be told */
	COLLECTIVE_ALL,		/* nobody leaves before everybody is in it: a barrier, an allreduce */
	COLLECTIVE_FROM_ROOT,	/* nobody leaves before the root is in it: a broadcast, a scatter */
	COLLECTIVE_TO_ROOT,	/* the root does not leave before everybody is in it: a reduce, a gather */
};

/*
 * By the name of the region that the call is and the operation (enum event_coll) that it stands for. Calls that only begin an
 * operation, or wait for one, and those in which some may have nothing to give or to get (MPI_Alltoallv), are free.
 */
enum collective_order collective_order(const char *region, uint32_t op);

#endif
