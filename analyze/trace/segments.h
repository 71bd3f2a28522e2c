/*
 * segments.h: several windows of one process as one list of disjoint segments of time, each with
 * the windows that contain it. Because windows add up, a window's profile is the sum of the
 * profiles of its segments, so one pass over the events serves all windows.
 */
#ifndef SEGMENTS_H
#define SEGMENTS_H

#include "analyze/trace/spans.h"

struct segment {
	int64_t begin, end;
	size_t first;		/* the windows are member[first, first + n) */
	uint32_t n;
};

struct segments {
	struct segment *v;	/* ascending; time outside of all windows is excluded */
	size_t v_n, v_cap;
	uint32_t *member;
	size_t member_n, member_cap;
};

/* A position in the list, which moves in order of time. */
struct segment_cursor {
	const struct segments *of;
	size_t at;		/* the segment that is open or follows */
	int open;
};

static inline int segments_left(const struct segment_cursor *c)
{
	return c->at < c->of->v_n;
}

/*
 * ns at which the open segment ends or the next one begins. INT64_MAX: no segment follows, or the
 * open one has no end.
 */
static inline int64_t segment_edge(const struct segment_cursor *c)
{
	if (!segments_left(c))
		return INT64_MAX;
	return c->open ? c->of->v[c->at].end : c->of->v[c->at].begin;
}

/*
 * Crosses the next edge and returns its segment, which has begun if the cursor is now open, and has
 * ended if not. NULL: the next edge is after `time`, or there is none.
 */
static inline const struct segment *segment_cross(struct segment_cursor *c, int64_t time)
{
	if (!segments_left(c) || segment_edge(c) > time)
		return NULL;
	c->open = !c->open;
	return &c->of->v[c->open ? c->at : c->at++];
}

/* Makes the segments of a process. segments_release() frees them. */
void segments_make(struct segments *s, const struct windows *w, size_t process);
void segments_release(struct segments *s);

#endif
