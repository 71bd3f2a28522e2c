/* ring.c COUNT: each rank does a little work and passes 8 bytes on to the next, COUNT times. */
#include <mpi.h>

#include <stdlib.h>

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 100000;
	double mine = 1, other = 0;
	int rank, ranks;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (long i = 0; i < n; i++) {
		MPI_Sendrecv(&mine, 1, MPI_DOUBLE, (rank + 1) % ranks, 0, &other, 1, MPI_DOUBLE, (rank + ranks - 1) % ranks, 0,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (int k = 0; k < 100; k++)
			mine = mine * 0.999 + other * 1e-3;
	}
	MPI_Finalize();
	return 0;
}
