/*
 * memory.c: memory that the program allocates by CUDA's runtime: blocks by address, so that a free has the bytes of its block.
 */
#include "memory.h"
#include "cupti.h"

#include <sched.h>

#include "tau.h"

static int table_lock;
static void lock(void)
{
	while (__atomic_exchange_n(&table_lock, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}
static void unlock(void)
{
	__atomic_store_n(&table_lock, 0, __ATOMIC_RELEASE);
}

#define BLOCKS (1 << 16)
static struct device_block {
	uint64_t address; /* 0: free; 1: was used */
	size_t bytes;
	uint32_t type;
} blocks[BLOCKS];

static void block_add(uint64_t address, size_t bytes, uint32_t type)
{
	struct device_block *b = NULL;

	if (!address || !type)
		return;
	lock();
	for (uint64_t i = address >> 8, n = 0; n < 64 && !b; i++, n++)
		if (blocks[i % BLOCKS].address <= 1)
			b = &blocks[i % BLOCKS];
	if (b)
		*b = (struct device_block){address, bytes, type};
	unlock();
	if (b)
		tau_mem_alloc(type, bytes);
}

static void block_remove(uint64_t address)
{
	struct device_block b = {0};

	if (!address)
		return;
	lock();
	for (uint64_t i = address >> 8, n = 0; n < 64 && !b.address; i++, n++) {
		struct device_block *at = &blocks[i % BLOCKS];

		if (at->address == address) {
			b = *at;
			at->address = 1;
		}
	}
	unlock();
	if (b.address)
		tau_mem_free(b.type, b.bytes);
}

static uint32_t memory_type(const char *name)
{
	return tau_memtype(name, 0, 1, 0, "CUDA");
}

/* What a function of the driver does, as a function of the runtime; 0: nothing with memory. */
static uint32_t runtime_call(uint32_t driver)
{
	switch (driver) {
	case CU_MEM_ALLOC:
	case CU_MEM_ALLOC_ASYNC:
	case CU_MEM_ALLOC_ASYNC_PTSZ:
	case CU_MEM_ALLOC_FROM_POOL:
	case CU_MEM_ALLOC_FROM_POOL_PTSZ:
	case CU_MEM_CREATE: return MALLOC;
	case CU_MEM_ALLOC_PITCH: return MALLOC_PITCH;
	case CU_MEM_ALLOC_MANAGED: return MALLOC_MANAGED;
	case CU_MEM_ALLOC_HOST:
	case CU_MEM_HOST_ALLOC:
	case CU_MEM_HOST_ALLOC_V2: return HOST_ALLOC;
	case CU_MEM_FREE:
	case CU_MEM_FREE_ASYNC:
	case CU_MEM_FREE_ASYNC_PTSZ:
	case CU_MEM_RELEASE:
	case CU_MEM_FREE_HOST: return FREE;
	default: return 0;
	}
}

/* A block of rows: its parameters are where the address and the length of a row go, the width and the number of rows. */
static size_t pitched(const void *params)
{
	const struct {
		void **address;
		const size_t *pitch;
		size_t width, rows;
	} *p = params;

	return p->pitch ? *p->pitch * p->rows : 0;
}

/* The first parameters of the functions: where the address goes and the size, or the address. A number of a block counts as one. */
void memory_called(int domain, uint32_t id, const struct callback *c)
{
	const struct {
		void **address;
		size_t bytes;
	} *p = c->params;
	const char *type = NULL;
	uint32_t call = domain == DRIVER ? runtime_call(id) : id;

	if (!p || !c->result || *c->result)
		return;
	switch (call) {
	case MALLOC:
	case MALLOC_PITCH:
	case MALLOC_ASYNC:
	case MALLOC_ASYNC_PTSZ:
	case MALLOC_FROM_POOL:
	case MALLOC_FROM_POOL_PTSZ: type = "CUDA device"; break;
	case MALLOC_MANAGED: type = "CUDA managed"; break;
	case MALLOC_HOST:
	case HOST_ALLOC: type = "CUDA pinned host"; break;
	case FREE:
	case FREE_ASYNC:
	case FREE_ASYNC_PTSZ:
	case FREE_HOST: block_remove((uint64_t)(uintptr_t)p->address); return;
	}
	if (type && p->address)
		block_add((uint64_t)(uintptr_t)*p->address,
			  call == MALLOC_PITCH ? pitched(p) : p->bytes, memory_type(type));
}
