/* lock_record.h: the lock that a thread waits for, and the thread that has it, as a value of the trace. */
#ifndef LOCK_RECORD_H
#define LOCK_RECORD_H

#include <pthread.h>

#define LOCK_OF_NONE (-1) /* no thread can have it */

/*
 * Inside the region of the wait. kind: "mutex". owner: number in the system of the thread that has it, 0 unknown, or
 * LOCK_OF_NONE. site: where the call returns to. errno is kept.
 */
__attribute__((visibility("hidden"))) void lock_record(const char *kind, const void *lock,
						       int owner, const void *site);

/* glibc keeps the owner for its own checks, in mutexes of every type; the mtx_t of C11 is one. */
static inline int mutex_owner(const void *mutex)
{
	return __atomic_load_n(&((const pthread_mutex_t *)mutex)->__data.__owner, __ATOMIC_RELAXED);
}

/* 0 while readers have it. */
static inline int rwlock_owner(const pthread_rwlock_t *lock)
{
	return __atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_RELAXED);
}

#endif
