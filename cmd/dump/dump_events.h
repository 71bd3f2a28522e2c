/* dump_events.h: prints a trace of any format event by event, as analyses see it. */
#ifndef DUMP_EVENTS_H
#define DUMP_EVENTS_H

#include "analyze/window/window.h"

struct dump_events {
	const struct filter *only;      /* NULL: all */
	const struct window_span *span;	/* by process; NULL: everything */
	int threads, definitions, states, events;	/* what to print */
};

int dump_events(struct trace *t, const struct dump_events *o, struct error *e);

#endif
