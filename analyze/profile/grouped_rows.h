/*
 * grouped_rows.h: sums up the regions of a profile by group or by source file, over all threads.
 *
 *	exclusive(key) = sum over regions of the key, over threads	mean, largest, imbalance: as in region_rows.h, of the sums per thread
 *
 * Time outside of all regions is in the mean and in the largest value only on the threads on which it is compared.
 * Inclusive values of a key are not defined, because regions of one key call each other. Samples
 * are excluded, because their times are part of the regions' exclusive times.
 */
#ifndef GROUPED_ROWS_H
#define GROUPED_ROWS_H

#include "analyze/profile/region_rows.h"

enum grouped_by {
	GROUPED_GROUP,	/* a region of several groups counts in each of them */
	GROUPED_FILE,	/* source file of the region */
};

struct grouped_row {
	char *name;		/* NULL: regions without group or file */
	uint32_t regions;	/* number of regions with values on a thread */
	struct region_row sum;	/* path: PROFILE_FLAT; inclusive: NaN */
};

struct grouped_rows {
	struct grouped_row *v;	/* most exclusive first, equal ones by name */
	size_t v_n;
	double whole;		/* exclusive sum of all regions, each counted once */
	uint32_t several;	/* regions that count in more than one row */
	uint32_t threads, waiting;
};

/* One metric, in its unit; waiting: threads to exclude. Release r. */
void grouped_rows_make(struct grouped_rows *r, const struct profile *p, const struct waiting *waiting, size_t metric,
		       enum grouped_by by);
void grouped_rows_release(struct grouped_rows *r);

#endif
