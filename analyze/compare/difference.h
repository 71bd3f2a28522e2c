/*
 * difference.h: what changed between two runs, and the fewest rows that explain it.
 *
 *	change = after - before; of a row that one run lacks, that run has 0
 *	net    = sum of all changes			gross = sum of their absolute values
 *
 * The rows that explain are the fewest that leave at most 10 % of gross to all others: those with the largest absolute changes.
 * Net would do only where nothing cancels: +100 and -95 are a difference of 5, which one row alone exceeds 20 times.
 * Inclusive values of different rows contain each other and have no sums; these are of the exclusive values then.
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
	double explains;		/* of gross, exclusive values */
};

struct difference {
	struct difference_row *v;	/* largest absolute change first, equal ones by name */
	size_t v_n, v_cap;
	double before, after;		/* sums of exclusive values */
	double net, gross;
	size_t explaining;              /* number of rows, from the first, that explain */
	double explained;		/* what share of gross they are */
	double explained_net;		/* their sum */
};

/* Runs 0 and 1 of m. scale: what values of each run are multiplied with (1, or 1 / PEs). */
void difference_make(struct difference *d, const struct run_matrix *m, const double scale[2], int inclusive);
void difference_release(struct difference *d);

#endif
