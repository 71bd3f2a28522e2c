/*
 * cpu_timer.c: a timer on CLOCK_THREAD_CPUTIME_ID for each thread that is sampled.
 *
 * All are in one table, so that they can be ended at once: before the program sets a seccomp filter, under which the
 * return from a signal handler could be forbidden. A thread that finds the table full has no samples.
 */
#include "record/sample/cpu_timer.h"
#include "record/base/process.h"
#include "record/base/thread.h"
#include "record/own/own.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define IDLE_NS 1000000000u /* a thread without samples looks for commands once per this CPU time */
#define TIMERS 4096

static uint32_t timers[TIMERS];	/* number + 1; 0: free */
static uint32_t timers_used;	/* places that were ever taken */

static bool timer_set(int timer, uint64_t ns)
{
	struct itimerspec every = {0};

	if (!ns)
		ns = IDLE_NS;
	every.it_interval.tv_sec = (time_t)(ns / 1000000000u);
	every.it_interval.tv_nsec = (long)(ns % 1000000000u);
	every.it_value = every.it_interval;
	return system_call(SYS_timer_settime, timer, 0, &every, NULL) == 0;
}

static bool place_claim(uint32_t number)
{
	uint32_t used;

	for (uint32_t i = 0; i < TIMERS; i++) {
		uint32_t none = 0;

		if (__atomic_load_n(&timers[i], __ATOMIC_RELAXED) ||
		    !__atomic_compare_exchange_n(&timers[i], &none, number, false,
						 __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
			continue;
		used = __atomic_load_n(&timers_used, __ATOMIC_RELAXED);
		while (used <= i &&
		       !__atomic_compare_exchange_n(&timers_used, &used, i + 1, false,
						    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
			;
		return true;
	}
	return false;
}

/* true: it was there, and the caller ends the timer. */
static bool place_leave(uint32_t number)
{
	for (uint32_t i = 0; i < __atomic_load_n(&timers_used, __ATOMIC_SEQ_CST); i++) {
		uint32_t found = number;

		if (__atomic_compare_exchange_n(&timers[i], &found, 0, false, __ATOMIC_SEQ_CST,
						__ATOMIC_RELAXED))
			return true;
	}
	return false;
}

bool cpu_timer_begin(int signal, uint64_t ns)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = signal,
				 .sigev_value.sival_ptr = &process};
	int timer;

	event.sigev_notify_thread_id = (int)system_call(SYS_gettid);
	if (system_call(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &timer) < 0)
		return false;
	if (place_claim((uint32_t)timer + 1)) {
		self.timer = (uint32_t)timer + 1;
		if (timer_set(timer, ns))
			return true;
		cpu_timer_end();
		return false;
	}
	system_call(SYS_timer_delete, timer);
	errno = EAGAIN;
	return false;
}

void cpu_timer_end(void)
{
	uint32_t number = self.timer;
	int saved = errno;

	self.timer = 0;
	if (number && place_leave(number))
		system_call(SYS_timer_delete, number - 1);
	errno = saved;
}

void cpu_timers_set(uint64_t ns)
{
	for (uint32_t i = 0; i < __atomic_load_n(&timers_used, __ATOMIC_SEQ_CST); i++) {
		uint32_t number = __atomic_load_n(&timers[i], __ATOMIC_SEQ_CST);

		if (number)
			timer_set((int)(number - 1), ns);
	}
}

void cpu_timers_end(void)
{
	for (uint32_t i = 0; i < __atomic_load_n(&timers_used, __ATOMIC_SEQ_CST); i++) {
		uint32_t number = __atomic_exchange_n(&timers[i], 0, __ATOMIC_SEQ_CST);

		if (number)
			system_call(SYS_timer_delete, number - 1);
	}
}

void cpu_timers_forget(void)
{
	memset(timers, 0, timers_used * sizeof(*timers));
	timers_used = 0;
	self.timer = 0;
}
