/* work_place.h: the directory of an experiment, which one tau-experiment at a time works in. */
#ifndef WORK_PLACE_H
#define WORK_PLACE_H

#include "cmd/experiment/experiment_types.h"

/*
 * Makes or finds the directory x->output, and its file, from which x->id is. *lock: a descriptor for close(). ERROR_USAGE: it contains
 * another experiment that has a run, or other files; ERROR_SYSTEM: another tau-experiment works in it.
 */
int work_place_open(struct experiment *x, int *lock, struct error *e);
/* The same without a change: x->id stays "" if there is no directory yet. */
int work_place_find(struct experiment *x, struct error *e);

#endif
