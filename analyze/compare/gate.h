/*
 * gate.h: decides whether a program has become slower by more than a gate: PASS, FAIL or
 * INCONCLUSIVE, for the whole program and for many regions.
 *
 * With gate g (0.03) and the result of two_samples.h:
 *
 *	PASS		the whole 95 % interval is below g
 *	FAIL		otherwise, if the change is at least g / 2 and more than noise: p <= 0.05, two-sided, and the change is to more
 *	INCONCLUSIVE	otherwise, and wherever there are fewer than 2 runs on a side
 *
 * To require an estimate of at least g would miss half of all changes of g at any number of runs,
 * so half of g is the limit, and the test excludes noise.
 *
 * The two-sided p of a test is twice the smaller of its one-sided p, at most 1. Regions are many tests: these
 * p are corrected after Benjamini and Hochberg (1995), p'(i) = min over k >= i of p(k) m / k for sorted p. A region with FAIL makes the whole FAIL; one that is
 * INCONCLUSIVE does not make the whole inconclusive, because of many regions, one always is. If
 * nothing changed, the whole has FAIL with a probability of at most 2.5 % by itself and 2.5 % by
 * its regions, 5 % in total.
 *
 * Runs needed on each side to see a change of g four times in five (Student's t, normal approximation), at least 4:
 *
 *	n = 2 ((1.96 + 0.84) noise / ln(1 + g))^2,	noise: root of the mean variance of the sides
 */
#ifndef GATE_H
#define GATE_H

#include "analyze/compare/two_samples.h"

#define GATE_LEVEL 0.025 /* one-sided, for the whole and for all regions together */

enum gate_verdict { GATE_NONE, GATE_PASS, GATE_FAIL, GATE_INCONCLUSIVE };

struct gate_row {
	struct two_samples s;
	double p;		/* two-sided, corrected for the number of regions; NaN: no test */
	int changed;		/* 1: more, -1: less, 0: no change beyond noise */
	enum gate_verdict verdict;
	size_t needed;		/* runs required on each side; 0: unknown */
};

/*
 * Sets the verdict on one row from its corrected p. n1, n2: runs on each side. gate NaN: no
 * verdict, only `changed` is set.
 */
void gate_judge(struct gate_row *r, double gate, size_t n1, size_t n2);

/*
 * Fills p of n regions, or of the whole alone, from their tests; rows without a test do not count as tests.
 */
void gate_correct(struct gate_row *r, size_t n);

/* The verdict on the whole, from its own row, which has been judged, and from n regions. */
enum gate_verdict gate_all(const struct gate_row *whole, const struct gate_row *region, size_t n);

#endif
