/* lock_record.h: the lock that a thread waits for, and the thread that has it, as a value of the trace. */
#ifndef LOCK_RECORD_H
#define LOCK_RECORD_H

#define HOLDER_UNKNOWN (-1)
#define HOLDER_NONE    (-2) /* no thread can have it */

/*
 * Inside the region of the wait. kind: "mutex". lock: its address, or TAU_LOCK_UNNAMED. holder: the number of the stream of the
 * thread that has it, or one of the two. site: where the call returns to. errno is kept.
 */
__attribute__((visibility("hidden"))) void lock_record(const char *kind, const void *lock,
						       int holder, const void *site);

#endif
