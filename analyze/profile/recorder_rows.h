/*
 * recorder_rows.h: removes the recorder's own regions from a profile, so that no row and no sum of a report has their time.
 *
 * Of each thread go away: rows of such regions (region_is_recorder()), of everything that they call, and of samples in the recorder's
 * code. Their time leaves the inclusive time of what encloses them:
 *
 *	inclusive of a region = that before - inclusive of the recorder's regions inside
 *
 * Call paths show what encloses them. A region that has no call path is inside of the outermost region (REGION_ROOT) only. Derived
 * threads keep the inclusive values that are no sums: only TOTAL and the mean over all threads can be corrected.
 */
#ifndef RECORDER_ROWS_H
#define RECORDER_ROWS_H

#include "analyze/profile/profile.h"

/* Is it a region of the recorder, or code of it that samples found? */
int recorder_rows_is(const struct profile_timer *t);

/* p is sorted, and stays so. thread->recorder is then what was removed. O(rows). */
void recorder_rows_remove(struct profile *p);

/* The sum of thread->recorder over the threads of PEs, or of a summary's total; us, to the ns. */
double recorder_rows_removed(const struct profile *p);

#endif
