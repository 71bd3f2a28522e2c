/* collective.h: which processes wait for which in a collective operation. */
#ifndef COLLECTIVE_H
#define COLLECTIVE_H

#include <stdint.h>

enum collective_order {
	COLLECTIVE_FREE,	/* no process waits for another one, or it is unknown */
	COLLECTIVE_ALL,		/* no process leaves before all have entered: a barrier, an
				 * allreduce */
	COLLECTIVE_FROM_ROOT,	/* no process leaves before the root has entered: a broadcast, a
				 * scatter */
	COLLECTIVE_TO_ROOT,	/* the root does not leave before all have entered: a reduce, a
				 * gather */
};

/*
 * The order of an operation, from the name of the region that calls it and the operation op (enum
 * event_coll). Calls that only begin an operation, calls that wait for one, and operations in which
 * a process may send and receive nothing (MPI_Alltoallv) are COLLECTIVE_FREE.
 */
enum collective_order collective_order(const char *region, uint32_t op);

#endif
