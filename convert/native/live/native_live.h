/* native_live.h: the chunk that is being written, or that a killed process left. */
#ifndef NATIVE_LIVE_H
#define NATIVE_LIVE_H

#include "convert/native/file/native_columns.h"

/*
 * Copies the live chunk, before the sealed ones are listed: one that is sealed in between is then found there. Returns NULL,
 * also if there is none (live_path is NULL then), or why it cannot be used. was: the file as it was read before, NULL: none: if the
 * chunk is the same, it is moved from there.
 */
const char *native_live_open(struct native_file *f, struct native_file *was);
/*
 * Appends the live chunk if it follows the sealed ones. wrong: what native_live_open() returned. Always 0: the rest is damage.
 */
int native_live_append(struct native_file *f, const char *wrong);

#endif
