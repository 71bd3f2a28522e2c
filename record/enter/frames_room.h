/*
 * frames_room.h: room for the open frames of a stream, and for what filters and metrics add to each.
 */
#ifndef FRAMES_ROOM_H
#define FRAMES_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stream;

/* The frames that a stream needs from its begin, unless it has them; false: no memory. */
bool frames_equip(struct stream *s);
/* Makes room for one more frame of the calling thread, of a function entered at stack pointer sp. */
bool frames_grow(uint64_t sp);
/* Makes room for this many open frames of the calling thread. */
bool frames_room(size_t depth);

#endif
