/*
 * parallel.h: a command that a launcher has started several times, as in mpirun -np 4 tau-trace2profile: its processes share the
 * reading of traces (convert/ranks.h), and rank 0 alone prints and writes.
 */
#ifndef PARALLEL_H
#define PARALLEL_H

#include "convert/ranks.h"
#include "cmd/shared/option.h"

/* *out: NULL for a process that is alone, or is to work alone. ERROR_SYSTEM: MPI cannot be used. */
int parallel_begin(int alone, struct ranks **out, struct error *e);

/* Is this the process that prints and writes? */
int parallel_writes(const struct ranks *r);

/* Ends the sharing. code: 0 or the error in e. Returns the code of the job on the process that writes, and 0 on the others. r may be NULL. */
int parallel_finish(struct ranks *r, int code, struct error *e);

/* The end of the command. code: 0 or the error in e. Prints the error of any rank once; returns the exit code. r may be NULL. */
int parallel_end(const struct program *p, struct ranks *r, int code, struct error *e);

#endif
