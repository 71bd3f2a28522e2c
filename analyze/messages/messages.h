/*
 * messages.h: matches messages and collective operations in one forward pass over all streams of a
 * trace, and passes every call that takes part in them to the analyses that use it.
 *
 * Streams advance call by call: the one whose call ends first is the next. So when a call ends,
 * everything for which it can have waited has been read, and memory depends on the number of
 * messages in flight, regions and streams, not on the number of events. Messages that are matched
 * later show that clocks disagree.
 */
#ifndef MESSAGES_H
#define MESSAGES_H

#include "analyze/messages/messages_types.h"

/*
 * Reads the streams of all processes up to the end of the window. Returns 0 or an error of reading.
 * Release m in any case.
 */
int messages_read(struct messages *m, struct error *e);
void messages_release(struct messages *m);
/* Releases what a pass has found but its call paths, which have the same numbers in the next pass of m. Set the first fields again. */
void messages_again(struct messages *m);

/* With uses of window_calls, after the pass: does the stream have a call that ended before it began? */
int messages_called(const struct messages *m, uint32_t stream);

/* The span of a process in ns; without limits it is [INT64_MIN, INT64_MAX). */
struct window_span messages_span(const struct messages *m, uint32_t process);

#endif
