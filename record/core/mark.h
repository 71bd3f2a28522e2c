/* mark.h: events that commands from outside ask for. */
#ifndef MARK_H
#define MARK_H

#include <stdint.h>

/* Records the event "Mark: NAME" with a value, before the event at hand. Nothing while recording is off. */
void mark(const char *name, uint32_t value);

#endif
