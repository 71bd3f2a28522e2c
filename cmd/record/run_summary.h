/* run_summary.h: what tau-record prints when the last process of a run has ended. */
#ifndef RUN_SUMMARY_H
#define RUN_SUMMARY_H

#include "cmd/record/overhead.h"

/*
 * On stderr: what was recorded, what it cost, and what was dropped. The names of dropped regions become a selection
 * file in the run. samples: of this process's program, may be NULL. estimate: prints instead how large and slow a full trace
 * would be. plain: only calls were to be recorded, those of the wrappers in `wrapped` (NULL: by what the program links); if none
 * came, the summary names what would give more. selected: the options that exclude regions, each after a blank, or "".
 * Returns the overhead that it stated; all 0: none.
 */
struct overhead summary(const char *directory, const struct cpu_samples *samples, int estimate, int plain,
	     const char *wrapped, const char *selected);

#endif
