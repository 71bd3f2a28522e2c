/*
 * tau_runs.h: where the records of one stream are in a file that contains those of several streams, so
 * that a cursor reads its own records only. In a merged trace of 1,000 ranks that is one in 1,000.
 *
 * A run is a number of records of the stream that follow each other. Stored are, for each run, the
 * number of records of other streams before it and its length, as varints: 2 to 3 bytes for a run.
 */
#ifndef TAU_RUNS_H
#define TAU_RUNS_H

#include "analyze/base/base.h"

/* Records [first, first + n) of the file. */
struct trc_run_of {
	uint64_t first, n;
};

struct trc_runs {
	unsigned char *byte; /* all runs but the last */
	size_t byte_n, byte_cap;
	uint64_t stored; /* the end of the last run in `byte` */
	struct trc_run_of last;
};

/* A position between runs; zero is the begin. */
struct trc_walk {
	size_t at;
	uint64_t end;
	int after_last;
};

/* Appends the record `at` of the file. Numbers rise. */
void trc_runs_add(struct trc_runs *r, uint64_t at);
/* The next run; 0: there is none, and *out is of 0 records. */
int trc_runs_next(const struct trc_runs *r, struct trc_walk *w, struct trc_run_of *out);
void trc_runs_release(struct trc_runs *r);

#endif
