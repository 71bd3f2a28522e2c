/*
 * difference.h: what changed between two runs, and the smallest set of rows that explains it.
 *
 *	change = after - before; a row that one run lacks counts as 0 in that run
 *	net    = sum of all changes			gross = sum of their absolute values
 *
 * The rows that explain are the smallest set that leaves at most 10 % of gross to all others: those
 * with the largest absolute changes. A share of net would only work if no changes cancel each
 * other: +100 and -95 are a difference of 5, and one row alone is 20 times that. Inclusive values
 * of different rows overlap, so they have no sum; then these sums are of the exclusive values.
 */
#ifndef DIFFERENCE_H
#define DIFFERENCE_H

#include "analyze/compare/run_matrix.h"

#define DIFFERENCE_EXPLAINED 0.9

struct difference_row {
	size_t row;			/* of the matrix */
	double before, after;		/* NaN: that run lacks it */
	double change;
	double calls_before, calls_after;	/* likewise */
	double explains;		/* share of gross, by exclusive values */
};

struct difference {
	struct difference_row *v;	/* largest absolute change first, equal ones by name */
	size_t v_n, v_cap;
	double before, after;		/* sums of exclusive values */
	double net, gross;
	size_t explaining;              /* the first rows, this many, explain */
	double explained;		/* their share of gross */
	double explained_net;		/* their sum */
};

/*
 * Runs 0 and 1 of m. scale: factors for the values of each run (1, or 1 / PEs). Release d; m must
 * stay.
 */
void difference_make(struct difference *d, const struct run_matrix *m, const double scale[2], int inclusive);
void difference_release(struct difference *d);

#endif
