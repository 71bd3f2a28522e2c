/*
 * heap_events.h: heap size and memory headroom as events: at regions, on request, and by a timer.
 */
#ifndef HEAP_EVENTS_H
#define HEAP_EVENTS_H

#include <stdint.h>

const char *track_metrics(void);	/* names of metrics to be recorded for it, each ended by a 0, then an empty one */
uint64_t track_heap(void);		/* bytes, as the wrapper of memory counts them; 0 without */
uint64_t track_headroom(void);		/* bytes, read not long ago; inside the recorder */
void track_start(void);			/* what is read at an interval, if the environment requires it; the gate is open */
void track_after_fork(void);
void track_end(void);			/* nothing happens at intervals any more */
void track_meta(void);			/* metadata, at the end of the process */

#endif
