/*
 * transport.h: what libtaumpi.so offers: the few MPI operations that ranks.c needs, behind one table, so that the programs
 * are linked without MPI. The library is loaded when a launcher has started several processes.
 *
 * All ranks call agree() and bcast() in the same order. Waiting sleeps between two looks: a rank that waits leaves its core to
 * others. An error inside MPI, or the death of a rank, ends the job with MPI's own message.
 */
#ifndef TRANSPORT_H
#define TRANSPORT_H

#include <stddef.h>

#define TRANSPORT_SYMBOL "tau_mpi_transport"
#define TRANSPORT_VERSION 1

struct transport {
	int version;
	/* MPI_Init and the place of this process in MPI_COMM_WORLD. 0, or -1 when MPI cannot start. */
	int (*begin)(unsigned *rank, unsigned *size);
	void (*end)(void);	/* MPI_Finalize: returns when all ranks have come to it */
	/*
	 * The code of the lowest rank whose code is negative; without one, of the lowest rank whose code is positive. Returns that rank and
	 * puts its code into *code; the number of ranks and 0 when all codes are 0.
	 */
	unsigned (*agree)(int *code);
	void (*bcast)(unsigned root, void *bytes, size_t n);
	void (*send)(unsigned to, const void *bytes, size_t n);
	void (*receive)(unsigned from, void *bytes, size_t n);
};

#endif
