/* report_scaling.h: what tau-report scaling and breakdown share, and their pictures. */
#ifndef REPORT_SCALING_H
#define REPORT_SCALING_H

#include "analyze/compare/speedup.h"
#include "cmd/picture/stacked.h"
#include "cmd/report/runs/compared_runs.h"

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

/* The name of the axis of PEs or threads. */
const char *scaling_axis(const struct scaling_shown *x);

/* A number of PEs or threads for which fields are repeated: "4", "4 PEs". */
void scaling_each(const struct scaling_shown *x, double n, struct field_each *each);
/* The rank of columns of values between the first and the last number of PEs (table_field_spare()). */
int scaling_spare(size_t i);

/* The part of a row in sum[k]: its mean over all runs; a run without it counts as 0. NaN: all lack it. */
double scaling_part(const struct speedup *s, size_t row, size_t k);
/* Its largest share in the sum, over all k, from 0 to 1. */
double scaling_share_most(const struct speedup *s, size_t row);
/* The n rows that have a share, the one with the largest share at any number of PEs first; to be freed. */
size_t *scaling_by_share(const struct speedup *s, size_t *n);

/* Bars of the largest rows, at most one per colour, and of all others. s: where they are; it is released. */
void scaling_shares(const struct scaling_shown *x, struct stacked *s, FILE *f);

void scaling_chart(const struct scaling_shown *x, FILE *f);

#endif
