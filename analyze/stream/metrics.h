/*
 * metrics.h: the metrics of one stream: what regions and call paths gained of each while they were open.
 *
 * A metric is played as if it were a clock: each has a stack machine of its own whose times are the metric's values. So
 * repairs, recursion, call paths and windows mean for a metric what they mean for time. Values are known where regions begin
 * and end; where a window begins or ends between two such moments, the metric is taken to have changed evenly, in whole
 * numbers, so that windows which meet add up exactly (tau-trace(5), Metrics).
 *
 * The meter runs behind the player: a boundary is crossed when the next value is known.
 */
#ifndef METRICS_H
#define METRICS_H

#include "analyze/stream/callstack.h"
#include "analyze/trace/segments.h"

/* What was gained in one window, of one metric. */
struct metrics_tally {
	struct callstack_row *row; /* by region; [region_n] is the root; calls and subrs are those
				      of the time's rows */
	struct callstack_row *path_row; /* by path */
	size_t path_row_n;
	const struct squares_rows *squares;	/* by region, or by path where paths are kept; NULL: not summed */
};

struct metrics {
	size_t n;			/* metrics of the trace; 0: the meter does nothing */
	struct callstack *callstack;    /* by metric */
	struct squares *squares;	/* likewise; NULL: none */
	struct metrics_tally *tally;    /* [window * n + metric] */
	size_t window_n;
	struct segment_cursor where;	/* the segment it is in or before */
	int64_t time, *value;		/* of the last values, by metric */
	struct event *event;		/* events with values as their times */
	size_t event_cap;
};

void metrics_init(struct metrics *m, const struct trace *t, struct callstack_paths *paths,
		  const struct segments *s, size_t window_n);
void metrics_release(struct metrics *m);

/*
 * What is between two times is left out: it is known what the metrics are there, and no boundary lies between.
 */
void metrics_jump(struct metrics *m, int64_t from, const int64_t *value, int64_t to,
		  const int64_t *then);
/* Before anything is played: sums squares, too. */
void metrics_square(struct metrics *m);
/* Applies a state; target as in callstack_state(): where reading was to begin, INT64_MIN when
 * nothing was left out. */
void metrics_state(struct metrics *m, const struct event_state *s, int64_t target);
/* Plays events at .. at + n of a batch. */
void metrics_play(struct metrics *m, const struct event_batch *b, size_t at, size_t n);
/* The stream ends: values stay what they are. */
void metrics_finish(struct metrics *m);

/*
 * A metric that has `value` at `from` and `next` at `to` changes evenly: its value at a moment between them, in whole
 * numbers. The two differ by less than 2^63.
 */
static inline int64_t metrics_between(int64_t from, int64_t value, int64_t to, int64_t next,
				      int64_t at)
{
	__int128 part = (__int128)(next - value) * (at - from), whole = (__int128)to - from;
	__int128 down = part / whole;

	return value + (int64_t)(down - (part % whole < 0));
}

/* Has it crossed the boundaries of all segments before this one? (The player may then leave out what lies between.) */
static inline int metrics_behind(const struct metrics *m, size_t segment)
{
	return m->n && m->where.at < segment;
}

#endif
