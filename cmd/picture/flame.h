/*
 * flame.h: a picture of paths of calls, as SVG: each box is a call, as wide as the numbers of the paths through it, below the
 * call that made it; the lowest boxes are what the paths end in.
 */
#ifndef FLAME_H
#define FLAME_H

#include <stddef.h>
#include <stdio.h>

struct flame_box {
	char *name;			/* whole, but lines: calls of one function are one box */
	double value;			/* of all paths through it */
	int accent;			/* of an end: as in bars.h; FLAME_CALL of a call */
	size_t first, next;		/* box below, box beside; 0: none */
};
enum { FLAME_CALL = -2 };

struct flame {
	struct flame_box *box;		/* the first is everything */
	size_t box_n, box_cap;
};

/* A path of calls (analyze/trace/call_text.h), outermost first, which may be NULL, and what it ends in. value > 0, or nothing is added. */
void flame_add(struct flame *f, const char *path, const char *end, double value, int accent);
/* subtitle and foot: sentences around it. */
void flame_print(struct flame *f, const char *title, const char *subtitle, const char *foot, FILE *to);
void flame_release(struct flame *f);

#endif
