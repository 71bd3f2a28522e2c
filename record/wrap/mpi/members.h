/* members.h: the world ranks of the members of groups, communicators and windows. */
#ifndef TAU_WRAP_MPI_MEMBERS_H
#define TAU_WRAP_MPI_MEMBERS_H

#include "wrap.h"

/*
 * World ranks of the n members of a group, into world[]: ranks of MPI_COMM_WORLD, after those of earlier worlds in a process that
 * MPI_Comm_spawn() started; -1 for a process outside of MPI_COMM_WORLD. O(n) for most groups.
 */
void members_translate(MPI_Group group, int n, int *world);

/*
 * A number of the members of a communicator and their order, the same in all of them; of an intercommunicator: of both groups, the
 * same in both. 0: there is no memory, or MPI refuses. O(members).
 */
uint64_t members_number(MPI_Comm comm);

/* One number made of two; never 0. */
static inline uint64_t members_mix(uint64_t a, uint64_t b)
{
	uint64_t h = (a ^ (b * 0x9e3779b97f4a7c15u + 0x165667b19e3779f9u + (a << 6) + (a >> 2))) *
		     0xc2b2ae3d27d4eb4fu;

	h ^= h >> 29;
	return h ? h : 1;
}

#endif
