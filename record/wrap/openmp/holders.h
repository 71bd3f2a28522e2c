/*
 * holders.h: which thread took a lock of OpenMP last, because the runtimes do not keep it. A table of fixed size: where two locks
 * have the same place in it, the one that was taken last is known.
 */
#ifndef HOLDERS_H
#define HOLDERS_H

#include <stdint.h>

/* What is known of a lock at this moment, 0: nothing. Two marks of a critical section differ if it was entered in between. */
uint64_t lock_mark(const void *lock);
/* Was a thread inside the critical section? */
int lock_was_held(uint64_t mark);
/* The number of the stream of the thread that took it last, -1 unknown. */
int lock_holder(uint64_t mark);

/* By the thread that has it now. That it gives the lock back is not noted: who waits, waits for the last one. */
void lock_acquired(const void *lock);
/*
 * At the end of the wait for a critical section, inside its region: takes its lock, and records it if another thread had it
 * meanwhile. mark: from before the wait. site: where the call returns to.
 */
void critical_acquired(const void *lock, uint64_t mark, const void *site);
/* By the thread that is inside. */
void critical_freed(const void *lock);

#endif
