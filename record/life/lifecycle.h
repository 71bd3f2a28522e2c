/*
 * lifecycle.h: start and end of the recorder in a process.
 */
#ifndef LIFECYCLE_H
#define LIFECYCLE_H

#include <stdbool.h>

/* Makes `self` ready. False: this event is not recorded. Keeps errno. */
bool thread_ready(void);
/* Stores what was recorded; this process and its children record nothing more. why: for the message. */
void record_no_more(const char *why);
/* Starts the recorder; may be called again. Leaves the gate open or dead. */
void process_start(void);

#endif
