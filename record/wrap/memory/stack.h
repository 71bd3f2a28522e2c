/* stack.h: call stacks, each stored once. */
#ifndef STACK_H
#define STACK_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

struct stack {
	struct stack *next;
	uint64_t hash;
	uint64_t places; /* of the objects that it runs through */
	uint32_t checked; /* the count of unloads after which these were found to be still there */
	uint32_t node;	  /* of untyped blocks from there, 0 = not yet needed */
	uint32_t number;  /* the recorder's, 0 = not yet needed */
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
uint32_t stack_number(struct stack *s);
/* An object was unloaded: the same addresses may be other code. */
void stacks_forget(void);
/* How many there are, and how many of them were cut. */
uint32_t stack_count(uint32_t *cut);
void stack_unlock(void);

#pragma GCC visibility pop
#endif
