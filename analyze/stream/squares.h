/*
 * squares.h: the sum over calls of the squared exclusive time, by region or call path and by
 * window, while one stream is played. A standard deviation per call requires it:
 *
 *	deviation^2 = sum of squares / calls - (exclusive time / calls)^2
 *
 * A call that a window cuts counts there with its time inside. A window of several spans counts
 * each span by itself. Sums are in whole ns^2, so they do not depend on the order of calls or on
 * other windows.
 *
 * Calls that a trace has merged (EVENT_FOLD) have no times of their own: the sum is unknown unless
 * it is a single call.
 *
 * With a carry, consecutive windows add up: a call counts once, with all of its time, in the window in which it ends, or, if it is
 * still open, in the last one.
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
	int64_t own;		/* ns: exclusive time in the open segment */
	uint32_t row;		/* its region or path */
	uint32_t kept;		/* 1 + the index of its first squares_kept; 0: none */
};

/* The time of a frame in segments before the open one, in a window that continues. */
struct squares_kept {
	uint32_t window, next;	/* next: as in struct squares_frame */
	int64_t own;
};

/* What frames that are open at a moment have spent so far, ns, the outermost first. The caller frees own. */
struct squares_carry {
	int64_t *own;
	size_t own_n;
};

struct squares {
	const struct segments *of;
	struct squares_carry *carry; /* at the begin of the first segment, then at the end of the last but one; NULL: none */
	int carried;		/* the frames have it */
	struct squares_rows *window;	/* by window: of segments that have ended; a row that is
					 * not there is 0 */
	struct squares_rows now;	/* of the open segment, in all its windows */
	const struct segment *open;	/* NULL: none */
	struct squares_frame *frame;
	size_t frame_n, frame_cap;
	size_t low;		/* frames below this one have no time in the open segment */
	struct squares_kept *kept;
	size_t kept_n, kept_cap;
	uint32_t spare;		/* first unused element, as in struct squares_frame */
	size_t waiting;		/* number of elements that frames use */
	size_t window_n;
};

/* of must stay, and carry, which may be NULL. With a carry, each segment is one window, and begins where the one before ends. Release s. */
void squares_init(struct squares *s, const struct segments *of, size_t window_n,
		  struct squares_carry *carry);
void squares_release(struct squares *s);

/* A segment of `of` begins, or the open one ends; nothing happens if none is open. */
void squares_begin(struct squares *s, const struct segment *segment);
void squares_end(struct squares *s);

/* The frames are those that were open at `time`, where reading begins. */
void squares_resume(struct squares *s, int64_t time);

/* A region or path has calls whose times are unknown. */
void squares_forget(struct squares *s, uint32_t row);

/* The rare cases of the functions below. */
void squares_grow(struct squares *s);
void squares_end_kept(struct squares *s, size_t frame);	/* the frame began before the open
							 * segment, in one of its windows */
square *squares_row(struct squares_rows *r, uint32_t row);	/* adds the row if necessary */

/* An unknown sum, or one that is too large, remains unknown. */
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

/* A call of a region or path has ended, with all of its exclusive time in the open segment. */
static inline void squares_add(struct squares *s, uint32_t row, int64_t own)
{
	if (s->open)
		square_add(row < s->now.v_n ? &s->now.v[row] : squares_row(&s->now, row),
			   square_of(own));
}

/* The innermost frame is opened, with the number of its region or path, or closed. */
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

/* Adds exclusive time to a frame. */
static inline void squares_spend(struct squares *s, size_t frame, int64_t ns)
{
	s->frame[frame].own = (int64_t)((uint64_t)s->frame[frame].own + (uint64_t)ns);
	if (frame < s->low)
		s->low = frame;
}

#endif
