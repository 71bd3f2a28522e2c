/*
 * profile_sum.h: profiles of consecutive windows of one run become the profile of both windows together.
 *
 *	profile[a, b) + profile[b, c) = profile[a, c)
 *
 * for calls, subroutines, times and the statistics of events, as windows are additive (tau-trace2profile(1), WINDOWS). A level,
 * such as live bytes, has its value at the end of the later window; a peak is the larger of both.
 */
#ifndef PROFILE_SUM_H
#define PROFILE_SUM_H

#include "analyze/profile/profile.h"

/*
 * Adds the window that comes next to what `into` has so far, which may be an empty profile. Both stay the caller's. `into` is
 * sorted afterwards and has the window's end and metadata. O(rows of both) in time and memory.
 */
void profile_add_window(struct profile *into, const struct profile *next);

#endif
