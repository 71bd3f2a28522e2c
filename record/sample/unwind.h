/*
 * unwind.h: call stacks and modules, found without locks: for signal handlers.
 */
#ifndef UNWIND_H
#define UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dl_phdr_info;
struct dl_find_object;
bool unwind_start(void);		/* false: the C library cannot find modules without a lock */
bool memory_copy(void *out, uint64_t address, size_t n);	/* of this process; false: it cannot be read */
bool unwind_there(void);		/* it was started, and can */
bool unwind_object(uint64_t address, struct dl_find_object *out);	/* the module there */
bool unwind_module(uint64_t address, struct dl_phdr_info *out);	/* the module as dl_iterate_phdr() describes it */
/*
 * Code addresses from a ucontext_t, innermost first; all but the first are return addresses. sp: the stack pointer of each.
 * Returns their number.
 */
size_t unwind(const void *context, uint64_t *pc, uint64_t *sp, size_t most);

#endif
