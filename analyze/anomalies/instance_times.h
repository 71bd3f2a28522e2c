/*
 * instance_times.h: how long the instances of each region take in each thread, from one pass over the events of a trace.
 *
 * An instance is an outermost activation of a region in a thread. Instances are numbered from 1, as
 * in windows (tau-trace2profile(1), WINDOWS). The own time of an instance is its length without the
 * calls in it that are not useful work (region_work.h): messages, waits for threads, the recorder.
 * So an instance that only waits for another rank is not slow.
 *
 * Programs that mark no step have iterations: for each region of messages that does not poll, the time from each of its calls
 * that is in no other call without useful work to the next such call, as iteration 1, 2 ... of this region. loop_times.h chooses
 * the regions whose iterations are tested.
 *
 * With a selection (selection.h) only instances of selected regions, call paths and threads are added up, and no iterations.
 *
 * Memory per region and thread is constant: a histogram of the logarithms of own times with 32 bins per factor of 2, the
 * longest instances, and the mean of at most 64 blocks of instances, whose size doubles when they are full.
 */
#ifndef INSTANCE_TIMES_H
#define INSTANCE_TIMES_H

#include "analyze/messages/messages.h"

#define INSTANCE_LONGEST 4
#define INSTANCE_BLOCKS  64
#define INSTANCE_BINS	 32 /* per factor of 2 */

struct instance {
	uint64_t nth; /* from 1 */
	int64_t begin, end, own; /* ns */
};

struct instance_series { /* a region in a stream; only regions that are useful work, or the iterations of one of messages */
	uint32_t region, stream;
	int loop;		/* it has iterations */
	int tested;		/* loop: enum loop_grade, if it was chosen; otherwise 0 (loop_times.h) */
	uint64_t seen;		/* instances so far */
	uint64_t n;		/* instances that begin and end in the window */
	uint64_t first;		/* number of the first of these */
	int64_t own;		/* ns, sum of their own times */
	int64_t exclusive;	/* ns inside the window, of all activations */
	uint32_t *bin;		/* counts, from bin number bin_first on */
	size_t bin_first, bin_n;
	double *block;		/* sums of own times, except of the last block */
	int64_t *block_begin;	/* ns, of the first instance of each */
	int64_t end;		/* ns, of the last instance */
	unsigned block_power;	/* a block has 2^block_power instances; the last one may have fewer */
	uint64_t block_next;	/* n when the next block begins */
	int64_t own_before;	/* `own` when the last block began */
	/* The open instance. */
	uint32_t active;
	int64_t enter, outside;
	int selected;
	struct instance longest[INSTANCE_LONGEST]; /* descending own time */
	size_t longest_n;
	int64_t longest_least;	/* ns: an instance among the longest has more */
};

struct instance_lane { /* a stream */
	uint32_t *at;		/* by region: 1 + index of its series, 0: none; NULL: the stream
				 * has no series */
	uint32_t *loop;		/* by region: the same for series of iterations */
	uint32_t *open;		/* of the open regions: as `at`; 0: not useful work */
	size_t open_n, open_cap;
	int64_t begin, end;	/* ns: the window; empty if the stream is not selected */
	int64_t last;		/* ns in the window up to which exclusive times have been added */
	int64_t elsewhere;	/* ns in the window that belong to no series */
	uint32_t idle;		/* number of open regions that are not useful work */
	int64_t idle_since, outside; /* outside: ns in these so far */
};

struct instance_times {
	const struct messages *m;
	struct instance_series *v;
	size_t v_n, v_cap;
	struct instance_lane *lane; /* by stream */
	char *useful, *iterates; /* by region: it is useful work; its calls can begin iterations */
};

/*
 * The use for messages_read(), which fills x. Release x with instance_times_release(), also after
 * an error.
 */
struct messages_use instance_times_use(struct instance_times *x, const struct messages *m);
void instance_times_release(struct instance_times *x);

/* Number of blocks, and the mean own time of each in ns. */
size_t instance_blocks(const struct instance_series *s, double mean[INSTANCE_BLOCKS]);
/*
 * Median of the logarithm of own times in ns, and median distance from it, both exact to a bin.
 * s->n > 0.
 */
void instance_spread(const struct instance_series *s, double *median, double *mad);
/* The logarithm of the own time in ns that this number of instances exceed; exact to a bin. */
double instance_exceeded(const struct instance_series *s, double number);
/* Sum in ns of the own times whose logarithm is at least this; each is rounded down to its bin. */
double instance_time_above(const struct instance_series *s, double limit);
/* The series of an anomaly's region in a stream: of iterations or of instances. */
const struct instance_series *instance_series_of(const struct instance_times *x, uint32_t stream, uint32_t region, int loop);
/*
 * Does the stream give the instances of this region their numbers in windows? It is the lowest
 * thread of its process that has the region.
 */
int instance_is_counted(const struct instance_times *x, const struct instance_series *s);

#endif
