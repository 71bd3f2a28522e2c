/*
 * live.h: the live mapping of a stream. Its functions run on the recorder's own stack, with signals blocked.
 */
#ifndef LIVE_H
#define LIVE_H

#include "record/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stream;

/*
 * The first live mapping of a stream, empty and without magic: a place in the file of the threads, or a file. little: of a small chunk,
 * used if the file system or a limit has no room for the usual size. NULL and errno. */
struct tau_live_header *live_create(struct stream *s, bool little);
/* The chunk is over: removes the file, or empties the place. */
void live_end(struct stream *s);
void live_forget(struct stream *s);	/* in a forked child: it is its parent's */
/* Replaces it by a larger one; only before a chunk is begun. */
bool live_resize(struct stream *s, enum tau_column column, size_t want);
/* Maps a new file of zeros in PLACE_LIVE, shared, with its space reserved; with_pages: allocates its pages now. NULL and errno. */
void *file_map(const struct stream *s, const char *suffix, size_t size, bool with_pages);

#endif
