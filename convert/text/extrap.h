/*
 * extrap.h: experiments in the text format of Extra-P: measurements of regions on several numbers of PEs.
 *
 *   PARAMETER p			name of what varies: at most one
 *   POINTS (1000) (2000)		its values, with or without parentheses; lines add up
 *   METRIC time			of the DATA that follow; without it "value"
 *   REGION main->solve			of the DATA that follow
 *   DATA 4.1 3.9 4.0			measurements of the region at the next point
 *   # a comment
 *
 * Source: documentation of Extra-P, docs/file-formats.md.
 */
#ifndef EXTRAP_H
#define EXTRAP_H

#include "analyze/profile/profile.h"

struct extrap {
	struct profile **profile;	/* by point, in the order of the file */
	size_t point_n;
	size_t least, most;		/* number of measurements of a region at a point */
};

/* Does a file begin as one? p has a NUL after its end. */
int extrap_is(const unsigned char *p, size_t n);
/*
 * One profile for each point, with the number of PEs of the point; each has the mean of the
 * measurements. Times in the file are seconds. ERROR_INPUT: "PATH: line N: what is wrong"; then
 * there is nothing to release.
 */
int extrap_read(const char *path, const unsigned char *p, size_t n, struct extrap *out,
		struct error *e);
void extrap_release(struct extrap *x);

#endif
