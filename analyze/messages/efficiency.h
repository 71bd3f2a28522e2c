/*
 * efficiency.h: the efficiencies of the POP project (co-design.pop-coe.eu, metrics) of the threads
 * that communicate, one thread per process. U is the time of such a thread outside of MPI and
 * OpenSHMEM, without that of regions which are no useful work (region_work.h), as waits for threads
 * and for devices; M the same with it; R the runtime, R0 the runtime on an ideal network, on which calls
 * take no time but wait for each other:
 *
 *	parallel efficiency	mean U / R	= load balance x communication efficiency x own waits
 *	load balance		mean M / max M
 *	communication		max M / R	= serialisation x transfer
 *	serialisation		max M / R0
 *	transfer		R0 / R
 *	own waits		mean U / mean M
 *
 * The last one, which is 1 if the program waits for nothing but messages, is the device offload
 * efficiency of TALP (BSC's DLB library), with waits for threads as well.
 *
 * R0 comes from a clock per thread: computation advances it by its recorded time; the end of a
 * receive is not before its send, that of a synchronous send not before its receive; no process
 * leaves a collective operation before the processes for which it waits have entered. Messages are
 * matched as recorded. With a selection (selection.h), U is that of the selected threads, R and R0
 * are those of all threads.
 */
#ifndef EFFICIENCY_H
#define EFFICIENCY_H

#include "analyze/messages/awaited.h"

struct efficiency_lane { /* a stream */
	int64_t useful, outside, ideal;	/* ns: U, M, and its clock, 0 at the begin of the first process */
	int64_t recorder;		/* ns of M in regions of the recorder, as while it is switched off */
	struct message_call *call; /* the call in which it is; NULL: none */
	int calls;		/* it communicates */
	int begun;
};

struct efficiency {
	const struct messages *m;
	struct efficiency_lane *lane;	/* by stream */
	char *outside;	/* by path: 1: computation, 2: of a library */
	size_t outside_n;
	struct call_kinds kinds;
	unsigned char *work;	    /* by region: enum region_work of its own time */
	unsigned char *synchronous; /* by region: it returns only when the message is being
				     * received */
	int ranks;	/* a process has a rank */
	int64_t begin;	/* ns: begin of the first process, inside the window */
	/* After efficiency_end(), ns: */
	size_t n;	/* number of streams that count */
	double mean, most, runtime, ideal;	/* mean, most: of U */
	double outside_mean, outside_most;	/* of M */
	double recorder_mean;			/* the part of M in the recorder */
	uint32_t busiest; /* the stream with the most U; TRACE_NONE: no stream counts */
};

/* The use for messages_read(); m must stay. Then call efficiency_end(), and release x. */
struct messages_use efficiency_use(struct efficiency *x, const struct messages *m);
/*
 * efficiency_counts(): does the stream count? Streams count that communicate, and thread 0 of each
 * process in which no thread does; if processes have ranks, only those.
 */
void efficiency_end(struct efficiency *x);
int efficiency_counts(const struct efficiency *x, uint32_t stream);
void efficiency_release(struct efficiency *x);

/*
 * Efficiencies by the formulas above, after efficiency_end(); 1 is the best. NAN: there was no useful
 * time, or no time. The transfer is above 1 if clocks disagree.
 */
double efficiency_balance(const struct efficiency *x);
double efficiency_serialisation(const struct efficiency *x);
double efficiency_transfer(const struct efficiency *x);
double efficiency_own(const struct efficiency *x);
/* 1: the streams wait for threads or devices, so that U and M differ. */
int efficiency_has_own(const struct efficiency *x);

#endif
