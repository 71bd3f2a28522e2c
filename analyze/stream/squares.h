/*
 * squares.h: the sum over calls of the squared exclusive time, by region or call path and by window, while one stream is
 * played. It is what a standard deviation per call needs:
 *
 *	deviation^2 = sum of squares / calls - (exclusive time / calls)^2
 *
 * A call that a window cuts counts there with its time inside. A window of several spans counts each span for itself.
 * Sums are in whole ns^2, so they depend on neither the order of calls nor the other windows.
 *
 * Calls that a trace has merged (EVENT_FOLD) have no times of their own: where they are several, the sum is unknown.
 */
#ifndef SQUARES_H
#define SQUARES_H

#include "analyze/trace/segments.h"

typedef unsigned __int128 square;
#define SQUARE_UNKNOWN (~(square)0)

struct squares_rows {
	square *v;		/* by region or path */
	size_t v_n;
};

/* An open frame. */
struct squares_frame {
	int64_t own;		/* exclusive time in the open segment */
	uint32_t row;		/* its region or path */
	uint32_t kept;		/* 1 + the first of struct squares_kept; 0: none */
};

/* What a frame had in segments before the open one, in a window that goes on. */
struct squares_kept {
	uint32_t window, next;	/* next: as in struct squares_frame */
	int64_t own;
};

struct squares {
	const struct segments *of;
	struct squares_rows *window;	/* by window */
	struct squares_rows now;	/* of the open segment, in all its windows */
	const struct segment *open;	/* NULL: none */
	struct squares_frame *frame;
	size_t frame_n, frame_cap;
	size_t low;		/* frames below have no time in the open segment */
	struct squares_kept *kept;
	size_t kept_n, kept_cap;
	uint32_t spare;		/* as in struct squares_frame */
	size_t waiting;		/* kept ones that frames have */
	size_t window_n;
};

void squares_init(struct squares *s, const struct segments *of, size_t window_n);
void squares_release(struct squares *s);

/* A segment begins, or the open one ends. */
void squares_begin(struct squares *s, const struct segment *segment);
void squares_end(struct squares *s);

/* A region or path has calls whose times are not known. */
void squares_forget(struct squares *s, uint32_t row);

/* What the functions below need rarely. */
void squares_grow(struct squares *s);
void squares_end_kept(struct squares *s, size_t frame);	/* began before the open segment, in one of its windows */
square *squares_row(struct squares_rows *r, uint32_t row);	/* grows to it */

/* What is unknown, or too large, stays unknown. */
static inline void square_add(square *to, square v)
{
	if (*to == SQUARE_UNKNOWN || v == SQUARE_UNKNOWN || __builtin_add_overflow(*to, v, to))
		*to = SQUARE_UNKNOWN;
}

static inline square square_of(int64_t own)
{
	square v = own < 0 ? 0 - (uint64_t)own : (uint64_t)own;

	return v * v;
}

/* A call of a region or path has ended whose exclusive time is all in the open segment. */
static inline void squares_add(struct squares *s, uint32_t row, int64_t own)
{
	if (s->open)
		square_add(row < s->now.v_n ? &s->now.v[row] : squares_row(&s->now, row),
			   square_of(own));
}

/* The innermost frame is opened with a number for its region or path, or closed. */
static inline void squares_push(struct squares *s, uint32_t row)
{
	if (s->frame_n == s->frame_cap)
		squares_grow(s);
	s->frame[s->frame_n++] = (struct squares_frame){.row = row};
}

static inline void squares_pop(struct squares *s)
{
	size_t frame = --s->frame_n;
	const struct squares_frame *f = &s->frame[frame];

	if (s->low > frame)
		s->low = frame;
	if (f->kept && s->open)
		squares_end_kept(s, frame);
	else
		squares_add(s, f->row, f->own);
}

/* Exclusive time of a frame. */
static inline void squares_spend(struct squares *s, size_t frame, int64_t ns)
{
	s->frame[frame].own = (int64_t)((uint64_t)s->frame[frame].own + (uint64_t)ns);
	if (frame < s->low)
		s->low = frame;
}

/* Of a window that has ended; 0: nothing was added. */
static inline square squares_of(const struct squares *s, size_t window, uint32_t row)
{
	return row < s->window[window].v_n ? s->window[window].v[row] : 0;
}

#endif
