/*
 * lock.c: the lock of the process-wide tables, and signal masks.
 */
#include "record/base/lock.h"
#include "record/base/process.h"
#include "record/own/own.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Uses the system call, because the C library's function excludes the signal that cancels threads. */
void signals_mask(const sigset_t *mask, sigset_t *before)
{
	static const uint64_t all = UINT64_MAX;

	system_call(SYS_rt_sigprocmask, SIG_SETMASK, mask ? (const void *)mask : &all, before,
		sizeof(all));
}

/* A spin lock: held briefly, with all signals blocked so that a handler cannot wait for its own thread. */
void lock_take(sigset_t *saved)
{
	signals_mask(NULL, saved);
	while (__atomic_exchange_n(&process.lock, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

void lock_drop(const sigset_t *saved)
{
	__atomic_store_n(&process.lock, 0, __ATOMIC_RELEASE);
	signals_mask(saved, NULL);
}
