/* sieve.h: bits for the begins of the blocks in the table of live blocks, while no more are entered. */
#ifndef SIEVE_H
#define SIEVE_H

#include <stddef.h>
#include <stdint.h>

#include "hints.h"
#include "live.h"

#pragma GCC visibility push(hidden)

#define SIEVE_GRAIN 16
#define SIEVE_WORDS (1u << 18)
/* NULL while new blocks are entered in the table. */
extern uint64_t *sieve;

/* ours: memory of `bytes` bytes in which a block may begin anywhere. */
int sieve_init(const char *ours, size_t bytes);
/* Adds all blocks of the table. All other threads are stopped. */
void sieve_make(void);
/* A block that is back in the table; one that has left it, before anybody else can have its address. */
void sieve_add(uintptr_t address);
void sieve_drop(uintptr_t address);
/* Blocks are entered again. Frees that have begun may still use the bits: they stay. */
void sieve_leave(void);
/* In the child of a fork. */
void sieve_forget(void);
/* The bits, before there is a sieve: none is set. */
uint64_t *sieve_words(void);

static inline uint64_t sieve_bit(uintptr_t address)
{
	return 1ull << (address / SIEVE_GRAIN % 64);
}

static inline uint64_t *sieve_word(uint64_t *words, uintptr_t address)
{
	return &words[address / SIEVE_GRAIN / 64 % SIEVE_WORDS];
}

static inline uint64_t *sieve_now(void)
{
	return __atomic_load_n(&sieve, __ATOMIC_ACQUIRE);
}

/* 0: no block of the table begins there. Mostly none does nearby. */
static inline int sieve_has(uint64_t *words, const void *p)
{
	uint64_t word = __atomic_load_n(sieve_word(words, (uintptr_t)p), __ATOMIC_RELAXED);

	return unlikely(word) && (word & sieve_bit((uintptr_t)p)) != 0;
}

#pragma GCC visibility pop
#endif
