/* census_read.h: reads memory of the program that may be unreadable, for a census. */
#ifndef CENSUS_READ_H
#define CENSUS_READ_H

#include <stddef.h>
#include <stdint.h>

#include "hints.h"

#pragma GCC visibility push(hidden)

#define WINDOW 65536
/* A sliding copy of program memory, for reading it word by word. */
struct read_window {
	uintptr_t begin;	/* of what is in `word` */
	size_t whole;		/* bytes of whole words */
	uintptr_t limit;	/* as it was given */
	uint64_t word[WINDOW / 8];
};
struct read_window *window_new(void); /* NULL without memory */
void window_free(struct read_window *w);
/* Moves the window to an address; 0: it cannot be read there. */
int window_move(struct read_window *w, uintptr_t address, uintptr_t limit);
/* The aligned word at an address inside [.., limit); 0 and *good = 0 when it cannot be read. */
static inline uint64_t window_word(struct read_window *w, uintptr_t address, uintptr_t limit,
				   int *good)
{
	if (unlikely(address - w->begin >= w->whole) && !window_move(w, address, limit)) {
		*good = 0;
		return 0;
	}
	return w->word[(address - w->begin) / 8];
}
/* Nothing is known of any page: before a census, which ends with census_read_end(). */
void census_read_begin(void);
void census_read_end(void);
/* Copies program memory without trusting it; returns how many bytes could be read from the beginning. */
size_t census_read(void *to, uintptr_t from, size_t bytes);
/* The same of the program's own data: what it has never touched is zeros. */
size_t census_read_data(void *to, uintptr_t from, size_t bytes);
/* The same, by the kernel whatever the size: it may be unreadable. */
size_t census_copy(void *to, uintptr_t from, size_t bytes);

#pragma GCC visibility pop
#endif
