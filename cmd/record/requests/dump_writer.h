/* dump_writer.h: profiles and snapshots that a program requested while it runs, made from the trace. */
#ifndef DUMP_WRITER_H
#define DUMP_WRITER_H

#include "convert/native/live/dump_request.h"
#include "convert/tau/snapshot.h"

/* A file snapshot.N.C.T of this run. */
struct dump_series {
	uint64_t process_id;
	int32_t thread;
	char *path;
	struct snapshot_series has;
};

/* What is read of a process for good: each request reads on from there, so that its cost does not grow with the run. */
struct dump_sum {
	uint64_t process_id;
	struct profile *profile;	/* of everything before: */
	uint64_t tick;
};

struct dump_writer {
	char *run;		/* its directory */
	int verbose;		/* print how many events each batch of requests read */
	struct dump_sum *sum;
	size_t sum_n, sum_cap;
	int32_t node;		/* of a process whose rank is unknown */
	struct dump_series **series;
	size_t series_n, series_cap;
};

/*
 * Writes the files of n requests of one process. One that a later one would replace at once is not written. Problems are printed, each with
 * the program's name in front.
 */
void dump_write(struct dump_writer *w, const struct dump_request *d, size_t n);
void dump_writer_release(struct dump_writer *w);

#endif
