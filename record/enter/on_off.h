/*
 * on_off.h: the records of a thread when recording goes off and on again, and frames that end unrecorded.
 */
#ifndef ON_OFF_H
#define ON_OFF_H

#include <stdbool.h>
#include <stddef.h>

struct frame;
struct filtered_frame;

/* Writes an OFF record of a thread that is ready, and sets READY_OFF. */
void record_off(void);
/*
 * Writes an ON record with the current call stack. seen: the end of the stack according to the records before it; the snapshot
 * of a chunk that must begin before the ON contains only these frames.
 */
void record_on(struct frame *seen);
/* Makes room for an ON record of this number of frames. */
bool record_on_room(size_t depth);
/* Drops the innermost n frames, unrecorded. */
void frames_drop(size_t n);
/* A frame ends, for any reason. */
void filtered_popped(const struct filtered_frame *r);

#endif
