/* paths.h: a list of paths. */
#ifndef PATHS_H
#define PATHS_H

#include <stddef.h>

struct paths {
	char **path; /* owned; add with array_add() */
	size_t path_n, path_cap;
};

/* Alphabetical order. */
void paths_sort(struct paths *p);
void paths_release(struct paths *p);

#endif
