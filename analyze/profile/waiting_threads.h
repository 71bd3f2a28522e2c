/*
 * waiting_threads.h: finds the threads with which a runtime only waits. If the CPU time of threads
 * was recorded (TAU_META_THREAD_CPU_PPM), such a thread used a processor for less than 5 % of its
 * life, and was outside of all regions, or in a function without a name in which a library started
 * it, for at least 90 % of its time. Otherwise it is outside of all regions in all windows, or
 * spends at least 99 % of its time in such a function. Its rows ".TAU application" and of such a function
 * are time in which the program did nothing, so sums, means and shares over threads exclude them
 * (waiting_idles()). What it did, its other regions and its samples, counts like that of any thread.
 * The first thread of a process (number 0) executes the program itself and never counts as waiting.
 *
 * Which threads count is decided here, for all reports, sums and derived threads. Queues of devices (TAU_META_DEVICE_QUEUE), as streams
 * of CUDA, are no threads of the program: no sum, mean or extreme over threads includes them. Regions that only queues have, as kernels
 * and copies, are of devices: their sums, means and extremes are over queues (waiting_device_timers()), or a report shows queues alone
 * (waiting_for_queues()). What has values of counters only (TAU_META_VALUES_ONLY) never counts.
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

/* Counts queues of devices alone, also those that only wait. waiting_free() frees it. */
struct waiting *waiting_for_queues(void);

enum waiting_class {
	WAITING_COUNTS,
	WAITING_WAITS,		/* it mostly waits: its waiting does not count, but what it did does */
	WAITING_QUEUE,		/* of a device */
	WAITING_VALUES,		/* it has values of counters only */
	WAITING_UNSELECTED,	/* a thread where queues are selected */
};
/*
 * t is a thread of one of the windows, with node >= 0. w NULL: no thread waits. waiting_for_queues(): queues count, and threads are
 * WAITING_UNSELECTED. O(metadata of the thread).
 */
enum waiting_class waiting_class(const struct waiting *w, const struct profile_thread *t);
static inline int waiting_is(const struct waiting *w, const struct profile_thread *t)
{
	return waiting_class(w, t) != WAITING_COUNTS;
}
/* Whatever else is selected: is it a queue of a device; has it values of counters only? */
int waiting_is_queue(const struct profile_thread *t);
int waiting_has_values(const struct profile_thread *t);
/* Does metadata of this name decide that, or whether a process is a PE? */
int waiting_decides(const char *name);
/* The number of queues; of threads, also of those that wait. */
uint32_t waiting_queues(const struct profile *p);
uint32_t waiting_threads(const struct profile *p);

/*
 * By timer of p, 1: no thread has it in the windows of w that have queues, but a queue has; time outside of all regions never is one.
 * NULL: there is none. The caller frees it.
 */
char *waiting_device_timers(const struct waiting *w, const struct profile *p);
/* Of a thread that mostly waits: is a row of this timer its waiting, and nothing that it did? */
int waiting_idles(const struct profile *p, uint32_t timer);
/* Is a row of this timer of p part of the sums? */
static inline int waiting_row_counts(enum waiting_class thread, const char *device_timers, const struct profile *p, uint32_t timer)
{
	switch (thread) {
	case WAITING_COUNTS:
		return 1;
	case WAITING_QUEUE:
		return device_timers && device_timers[timer];
	case WAITING_WAITS:
		return !waiting_idles(p, timer);
	default:
		return 0;
	}
}
/* What a thread that mostly waits did: exclusive sum of its regions, without its waiting. O(rows). */
double waiting_did(const struct profile *p, const struct profile_thread *t, size_t metric);

/* The same for a single thread, as if another one were busy; p has its definitions. */
enum waiting_class waiting_looks(const struct profile *p, const struct profile_thread *t);

#endif
