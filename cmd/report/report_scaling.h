/* report_scaling.h: what the table and the picture of tau-report scaling share. */
#ifndef REPORT_SCALING_H
#define REPORT_SCALING_H

#include "analyze/compare/speedup.h"
#include "cmd/report/compared_runs.h"

struct scaling_shown {
	const struct report_options *o;
	const struct report_runs *r;
	struct compared c;
	struct speedup s;
	double *predict; /* numbers of PEs, ascending */
	size_t predict_n;
};

/* What is counted: "PE", "PEs", "thread" or "threads". */
const char *scaling_unit(const struct scaling_shown *x, double n);
/* Appends to a string; both are freed. */
char *scaling_append(char *s, char *more);
/* "2, 8, 32 PEs" or "1, 2, 4 threads"; to be freed. */
char *scaling_counts(const struct scaling_shown *x);
/* "MPI_Send() on 8 and 16, f on 32": the largest region by count; to be freed. */
char *scaling_largest(const struct scaling_shown *x);
/* A sentence about the region that dominates next; to be freed. NULL: nothing is known. */
char *scaling_next(const struct scaling_shown *x);

void scaling_chart(const struct scaling_shown *x, FILE *f);

#endif
