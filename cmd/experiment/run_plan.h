/* run_plan.h: the runs of an experiment, in the order in which they are started, and which of them are complete. */
#ifndef RUN_PLAN_H
#define RUN_PLAN_H

#include "cmd/experiment/experiment_types.h"

/* Adds the cells and the rounds that each of them has: round r has the r-th run of each cell. */
void run_plan_make(struct run_plan *p, const struct experiment *x);
void run_plan_release(struct run_plan *p);

/* Adds a run of a cell. Returns its index. */
size_t run_plan_add(struct run_plan *p, size_t cell, long repeat);
/* The cell that is number i of n in a round: every second round has the opposite order, so that slow changes of the machine are alike for all. */
size_t run_plan_cell(const struct run_plan *p, long round, size_t i);

/* Paths in the directory of the experiment, which are to be freed: of a run with an ending such as ".log". */
char *run_path(const struct experiment *x, const struct planned_run *r, const char *ending);
/* Sets the state of the runs whose directories are complete, and adds such runs of later rounds. */
void run_plan_resume(struct run_plan *p);

/* The number of runs of a cell in this state. */
size_t run_plan_count(const struct run_plan *p, size_t cell, enum run_state state);
/* "4 PEs, new" for sentences; "" if there is one cell. To be freed. */
char *cell_words(const struct experiment_cell *c);

#endif
