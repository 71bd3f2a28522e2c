/*
 * regular.h: opens files that can be read at any offset: regular files, but no FIFO, socket or
 * device, which could block.
 */
#ifndef REGULAR_H
#define REGULAR_H

#include <stdio.h>

#include "analyze/base/base.h"

/*
 * A file descriptor for reading, or a negative error code with a message in e (may be NULL). The
 * caller closes it.
 */
int regular_open(const char *path, struct error *e);
/* The same as a stream; NULL: an error, with its message in e. */
FILE *regular_fopen(const char *path, struct error *e);

/* ERROR_INPUT: path is neither a regular file nor a directory; ERROR_SYSTEM: it does not exist. */
int regular_check(const char *path, struct error *e);

#endif
