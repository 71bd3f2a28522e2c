/*
 * speedup.h: time, speedup and efficiency of runs and regions over the number of PEs.
 *
 * n is the number of PEs, or of threads if all runs have the same number of PEs; n0 is the smallest
 * n. Of a run, T(n) is the largest inclusive value of a thread; of a region, T(n) is its exclusive
 * value over all threads, divided by n. Runs with equal n are repetitions, and their mean is used;
 * a run that lacks the region is not part of a mean (missing is not zero).
 *
 *			strong scaling		weak scaling
 *	efficiency	T(n0) n0 / (n T(n))	T(n0) / T(n)
 *	speedup		efficiency x n / n0, in both (PerfExplorer's "relative" speedup and efficiency)
 *
 * Strong scaling is detected as in Extra-P 4.2 (check_for_strong_scaling): the sum of all regions
 * per PE decreases at every step from the smallest to the largest n. Otherwise scaling is weak. Unlike in
 * Extra-P, calls that begin or end a runtime and the recorder are excluded from this sum (run_column.setup): they
 * grow with n, whatever the program does, and are most of a short run. Communication grows with n, too, above all where
 * PEs share cores: scaling is also strong if the sum outside of MPI, OpenSHMEM and GASPI falls from the smallest to the
 * largest n by at least the square root of the ideal, T(n) <= T(n0) sqrt(n0 / n), halfway between the two laws.
 *
 * Models are those of scaling.h, with negative exponents for values that decrease. With 3 values of
 * n, a region that decreases gets the assumed law c + a / P. The region that dominates next is the
 * first one whose model exceeds that of the largest region beyond the runs, up to SPEEDUP_REACH
 * times the largest n; regions without a model cannot be compared.
 */
#ifndef SPEEDUP_H
#define SPEEDUP_H

#include "analyze/compare/run_matrix.h"
#include "analyze/scaling/scaling.h"

#define SPEEDUP_REACH 1024

enum speedup_law { SPEEDUP_WEAK, SPEEDUP_STRONG };

struct speedup_row {
	size_t row;		/* of the matrix */
	double *per;		/* by n: mean value per PE; NaN: no run has it */
	struct scaling_point *point;	/* of the runs that have the row */
	size_t point_n;
	struct scaling_model model;
	int modelled;		/* the model is credible, or assumed */
	int assumed;
};

struct speedup {
	int of_threads;		/* n counts threads */
	double *p;		/* distinct n, ascending */
	size_t p_n;
	size_t *runs;		/* by n */
	double *time;		/* by n: T of the runs */
	double *sum;		/* by n: sum of all regions, per PE */
	double *setup;		/* by n: the part of it that is excluded from the detection */
	double *work;		/* by n: the part outside of communication */
	size_t *largest;	/* by n: the row with the largest value */
	enum speedup_law law, detected;
	int by_work;		/* strong because of work[] alone */
	struct speedup_row *row;	/* sorted: largest value at the largest n first */
	size_t row_n, row_cap;
	size_t next;		/* the row that dominates next; SIZE_MAX: none */
	double next_from;	/* from this n on */
	double unmodelled;	/* share of the sum at the largest n that is in rows without a
				 * model */
};

/*
 * Computes all of s from the runs of m, which must stay. inclusive: values of rows are inclusive. Then they overlap, so that none
 * dominates next, and sums are still those of exclusive values. Release s.
 */
void speedup_make(struct speedup *s, const struct run_matrix *m, int inclusive);
void speedup_release(struct speedup *s);

/* The sum at p[k] that decides whether scaling is strong. */
static inline double speedup_program(const struct speedup *s, size_t k)
{
	return s->sum[k] - s->setup[k];
}

/* Efficiency and speedup at p[k], from the values at n0 (`first`) and at p[k]. */
double speedup_efficiency(const struct speedup *s, double first, double value, size_t k);
double speedup_ratio(const struct speedup *s, double first, double value, size_t k);

#endif
