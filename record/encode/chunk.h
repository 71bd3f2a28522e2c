/*
 * chunk.h: the live chunk and the file of a stream. `top` is the end of the stream's open frames.
 */
#ifndef CHUNK_H
#define CHUNK_H

#include <stdbool.h>
#include <stddef.h>

struct stream;
struct frame;

/* Room that every chunk keeps free in each column for the record being written. */
#define MARGIN_RECORDS 64
#define MARGIN_ARGS 256

/* Creates the files, or reopens them after a close. */
bool chunk_open(struct stream *s, const struct frame *top);
/* Seals the chunk, writes the index, removes the live file. */
bool chunk_close(struct stream *s);
/* Stores the chunk of the calling thread and begins the next. */
bool chunk_seal(void);
void chunk_divide(void);	/* the same, unless the chunk has no record, for what is about to be defined */
/*
 * Called when the last record of the calling thread began at self.end or later: stores the chunk if it is full, and otherwise looks
 * for commands from outside, once per LOOK_RECORDS records.
 */
#define LOOK_RECORDS 1024
void chunk_reached(void);
/* Seals or enlarges the chunk of the calling thread until this number of bytes fits into columns
 * DEFS and ARGS. */
bool chunk_room(size_t defs, size_t args);
/* Points the calling thread's hot state at s->live. */
void chunk_adopt(struct stream *s);
/* In a forked child: unmaps the chunk and leaves the files as they are. */
void chunk_forget(struct stream *s);

#endif
