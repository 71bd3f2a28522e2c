/* real.h: the functions of the allocator that the wrapper interposes (memory.c). */
#ifndef REAL_H
#define REAL_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)

extern volatile int ready;	/* 0 not yet, or not recorded; 1 in progress, 2 the real functions are found, 3 and there are tables */

/* The allocator that is next in the search order, which need not be libc's; NULL while not yet found. */
struct real {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void (*free)(void *);
	void *(*memalign)(size_t, size_t);
	void *(*aligned_alloc)(size_t, size_t);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*valloc)(size_t);
	void *(*pvalloc)(size_t);
	int (*vasprintf)(char **, const char *, va_list);
	int (*vasprintf_chk)(char **, int, const char *, va_list);
	int (*dlclose)(void *);
	void *(*mmap)(void *, size_t, int, int, int, off_t);
	int (*munmap)(void *, size_t);
	int (*brk)(void *);
	void *(*sbrk)(intptr_t);
};
extern struct real real;
/* Is malloc() ours? A program may bring its own. */
int malloc_is_ours(void);

#pragma GCC visibility pop
#endif
