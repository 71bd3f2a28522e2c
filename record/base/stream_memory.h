/*
 * stream_memory.h: the memory that a stream begins with.
 */
#ifndef STREAM_MEMORY_H
#define STREAM_MEMORY_H

struct stream;

/*
 * A new stream, all zero; with its first few frames and function slots, except for the first stream of a process, which soon needs
 * more. The lock is held. NULL: no memory.
 */
struct stream *stream_memory(void);

#endif
