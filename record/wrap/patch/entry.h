/*
 * entry.h: where the calls of patched functions go.
 */
#ifndef PATCH_ENTRY_H
#define PATCH_ENTRY_H

#include <stdint.h>

/* On the stack: how far after the function's address the call returns, then where it returns, then the function's own return address. */
void patch_entry(void) __attribute__((visibility("hidden")));
/* The function __fentry__() that is next after ours. */
extern void (*patch_fentry_next)(void) __attribute__((visibility("hidden")));

#endif
