/*
 * transport.h: the few MPI operations that ranks.c requires, as a table in libtaumpi.so, so that
 * the programs are linked without MPI. The library is loaded if a launcher has started several
 * processes.
 *
 * All ranks call agree() and bcast() in the same order. A waiting rank sleeps between two checks,
 * so that other ranks can use its core. An error inside MPI, or the death of a rank, ends the job
 * with MPI's own message.
 */
#ifndef TRANSPORT_H
#define TRANSPORT_H

#include <stddef.h>

#define TRANSPORT_SYMBOL "tau_mpi_transport"
#define TRANSPORT_VERSION 1

struct transport {
	int version;
	/* MPI_Init, and the rank of this process in MPI_COMM_WORLD. 0, or -1: MPI cannot start. */
	int (*begin)(unsigned *rank, unsigned *size);
	void (*end)(void);	/* MPI_Finalize: returns when all ranks have called it */
	/*
	 * Agrees on the code of the lowest rank with a negative code; if there is none, of the
	 * lowest rank with a positive code. Returns that rank, with its code in *code; the number
	 * of ranks and 0 if all codes are 0.
	 */
	unsigned (*agree)(int *code);
	void (*bcast)(unsigned root, void *bytes, size_t n);
	void (*send)(unsigned to, const void *bytes, size_t n);
	void (*receive)(unsigned from, void *bytes, size_t n);
};

#endif
