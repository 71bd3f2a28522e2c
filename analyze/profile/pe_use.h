/*
 * pe_use.h: how efficiently the processing elements are used, from the first thread (number 0) of
 * each. Definitions of POP (multiplicative model, "Standard Metrics for Performance Analysis",
 * pop-coe.eu):
 *
 *	U(p) = useful time of PE p: outside runtimes (analyze/trace/region_work.h)
 *	T(p) = all its time	R = largest T: run time
 *	load balance = mean U / largest U	communication efficiency = largest U / R
 *	parallel efficiency = mean U / R = load balance x communication efficiency
 *
 * If a run contains several programs (programs.h), as a shell and what it starts, the processes of those that exchange messages
 * are its PEs; if none does, those of the program with the most useful time.
 *
 * For programs with several threads per PE, over all threads that do not only wait:
 *
 *	hybrid parallel efficiency = mean U of all threads / R (POP's multiplicative hybrid model)
 *
 * A profile has no order of events, so serialisation and transfer cannot be distinguished.
 */
#ifndef PE_USE_H
#define PE_USE_H

#include "analyze/profile/thread_rows.h"

struct pe_use {
	size_t n;		/* number of first threads */
	size_t others;		/* first threads of other programs, which are in no other number */
	double runtime;		/* R */
	double useful, useful_largest;	/* sum and largest of U */
	uint32_t largest_at, least_at;	/* indexes of the rows of r with the largest and the
					 * smallest U */
	double work[WORK_KINDS];	/* sums over first threads */
	double time;		/* sum of T */
	double load_balance, communication, parallel;	/* NaN: no time */
	size_t threads;		/* of all PEs, without those that only wait */
	double hybrid;		/* NaN: no time */
};

/* r: made by thread, not by rank. */
void pe_use_make(struct pe_use *u, const struct thread_rows *r);

#endif
