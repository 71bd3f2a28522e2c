/*
 * snapshot.h: the state at the begin of a chunk: open regions, live bytes, metrics.
 */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include <stddef.h>
#include <stdint.h>

struct stream;
struct frame;

/* An upper bound of its length in bytes. */
size_t snapshot_bound(const struct stream *s, const struct frame *top);
/* Writes it to the empty column ARGS. */
void snapshot_write(struct stream *s, const struct frame *top, uint64_t now);

#endif
