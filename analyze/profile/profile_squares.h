/* profile_squares.h: counts rows with sums of squares of their own. */
#ifndef PROFILE_SQUARES_H
#define PROFILE_SQUARES_H

#include "analyze/profile/profile.h"

/* So many rows have a sum of squares that does not follow from the totals (profile_squared()). */
size_t profile_squares_known(const struct profile *p);

#endif
