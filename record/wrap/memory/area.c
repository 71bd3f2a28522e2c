/* area.c: memory of the wrapper itself, and its locks. */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include "area.h"
#include "hints.h"
#include "own/own.h"
#include "tau.h"

#define SPINS 64
#define BYTES_CHUNK (256 * 1024)
#define PAGE 4096u
#define POPULATE_WRITE 23	/* MADV_POPULATE_WRITE, of Linux 5.14; before, nothing happens */

static int bytes_lock;
static char *bytes_at;
static size_t bytes_left;

void *area_map(size_t bytes)
{
	int e = errno;
	void *p = tau_map(bytes);

	/* Sparse tables: a huge page for one touched cell would cost the program real memory. */
	if (p && bytes >= 2u << 20)
		madvise(p, bytes, MADV_NOHUGEPAGE);
	errno = e;
	return p;
}

void area_unmap(void *area, size_t bytes)
{
	tau_unmap(area, bytes);
}

void area_fill(void *area, size_t bytes)
{
	uintptr_t begin = (uintptr_t)area & ~(uintptr_t)(PAGE - 1);
	int e = errno;

	system_call(SYS_madvise, begin, (uintptr_t)area + bytes - begin, (long)POPULATE_WRITE);
	errno = e;
}

void *area_bytes(size_t bytes)
{
	char *p = NULL;

	bytes = (bytes + 15) & ~(size_t)15;
	if (bytes > BYTES_CHUNK)
		return area_map(bytes);
	lock_acquire(&bytes_lock);
	if (bytes_left < bytes) {
		p = area_map(BYTES_CHUNK);
		if (p) {
			bytes_at = p;
			bytes_left = BYTES_CHUNK;
		}
	}
	p = NULL;
	if (bytes_left >= bytes) {
		p = bytes_at;
		bytes_at += bytes;
		bytes_left -= bytes;
	}
	lock_release(&bytes_lock);
	return p;
}

void lock_wait(int *lock)
{
	unsigned i = 0;
	int e = errno;

	while (__atomic_load_n(lock, __ATOMIC_RELAXED) ||
	       __atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE)) {
		if (++i < SPINS)
			cpu_pause();
		else
			sched_yield();
	}
	errno = e;
}

void area_unlock(void)
{
	bytes_lock = 0;
}
