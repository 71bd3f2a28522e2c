/*
 * function_table.h: the hash table of a stream from function addresses to tokens, as the compiler's hooks read it.
 */
#ifndef FUNCTION_TABLE_H
#define FUNCTION_TABLE_H


#include <stddef.h>
#include <stdint.h>

/*
 * The table has words address << 16 | token, so that a hook needs one load. The token is as in column IDS; 0: the function is
 * excluded. A word 0 is empty. The word before the first is the number of words minus one. The words are followed by the
 * numbers of their regions in the file, 32 bits each. Addresses of functions have at most 48 bits.
 */
#define SLOT_GONE (1ull << 16)		/* word of a function that was unloaded */
#define SLOT_TOKEN(word) ((uint32_t)(word) & 0xffff)
#define SLOT_ADDRESS(word) ((word) >> 16)
#define SLOT_NO_REGION UINT32_MAX	/* excluded before it got a number in the file */
#define SLOTS_HEAD 8			/* words before the first, of which the last is used */

/* Functions begin at least 16 bytes apart as a rule. */
static inline size_t address_hash(uint64_t address)
{
	return (size_t)(address >> 4);
}

/* The token, if the function is at the position of its hash; otherwise a number above 65535. */
static inline uint64_t slot_first(const uint64_t *slots, uint64_t address)
{
	return slots[address_hash(address) & slots[-1]] ^ address << 16;
}

/* The word of the function, or the empty word where it would be inserted. */
static inline const uint64_t *slot_find(const uint64_t *slots, uint64_t address)
{
	size_t i = address_hash(address), mask = slots[-1];

	while (slots[i & mask] && SLOT_ADDRESS(slots[i & mask]) != address)
		i++;
	return &slots[i & mask];
}

static inline uint32_t *slot_region(const uint64_t *slots, const uint64_t *word)
{
	return (uint32_t *)(slots + slots[-1] + 1) + (word - slots);
}

#endif
