/* gate.c: verdicts on changes, corrected for the number of tests. */
#include "analyze/compare/gate.h"

#include <math.h>
#include <string.h>

#include "analyze/base/base.h"

#define POWER    (1.959963985 + 0.841621234)
#define RUNS_MIN 4

static size_t runs_needed(const struct two_samples *s, double gate)
{
	double noise = sqrt((s->noise[0] * s->noise[0] + s->noise[1] * s->noise[1]) / 2);
	double n = 2 * pow(POWER * noise / log1p(gate), 2);

	return isfinite(n) && n < 1e6 ? (size_t)fmax(ceil(n), RUNS_MIN) : RUNS_MIN;
}

void gate_judge(struct gate_row *r, double gate, size_t n1, size_t n2)
{
	size_t fewest = n1 < n2 ? n1 : n2;

	r->changed = r->s.test == TEST_NONE || !(r->p <= 2 * GATE_LEVEL) ? 0
		     : r->s.p_more < r->s.p_less				 ? 1
									 : -1;
	r->verdict = GATE_NONE;
	r->needed = 0;
	if (isnan(gate))
		return;
	if (r->s.test != TEST_NONE && r->s.high < gate)
		r->verdict = GATE_PASS;
	else if (r->changed > 0 && r->s.change >= gate / 2)
		r->verdict = GATE_FAIL;
	else
		r->verdict = GATE_INCONCLUSIVE;
	if (r->verdict == GATE_INCONCLUSIVE) {
		r->needed = runs_needed(&r->s, gate);
		if (r->needed <= fewest)
			r->needed = fewest + 1;
	}
}

struct sorted {
	double p;
	size_t row;
};

static int compare_p(const void *va, const void *vb)
{
	const struct sorted *a = va, *b = vb;

	return a->p < b->p ? -1 : a->p > b->p;
}

void gate_correct(struct gate_row *r, size_t n)
{
	struct sorted *s = mem_alloc((n + 1) * sizeof(*s));
	size_t m = 0;
	double least = 1;

	for (size_t i = 0; i < n; i++) {
		r[i].p = NAN;
		if (r[i].s.test != TEST_NONE)
			s[m++] = (struct sorted){
				fmin(1, 2 * fmin(r[i].s.p_more, r[i].s.p_less)), i};
	}
	if (m)
		qsort(s, m, sizeof(*s), compare_p);
	for (size_t k = m; k--;) {
		least = fmin(least, s[k].p * (double)m / (double)(k + 1));
		r[s[k].row].p = least;
	}
	free(s);
}

enum gate_verdict gate_all(const struct gate_row *whole, const struct gate_row *region, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (region[i].verdict == GATE_FAIL)
			return GATE_FAIL;
	return whole->verdict;
}
