/*
 * waiting_threads.h: finds the threads that a runtime only waits with. Where the CPU time of threads is known
 * (TAU_META_THREAD_CPU_PPM), such a thread had a processor for less than 5 % of its life, and was outside of all regions, or in a
 * function without a name that a library started it with, for at least 90 % of its time. Otherwise it is in no region in any
 * window, or spends all of its time in such a function. Its row ".TAU application" is time in which the
 * program did nothing, so sums, means and shares over threads exclude it. The first thread of a process (number 0) runs the
 * program itself and never counts as waiting.
 */
#ifndef WAITING_THREADS_H
#define WAITING_THREADS_H

#include "analyze/profile/profile.h"

struct waiting;

/*
 * Over all n windows of one run. kind: TIMER_MEASURED, or TIMER_SAMPLE, with which a thread that samples found counts. If every
 * thread would wait, none does. O(rows).
 */
struct waiting *waiting_find(const struct profile *const *p, size_t n, enum profile_timer_kind kind);
/* The same of windows that come one after the other: noted first, then judged. */
struct waiting *waiting_new(void);
void waiting_note(struct waiting *w, const struct profile *p);
void waiting_judge(struct waiting *w, enum profile_timer_kind kind);
void waiting_free(struct waiting *w);

/* 1: it only waits. t is a thread of one of the windows; w NULL: no thread waits. */
int waiting_is(const struct waiting *w, const struct profile_thread *t);

/* The same of a thread alone, as if another one were busy; p has its definitions. */
int waiting_looks(const struct profile *p, const struct profile_thread *t);

#endif
