/* conclude.h: what an experiment ends with: a table of its runs, and the reports of tau-report about them. */
#ifndef CONCLUDE_H
#define CONCLUDE_H

#include "cmd/experiment/run_one.h"
#include "cmd/table/table.h"

/* Prints the plan: each run, its state and its command. */
int conclude_plan(const struct run_all *a, enum table_format format, struct error *e);
/* Prints the times of sizes and variants and, as text, the reports; with the other formats only the table. */
int conclude(struct run_all *a, enum table_format format, struct error *e);
/* Prints the runs that failed on standard error. Returns their number. */
size_t conclude_failed(const struct run_all *a);

#endif
