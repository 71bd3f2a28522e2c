/* measure_message.h: requests of recorded processes for measurements from outside (record/measures.h). */
#ifndef MEASURE_MESSAGE_H
#define MEASURE_MESSAGE_H

#include <stddef.h>

#include "record/measures.h"

/*
 * Reads the first message of n bytes. Returns its size; 0: it is not complete; -1: it is damaged. `files` of a process is a name
 * without a '/', its pids are numbers of processes, and its intervals are at least 1 ms.
 */
int measure_message_read(const char *p, size_t n, struct tau_measure *out);
/* The bytes of the last message: there are no more. */
struct tau_measure measure_message_last(void);

#endif
