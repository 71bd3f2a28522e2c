/*
 * stream_time.h: CPU time and lives of the threads that used a stream.
 */
#ifndef STREAM_TIME_H
#define STREAM_TIME_H

#include <stdint.h>

struct stream;

/* The thread s->tid begins to use the stream. */
void stream_time_begin(struct stream *s);
/* It ends. */
void stream_time_end(struct stream *s);
/* CPU time and life so far of all threads that used the stream, in ns; any thread may call it. */
void stream_cpu(const struct stream *s, uint64_t *cpu, uint64_t *life);

#endif
