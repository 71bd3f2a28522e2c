/* two_samples.c: the rank test and Welch's t of two samples, with estimates and intervals. */
#include "analyze/compare/two_samples.h"

#include <math.h>
#include <string.h>

#include "analyze/base/base.h"

#define EXACT_MOST 60 /* values, up to which the exact probability is computed */
#define TAIL       0.025
#define ROUNDS     200
#define CONSTANT   1e-12 /* of logarithms: what rounding makes of equal values */

static double choose(size_t n, size_t k)
{
	return exp(lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1));
}

enum two_test two_samples_choose(size_t n1, size_t n2, size_t tests, double level)
{
	if (n1 < 2 || n2 < 2)
		return TEST_NONE;
	return 1 / choose(n1 + n2, n1) <= level / (double)(tests ? tests : 1) * (1 + 1e-9)
		       ? TEST_RANK
		       : TEST_WELCH;
}

/* ---- Student's t ---- */

/*
 * Continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8, Lentz's
 * method).
 */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 - (a + b) * x / (a + 1), f;

	d = 1 / (fabs(d) < 1e-300 ? 1e-300 : d);
	f = d;
	for (int m = 1; m <= ROUNDS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step[2] = {even, odd}, factor = 1;

		for (int i = 0; i < 2; i++) {
			d = 1 + step[i] * d;
			c = 1 + step[i] / c;
			d = 1 / (fabs(d) < 1e-300 ? 1e-300 : d);
			c = fabs(c) < 1e-300 ? 1e-300 : c;
			factor = d * c;
			f *= factor;
		}
		if (fabs(factor - 1) < 1e-15)
			break;
	}
	return f;
}

static double beta_incomplete(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
					 : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_probability(double t, double df)
{
	double tail;

	if (isinf(t))
		return t > 0;
	tail = beta_incomplete(df / 2, 0.5, df / (df + t * t)) / 2;
	return t > 0 ? 1 - tail : tail;
}

double student_percentile(double p, double df)
{
	double low = -1, high = 1;

	while (student_probability(low, df) > p)
		low *= 2;
	while (student_probability(high, df) < p)
		high *= 2;
	for (int i = 0; i < ROUNDS && high - low > 1e-14 * (fabs(low) + fabs(high)); i++) {
		double middle = low + (high - low) / 2;

		if (student_probability(middle, df) < p)
			low = middle;
		else
			high = middle;
	}
	return low + (high - low) / 2;
}

/* ---- Welch ---- */

struct moments {
	double mean, variance;
};

static struct moments moments_of(const double *v, size_t n)
{
	struct moments m = {0, 0};

	for (size_t i = 0; i < n; i++)
		m.mean += v[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		m.variance += (v[i] - m.mean) * (v[i] - m.mean) / (double)(n - 1);
	return m;
}

static void welch(const double *a, size_t n1, const double *b, size_t n2, struct two_samples *out)
{
	struct moments x = moments_of(a, n1), y = moments_of(b, n2);
	double s1 = x.variance / (double)n1, s2 = y.variance / (double)n2, d = y.mean - x.mean;
	double error = sqrt(s1 + s2), df, t, reach;

	if (error <= 1e-15 * fmax(fabs(x.mean), fabs(y.mean)) || error == 0) {
		/* without noise, every difference is significant */
		int same = fabs(d) <= 1e-12;

		out->p_more = same ? 0.5 : d < 0;
		out->p_less = same ? 0.5 : d > 0;
		out->change = out->low = out->high = same ? 0 : expm1(d);
		return;
	}
	df = (s1 + s2) * (s1 + s2) / (s1 * s1 / (double)(n1 - 1) + s2 * s2 / (double)(n2 - 1));
	t = d / error;
	reach = student_percentile(1 - TAIL, df) * error;
	out->p_more = student_probability(-t, df);
	out->p_less = student_probability(t, df);
	out->change = expm1(d);
	out->low = expm1(d - reach);
	out->high = expm1(d + reach);
}

/* ---- ranks ---- */

/* Twice the mean rank (from 1) of each of the values of a, then of b, so that ranks are whole. */
static size_t *double_ranks(const double *a, size_t n1, const double *b, size_t n2)
{
	size_t n = n1 + n2, *rank = mem_alloc((n + 1) * sizeof(*rank));

	for (size_t i = 0; i < n; i++) {
		double v = i < n1 ? a[i] : b[i - n1];
		size_t below = 0, equal = 0;

		for (size_t k = 0; k < n; k++) {
			double w = k < n1 ? a[k] : b[k - n1];

			below += w < v;
			equal += w == v;
		}
		rank[i] = 2 * below + equal + 1;
	}
	return rank;
}

/* [sum]: the number of ways to choose k of the n ranks with that sum; *most is the largest sum. */
static double *ways_make(const size_t *rank, size_t n, size_t k, size_t *most)
{
	double *ways;
	size_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += rank[i];
	*most = sum;
	ways = mem_alloc((k + 1) * (sum + 1) * sizeof(*ways));
	ways[0] = 1;
	for (size_t i = 0; i < n; i++)
		for (size_t taken = i + 1 < k ? i + 1 : k; taken; taken--) {
			double *to = ways + taken * (sum + 1), *from = to - (sum + 1);

			for (size_t s = sum; s + 1 > rank[i]; s--)
				to[s] += from[s - rank[i]];
		}
	memmove(ways, ways + k * (sum + 1), (sum + 1) * sizeof(*ways));
	return ways;
}

static void rank_exact(const size_t *rank, size_t n1, size_t n2, struct two_samples *out)
{
	size_t most, sum = 0;
	double *ways = ways_make(rank, n1 + n2, n2, &most), all = 0, more = 0, less = 0;

	for (size_t i = n1; i < n1 + n2; i++)
		sum += rank[i];
	for (size_t s = 0; s <= most; s++) {
		all += ways[s];
		more += s >= sum ? ways[s] : 0;
		less += s <= sum ? ways[s] : 0;
	}
	out->p_more = more / all;
	out->p_less = less / all;
	free(ways);
}

static double normal_above(double z)
{
	return erfc(z / sqrt(2)) / 2;
}

static void rank_normal(const size_t *rank, size_t n1, size_t n2, struct two_samples *out)
{
	double n = (double)(n1 + n2), u = 0, spread = 0, middle = (double)n2 * (n + 1) / 2;

	for (size_t i = n1; i < n1 + n2; i++)
		u += (double)rank[i] / 2;
	for (size_t i = 0; i < n1 + n2; i++) {
		double d = (double)rank[i] / 2 - (n + 1) / 2;

		spread += d * d;
	}
	spread = sqrt(spread * (double)n1 * (double)n2 / (n * (n - 1)));
	out->p_more = spread > 0 ? normal_above((u - middle - 0.5) / spread) : 0.5;
	out->p_less = spread > 0 ? normal_above((middle - u - 0.5) / spread) : 0.5;
}

/*
 * The k of the interval: from the k-th smallest to the k-th largest difference; 0: too few values
 * for 95 %.
 */
static size_t interval_rank(size_t n1, size_t n2)
{
	size_t n = n1 + n2, *rank, most, lowest, k = 0;
	double *ways, all = choose(n, n2), sum = 0;

	if (n > EXACT_MOST) {
		double pairs = (double)n1 * (double)n2;
		double at = pairs / 2 - 1.959963985 * sqrt(pairs * (double)(n + 1) / 12);

		return at > 1 ? (size_t)at : 1;
	}
	rank = mem_alloc(n * sizeof(*rank));
	for (size_t i = 0; i < n; i++)
		rank[i] = i + 1;
	ways = ways_make(rank, n, n2, &most);
	lowest = n2 * (n2 + 1) / 2;
	while (sum + ways[lowest + k] <= TAIL * all)
		sum += ways[lowest + k++];
	free(ways);
	free(rank);
	return k;
}

static void hodges_lehmann(const double *a, size_t n1, const double *b, size_t n2,
			   struct two_samples *out)
{
	size_t n = n1 * n2, k = interval_rank(n1, n2);
	double *d = mem_alloc(n * sizeof(*d));

	for (size_t i = 0; i < n; i++)
		d[i] = b[i % n2] - a[i / n2];
	qsort(d, n, sizeof(*d), compare_doubles);
	out->change = expm1(n % 2 ? d[n / 2] : (d[n / 2 - 1] + d[n / 2]) / 2);
	out->low = k ? expm1(d[k - 1]) : -1;
	out->high = k ? expm1(d[n - k]) : INFINITY;
	free(d);
}

static void ranks_compare(const double *a, size_t n1, const double *b, size_t n2,
			  struct two_samples *out)
{
	size_t *rank = double_ranks(a, n1, b, n2);

	if (n1 + n2 <= EXACT_MOST)
		rank_exact(rank, n1, n2, out);
	else
		rank_normal(rank, n1, n2, out);
	hodges_lehmann(a, n1, b, n2, out);
	free(rank);
}

static double median_of(const double *v, size_t n)
{
	double *sorted = mem_copy(v, n, sizeof(*v)), median;

	qsort(sorted, n, sizeof(*sorted), compare_doubles);
	median = n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
	free(sorted);
	return median;
}

static int any_negative(const double *v, size_t n)
{
	int any = 0;

	for (size_t i = 0; i < n; i++)
		any |= !(v[i] >= 0);
	return any;
}

/* Values of 0 are among them: what the order and the medians show. */
static void zeros_compare(const double *before, size_t n1, const double *after, size_t n2,
			  struct two_samples *out)
{
	double from, to;
	size_t *rank;

	if (any_negative(before, n1) || any_negative(after, n2))
		return;
	from = median_of(before, n1);
	to = median_of(after, n2);
	rank = double_ranks(before, n1, after, n2);
	if (n1 + n2 <= EXACT_MOST)
		rank_exact(rank, n1, n2, out);
	else
		rank_normal(rank, n1, n2, out);
	free(rank);
	out->test = TEST_RANK;
	out->change = from > 0 ? to / from - 1 : to > 0 ? INFINITY : 0;
}

/* Logarithms of n values; NULL: a value is not positive. */
static double *logarithms(const double *v, size_t n)
{
	double *log_v = mem_alloc((n + 1) * sizeof(*log_v));

	for (size_t i = 0; i < n; i++) {
		if (!(v[i] > 0)) {
			free(log_v);
			return NULL;
		}
		log_v[i] = log(v[i]);
	}
	return log_v;
}

void two_samples_compare(const double *before, size_t n1, const double *after, size_t n2,
			 enum two_test test, struct two_samples *out)
{
	double *a = logarithms(before, n1), *b = logarithms(after, n2);

	*out = (struct two_samples){test, NAN, NAN, NAN, NAN, NAN, {NAN, NAN}, 0};
	if (!a || !b || n1 < 2 || n2 < 2)
		out->test = TEST_NONE;
	if ((!a || !b) && n1 > 1 && n2 > 1 && test != TEST_NONE)
		zeros_compare(before, n1, after, n2, out);
	if (a && n1 > 1)
		out->noise[0] = sqrt(moments_of(a, n1).variance);
	if (b && n2 > 1)
		out->noise[1] = sqrt(moments_of(b, n2).variance);
	out->constant = out->noise[0] < CONSTANT && out->noise[1] < CONSTANT;
	if (out->test == TEST_RANK && a && b)
		ranks_compare(a, n1, b, n2, out);
	else if (out->test == TEST_WELCH)
		welch(a, n1, b, n2, out);
	else if (a && b && n1 && n2)
		out->change = expm1(moments_of(b, n2).mean - moments_of(a, n1).mean);
	free(a);
	free(b);
}
