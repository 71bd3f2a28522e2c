/*
 * flame.h: a picture of paths of calls, as SVG: each box is a call, as wide as the numbers of the paths through it, below the
 * call that made it; the lowest boxes are what the paths end in.
 */
#ifndef FLAME_H
#define FLAME_H

#include <stddef.h>
#include <stdio.h>

#include "analyze/base/base.h"

struct flame_box {
	const char *name;		/* whole, but lines: calls of one function are one box */
	double value;			/* of all paths through it */
	int accent;			/* of an end: as in bars.h; FLAME_CALL of a call */
	size_t above;			/* the box above */
	size_t first, next;		/* box below, box beside; 0: none; set by flame_print() */
};
enum { FLAME_CALL = -2, FLAME_TEXT = 48 };

struct flame {
	struct flame_box *box;		/* the first is everything */
	size_t box_n, box_cap;
	struct names keys;		/* (above, accent, name) of each box; private, as the next two */
	char *key;
	size_t key_cap;
	/* A value as text, into out, which is returned; NULL: bytes. */
	const char *(*text)(const void *of, double value, char out[FLAME_TEXT]);
	const void *of;
	const char *hint;	/* what boxes are; NULL: allocations */
};

/* A path of calls (analyze/trace/call_text.h), outermost first, which may be NULL, and what it ends in. value > 0, or nothing is added. */
void flame_add(struct flame *f, const char *path, const char *end, double value, int accent);
/*
 * For paths that are a tree already: a box below another, which stays one if it has the same name. Its value is that of all below
 * it, too. Box 0 is everything, which flame_root() makes.
 */
void flame_root(struct flame *f, const char *name, double value);
size_t flame_box(struct flame *f, size_t above, const char *name, double value);
/* subtitle and foot: sentences around it. */
void flame_print(struct flame *f, const char *title, const char *subtitle, const char *foot, FILE *to);
void flame_release(struct flame *f);

#endif
