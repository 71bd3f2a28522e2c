/* anchor.h: finds the anchor file of an OTF2 archive. */
#ifndef ARCHIVE_ANCHOR_H
#define ARCHIVE_ANCHOR_H

#include <stddef.h>

#include "analyze/base/base.h"
#include "convert/io/input.h"

/*
 * The anchor of an input: the path itself, or the anchor in that directory, or, if there is none, the one in a directory below
 * it. n: how many there are, of which one is returned; NULL: there is none. The caller frees it.
 */
char *archive_anchor(struct input *in, size_t *n);

/*
 * Checks the count of properties in an anchor, which the OTF2 library trusts: it allocates 16 bytes
 * for each, up to 64 GB. 0; ERROR_INPUT, with a message in e: the rest of the file is too short for
 * them; or the file cannot be read. The library reports other damage.
 */
int archive_anchor_check(const char *anchor, struct error *e);

#endif
