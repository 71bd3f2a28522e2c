/* look_threads.h: the threads of a run as a look sees them. */
#ifndef LOOK_THREADS_H
#define LOOK_THREADS_H

#include "cmd/monitor/look_read_types.h"
#include "cmd/monitor/open_regions.h"

/* Fills l->thread from l->profile and from what each stream has open; of those that are not known it is read. Errors are those of the reader. */
int look_threads(struct look_run *r, struct trace *t, const struct open_streams *known, struct look *l,
		 struct error *e);

#endif
