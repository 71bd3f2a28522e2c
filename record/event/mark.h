/* mark.h: records marks: named moments in the trace. */
#ifndef MARK_H
#define MARK_H

#include <stdint.h>

#include "record/format.h"

/* Records a mark of this thread. Does nothing while recording is off. */
void mark_record(enum tau_mark kind, const char *name, int64_t number);
/* The mark of a command from outside, before the event that is being recorded. */
void mark(const char *name, uint32_t number);

#endif
