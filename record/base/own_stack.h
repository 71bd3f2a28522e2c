/*
 * own_stack.h: deep work on a stack of its own, with all signals blocked.
 */
#ifndef OWN_STACK_H
#define OWN_STACK_H

#include <stdbool.h>
#include <stddef.h>

struct stream;

/* Runs work(argument) on the stack of s and returns its result; errno may change. */
bool own_stack_run(struct stream *s, bool (*work)(void *argument), void *argument);
/* Announces to valgrind a range that code may use as its stack. */
void stack_announce(void *begin, size_t bytes);

#endif
