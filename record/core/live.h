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

/* The first live mapping of a stream, empty and without magic. NULL and errno. */
struct tau_live_header *live_create(const struct stream *s, const uint32_t cap[TAU_COLUMNS]);
/* Replaces it by a larger one; only before a chunk is begun. */
bool live_resize(struct stream *s, enum tau_column column, size_t want);
void xfsz_swallow(void);		/* a file exceeded the program's limit: takes away the SIGXFSZ that we caused */
/* Maps a new file of zeros in PLACE_LIVE, shared, with its space reserved; with_pages: allocates its pages now. NULL and errno. */
void *file_map(const struct stream *s, const char *suffix, size_t size, bool with_pages);

#endif
