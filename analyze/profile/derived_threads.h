/*
 * derived_threads.h: TauDB's derived threads: statistics over all threads of a profile.
 *
 * A derived thread is a struct profile_thread with node = context = thread = its number. Each of
 * its rows summarizes the rows of the real threads (node >= 0) for one path: every quantity (calls,
 * subrs, and per metric inclusive and exclusive) by itself, over the n threads that have the row
 * ("nulls ignored") or over all N threads, with 0 for a missing row ("nulls as 0"):
 *
 *	-1 MEAN   sum / n			-6 MEAN   sum / N
 *	-2 TOTAL  sum
 *	-3 STDDEV sqrt(sum (x - MEAN)^2 / n)	-7 STDDEV the same over N
 *	-4 MIN, -5 MAX  of the n threads
 *
 * STDDEV is the standard deviation of the population, as pprof prints it, in the form that does not
 * cancel. TOTAL has the sums of profile_squared(), too; the other derived threads have none.
 *
 * Which rows count is decided by waiting_threads.h: the waiting of threads that mostly wait is
 * excluded, and what they did counts; TOTAL of ".TAU application" includes that, too. N counts all threads. Queues of devices are no threads: they
 * have a part in the rows of regions that only queues have, as kernels and copies, and n and N count
 * queues there.
 *
 * Counters. TOTAL is the row of all samples together: n and sumsq are sums, max the largest, min
 * the smallest, and mean is sum (n mean) / sum n, so that n * mean is the sum of all values. Both
 * MEANs divide the total: n and sumsq are those of TOTAL divided by n or N threads, mean is that of
 * TOTAL, so that n * mean is the mean sum per thread; max and min are means. The others treat n,
 * max, min, mean and the standard deviation each as a separate quantity; their sumsq is the value
 * from which that standard deviation follows: n * (sd^2 + mean^2). N counts the threads, the queues,
 * and what has values of counters only, of each kind of which any has the counter.
 */
#ifndef DERIVED_THREADS_H
#define DERIVED_THREADS_H

#include "analyze/profile/waiting_threads.h"

enum derived_thread {
	STATS_MEAN = -1,
	STATS_TOTAL = -2,
	STATS_STDDEV = -3,
	STATS_MIN = -4,
	STATS_MAX = -5,
	STATS_MEAN_ALL = -6,
	STATS_STDDEV_ALL = -7,
	STATS_DERIVED = 7, /* number of derived threads */
};

/*
 * The seven derived threads of p: out[0] is -1 (MEAN) ... out[6] is -7; rows and samples are
 * sorted, values are laid out as in any thread of p. waiting: found in all windows of the run of p.
 * skip: by counter, 1: exclude its rows; NULL: none. Takes two passes over all values: the second
 * one is for the deviations. For a summary (profile.h), they are copies of its derived threads.
 * derived_release() frees them.
 */
void derived_derive(const struct profile *p, const struct waiting *waiting,
		    const unsigned char *skip, struct profile_thread out[STATS_DERIVED]);
void derived_release(struct profile_thread threads[STATS_DERIVED]);

/*
 * The same without all threads in memory: `definitions` is a profile that has all paths and
 * counters. Each thread is added once, in any order, and may be freed afterwards; whether it waits
 * is judged from its own rows only. Deviations are summed up in one pass (Welford 1962), without
 * cancellation. TOTAL has no squares. Memory depends only on the definitions.
 */
struct derived_stream;
struct derived_stream *derived_stream_new(const struct profile *definitions);
void derived_stream_add(struct derived_stream *s, const struct profile_thread *t);
void derived_stream_derive(struct derived_stream *s, struct profile_thread out[STATS_DERIVED]);
void derived_stream_free(struct derived_stream *s);

/* Standard deviation sqrt(|sumsq / n - mean^2|) of one counter row; 0 without samples. */
double derived_deviation(const struct profile_sample *s);

#endif
