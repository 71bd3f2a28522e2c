/* regular.h: opens what can be read at any offset: regular files, never a FIFO, a socket or a device, which could block. */
#ifndef REGULAR_H
#define REGULAR_H

#include <stdio.h>

#include "analyze/base/base.h"

/* A descriptor to read from, or a negative error code with a sentence in e (may be NULL). */
int regular_open(const char *path, struct error *e);
/* The same as a stream; NULL: e says why. */
FILE *regular_fopen(const char *path, struct error *e);

/* ERROR_INPUT: path is neither a regular file nor a directory; ERROR_SYSTEM: it does not exist. */
int regular_check(const char *path, struct error *e);

#endif
