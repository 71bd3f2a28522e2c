/* region_name.h: names of regions and call paths in little room. */
#ifndef REGION_NAME_H
#define REGION_NAME_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/trace/region_names.h"

/*
 * The name with each place as file and line: "main [{/src/app.c} {13,0}]" is "main [app.c:13]"; code without a name as library
 * and address: "addr=<0x1cc40> [libgomp.so.1]" is "libgomp.so.1+0x1cc40". Every element of a call path is treated so. To be freed.
 */
char *region_name_short(const char *name);

/*
 * Shortens s in place until it is width wide, so that the innermost function stays as long as possible: first without its
 * arguments, then its callers without their places, then without its own, then without the kind of its clone, then without the
 * arguments of its templates, then from the left. Its place goes first if even the function alone is too wide. A construct of OpenMP
 * stays before its function: "omp parallel: ~reads". A module without names, "UNRESOLVED /lib/libc.so.6", loses its folders first.
 */
void region_name_fit(char *s, size_t width);

/* "main => solve": the full names of regions, the outermost first, of at most DEEP_PATHS_LEVELS and the last one. To be freed. */
char *region_names_joined(const struct trace *t, const uint32_t *region, size_t n);

/* The shortest name that means element i of the list only: its innermost name or its full one. To be freed. */
char *region_word(const struct region_list *list, size_t i);

#endif
