/* native_comm.h: communicators of a run. */
#ifndef NATIVE_COMM_H
#define NATIVE_COMM_H

#include "convert/native/native_run.h"

/*
 * Index in the trace of a communicator of a file. Equal definitions in different files are one
 * communicator; two in one file are two. in_file: ids of the file by the index returned. first:
 * number of ranks in the first group of an intercommunicator, below n; 0: not an intercommunicator.
 * The two groups may be exchanged in rank[]. number: as in struct trace_comm. name and rank[] remain the caller's.
 */
uint32_t native_comm_add(struct trace *t, struct native_run *run, struct map *in_file, uint64_t id, const char *name,
			 uint32_t *rank, size_t n, size_t first, uint64_t number);

#endif
