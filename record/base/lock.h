/*
 * lock.h: the lock of the process-wide tables, and signal masks.
 */
#ifndef LOCK_H
#define LOCK_H

#include <signal.h>

/* Sets the signal mask (NULL: blocks all signals); the mask before goes to *before if it is not NULL. The kernel's 8 bytes. */
void signals_mask(const sigset_t *mask, sigset_t *before);
/* A spin lock, held briefly with all signals blocked. */
void lock_take(sigset_t *saved) __attribute__((nonnull));
void lock_drop(const sigset_t *saved);

#endif
