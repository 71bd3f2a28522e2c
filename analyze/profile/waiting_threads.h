/*
 * waiting_threads.h: finds the threads with which a runtime only waits. If the CPU time of threads
 * was recorded (TAU_META_THREAD_CPU_PPM), such a thread used a processor for less than 5 % of its
 * life, and was outside of all regions, or in a function without a name in which a library started
 * it, for at least 90 % of its time. Otherwise it is outside of all regions in all windows, or
 * spends at least 99 % of its time in such a function. Its row ".TAU application" is time in which the
 * program did nothing, so sums, means and shares over threads exclude it. The first thread of a
 * process (number 0) executes the program itself and never counts as waiting.
 *
 * Queues of devices (TAU_META_DEVICE_QUEUE) are no threads of the program. Reports about threads exclude them, too:
 * waiting_without_queues(), or look at them alone: waiting_for_queues().
 */
#ifndef WAITING_THREADS_H
#define WAITING_THREADS_H

#include "analyze/profile/profile.h"

struct waiting;

/*
 * Looks at all n windows of one run. kind: TIMER_MEASURED, or TIMER_SAMPLE, with which threads that
 * samples found count as busy. If all threads would wait, none does. O(rows). waiting_free() frees
 * the result.
 */
struct waiting *waiting_find(const struct profile *const *p, size_t n, enum profile_timer_kind kind);
/*
 * The same for windows that are read one after the other: waiting_note() for each, then
 * waiting_judge().
 */
struct waiting *waiting_new(void);
void waiting_note(struct waiting *w, const struct profile *p);
void waiting_judge(struct waiting *w, enum profile_timer_kind kind);
void waiting_free(struct waiting *w);

/* From now on, queues of devices are excluded, too. Returns the number of those in p. w not NULL. */
uint32_t waiting_without_queues(struct waiting *w, const struct profile *p);
/* Excludes all but queues of devices, also of those that only wait. waiting_free() frees it. */
struct waiting *waiting_for_queues(void);

/*
 * Is it a queue of a device; has it values of counters only (TAU_META_VALUES_ONLY), so that no report about
 * threads or queues counts it? O(metadata of the thread).
 */
int waiting_is_queue(const struct profile_thread *t);
int waiting_has_values(const struct profile_thread *t);

/*
 * 1: the thread only waits, or is excluded for what it is. t is a thread of one of the windows; w NULL: no
 * thread waits, but what has values only is excluded nevertheless.
 */
int waiting_is(const struct waiting *w, const struct profile_thread *t);

/* The same for a single thread, as if another one were busy; p has its definitions. */
int waiting_looks(const struct profile *p, const struct profile_thread *t);

#endif
