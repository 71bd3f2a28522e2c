/*
 * pingpong.c BLOCKS: throws 8 bytes to and fro with MPI_Send and MPI_Recv, between two ranks or, where there is one, with itself.
 * Prints what a call takes, in ns, first through the functions that libmpi itself holds, then through those that the program
 * finds, which may be wrapped; and last what a reading of the clock takes. Blocks of the kinds take turns, and the quickest of
 * each counts: others want the machine, too.
 *
 * One rank waits for no other, and its blocks are long: CPU time, chunks that are filled and stored included. Two ranks are
 * in each other's hands: a block is short, so that some go undisturbed, and the time is what passes. A rank that waits asks
 * again and again, so that it is CPU time, too. There a round is two calls in each rank.
 */
#include <mpi.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LONG_BLOCK 100000
#define SHORT_BLOCK 1000

struct calls {
	int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm);
	int (*receive)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *);
};

static double now(int ranks)
{
	struct timespec t;

	clock_gettime(ranks == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

#if defined(__x86_64__)
#define read_clock() __builtin_ia32_rdtsc()
#else
#define read_clock() 0
#endif

/* ns that one reading of the time stamp counter takes, of many on end. */
static double clock_block(void)
{
	volatile unsigned long long sink;
	unsigned long long sum = 0;
	double begin = now(1);

	for (int k = 0; k < LONG_BLOCK; k++)
		sum += read_clock();
	sink = sum;
	(void)sink;
	return (now(1) - begin) / LONG_BLOCK;
}

/* ns a call */
static double block(const struct calls *c, int rank, int ranks)
{
	int n = ranks == 1 ? LONG_BLOCK : SHORT_BLOCK, other = ranks - 1 - rank;
	double ball = 0, begin;

	MPI_Barrier(MPI_COMM_WORLD);
	begin = now(ranks);
	for (int k = 0; k < n; k++) {
		if (rank == 0)
			c->send(&ball, 8, MPI_BYTE, other, 1, MPI_COMM_WORLD);
		c->receive(&ball, 8, MPI_BYTE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank == 1)
			c->send(&ball, 8, MPI_BYTE, other, 1, MPI_COMM_WORLD);
	}
	return (now(ranks) - begin) / (2 * n);
}

int main(int argc, char **argv)
{
	int blocks = argc > 1 ? atoi(argv[1]) : 20, rank, ranks;
	void *library = dlopen(MPI_LIBRARY, RTLD_LAZY);
	struct calls calls[2] = {{NULL, NULL}, {MPI_Send, MPI_Recv}};
	double least[2] = {1e300, 1e300}, clock = 1e300;

	*(void **)&calls[0].send = library ? dlsym(library, "MPI_Send") : NULL;
	*(void **)&calls[0].receive = library ? dlsym(library, "MPI_Recv") : NULL;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (ranks > 2 || !calls[0].send || !calls[0].receive)
		MPI_Abort(MPI_COMM_WORLD, 1);
	for (int i = 0; i < 2 * blocks; i++) {
		double took = block(&calls[i % 2], rank, ranks);

		if (took < least[i % 2])
			least[i % 2] = took;
		took = rank == 0 ? clock_block() : clock;
		clock = took < clock ? took : clock;
	}
	if (rank == 0)
		printf("%.2f %.2f %.2f\n", least[0], least[1], clock);
	MPI_Finalize();
	return 0;
}
