/*
 * memory.h: memory that the program allocates by CUDA.
 */
#ifndef WRAP_CUDA_MEMORY_H
#define WRAP_CUDA_MEMORY_H

#include <stdint.h>

struct callback;

/* Function `id` of the runtime or the driver has returned. */
void memory_called(int domain, uint32_t id, const struct callback *c);

#endif
