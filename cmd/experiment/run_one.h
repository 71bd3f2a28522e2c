/* run_one.h: records one run of an experiment, into a directory that gets its name when the run is complete. */
#ifndef RUN_ONE_H
#define RUN_ONE_H

#include "cmd/experiment/experiment_types.h"
#include "cmd/experiment/run_child.h"
#include "cmd/experiment/run_facts.h"

/* Directories of runs that have not ended: the begin of their names, which no run's name has, and the end of those of jobs. */
#define RUN_PART     ".part-"
#define RUN_PART_JOB ".job"
/* What a run has beside its directory: its output, and what it recorded before it failed. */
#define RUN_LOG  ".log"
#define RUN_KEPT ".failed"

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

/* The log of a run begins with its command. */
int run_log_begin(const struct experiment *x, const struct planned_run *r, const struct shell_words *command, struct error *e);
/*
 * A run has ended with this wait status, after this time: its directory `part` gets its name, and its state becomes RUN_RECORDED or
 * RUN_FAILED. ERROR_SYSTEM: files cannot be written.
 */
int run_end(struct run_all *a, struct planned_run *r, const char *part, int status, double seconds, struct error *e);
/* Gives the directory of a run that is RUN_RECORDED or RUN_FAILED its name. */
int run_rename(const struct run_all *a, const struct planned_run *r, const char *part, struct error *e);

/* Removes what runs that were interrupted left. */
void run_sweep(const struct run_all *a);

#endif
