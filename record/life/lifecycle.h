/*
 * lifecycle.h: start of the recorder in a process, and of each thread in it.
 */
#ifndef LIFECYCLE_H
#define LIFECYCLE_H

#include <stdbool.h>

/* Makes `self` ready. False: this event is not recorded. Keeps errno. */
bool thread_ready(void);
/* Starts the recorder; may be called again. Leaves the gate open or dead. */
void process_start(void);

#endif
