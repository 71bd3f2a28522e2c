/* loader_cache.h: the cache of ldconfig, /etc/ld.so.cache: where libraries are. */
#ifndef LOADER_CACHE_H
#define LOADER_CACHE_H

#include <stddef.h>

enum { LOADER_LEVELS = 4 }; /* of a processor, at most */

/*
 * The paths of the libraries of this name, the best for the processor first; their number, at most `most`. cache: the bytes of the file,
 * with a zero after the last one. levels: names of levels that the processor has, best first, NULL at the end. The paths are borrowed from
 * the cache. A damaged cache has none, or paths of no files.
 */
size_t loader_cache_find(const char *cache, size_t size, const char *name, const char *const *levels, const char **path, size_t most);

#endif
