/*
 * begin.h: how a thread begins and ends to write a record that is neither enter nor leave.
 */
#ifndef BEGIN_H
#define BEGIN_H

#include "record/base/compiler.h"
#include "record/base/thread.h"

#include <stdbool.h>

/* Makes the thread busy (self.ready is 0); false: it does not record. record_end() follows. */
bool record_begin(void);
/* The same; false also if the process keeps sums: then the caller, which has a value to add, calls record_begin(). */
bool record_begin_unsummed(void);
static inline void record_end(void)
{
	barrier();
	self.ready = READY_OPEN;
}

/* The same, also while recording is off; -1: it does not record, otherwise the argument of keep_end(). */
int keep_begin(void);
void keep_end(int ready);

#endif
