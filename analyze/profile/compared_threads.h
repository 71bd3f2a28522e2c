/*
 * compared_threads.h: the threads of a profile over which the values of a region are compared.
 *
 * These are the threads whose number within their process has the region in any process. A compared
 * thread without the region counts as 0, because it did no work in it. So a region that only rank 0
 * executes is compared over all ranks, and a region of worker threads is not compared with threads
 * that never execute such work.
 *
 * Processes of different programs, by TAU_META_EXECUTABLE, have unlike work, as a shell and the program that it starts. A region is
 * compared over the threads of one program: the one that spends most time in it. Regions that exchange messages (region_work.h) are
 * compared over all programs that have them. Processes whose program is unknown are one program (programs.h).
 *
 * Time outside of all regions (REGION_ROOT) is compared only over first
 * threads (number 0), where any of them has regions. Threads with which a runtime only waits do not count.
 */
#ifndef COMPARED_THREADS_H
#define COMPARED_THREADS_H

#include "analyze/profile/waiting_threads.h"

struct compared_threads {
	char *counts;		/* by thread: it does not only wait */
	uint32_t *program;	/* by thread: its program, from 0 */
	uint32_t *only;		/* by timer: the program in which it is compared; UINT32_MAX: in all */
	uint32_t *number;	/* by thread: index of its number and program */
	uint32_t *per_number;	/* by that index: threads that count */
	uint32_t *order;	/* the threads in order of that index */
	int firsts;		/* a thread with number 0 counts and has regions */
};

/* waiting: threads to exclude. Release c. O(rows + threads x metadata). */
void compared_threads_make(struct compared_threads *c, const struct profile *p, const struct waiting *waiting);
void compared_threads_release(struct compared_threads *c);

/* Is the value of this timer on a thread compared? */
int compared_threads_has(const struct compared_threads *c, const struct profile *p, uint32_t thread, uint32_t timer);

/*
 * Counts the compared threads of things with small numbers: regions, groups. Call it for the threads in c->order, for each thing that
 * a thread has; seen, by thing, begins with 0. n, by thing, is complete at the end.
 */
static inline void compared_threads_count(const struct compared_threads *c, uint32_t thread, uint32_t thing, uint32_t *seen, uint32_t *n)
{
	uint32_t mark = c->number[thread] + 1;

	if (seen[thing] != mark)
		n[thing] += c->per_number[mark - 1];
	seen[thing] = mark;
}

#endif
