/*
 * segments.h: several windows of one process as one list of disjoint segments of time, each with the windows that it
 * belongs to. Because windows add up, a window's profile is the sum of its segments', so one pass serves all.
 */
#ifndef SEGMENTS_H
#define SEGMENTS_H

#include "analyze/trace/spans.h"

struct segment {
	int64_t begin, end;
	size_t first;		/* windows are member[first .. first + n) */
	uint32_t n;
};

struct segments {
	struct segment *v;	/* ascending; time in no window is left out */
	size_t v_n, v_cap;
	uint32_t *member;
	size_t member_n, member_cap;
};

void segments_make(struct segments *s, const struct windows *w, size_t process);
void segments_release(struct segments *s);

#endif
