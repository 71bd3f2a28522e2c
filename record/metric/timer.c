/*
 * timer.c: calls functions of wrappers at intervals in a thread of the recorder's own (timer.h). What can be
 * measured from outside is not done here, but by tau-record (measure.h): a program without threads has none.
 *
 * The thread blocks all signals, so the program is not disturbed. It records into a stream of its own. It starts with the first
 * function and ends before the process's files are completed; a forked child starts one of its own.
 */
#include "record/metric/timer.h"
#include "record/api.h"
#include "record/base/clock.h"
#include "record/base/failure.h"
#include "record/base/gate.h"
#include "record/base/lock.h"
#include "record/base/process.h"
#include "record/own/own.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TASKS	4
#define LONG_NS 3600000000000u
#define END_S	1 /* the thread is waited for so long */

static struct timer_task {
	void (*work)(void); /* written once */
	uint64_t ns;
	uint64_t last; /* of the thread: when it was called, 0: not yet */
} tasks[TASKS];

static uint32_t wake;	/* a futex: counts changes */
static bool running;	/* no other is to start the thread */
static bool started;	/* it is there: */
static pthread_t thread;
static bool ends;

bool timer_may_record(void)
{
	return tau_active() && GATE_RECORDS(tau_gate.value) && !tau_inside();
}

int tau_own_threads(void)
{
	return started;
}

/* ---- the thread ---- */

static void futex_wait(uint32_t *word, uint32_t value, uint64_t ns)
{
	struct timespec t = {.tv_sec = (time_t)(ns / 1000000000),
			     .tv_nsec = (long)(ns % 1000000000)};

	system_call(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &t, NULL, 0);
}

static void task_run(const struct timer_task *t)
{
	if (timer_may_record())
		t->work();
}

/* Calls what is due at `now`; returns when the next one is. */
static uint64_t tasks_run(uint64_t now)
{
	uint64_t next = now + LONG_NS;

	for (struct timer_task *t = tasks; t < tasks + TASKS; t++) {
		uint64_t ns = __atomic_load_n(&t->ns, __ATOMIC_RELAXED), due;

		if (!__atomic_load_n(&t->work, __ATOMIC_ACQUIRE))
			break;
		if (!t->last)
			t->last = now - ns;
		due = t->last + ns;
		if (now >= due) {
			task_run(t);
			t->last = now - due < ns ? due : now; /* late ones are not made up for */
			due = t->last + ns;
		}
		next = due < next ? due : next;
	}
	return next;
}

static void *run(void *argument)
{
	system_call(SYS_prctl, PR_SET_NAME, ".TAU timer");
	while (tau_gate.value != GATE_DEAD) {
		uint32_t seen = __atomic_load_n(&wake, __ATOMIC_ACQUIRE);
		uint64_t next, now;

		if (__atomic_load_n(&ends, __ATOMIC_ACQUIRE)) {
			for (size_t i = 0; i < TASKS; i++)
				if (tasks[i].work)
					task_run(&tasks[i]);
			break;
		}
		next = tasks_run(clock_ns(CLOCK_MONOTONIC));
		now = clock_ns(CLOCK_MONOTONIC);
		if (next > now)
			futex_wait(&wake, seen, next - now);
	}
	return argument;
}

/* ---- its start and end ---- */

/* In the child of fork(): the thread is not there; one can be started, which a child of _Fork() must not try. */
static void forked(void)
{
	running = false;
}

static void timer_start(void)
{
	static int watched;
	pthread_attr_t a;
	sigset_t saved;
	bool good;

	if (__atomic_exchange_n(&running, true, __ATOMIC_ACQ_REL))
		return;
	if (!__atomic_exchange_n(&watched, 1, __ATOMIC_RELAXED))
		pthread_atfork(NULL, NULL, forked);
	tau_hide();
	signals_mask(NULL, &saved);
	pthread_attr_init(&a);
	good = pthread_create(&thread, &a, run, NULL) == 0;
	pthread_attr_destroy(&a);
	signals_mask(&saved, NULL);
	tau_show();
	started = good;
	if (!good)
		message_print("process %u: cannot start a thread: nothing is read at intervals",
			      process.pid);
}

static void timer_wake(void)
{
	__atomic_add_fetch(&wake, 1, __ATOMIC_RELEASE);
	system_call(SYS_futex, &wake, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

/* The place of a function, or a free one; NULL: there is none. The lock is held. */
static struct timer_task *task_find(void (*work)(void))
{
	for (size_t i = 0; i < TASKS; i++)
		if (!tasks[i].work || tasks[i].work == work)
			return &tasks[i];
	return NULL;
}

static bool timer_every(uint64_t ns, void (*work)(void))
{
	static int lock;
	struct timer_task *t;

	while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
		sched_yield();
	t = task_find(work);
	if (t) {
		__atomic_store_n(&t->ns, ns ? ns : 1, __ATOMIC_RELAXED);
		__atomic_store_n(&t->work, work, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
	if (t) {
		timer_start();
		timer_wake();
	}
	return t != NULL;
}

int tau_every(uint64_t ns, void (*work)(void))
{
	int saved = errno, good;

	good = tau_active() && timer_every(ns, work);
	errno = saved;
	return good;
}

void timer_after_fork(void)
{
	ends = started = false;
	for (size_t i = 0; i < TASKS; i++)
		tasks[i].last = 0;
}

void timer_resumes(void)
{
	if (tasks[0].work)
		timer_start();
}

void timer_end(void)
{
	struct timespec t;

	if (!running || !started || thread == pthread_self())
		return;
	__atomic_store_n(&ends, true, __ATOMIC_RELEASE);
	timer_wake();
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += END_S;
	tau_hide();
	pthread_timedjoin_np(thread, NULL, &t);
	tau_show();
	started = false;
}
