/*
 * thread_pool.h: a crew of threads that takes numbered items one after the other. It knows nothing of what the items are, and whoever
 * hands them out sees to it that they share nothing that changes.
 */
#ifndef THREAD_POOL_H
#define THREAD_POOL_H

#include <stddef.h>

#define WORK_THREADS_MAX 1024

struct thread_pool {
	/* Does item i; worker: 0 is the caller's thread. A negative code ends the work. */
	int (*item)(void *to, unsigned worker, size_t i);
	/* Called on the caller's thread now and then while it waits for the others; may be NULL. */
	void (*wait)(void *to);
	void *to;
};

/*
 * Does the items 0 .. n on at most `threads` threads (0 and 1: the caller's alone; where the system grants fewer, on fewer).
 * Items are begun in order and each once, so when one fails those before it are done; returns the code of the first
 * that failed, or 0.
 */
int thread_pool_run(const struct thread_pool *w, unsigned threads, size_t n);

#endif
