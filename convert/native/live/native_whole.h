/* native_whole.h: the whole records and definitions of a live chunk. */
#ifndef NATIVE_WHOLE_H
#define NATIVE_WHOLE_H

#include "convert/native/file/native_columns.h"

/*
 * Shortens the columns of a live chunk, in which TIMES still has 4 bytes per record, to whole records, their arguments and
 * whole definitions: its writer may have been killed inside the next one. *tick: on entry the chunk's first tick; becomes the
 * time of the last record. -1: the snapshot is damaged, and all stays as it is.
 */
int native_whole_keep(struct native_columns *c, unsigned metrics, uint64_t *tick);

#endif
