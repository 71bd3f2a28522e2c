/*
 * process_lives.h: how long the processes of a profile ran in its window, and which of them never ran at the same time.
 *
 *	life = longest time of a thread of the process		begin = its start, or that of the window
 *
 * A run may contain several program images: a shell and the programs that it starts, a program before and after exec, processes that
 * MPI_Comm_spawn starts, ranks that failed early. Two processes of one host are apart if one ended before the other began; the times
 * of their start are metadata (TAU_META_STARTING_TIMESTAMP). Without this metadata, and between hosts, whose clocks may differ, no
 * process is apart from another.
 */
#ifndef PROCESS_LIVES_H
#define PROCESS_LIVES_H

#include "analyze/profile/profile.h"

/* By thread: values of its process. */
struct process_lives {
	double *life;	/* us, or the unit of the totals */
	double *begin;	/* us since the start of the first process; NaN: unknown */
	const char **host;	/* borrowed from the profile; NULL: unknown */
};

/* total: of each thread, the time of all its regions. Release l. O(threads x metadata). */
void process_lives_make(struct process_lives *l, const struct profile *p, const double *total);
void process_lives_release(struct process_lives *l);

/* Did the processes of two threads never run at the same time? */
int process_lives_apart(const struct process_lives *l, uint32_t a, uint32_t b);

#endif
