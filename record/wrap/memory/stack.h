/* stack.h: call stacks, each stored once. */
#ifndef STACK_H
#define STACK_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

struct stack {
	struct stack *next;
	uint64_t hash;
	uint32_t node; /* of untyped blocks from there, 0 = not yet needed */
	uint16_t n;
	uint16_t whole; /* the first of them has no caller; 0: it is not known */
	uintptr_t pc[]; /* outermost first, each a return address */
};
extern unsigned stacks; /* calls that are distinguished; 0: none, or sites only */

/* Sets `stacks`. 0, or -1 without memory. */
int stack_init(unsigned most);
/* By which calls the code at `caller` came to ask for memory. NULL without memory. Busy. */
struct stack *stack_here(uintptr_t caller);
/* The recorder's number. */
uint32_t stack_number(const struct stack *s);
/* How many there are, and how many of them were cut. */
uint32_t stack_count(uint32_t *cut);
void stack_unlock(void);

#pragma GCC visibility pop
#endif
