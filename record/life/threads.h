/*
 * threads.h: how threads get a stream and give it back.
 */
#ifndef THREADS_H
#define THREADS_H

#include <stdbool.h>
#include <stdint.h>

/* Once per process, before the first stream_attach(). */
void stream_start(void);
/* Gives the calling thread a stream; false: no memory, no file, or the process does not record. */
bool stream_attach(void);
/* The same with a new stream for a device: its first chunk begins at `tick`. Signals are blocked. */
bool stream_attach_device(uint64_t tick);
/* No other thread writes or closes streams of devices between these two calls. */
void streams_of_devices_lock(void);
void streams_of_devices_unlock(void);
/* At exit: closes the caller's stream, the idle ones and those of devices. */
void stream_finish_all(void);
/*
 * In a forked child: the calling thread gives up its parent's stream. Its open regions continue in the stream that it gets with
 * its next event.
 */
void stream_leave(void);
/* In a forked child: the parent's streams are not used again. */
void streams_forget(void);

#endif
