/*
 * unwind.h: call stacks, found without locks: for signal handlers.
 */
#ifndef UNWIND_H
#define UNWIND_H

#include <stddef.h>
#include <stdint.h>

/*
 * Code addresses from a ucontext_t, innermost first; all but the first are return addresses. sp: the stack pointer of each.
 * Returns their number.
 */
size_t unwind(const void *context, uint64_t *pc, uint64_t *sp, size_t most);

#endif
