/* transport.c: the operations of transport.h on Open MPI; built with mpicc into libtaumpi.so. */
#include "convert/mpi/transport.h"

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

#define PIECE    (1 << 28) /* limit, because MPI counts in int */
#define NAP_NS   50000     /* first interval between two checks */
#define NAP_MOST 2000000

static void wait_for(MPI_Request *request)
{
	struct timespec nap = {0, NAP_NS};
	int done = 0;

	for (MPI_Test(request, &done, MPI_STATUS_IGNORE); !done;
	     MPI_Test(request, &done, MPI_STATUS_IGNORE)) {
		nanosleep(&nap, NULL);
		nap.tv_nsec = nap.tv_nsec * 3 / 2 < NAP_MOST ? nap.tv_nsec * 3 / 2 : NAP_MOST;
	}
}

static int begin(unsigned *rank, unsigned *size)
{
	int provided, r, n;

	/* reading uses threads, but only the main thread calls MPI */
	if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
		return -1;
	MPI_Comm_rank(MPI_COMM_WORLD, &r);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	*rank = (unsigned)r;
	*size = (unsigned)n;
	return 0;
}

static void end(void)
{
	MPI_Request request;

	/* MPI_Finalize waits without sleeping: enter it together */
	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	wait_for(&request);
	MPI_Finalize();
}

static unsigned agree(int *code)
{
	struct {
		int key, code; /* MPI_2INT: the smallest key wins */
	} mine = {.code = *code}, first;
	MPI_Request request;
	int rank, n;

	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	mine.key = *code < 0 ? rank : *code ? n + rank : 2 * n;
	MPI_Iallreduce(&mine, &first, 1, MPI_2INT, MPI_MINLOC, MPI_COMM_WORLD, &request);
	wait_for(&request);
	*code = first.code;
	return (unsigned)(first.key == 2 * n ? n : first.key % n);
}

static void bcast(unsigned root, void *bytes, size_t n)
{
	for (char *p = bytes; n;) {
		int piece = n < PIECE ? (int)n : PIECE;
		MPI_Request request;

		MPI_Ibcast(p, piece, MPI_BYTE, (int)root, MPI_COMM_WORLD, &request);
		wait_for(&request);
		p += piece;
		n -= (size_t)piece;
	}
}

static void send(unsigned to, const void *bytes, size_t n)
{
	for (const char *p = bytes; n;) {
		int piece = n < PIECE ? (int)n : PIECE;
		MPI_Request request;

		MPI_Isend(p, piece, MPI_BYTE, (int)to, 0, MPI_COMM_WORLD, &request);
		wait_for(&request);
		p += piece;
		n -= (size_t)piece;
	}
}

static void receive(unsigned from, void *bytes, size_t n)
{
	for (char *p = bytes; n;) {
		int piece = n < PIECE ? (int)n : PIECE;
		MPI_Request request;

		MPI_Irecv(p, piece, MPI_BYTE, (int)from, 0, MPI_COMM_WORLD, &request);
		wait_for(&request);
		p += piece;
		n -= (size_t)piece;
	}
}

extern const struct transport tau_mpi_transport;
const struct transport tau_mpi_transport __attribute__((visibility("default"))) = {
	TRANSPORT_VERSION, begin, end, agree, bcast, send, receive,
};
