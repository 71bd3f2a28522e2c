/*
 * sieve.c: one bit for the begin of each block in the table of live blocks, when no more are
 * entered: a free of another block needs only one test.
 *
 * One bit for each 16 bytes of addresses, modulo what the bits cover: neighbours in a program's
 * heap are neighbours here, in a 128th of its bytes. If a bit is not set, the block is not in the
 * table; if it is set, it may be for another block, and the table is searched. A bit that was set
 * for more than one block is never cleared.
 */
#include <errno.h>
#include <sys/mman.h>
#include "area.h"
#include "live.h"
#include "sieve.h"

#define SIEVE_BYTES (SIEVE_WORDS * sizeof(uint64_t))

uint64_t *sieve;
static uint64_t *once, *again; /* set, and set for more than one block */

static const char *others;
static size_t others_bytes;

int sieve_init(const char *ours, size_t bytes)
{
	others = ours;
	others_bytes = bytes;
	once = area_map(SIEVE_BYTES);
	again = area_map(SIEVE_BYTES);
	return once && again ? 0 : -1;
}

void sieve_add(uintptr_t address)
{
	uint64_t bit = sieve_bit(address), *word = sieve_word(once, address);

	if (__atomic_fetch_or(word, bit, __ATOMIC_RELAXED) & bit)
		__atomic_fetch_or(sieve_word(again, address), bit, __ATOMIC_RELAXED);
}

/* The bits to come: once, and again. */
struct sieve_bits {
	uint64_t *once, *again;
};

static void bit_add(const struct sieve_bits *b, uintptr_t address)
{
	uint64_t bit = sieve_bit(address), *word = sieve_word(b->once, address);

	*sieve_word(b->again, address) |= *word & bit;
	*word |= bit;
}

void sieve_drop(uintptr_t address)
{
	uint64_t bit = sieve_bit(address);

	if (!(__atomic_load_n(sieve_word(again, address), __ATOMIC_RELAXED) & bit))
		__atomic_fetch_and(sieve_word(once, address), ~bit, __ATOMIC_RELAXED);
}

static int add_one(void *arg, const struct live_block *b)
{
	bit_add(arg, b->address);
	return 0;
}

/* The bit of a block that was in the table before, and still is, stays set meanwhile. */
static void bits_copy(uint64_t *to, const uint64_t *from)
{
	for (size_t i = 0; i < SIEVE_WORDS; i++)
		if (to[i] != from[i])
			__atomic_store_n(&to[i], from[i], __ATOMIC_RELAXED);
}

/*
 * A free that began when there was a sieve before may still look at it, so its bits are not cleared first. If there is no memory
 * for others, old bits stay, which costs time only.
 */
void sieve_make(void)
{
	struct sieve_bits b = {area_map(SIEVE_BYTES), area_map(SIEVE_BYTES)};
	int both = b.once && b.again;
	struct sieve_bits in_place = {once, again};

	live_walk(add_one, both ? &b : &in_place);
	for (size_t i = 0; i < others_bytes; i += SIEVE_GRAIN)
		bit_add(both ? &b : &in_place, (uintptr_t)others + i);
	if (both) {
		bits_copy(once, b.once);
		bits_copy(again, b.again);
	}
	if (b.once)
		area_unmap(b.once, SIEVE_BYTES);
	if (b.again)
		area_unmap(b.again, SIEVE_BYTES);
	__atomic_store_n(&sieve, once, __ATOMIC_RELEASE);
}

void sieve_leave(void)
{
	__atomic_store_n(&sieve, NULL, __ATOMIC_RELEASE);
}

uint64_t *sieve_words(void)
{
	return once;
}

void sieve_forget(void)
{
	int e = errno;

	if (sieve_now()) {
		sieve = NULL;
		madvise(once, SIEVE_BYTES, MADV_DONTNEED);
		madvise(again, SIEVE_BYTES, MADV_DONTNEED);
	}
	errno = e;
}
