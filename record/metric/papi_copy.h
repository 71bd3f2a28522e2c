/*
 * papi_copy.h: a copy of a library that only the recorder uses.
 */
#ifndef PAPI_COPY_H
#define PAPI_COPY_H

#include <stdbool.h>

/* Finds a library; false: not installed. *copy: the library loaded for the recorder alone; NULL: loading failed. */
bool papi_copy(const char *name, void **copy);

#endif
