/*
 * measures.h: measures recorded processes from outside, at intervals, in a thread of tau-record: what the kernel shows of a process and
 * its host, and the heap that is counted in the process's memory. The program has no thread for it.
 */
#ifndef MEASURES_H
#define MEASURES_H

#include "cmd/record/launch/launch.h"

struct measures;

/*
 * Makes the pipe for the requests of processes. All signals are blocked. NULL: there is none; if measurements are wanted, a message
 * prints the reason.
 */
struct measures *measures_begin(const char *run, int wanted);
/* The program has ended. r NULL: nothing. */
void measures_end(struct measures *r);

#endif
