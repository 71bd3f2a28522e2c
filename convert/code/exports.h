/* exports.h: the functions that a shared library exports. */
#ifndef EXPORTS_H
#define EXPORTS_H

#include <limits.h>

#include "analyze/base/base.h"

struct exports {
	struct names functions;	/* in order of the library's table */
	char soname[NAME_MAX];	/* the file's name if the library has no soname */
};

/*
 * Reads the functions of a library. ERROR_SYSTEM: the file cannot be opened; ERROR_INPUT: it is not
 * a shared library, or exports no function. On failure there is nothing to release.
 */
int exports_read(const char *path, struct exports *out, struct error *e);
void exports_release(struct exports *x);

#endif
