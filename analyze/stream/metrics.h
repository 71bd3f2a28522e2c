/*
 * metrics.h: the metrics of one stream: by how much each grew in regions and call paths.
 *
 * A metric is played like a clock: each has a call stack of its own, whose times are the values of
 * the metric. So repairs, recursion, call paths and windows have the same meaning for a metric as
 * for time. Values are known when regions begin and end; if a window begins or ends between two
 * such moments, the metric is assumed to change evenly, in whole numbers, so that adjacent windows
 * add up exactly (tau-trace(5), Metrics).
 *
 * Metrics are played later than times: a boundary is crossed when the next value is known.
 */
#ifndef METRICS_H
#define METRICS_H

#include "analyze/stream/callstack.h"
#include "analyze/trace/segments.h"

/* The growth of one metric in one window. */
struct metrics_tally {
	struct callstack_row *row; /* by region; [region_n] is the root; calls and subrs are
				    * unused: the rows of time have them */
	struct callstack_row *path_row; /* by path */
	size_t path_row_n;
	const struct squares_rows *squares;	/* by region, or by path if paths are kept; NULL:
						 * not summed */
};

struct metrics {
	size_t n;			/* metrics of the trace; 0: there is nothing to play */
	struct callstack *callstack;    /* by metric */
	struct squares *squares;	/* by metric; NULL: none */
	struct metrics_tally *tally;    /* [window * n + metric] */
	size_t window_n;
	struct segment_cursor where;	/* the current segment, or the next one */
	int64_t time, *value;		/* of the last event with values; value: by metric */
	struct event *event;		/* events with values as their times */
	size_t event_cap;
};

/* paths and s must stay. Release m. */
void metrics_init(struct metrics *m, const struct trace *t, struct callstack_paths *paths,
		  const struct segments *s, size_t window_n);
void metrics_release(struct metrics *m);

/*
 * Skips the events between two times: the values of the n metrics are known at both, and no boundary
 * is after `from` and before `to`.
 */
void metrics_jump(struct metrics *m, int64_t from, const int64_t *value, int64_t to,
		  const int64_t *then);
/* Call it before anything is played: sums up squares, too. */
void metrics_square(struct metrics *m);
/* Applies a state; sought: as in callstack_state(). */
void metrics_state(struct metrics *m, const struct event_state *s, int sought);
/* Plays the events [at, at + n) of a batch. */
void metrics_play(struct metrics *m, const struct event_batch *b, size_t at, size_t n);
/* The stream ends: the values do not change any more. */
void metrics_finish(struct metrics *m);

/*
 * If a metric has `value` at `from` and `next` at `to` and changes evenly: its value at `at`, in
 * whole numbers. The values differ by less than 2^63.
 */
static inline int64_t metrics_between(int64_t from, int64_t value, int64_t to, int64_t next,
				      int64_t at)
{
	__int128 part = (__int128)(next - value) * (at - from), whole = (__int128)to - from;
	__int128 down = part / whole;

	return value + (int64_t)(down - (part % whole < 0));
}

/*
 * Have the metrics not crossed all boundaries before this segment? If they have, the player may
 * skip events.
 */
static inline int metrics_need_events(const struct metrics *m, size_t segment)
{
	return m->n && m->where.at < segment;
}

#endif
