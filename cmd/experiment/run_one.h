/* run_one.h: records one run of an experiment, into a directory that gets its name when the run is complete. */
#ifndef RUN_ONE_H
#define RUN_ONE_H

#include "cmd/experiment/experiment_types.h"
#include "cmd/experiment/run_child.h"
#include "cmd/experiment/run_facts.h"

/* What all runs share. */
struct run_all {
	struct run_plan *p;
	struct run_signals signals;
	struct progress progress;
	struct program_facts *facts;	/* by variant; one without variants */
	char *recorder;			/* path of tau-record */
	struct shell_words record;	/* its options */
};

/* Finds tau-record, and tries the options of --record. ERROR_USAGE: it refuses them. */
int run_all_begin(struct run_all *a, struct run_plan *p, struct error *e);
void run_all_end(struct run_all *a);

/* The command of a run, with what tau-record is replaced by. directory: of its trace. Variables that are set come first. */
int run_command(const struct run_all *a, const struct planned_run *r, const char *directory, struct shell_words *out,
		struct error *e);

/*
 * Runs it. Its state becomes RUN_RECORDED or RUN_FAILED; it stays RUN_TO_DO if a signal ended it. words: for the line of progress.
 * ERROR_SYSTEM: files cannot be written.
 */
int run_one(struct run_all *a, struct planned_run *r, const char *words, struct error *e);

/* Removes what runs that were interrupted left. */
void run_sweep(const struct run_all *a);

#endif
