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

/*
 * On stderr: what was recorded, what it cost, and what was dropped. The names of dropped regions become a selection
 * file in the run. samples: of this process's program, may be NULL. estimate: prints instead how large and slow a full trace
 * would be. plain: only samples, and calls of the wrappers in `wrapped` (NULL: by what the program links), were to be recorded, NULL: more;
 * if none came, the summary names what would give more. selected: the options that exclude regions, each after a blank, or "".
 * against: the run without the recorder that gives the overhead, NULL: none.
 * names_ns: CPU time for the names of samples that are stored with the run, 0: none are stored.
 * Returns the overhead that it stated; all 0: none.
 */
struct overhead summary(struct input *run, const struct cpu_samples *samples, int estimate,
			const struct sampling *plain, const char *wrapped,
			const char *selected, const struct against *against, uint64_t names_ns);

#endif
