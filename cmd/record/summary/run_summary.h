/* run_summary.h: what tau-record prints when the last process of a run has ended. */
#ifndef RUN_SUMMARY_H
#define RUN_SUMMARY_H

#include "cmd/record/summary/overhead.h"
#include "cmd/record/launch/run_claim.h"
#include "cmd/record/options/sampling.h"
#include "convert/io/input.h"

/* A run of --alone, its CPU time, and the row of the caller in the table of this run. */
struct against {
	const char *run;
	uint64_t alone_ns;
	const struct run_place *place;
};

/* What the summary of a run takes. */
struct ended_run {
	struct input *run;
	const struct cpu_samples *samples; /* of this process's program, may be NULL */
	int estimate;                      /* print how large and slow a full trace would be */
	/* Only samples, and calls of the wrappers in `wrapped` (NULL: by what the program links), were to be
	 * recorded, NULL: more; if none came, the summary names what would give more. */
	const struct sampling *plain;
	const char *wrapped;
	const struct sampling *sampling; /* if samples were requested and none came, the summary has the reason */
	const char *selected;          /* the options that exclude regions, each after a blank, or "" */
	const struct against *against; /* the run without the recorder that gives the overhead, or NULL */
	uint64_t names_ns;             /* CPU time for names that are stored with the run, 0: none are */
};

/*
 * On stderr: what was recorded, what it cost, and what was dropped. The names of dropped regions become a selection
 * file in the run. It runs on a stack of its own size, because the program's limit (ulimit -s) is tau-record's too
 * and libdw needs more than a small one. Returns the overhead that it stated; all 0: none.
 */
struct overhead summary(const struct ended_run *of);

#endif
