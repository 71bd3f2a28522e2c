/*
 * lock.c: the lock of the process-wide tables, and signal masks.
 */
#include "record/base/lock.h"
#include "record/api.h"
#include "record/base/process.h"
#include "record/base/thread.h"
#include "record/own/own.h"

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SPINS 64	/* tries before the thread sleeps */

/* Uses the system call, because the C library's function excludes the signal that cancels threads. */
void signals_mask(const sigset_t *mask, sigset_t *before)
{
	static const uint64_t all = UINT64_MAX;

	system_call(SYS_rt_sigprocmask, SIG_SETMASK, mask ? (const void *)mask : &all, before,
		sizeof(all));
}

void signals_block(sigset_t *saved)
{
	if (!self.signals_blocked)
		signals_mask(NULL, saved);
	self.signals_blocked++;
}

void signals_restore(const sigset_t *saved)
{
	if (!--self.signals_blocked)
		signals_mask(saved, NULL);
}

/* The kernel's mask is 8 bytes. */
void tau_defining(uint64_t *mask)
{
	signals_block((sigset_t *)mask);
}

void tau_defined(const uint64_t *mask)
{
	signals_restore((const sigset_t *)mask);
}

#if defined(__x86_64__)
#define spin_pause() __builtin_ia32_pause()
#else
#define spin_pause() (void)0
#endif

static bool lock_try(int *lock)
{
	int free = 0;

	return __atomic_compare_exchange_n(lock, &free, 1, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

/* The holder may have lost the processor: hundreds of threads that spin, or yield to each other, would keep it from running. */
void sleep_lock(int *lock)
{
	int saved = errno;

	for (int i = 0; i < SPINS; i++) {
		if (lock_try(lock))
			return;
		spin_pause();
	}
	while (__atomic_exchange_n(lock, 2, __ATOMIC_ACQUIRE))
		system_call(SYS_futex, lock, FUTEX_WAIT_PRIVATE, 2L, NULL);
	errno = saved;
}

void sleep_unlock(int *lock)
{
	if (__atomic_exchange_n(lock, 0, __ATOMIC_RELEASE) == 2)
		system_call(SYS_futex, lock, FUTEX_WAKE_PRIVATE, 1L);
}

/* Signals are blocked, so that a handler cannot wait for its own thread. */
void lock_acquire(sigset_t *saved)
{
	signals_block(saved);
	sleep_lock(&process.lock);
}

void lock_release(const sigset_t *saved)
{
	sleep_unlock(&process.lock);
	signals_restore(saved);
}
