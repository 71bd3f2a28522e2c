/* thread_pool.c: threads that take numbered items, and a caller that waits for them. */
#include "analyze/base/thread_pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyze/base/base.h"

#define WAIT_NS 100000000 /* between two calls of work->wait */

struct crew {
	const struct thread_pool *work;
	pthread_mutex_t lock;
	pthread_cond_t over;
	size_t n, next;
	unsigned busy; /* threads that have not ended, without the caller's */
	size_t failed; /* the first item that failed */
	int code;
};

struct worker {
	struct crew *crew;
	unsigned number;
	pthread_t thread;
};

/* Takes the next item: 1, or 0 if there is none or an item has failed. */
static int item_claim(struct crew *c, size_t *i)
{
	int got;

	pthread_mutex_lock(&c->lock);
	got = !c->code && c->next < c->n;
	if (got)
		*i = c->next++;
	pthread_mutex_unlock(&c->lock);
	return got;
}

static void item_failed(struct crew *c, size_t i, int code)
{
	pthread_mutex_lock(&c->lock);
	if (!c->code || i < c->failed) {
		c->code = code;
		c->failed = i;
	}
	pthread_mutex_unlock(&c->lock);
}

static void thread_pool_on(struct crew *c, unsigned number)
{
	size_t i;

	while (item_claim(c, &i)) {
		int code = c->work->item(c->work->to, number, i);

		if (code < 0)
			item_failed(c, i, code);
	}
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	struct crew *c = w->crew;

	thread_pool_on(c, w->number);
	pthread_mutex_lock(&c->lock);
	c->busy--;
	pthread_cond_signal(&c->over);
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

/* Waits until the other threads have ended. */
static void crew_wait(struct crew *c)
{
	pthread_mutex_lock(&c->lock);
	while (c->busy) {
		struct timespec until;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += WAIT_NS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&c->over, &c->lock, &until);
		if (!c->work->wait)
			continue;
		pthread_mutex_unlock(&c->lock);
		c->work->wait(c->work->to);
		pthread_mutex_lock(&c->lock);
	}
	pthread_mutex_unlock(&c->lock);
}

int thread_pool_run(const struct thread_pool *w, unsigned threads, size_t n)
{
	struct crew c = {.work = w, .n = n};
	struct worker *worker;
	unsigned started = 0;

	if (threads > WORK_THREADS_MAX)
		threads = WORK_THREADS_MAX;
	if (threads > n)
		threads = (unsigned)n;
	worker = mem_alloc((threads + 1) * sizeof(*worker));
	pthread_mutex_init(&c.lock, NULL);
	pthread_cond_init(&c.over, NULL);
	while (started + 1 < threads) {
		struct worker *x = &worker[started];

		*x = (struct worker){.crew = &c, .number = started + 1};
		pthread_mutex_lock(&c.lock);
		c.busy++;
		pthread_mutex_unlock(&c.lock);
		if (pthread_create(&x->thread, NULL, worker_main, x)) {
			pthread_mutex_lock(&c.lock);
			c.busy--;
			pthread_mutex_unlock(&c.lock);
			break;
		}
		started++;
	}
	thread_pool_on(&c, 0);
	crew_wait(&c);
	for (unsigned i = 0; i < started; i++)
		pthread_join(worker[i].thread, NULL);
	pthread_cond_destroy(&c.over);
	pthread_mutex_destroy(&c.lock);
	free(worker);
	return c.code;
}
