/*
 * overhead.h: what recording cost a run. There is one definition: the CPU time that the recorder added to the recorded processes, over
 * the CPU time that they would have used alone, which is what they used less what was added. Start, storing, and hooks and wrappers
 * that recorded nothing are in it; tau-record's own CPU time is not.
 *
 * What was added is measured where the processes were sampled from outside (cpu_samples.h): the time in the recorder's code and in
 * the kernel for it, less what the hooks of the same program take without a recorder, and the samples themselves. It is estimated otherwise, from the number of
 * events and what one costs, as measured in each process; where some processes of the run were sampled, the estimates of the others
 * are scaled by how far these were off. It is measured if there is a run of the program without the recorder (alone.h).
 *
 * An estimate is an interval. It has three parts: the samples are few (two standard deviations of their share); the program's own work
 * and the hooks overlap in the processor, by about what empty hooks cost, which each process measures; and the program's own
 * code is slower or faster beside the recorder. In a job, another rank may poll as long as one records, but in all not longer than
 * samples are in the libraries of messages. Each time that other work takes the processor, the program's caches are read again. Without
 * samples the cost of an event is all that is known. bench/overhead.sh counts in how many programs the truth is inside. A run with too few samples is too short for an estimate.
 */
#ifndef OVERHEAD_H
#define OVERHEAD_H

#include "analyze/trace/trace.h"
#include "convert/native/live/run_processes.h"
#include "cmd/record/launch/cpu_samples.h"

/* CPU time in ns, over all processes. */
struct overhead {
	double added, alone;
	double least, most;	/* of `added`, if it is an estimate; 0, 0: the run is too short for an estimate */
	double full;	/* what would have been added had every call been written, storing apart */
	double storing;	/* within added: encoding and writing chunks */
	enum tau_overhead how;	/* added and alone are known; the others are always estimated */
	double sampling;	/* within added: the cost of samples, if all processes of the run are sampled */
};

/* Estimates it. samples may be NULL. */
struct overhead overhead_of(const struct trace *t, const struct cpu_samples *samples);

/* The last value of a metadata field as a number; 0: there is none. */
double meta_number(const struct trace_process *p, const char *name);

#endif
