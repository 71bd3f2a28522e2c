/*
 * live.h: the live mapping of a stream. Its functions run on the recorder's own stack, with signals blocked, unless stated otherwise.
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
/*
 * Threads without a live chunk count the events that they lose in the chunk of another thread of the process, from which readers get
 * the number even if the process is killed. A stream whose chunk has begun offers it; lost_without_file() counts an event, anywhere.
 */
void live_counts(struct stream *s);
void lost_without_file(void);
static inline void live_lost(struct tau_live_header *live, uint64_t n)
{
	__atomic_add_fetch(&live->lost, n, __ATOMIC_RELAXED);
}
/* Maps a new file of zeros in PLACE_LIVE, shared, with its space reserved; with_pages: allocates its pages now. NULL and errno. */
void *file_map(const struct stream *s, const char *suffix, size_t size, bool with_pages);

#endif
