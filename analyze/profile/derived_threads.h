/*
 * derived_threads.h: TauDB's derived threads: what a profile's threads look like together.
 *
 * A derived thread is a struct profile_thread with node = context = thread = its number. Each of its rows sums up the
 * rows of the real threads (node >= 0) for one path: every quantity (calls, subrs, and per metric inclusive and
 * exclusive) by itself, over the n threads that have the row ("nulls ignored") or over all N, a missing row counting as
 * 0 ("nulls as 0"):
 *
 *	-1 MEAN   sum / n			-6 MEAN   sum / N
 *	-2 TOTAL  sum
 *	-3 STDDEV sqrt(sum (x - MEAN)^2 / n)	-7 STDDEV the same over N
 *	-4 MIN, -5 MAX  of the n threads
 *
 * TOTAL has the sums of profile_squared(), too; the other derived threads have none.
 *
 * (the standard deviation of the population, as pprof prints it, in the form that does not cancel).
 *
 * Threads that a runtime only waits with (waiting_threads.h) have no part in the rows: n counts the others, N counts all.
 *
 * Counters. TOTAL is the row of all samples together: n and sumsq are sums, max the largest, min the smallest, and mean is
 * sum (n mean) / sum n, so that n * mean is the sum of all values. Both MEANs share the total out: n and sumsq are TOTAL's
 * over n or N threads, mean is TOTAL's, so that n * mean is the mean sum per thread; max and min are means. The
 * others treat n, max, min, mean and the standard deviation each as a quantity of its own; their sumsq is what gives
 * that standard deviation back: n * (sd^2 + mean^2).
 */
#ifndef DERIVED_THREADS_H
#define DERIVED_THREADS_H

#include "analyze/profile/waiting_threads.h"

enum derived_derived {
	STATS_MEAN = -1,
	STATS_TOTAL = -2,
	STATS_STDDEV = -3,
	STATS_MIN = -4,
	STATS_MAX = -5,
	STATS_MEAN_ALL = -6,
	STATS_STDDEV_ALL = -7,
	STATS_DERIVED = 7, /* how many */
};

/*
 * The seven derived threads of p: out[0] is -1 (MEAN) ... out[6] is -7; rows and samples are
 * sorted, values laid out as in any thread of p. waiting: found in all windows of the run that p is
 * one of. skip: by counter, 1: without rows of it; NULL: none. Costs one pass over all values, two for the deviations. A summary's (profile.h) are
 * copies of what it has. derived_release() frees what they hold.
 */
void derived_derive(const struct profile *p, const struct waiting *waiting,
		    const unsigned char *skip, struct profile_thread out[STATS_DERIVED]);
void derived_release(struct profile_thread threads[STATS_DERIVED]);

/*
 * The same without the threads in memory: definitions is a profile that has all paths and counters, each thread is given
 * once, in any order, and then may be forgotten; whether it waits is judged by it alone. Deviations are summed up as they come (Welford 1962), which does not
 * cancel either. The memory needed depends on the definitions alone.
 */
struct derived_stream;
struct derived_stream *derived_stream_new(const struct profile *definitions);
void derived_stream_add(struct derived_stream *s, const struct profile_thread *t);
void derived_stream_derive(struct derived_stream *s, struct profile_thread out[STATS_DERIVED]);
void derived_stream_free(struct derived_stream *s);

/* sqrt(|sumsq / n - mean^2|) of one counter row; 0 without samples. */
double derived_deviation(const struct profile_sample *s);

#endif
