/*
 * thread_pool.h: threads that take numbered items one after the other. The caller makes sure that
 * items share no data that changes.
 */
#ifndef THREAD_POOL_H
#define THREAD_POOL_H

#include <stddef.h>

#define WORK_THREADS_MAX 1024

struct thread_pool {
	/*
	 * Does item i. worker: the number of the thread that does it, 0: the caller's. A negative
	 * code ends the work.
	 */
	int (*item)(void *to, unsigned worker, size_t i);
	/* Called on the caller's thread now and then while it waits for the others; may be NULL. */
	void (*wait)(void *to);
	void *to;
};

/*
 * Does the items 0 to n - 1 on at most `threads` threads (0 and 1: only the caller's thread), or on
 * fewer if the system grants fewer. Items begin in order and each once, so if one fails, all items
 * before it are done. Returns the code of the first item that failed, or 0.
 */
int thread_pool_run(const struct thread_pool *w, unsigned threads, size_t n);

#endif
