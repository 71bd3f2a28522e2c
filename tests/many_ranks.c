/*
 * many_ranks.c: many_ranks RUN RANKS [STEPS [hang]]: writes the trace of a made-up MPI program, for tests of reports about
 * large jobs. Each step of a rank computes, exchanges messages with its neighbours in a ring and in a row of 16,
 * and sums with all. Ranks have unequal work: it grows with the rank within each node of 32. One rank is slow in one step.
 * hang: at the end half of the ranks wait in MPI_Allreduce, the others for a message of the next one, and the last one computes.
 */
#include <sys/stat.h>

#include "tests/trace_writer.h"

static const char *const region[][2] = {
	{"main", "TAU_USER"},	     {"assemble", "TAU_USER"},	 {"solve", "TAU_USER"},
	{"precondition", "TAU_USER"}, {"exchange", "TAU_USER"},	 {"write_checkpoint", "IO"},
	{"MPI_Init()", "MPI"},	     {"MPI_Isend()", "MPI"},	 {"MPI_Recv()", "MPI"},
	{"MPI_Waitall()", "MPI"},     {"MPI_Allreduce()", "MPI"}, {"MPI_Finalize()", "MPI"},
	{"write()", "IO"},
};
enum { MAIN, ASSEMBLE, SOLVE, PRECONDITION, EXCHANGE, CHECKPOINT, INIT, ISEND, RECV, WAITALL, ALLREDUCE, FINALIZE, WRITE };
enum { QUEUE = 1, FILE_NAME, HEAP };

#define START 1000000
#define STEP  1500000

struct job {
	int ranks, steps, hang;
};

static void message(struct writer *w, uint64_t at, unsigned kind, int peer, uint64_t bytes)
{
	struct buffer f = {0};

	put_zigzag(&f, peer);
	put_zigzag(&f, 7);
	put_varint(&f, 0);
	put_varint(&f, bytes);
	writer_extended(w, at, kind, &f);
}

static void sum_with_all(struct writer *w, uint64_t at)
{
	struct buffer f = {0};

	put_varint(&f, TAU_COLL_ALLREDUCE);
	put_varint(&f, 0);
	put_zigzag(&f, -1);
	put_varint(&f, 8);
	put_varint(&f, 8);
	writer_extended(w, at, TAU_REC_COLL, &f);
}

static void checkpoint(struct writer *w, uint64_t at, uint64_t bytes)
{
	struct buffer f = {0};

	writer_enter(w, at, CHECKPOINT);
	writer_enter(w, at + 1000, WRITE);
	put_varint(&f, TAU_IO_WRITE);
	put_varint(&f, FILE_NAME);
	put_varint(&f, bytes);
	put_varint(&f, 20000);
	writer_extended(w, at + 21000, TAU_REC_IO, &f);
	writer_leave(w, at + 22000);
	writer_leave(w, at + 23000);
}

/* What a rank computes in a step: 0.3 to 0.6 ms, one of them in one step 0.3 ms more. */
static uint64_t work(const struct job *j, int rank, int step)
{
	uint64_t noise = ((uint64_t)rank * 7919 + (uint64_t)step * 104729) % 9973;

	return 300000 + (uint64_t)(rank % 32) * 8000 + noise +
	       (rank == j->ranks / 3 && step == j->steps / 2 ? 300000 : 0);
}

static void exchange(struct writer *w, const struct job *j, int rank, uint64_t at)
{
	int peer[4] = {(rank + 1) % j->ranks, (rank + j->ranks - 1) % j->ranks, (rank + 16) % j->ranks,
		       (rank + j->ranks - 16 % j->ranks) % j->ranks};

	writer_enter(w, at, EXCHANGE);
	for (int i = 0; i < 4; i++, at += 2000) {
		writer_enter(w, at + 500, ISEND);
		message(w, at + 700, TAU_REC_SEND, peer[i], i < 2 ? 65536 : 1024);
		writer_leave(w, at + 1500);
	}
	for (int i = 0; i < 4; i++, at += 2000) {
		writer_enter(w, at + 500, RECV);
		message(w, at + 1400, TAU_REC_RECV, peer[i ^ 1], i < 2 ? 65536 : 1024);
		writer_leave(w, at + 1500);
	}
	writer_enter(w, at, WAITALL);
	writer_leave(w, at + 1000);
	writer_leave(w, at + 2000);
}

static void step(struct writer *w, const struct job *j, int rank, int number)
{
	uint64_t begin = START + (uint64_t)(number + 1) * STEP, end = begin + work(j, rank, number);

	writer_enter(w, begin, ASSEMBLE);
	writer_memory(w, begin + 100, TAU_REC_ALLOC, 1 + (uint32_t)(number % 3), 0, 4096 + (uint64_t)rank * 16);
	writer_leave(w, begin + 90000);
	writer_enter(w, begin + 90000, SOLVE);
	writer_value(w, begin + 91000, QUEUE, (double)(rank % 13 + number));
	writer_enter(w, begin + 120000, PRECONDITION);
	writer_leave(w, end - 20000);
	writer_leave(w, end);
	/* Everybody receives after the last of the neighbours has sent. */
	exchange(w, j, rank, begin + 1000000);
	writer_enter(w, begin + 1100000 + (uint64_t)(rank % 32) * 5000, ALLREDUCE);
	sum_with_all(w, begin + 1290000);
	writer_leave(w, begin + 1290000);
	if (number % 10 == 9)
		checkpoint(w, begin + 1300000, 1 << 20);
}

static void hang(struct writer *w, const struct job *j, int rank, uint64_t at)
{
	if (rank == j->ranks - 1)
		return;
	writer_enter(w, at, rank < j->ranks / 2 ? ALLREDUCE : RECV);
	writer_wait(w, at, TAU_WAIT_ALL, TAU_COLL_OTHER, 0, 7);
	if (rank < j->ranks / 2)
		writer_wait(w, at, TAU_WAIT_COLL, TAU_COLL_ALLREDUCE, -1, 7);
	else
		writer_wait(w, at, TAU_WAIT_RECEIVE, TAU_COLL_OTHER, rank + 1, 7);
}

static void write_rank(const char *run, const struct job *j, int rank)
{
	uint64_t end = START + (uint64_t)(j->steps + 1) * STEP;
	char path[512], text[64];
	struct writer w;

	snprintf(path, sizeof(path), "%s/%05d.tau", run, rank);
	writer_open(&w, path, 100 + (uint64_t)rank, 0, START, START);
	writer_rank(&w, (uint32_t)rank, (uint32_t)j->ranks);
	for (uint32_t i = 0; i < sizeof(region) / sizeof(*region); i++)
		writer_region(&w, i, region[i][0], region[i][1]);
	writer_event(&w, QUEUE, "length of the queue", 0);
	snprintf(text, sizeof(text), "/scratch/checkpoint.%05d", rank);
	writer_event(&w, FILE_NAME, text, 0);
	writer_memtype(&w, 1, 0, TAU_MEM_CLASS, "matrix", "");
	writer_memtype(&w, 2, 1, TAU_MEM_CLASS, "row_of_matrix", "");
	writer_memtype(&w, 3, 0, TAU_MEM_CLASS, "halo", "");
	snprintf(text, sizeof(text), "node%03d", rank / 32);
	writer_meta(&w, "Hostname", text);
	writer_enter(&w, START, MAIN);
	writer_enter(&w, START + 1000, INIT);
	writer_leave(&w, START + 900000);
	for (int i = 0; i < j->steps; i++)
		step(&w, j, rank, i);
	if (j->hang) {
		hang(&w, j, rank, end);
	} else {
		writer_enter(&w, end, FINALIZE);
		writer_leave(&w, end + 100000);
		writer_leave(&w, end + 101000);
	}
	writer_close(&w);
}

int main(int argc, char **argv)
{
	struct job j = {.ranks = argc > 2 ? atoi(argv[2]) : 0,
			.steps = argc > 3 ? atoi(argv[3]) : 40,
			.hang = argc > 4};

	if (j.ranks < 1 || j.steps < 0 || (mkdir(argv[1], 0777) && access(argv[1], W_OK))) {
		fputs("Usage: many_ranks RUN RANKS [STEPS [hang]]\n", stderr);
		return 2;
	}
	for (int r = 0; r < j.ranks; r++)
		write_rank(argv[1], &j, r);
	return 0;
}
