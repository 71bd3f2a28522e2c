/* look_threads.h: the threads of a run as a look sees them. */
#ifndef LOOK_THREADS_H
#define LOOK_THREADS_H

#include "cmd/monitor/look_take.h"

/* Fills l->thread from l->profile and from what each stream has open. Errors are those of the reader. */
int look_threads(struct look_run *r, struct trace *t, struct look *l, struct error *e);

#endif
