/* stack.h: call stacks, each stored once. */
#ifndef STACK_H
#define STACK_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

static inline uint64_t stack_hash(uint64_t outer, uintptr_t pc)
{
	return (outer ^ pc) * 0x9e3779b97f4a7c15ULL;
}

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
uint32_t stack_node(struct stack *s);
/* The recorder's number. */
uint32_t stack_number(const struct stack *s);
void stack_say(void); /* what is known of all, as metadata */
void stack_unlock(void);

#pragma GCC visibility pop
#endif
