/*
 * samples.h: the values of counters in a trace: number, mean, extremes, last, rate, and their course over time.
 *
 * A monotonic counter has a rise in each thread: the sum of its positive differences between
 * consecutive samples of that thread; a decrease means that it started again, and adds nothing.
 * Then
 *
 *	rate = sum over threads of the rises / (time of the last sample - time of the first one)
 *
 * Course: bins of equal length over the window. A monotonic counter has its rises there, each spread
 * evenly over the time between its two samples; another counter has the mean, the least and the
 * largest of the samples in the bin. Memory: the bins, per counter and thread, or per counter.
 */
#ifndef SAMPLES_H
#define SAMPLES_H

#include "analyze/base/exact.h"
#include "analyze/messages/messages.h"

#define SAMPLES_BINS 24

struct samples_bin {
	uint64_t n; /* number of rises that reach into the bin, or of samples */
	double sum; /* of these rises there, or of samples */
	double least, largest; /* of samples; of a monotonic counter not set */
};

struct samples_row {
	uint32_t event, stream; /* event of the trace; stream TRACE_NONE: all */
	uint32_t threads;	/* without queues of devices and what has values only */
	uint64_t n;
	double min, max;
	int64_t first_at, last_at; /* ns */
	double last;		   /* the last value; over several threads the latest one */
	double rise;		   /* NaN: the counter is not monotonic */
	struct exact sum;
	struct samples_bin *bin;
};

struct samples {
	const struct messages *m;
	int64_t begin, end;	 /* of the bins */
	size_t bins;
	struct samples_bin **together; /* by event; NULL: each row has bins of its own */
	struct samples_row *row; /* by counter and thread; after samples_end() by name, then by thread */
	size_t row_n, row_cap;
	struct samples_row *all; /* after samples_end(): per counter, by name */
	size_t all_n, all_cap;
	struct map at;
};

/*
 * The use for messages_read(); m must stay. Then call samples_end(), and release x. Locks
 * (trace_lock) do not count as counters; values that are not finite do not count.
 */
struct messages_use samples_use(struct samples *x, const struct messages *m);
/*
 * Before events are read: n bins, at least 1, instead of SAMPLES_BINS, or, if length is not 0, bins of `length` ns that begin at multiples of
 * it. Threads have no bins of their own then, only counters.
 */
void samples_cut(struct samples *x, size_t n, int64_t length);
void samples_end(struct samples *x);
void samples_release(struct samples *x);

double samples_mean(const struct samples_row *r);
/* Rise per second; NaN: not monotonic, or all samples are at one time. */
double samples_rate(const struct samples_row *r);
/* The course at a bin: rise per second, or mean; NaN: no sample. */
double samples_at(const struct samples *x, const struct samples_row *r, size_t bin);
/* ns at which a bin begins; bin x->bins: at which the last one ends. */
int64_t samples_begin(const struct samples *x, size_t bin);

#endif
