/* profile_squares.h: counts rows that have sums of squares. */
#ifndef PROFILE_SQUARES_H
#define PROFILE_SQUARES_H

#include "analyze/profile/profile.h"

/* Number of rows with a sum of squares that does not follow from the totals (profile_squared()). */
size_t profile_squares_known(const struct profile *p);

#endif
