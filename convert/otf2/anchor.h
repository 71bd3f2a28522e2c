/* anchor.h: finds the anchor file of an OTF2 archive. */
#ifndef ARCHIVE_ANCHOR_H
#define ARCHIVE_ANCHOR_H

#include <stddef.h>

/*
 * The anchor of a path: the path itself, or the anchor in that directory, or the one in a directory
 * below it. n: how many there are; NULL: there is none. The caller frees it.
 */
char *archive_anchor(const char *path, size_t *n);

#endif
