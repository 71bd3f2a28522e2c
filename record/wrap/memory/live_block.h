/* live_block.h: a block that is live. */
#ifndef LIVE_BLOCK_H
#define LIVE_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct live_block {
	uintptr_t address;
	size_t size;
	uint32_t node;
	uint32_t kind;		/* 0 = none */
};

#pragma GCC visibility pop
#endif
