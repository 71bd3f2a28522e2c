/*
 * profile_sum.h: adds up the profiles of consecutive windows of one run to the profile of all of
 * them.
 *
 *	profile[a, b) + profile[b, c) = profile[a, c)
 *
 * for calls, subroutines, times and the statistics of events, because windows are additive
 * (tau-trace2profile(1), WINDOWS). A level, such as live bytes, has its value at the end of the
 * later window; a peak is the larger one of both.
 */
#ifndef PROFILE_SUM_H
#define PROFILE_SUM_H

#include "analyze/profile/profile.h"

/*
 * Adds the next window to `into`, which may be an empty profile. The caller keeps both. Afterwards
 * `into` is sorted and has the end of the window and the metadata of `next`; metadata that only
 * `into` had stays. Squares add up if their calls were counted once (squares.h, carry). O(rows of both) in time and memory.
 */
void profile_add_window(struct profile *into, const struct profile *next);

#endif
