/* paths.h: paths of files, and lists of them. */
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

/* What follows the last slash. */
const char *path_file(const char *path);
/* The last part without slashes at its end, such as the name of a trial that has none. To be freed. */
char *path_name(const char *path);
/* Does it end in this suffix, with something before it? No path ends in "". */
int path_ends_in(const char *path, const char *suffix);
/* From the root: a relative path is below the current directory. To be freed. */
char *path_absolute(const char *path);
int path_is_directory(const char *path);

#endif
