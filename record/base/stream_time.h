/*
 * stream_time.h: CPU time, lives and waiting for a processor of the threads that used a stream.
 */
#ifndef STREAM_TIME_H
#define STREAM_TIME_H

#include <stdbool.h>
#include <stdint.h>

struct stream;

/* The thread s->tid begins to use the stream. */
void stream_time_begin(struct stream *s);
/* It is about to end: reads how long it waited for a processor, without a lock. */
void stream_to_run_end(struct stream *s);
/* It ends, after stream_to_run_end(). */
void stream_time_end(struct stream *s);
/* CPU time and life so far of all threads that used the stream, in ns; any thread may call it. */
void stream_cpu(const struct stream *s, uint64_t *cpu, uint64_t *life);
/*
 * How long all threads that used the stream could run but had no processor, in ns; any thread may call it. Threads that were off the
 * processor for less than 1 ms in all count 0. False: unknown.
 */
bool stream_to_run(const struct stream *s, uint64_t *ns);

#endif
