/*
 * dump_requests.h: takes the requests of a running program for profiles and snapshots of itself. The first one starts a process that writes
 * the files; a program without requests costs a pipe and a waiting thread.
 */
#ifndef DUMP_REQUESTS_H
#define DUMP_REQUESTS_H

#include "cmd/record/launch/launch.h"

struct dump_requests;

/* Makes the pipe in the run, and passes it to the recorder. every_ns: interval of snapshots of each process; 0: none. NULL: there is none. */
struct dump_requests *dump_requests_begin(const char *run, const struct job *job, uint64_t every_ns, int verbose);
/* The program has ended: waits until all files are there. */
void dump_requests_end(struct dump_requests *r);

#endif
