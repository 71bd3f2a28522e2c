/* commands_noted.h: the commands from outside that affect the windows of a trace, as notes. */
#ifndef COMMANDS_NOTED_H
#define COMMANDS_NOTED_H

#include "analyze/trace/filter.h"
#include "analyze/trace/spans.h"
#include "analyze/trace/trace.h"
#include "convert/load_types.h"

/*
 * Adds one NOTE_COMMAND per command, in their order. A command affects a window if it was executed in it, or before it and what it
 * stopped recording was not included again by its beginning. w without windows: everything; only: the processes, NULL: all.
 */
void commands_note(const struct trace *t, const struct windows *w, const struct filter *only,
		   struct load_report *r);

#endif
