/* holders.c: a table of the locks of OpenMP that were taken last. */
#include "holders.h"

#include "../locks/lock_record.h"
#include "tau.h"

#define SLOTS 65536u
#define HELD  (1ull << 27)
#define TAKES 28 /* 8 bits: a count, which distinguishes two times of the same thread */
#define TAG   36 /* 28 bits of the hash of the lock that the place does not have */
#define THREAD(mark) ((mark) & (HELD - 1)) /* number of the stream + 1 */

static uint64_t marks[SLOTS];

static uint64_t hash_of(const void *lock)
{
	return (uint64_t)(uintptr_t)lock * 0x9e3779b97f4a7c15u;
}

static uint64_t tag_of(uint64_t hash)
{
	return hash << 16 >> TAG;
}

uint64_t lock_mark(const void *lock)
{
	uint64_t h = hash_of(lock), mark = __atomic_load_n(&marks[h >> 48], __ATOMIC_RELAXED);

	return mark >> TAG == tag_of(h) ? mark : 0;
}

int lock_was_held(uint64_t mark)
{
	return (mark & HELD) != 0;
}

int lock_holder(uint64_t mark)
{
	return (int)THREAD(mark) - 1;
}

static uint64_t thread_now(void)
{
	return (uint64_t)(tau_stream_of(0) + 1);
}

void lock_acquired(const void *lock)
{
	uint64_t h = hash_of(lock);

	__atomic_store_n(&marks[h >> 48], tag_of(h) << TAG | HELD | thread_now(), __ATOMIC_RELAXED);
}

void critical_freed(const void *lock)
{
	uint64_t mark = lock_mark(lock);

	if (mark && THREAD(mark) == thread_now())
		__atomic_store_n(&marks[hash_of(lock) >> 48], mark & ~HELD, __ATOMIC_RELAXED);
}

void critical_acquired(const void *lock, uint64_t mark, const void *site)
{
	uint64_t now = lock_mark(lock), receive;

	if (lock_was_held(mark) || now != mark)
		lock_record("omp critical", lock, lock_holder(lock_was_held(mark) ? mark : now),
			    site);
	receive = ((now >> TAKES) + 1) & 255;
	__atomic_store_n(&marks[hash_of(lock) >> 48],
			 tag_of(hash_of(lock)) << TAG | receive << TAKES | HELD | thread_now(),
			 __ATOMIC_RELAXED);
}
