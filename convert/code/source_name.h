/*
 * source_name.h: names of functions as TAU's parser of sources (PDT) writes them into selection files: "void sort(int *, int) C",
 * "double Grid::step(const Cell &)", "SOLVE", "PHYSICS::STEP".
 */
#ifndef SOURCE_NAME_H
#define SOURCE_NAME_H

#include <stddef.h>

/* Does a name of n characters match the pattern, in which # is any sequence of characters? */
int name_match(const char *pattern, const char *name, size_t n);
/*
 * Is `name`, of a symbol (readable, with the types of parameters if it is one of C++), the function that the pattern names? 0
 * if the pattern is written in another way: it has neither parameters nor only upper-case letters (Fortran).
 */
int source_name_match(const char *pattern, const char *name);
/* Is a pattern written as PDT writes names of Fortran: in upper case? */
int source_name_is_fortran(const char *pattern);
/* The name in such a pattern without types, *n characters of it; the whole pattern if it is written in another way. */
const char *source_name_bare(const char *pattern, size_t *n);

#endif
