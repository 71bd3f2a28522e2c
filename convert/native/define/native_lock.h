/* native_lock.h: locks that threads wait for. */
#ifndef NATIVE_LOCK_H
#define NATIVE_LOCK_H

#include "convert/native/native_run.h"

/* The definition of a lock. Texts are on the heap. */
struct native_lock_said {
	char *kind;
	uint64_t address;	/* 0: all locks that have no definition of their own */
	uint64_t place;		/* inside the first call that waited; 0: unknown */
	char *name, *first;	/* of the lock and of that call; NULL: found by the addresses */
};
/*
 * event: the event of a defined lock; takes over the
 * definition's texts. name: names all locks by what is at their addresses; look 0: by the addresses.
 */
uint32_t native_lock_event(struct trace *t, struct native_run *run, const struct native_stream *s,
			   const struct native_lock_said *said);
void native_lock_name(struct trace *t, struct native_run *run, int look);

#endif
