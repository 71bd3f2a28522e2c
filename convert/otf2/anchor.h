/* anchor.h: the file that stands for an OTF2 archive. */
#ifndef ARCHIVE_ANCHOR_H
#define ARCHIVE_ANCHOR_H

#include <stddef.h>

/*
 * The anchor that a path means: itself, or the one that a directory holds, or one directory below. n: how many there are;
 * NULL when there is none. Free it.
 */
char *archive_anchor(const char *path, size_t *n);

#endif
