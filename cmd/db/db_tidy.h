/*
 * db_tidy.h: a table with one value in each row:
 *
 *	trial,name,window,window_name,rank,context,thread,kind,item,metric,statistic,value
 *
 * kind is timer, callpath, counter or context (of a counter); item is its name, "a => b" or "E : a => b". Timers have the
 * statistics calls and subroutines without a metric, and inclusive and exclusive of each metric; counters count, maximum, minimum,
 * mean and sum_of_squares. A value that is missing has no row.
 */
#ifndef DB_TIDY_H
#define DB_TIDY_H

#include <stdio.h>

#include "analyze/profile/profile.h"

void tidy_head(FILE *f);
void tidy_print(FILE *f, int64_t trial, size_t window, struct profile *p);

#endif
