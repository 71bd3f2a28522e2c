/* courses.h: a picture of values over time: one panel below the other, each with a scale of its own, over the same time. */
#ifndef COURSES_H
#define COURSES_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct courses_line {
	char *name, *detail;	/* detail: smaller, below; both are freed by courses_release() */
	double *y;		/* n values of equal parts of the time; NaN: none. Freed, too */
	int from_zero;		/* the scale begins at 0, not at the least value */
};

struct courses {
	const char *title, *subtitle;
	size_t n;		/* parts of the time */
	int64_t *edge;		/* ns: the n + 1 limits of the parts; freed by courses_release() */
	struct courses_line *line;
	size_t line_n, line_cap;
};

/* As high as its panels need. */
void courses_print(const struct courses *c, FILE *f);
void courses_release(struct courses *c);

#endif
