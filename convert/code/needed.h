/*
 * needed.h: the shared libraries that the GNU C library's loader would load for a program, found by reading files: nothing is
 * executed, neither the program nor the loader that it names.
 */
#ifndef NEEDED_H
#define NEEDED_H

#include "analyze/base/base.h"

struct needed_library {
	char *name; /* as the program or a library names it: "libm.so.6" */
	char *path; /* of the file, as the loader would name it; NULL: it is not found */
};

struct needed {
	struct needed_library *library; /* in the order of the loader, with the loader itself and /etc/ld.so.preload */
	size_t library_n, library_cap;
	int gnu;    /* the program's loader is that of the GNU C library; otherwise no library is listed */
	char *libc; /* the path of its C library; NULL: none */
};

/*
 * Reads LD_LIBRARY_PATH, RPATH, RUNPATH, the cache of ldconfig and the loader's own folders, as the loader does. interpreter: the path
 * of the loader that the program names. 0, or negative: the program or its loader cannot be read.
 */
int needed_read(const char *program, const char *interpreter, struct needed *out);
void needed_release(struct needed *n);

/* Does the C library of the program have all versions that this library needs of it? */
int needed_fits(const struct needed *n, const char *library);

#endif
