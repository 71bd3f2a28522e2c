/*
 * deep_paths.h: adds up call paths of many levels, so that the text of all paths of a recursion of depth N, which grows with N
 * squared, is limited.
 *
 * A path of more than LEVELS regions becomes the path of its first LEVELS regions and its last one. Its calls and exclusive
 * values are added up, the inclusive ones over the outermost of those that become one path. So the paths that end with a
 * region still add up to its own row.
 */
#ifndef DEEP_PATHS_H
#define DEEP_PATHS_H

#include "analyze/profile/profile.h"

#define DEEP_PATHS_LEVELS 1000

/* Returns how many paths were added up with others. 0: no path is that long. p may be unsorted, and is so afterwards. */
size_t deep_paths_merge(struct profile *p, uint32_t levels);

#endif
