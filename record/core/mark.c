/*
 * mark.c: events that commands from outside ask for.
 */
#include "record/core/mark.h"
#include "record/core/api.h"
#include "record/core/gate.h"
#include "record/core/thread.h"
#include "record/format.h"

#include <string.h>

/* The thread is inside the recorder and has not begun the record at hand, so it can write another one first. */
void mark(const char *name, uint32_t value)
{
	char text[8 + sizeof(((struct tau_watch *)0)->command[0].text)] = "Mark: ";
	uint64_t sp = self.sp;
	int ready = self.ready;
	uint32_t event;

	if (!GATE_RECORDS(tau_gate.value) || !self.live)
		return;
	strncat(text, name, sizeof(text) - strlen(text) - 1);
	event = tau_event(text, 0);
	self.ready = READY_OPEN;
	tau_trigger(event, value);
	self.ready = ready;
	self.sp = sp;
}
