/* experiment_types.h: an experiment, its runs, and what is known of each. */
#ifndef EXPERIMENT_TYPES_H
#define EXPERIMENT_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/base/base.h"
#include "cmd/shared/shell_word.h"

enum {
	EXPERIMENT_SIZES = 1000,	/* at most */
	EXPERIMENT_REPEATS = 10000,
	EXPERIMENT_ID = 17,
};

struct experiment_variant {
	char *name, *value;	/* value: what {variant} is replaced by */
};

/* NULL or 0: not given. */
struct experiment {
	char *name;		/* of the trials, and of the directory */
	char *db;		/* the database */
	char *output;		/* the directory of the runs */
	char *record;		/* options of tau-record */
	char *sbatch;		/* options of sbatch; NULL: runs are started here */
	char *input;		/* a file that is the standard input of each run */
	struct shell_words command;
	long *size;
	size_t size_n, size_cap;
	struct experiment_variant *variant;
	size_t variant_n, variant_cap;
	long repeat, most;
	int64_t until;		/* in QUANTITY_ONE_PERCENT; 0: no interval is required */
	char *until_text;
	char id[EXPERIMENT_ID];	/* hexadecimal; "": not known yet */
};

enum run_state {
	RUN_TO_DO,
	RUN_SUBMITTED,	/* a job of Slurm */
	RUN_RECORDED,	/* its directory is complete */
	RUN_STORED,	/* it is a trial of the database */
	RUN_FAILED,	/* in this call of tau-experiment */
};

struct planned_run {
	char *name;	/* "old-n4-r2": also of its directory */
	size_t cell;
	long repeat;	/* from 1 */
	enum run_state state;
	int64_t trial;
	double span_ns;	/* from its first to its last event; NaN: unknown */
	int missing;	/* how often its job was not in the queue */
	char *why;	/* it failed; NULL: it did not */
};

/* One size of one variant. */
struct experiment_cell {
	long size;			/* 0: the experiment has no sizes */
	const struct experiment_variant *variant;	/* NULL: it has no variants */
};

struct run_plan {
	const struct experiment *x;
	struct experiment_cell *cell;
	size_t cell_n, cell_cap;
	struct planned_run *run;	/* in the order in which they are started */
	size_t run_n, run_cap;
};

#endif
