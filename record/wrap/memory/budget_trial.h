/* budget_trial.h: what the short way of a block takes. */
#ifndef BUDGET_TRIAL_H
#define BUDGET_TRIAL_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

/* ours: memory of `bytes` bytes that holds blocks which are not the allocator's but may be freed. */
void budget_init(const char *ours, size_t bytes);

#pragma GCC visibility pop
#endif
