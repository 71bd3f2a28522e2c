/* native_whole.h: the whole records and definitions of a live chunk. */
#ifndef NATIVE_WHOLE_H
#define NATIVE_WHOLE_H

#include "convert/io/bytes.h"
#include "convert/native/file/native_columns.h"

/* A record of a live chunk, in which TIMES still has 4 bytes per record. */
struct native_live_record {
	uint16_t token;
	uint32_t region;	/* of an ENTER */
	struct bytes fields;	/* of an extended record */
	uint64_t later;		/* ticks since the record before */
};
/*
 * Steps over the snapshot at the head of a chunk's arguments; section: called with the tag and the bytes of each, NULL: not called.
 * Then over the record at `at` in TIMES, 4 bytes each. Both set args->bad if the arguments are not whole.
 */
void native_snapshot_pass(struct bytes *args, void (*section)(void *to, uint64_t tag, struct bytes b), void *to);
struct native_live_record native_record_pass(const struct native_columns *c, size_t at, unsigned metrics,
					     struct bytes *args);
/*
 * Shortens the columns of a live chunk, in which TIMES still has 4 bytes per record, to whole records, their arguments and
 * whole definitions: its writer may have been killed inside the next one. *tick: on entry the chunk's first tick; becomes the
 * time of the last record. -1: the snapshot is damaged, and all stays as it is.
 */
int native_whole_keep(struct native_columns *c, unsigned metrics, uint64_t *tick);
/* Shortens both columns to these lengths, in bytes. */
void native_whole_shorten(struct native_columns *c, size_t times, size_t args);

#endif
