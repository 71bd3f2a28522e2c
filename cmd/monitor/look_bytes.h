/*
 * look_bytes.h: a look as bytes, between monitors on several hosts. The form has a version (frame.h); it is no format to keep.
 */
#ifndef LOOK_BYTES_H
#define LOOK_BYTES_H

#include "cmd/monitor/look.h"
#include "convert/native/file/native_out.h"

/* Appends all but the profile and the ids of regions. */
void look_put(struct buffer *b, const struct look *l);

/*
 * Decodes a look; nothing in the bytes is trusted: texts have no control characters, numbers are finite and can be added up,
 * unless missing ones are allowed. Returns 0, or -1 if they are damaged, and then nothing is left to release.
 */
int look_get(const void *from, size_t n, struct look *out);

#endif
