/* ranks.h: for tests that write a trace rank by rank, with trace_writer.h, and read it. */
#ifndef TESTS_RANKS_H
#define TESTS_RANKS_H

#include <stdio.h>
#include <sys/stat.h>

#include "convert/formats.h"
#include "trace_writer.h"

/* A run of its own in `dir`, as write_rank() writes it; NULL: it does not open, and the test's output has the reason. */
static struct trace *run_open(const char *dir, int ranks, void (*write_rank)(const char *run, int rank))
{
	static int n;
	struct error e = {0};
	struct trace *t = NULL;
	char run[64];

	snprintf(run, sizeof(run), "%s/%d", dir, n++);
	mkdir(run, 0700);
	for (int r = 0; r < ranks; r++)
		write_rank(run, r);
	if (trace_open(run, &t, &e))
		printf("# %s\n", e.text);
	return t;
}

/* Begins the file of one of n ranks. Its regions are in no group up to number `mpi`, and of MPI from there on. */
static inline void rank_file_open(struct writer *w, const char *run, int rank, int n, int64_t begin, const char *const *region,
			     size_t regions, size_t mpi)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%d.tau", run, rank);
	writer_open(w, path, 100 + (uint64_t)rank, 0, (uint64_t)begin, (uint64_t)begin);
	w->limit = 16;
	writer_rank(w, (uint32_t)rank, (uint32_t)n);
	for (size_t i = 0; i < regions; i++)
		writer_region(w, (uint32_t)i, region[i], i < mpi ? "" : "MPI");
}

/* A message of 64 bytes with tag 5 in communicator 0: kind TAU_REC_SEND or TAU_REC_RECV. */
__attribute__((unused)) static void writer_message(struct writer *w, int64_t tick, unsigned kind, int peer)
{
	struct buffer f = {0};

	put_zigzag(&f, peer);
	put_zigzag(&f, 5);
	put_varint(&f, 0);
	put_varint(&f, 64);
	writer_extended(w, (uint64_t)tick, kind, &f);
}

#endif
