/*
 * alone.h: the overhead by comparison. `tau-record --alone` runs a program without the recorder and keeps its CPU time as a run without
 * traces; `tau-record --against` states what a recorded run of it took more.
 */
#ifndef ALONE_H
#define ALONE_H

#include "cmd/record/launch/launch.h"
#include "cmd/record/summary/overhead.h"
#include "cmd/record/launch/run_claim.h"

/* Reads the CPU time, in ns, of a run of --alone by a job of the same size. ERROR_INPUT: it is none, or it did not end. */
int alone_read(const char *run, const struct job *j, uint64_t *ns, struct error *e);

/* Reports the CPU time of such a run, whose last process ended, and writes it to its table. */
void alone_close(const char *directory, struct run_place *place);

/*
 * What the programs of a recorded run, whose last process ended, took more than alone_ns. 0, or -1: the CPU time of one is unknown, and
 * *o is unchanged.
 */
int alone_compare(const struct run_place *place, uint64_t alone_ns, struct overhead *o);

#endif
