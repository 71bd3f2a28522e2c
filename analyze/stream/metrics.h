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
struct meter_tally {
	struct machine_row *row;	/* by region; [region_n] is the root; calls and subrs are those of the time's rows */
	struct machine_row *path_row;	/* by path */
	size_t path_row_n;
};

struct meter {
	size_t n;			/* metrics of the trace; 0: the meter does nothing */
	struct machine *machine;	/* by metric */
	struct meter_tally *tally;	/* [window * n + metric] */
	size_t window_n;
	const struct segments *segments;
	size_t segment;			/* the one that is open or comes next */
	int open;
	int64_t time, *value;		/* of the last values, by metric */
	struct event *event;		/* events with values as their times */
	size_t event_cap;
};

void meter_init(struct meter *m, const struct trace *t, struct machine_paths *paths, const struct segments *s,
		size_t window_n);
void meter_release(struct meter *m);

/*
 * What is between two times is left out: it is known what the metrics are there, and no boundary lies between.
 */
void meter_jump(struct meter *m, int64_t from, const int64_t *value, int64_t to, const int64_t *then);
/* Applies a state; target as in machine_state(): where reading was to begin, INT64_MIN when nothing was left out. */
void meter_state(struct meter *m, const struct event_state *s, int64_t target);
/* Plays events at .. at + n of a batch. */
void meter_play(struct meter *m, const struct event_batch *b, size_t at, size_t n);
/* The stream ends: values stay what they are. */
void meter_finish(struct meter *m);

/*
 * A metric that has `value` at `from` and `next` at `to` changes evenly: its value at a moment between them, in whole
 * numbers. The two differ by less than 2^63.
 */
static inline int64_t meter_between(int64_t from, int64_t value, int64_t to, int64_t next, int64_t at)
{
	__int128 part = (__int128)(next - value) * (at - from), whole = (__int128)to - from;
	__int128 down = part / whole;

	return value + (int64_t)(down - (part % whole < 0));
}

/* Has it crossed the boundaries of all segments before this one? (The player may then leave out what lies between.) */
static inline int meter_behind(const struct meter *m, size_t segment)
{
	return m->n && m->segment < segment;
}

#endif
