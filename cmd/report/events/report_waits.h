/* report_waits.h: tables of wait states and of their causes, which comm has as well. */
#ifndef REPORT_WAITS_H
#define REPORT_WAITS_H

#include "analyze/messages/waits.h"
#include "cmd/report/events/report_trace.h"

enum waits_by { WAITS_PATH, WAITS_RANK, WAITS_ALL, WAITS_CAUSE, WAITS_CAUSES, WAITS_CULPRIT };

/* Does tau-report waits list, without --top, a wait of this pattern and path? */
int waits_lists(const struct waits *x, enum wait_pattern p, uint32_t path);

/*
 * Prints the table that --by selects, of waits after waits_end(); by WAITS_CAUSE and WAITS_CAUSES the causes. notes: the lines
 * about the trace are above it.
 */
void waits_print(const struct report_options *o, const struct report_trace *r, const struct waits *x, enum waits_by by, int notes,
		 FILE *f, size_t width);

#endif
