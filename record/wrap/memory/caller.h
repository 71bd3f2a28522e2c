/* caller.h: the node of an untyped block by the code or the call stack that allocated it. */
#ifndef CALLER_H
#define CALLER_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

struct stack;

/* Call sites are distinguished: each has nodes of its own. Set from the environment before the first block. */
extern int sites;
/* Of a block that was allocated by the code that continues at `address`. One load when seen before. */
uint32_t caller_node(uintptr_t address);
uint32_t caller_stack_node(struct stack *s);
/*
 * Objects may have been unloaded since the table of segments was like that: what is cached about their addresses is not valid
 * any more, here and in other files. 0: none were.
 */
struct library_segments;
int callers_forget(const struct library_segments *before);

#pragma GCC visibility pop
#endif
