/*
 * lock.h: the lock of the process-wide tables, and signal masks.
 */
#ifndef LOCK_H
#define LOCK_H

#include <signal.h>

/* Sets the signal mask (NULL: blocks all signals); the mask before goes to *before if it is not NULL. The kernel's 8 bytes. */
void signals_mask(const sigset_t *mask, sigset_t *before);
/*
 * The same for a section in which all signals are blocked. Sections may be nested: only the outermost makes system calls and sets
 * *saved.
 */
void signals_block(sigset_t *saved) __attribute__((nonnull));
void signals_restore(const sigset_t *saved);
/* A lock of any file, which is 0 at first and in a forked child: the thread sleeps until it is free. Signals are blocked. */
void sleep_lock(int *lock);
void sleep_unlock(int *lock);
/* The lock of the process-wide tables, held briefly. */
void lock_acquire(sigset_t *saved) __attribute__((nonnull));
void lock_release(const sigset_t *saved);

#endif
