/*
 * cupti.h: what the wrapper uses of CUPTI 11 to 13: the fields at the begin of a record are the same in all of these.
 */
#ifndef WRAP_CUPTI_H
#define WRAP_CUPTI_H

#include <stddef.h>
#include <stdint.h>

enum domain { DRIVER = 1, RUNTIME = 2, RESOURCE = 3, DOMAINS };
#define CONTEXT_CREATED 1 /* of RESOURCE */
enum activity {
	MEMCPY = 1,
	MEMSET = 2,
	CONCURRENT_KERNEL = 10,
	MEMCPY2 = 22,
	UNIFIED_MEMORY = 25,
	SYNCHRONIZATION = 38
};
enum site { SITE_ENTER, SITE_EXIT };
enum call {
	MALLOC = 20,
	MALLOC_PITCH = 21,
	FREE = 22,
	MALLOC_HOST = 25,
	FREE_HOST = 26,
	HOST_ALLOC = 27,
	MALLOC_MANAGED = 206,
	MALLOC_ASYNC = 373,
	MALLOC_ASYNC_PTSZ = 374,
	FREE_ASYNC = 375,
	FREE_ASYNC_PTSZ = 376,
	MALLOC_FROM_POOL = 391,
	MALLOC_FROM_POOL_PTSZ = 392
};
/* Of the driver. */
enum driver_call {
	CU_MEM_ALLOC = 243,
	CU_MEM_ALLOC_PITCH = 244,
	CU_MEM_FREE = 245,
	CU_MEM_FREE_HOST = 38,
	CU_MEM_HOST_ALLOC = 39,
	CU_MEM_HOST_ALLOC_V2 = 271,
	CU_MEM_ALLOC_HOST = 294,
	CU_MEM_ALLOC_MANAGED = 371,
	CU_MEM_ALLOC_ASYNC = 598,
	CU_MEM_ALLOC_ASYNC_PTSZ = 599,
	CU_MEM_FREE_ASYNC = 600,
	CU_MEM_FREE_ASYNC_PTSZ = 601,
	CU_MEM_CREATE = 549,
	CU_MEM_RELEASE = 550,
	CU_MEM_ALLOC_FROM_POOL = 611,
	CU_MEM_ALLOC_FROM_POOL_PTSZ = 612,
	CU_KERNEL_GET_NAME = 719
};

/* CUpti_CallbackData */
struct callback {
	int site;
	const char *function;
	const void *params;
	const int *result;
	const char *symbol;
	void *context;
	uint32_t context_id;
	uint64_t *data;
	uint32_t correlation;
};
/* The begin of CUpti_ActivityKernel8 and later. */
struct kernel {
	uint32_t kind;
	uint8_t cache, shared_config;
	uint16_t registers;
	uint32_t partition[2];
	uint64_t start, end, completed;
	uint32_t device, context, stream;
	int32_t grid[3], block[3], static_shared, dynamic_shared;
	uint32_t local_thread, local_all, correlation;
	int64_t grid_id;
	const char *name;
};
/* The begin of CUpti_ActivityMemcpy5, CUpti_ActivityMemset4 and later, and of CUpti_ActivityMemcpyPtoP4. */
struct transfer {
	uint32_t kind;
	uint8_t copy, from, to, flags;
	uint64_t bytes, start, end;
	uint32_t device, context, stream, correlation;
	uint32_t peer[3], peer_correlation; /* the second one is there between devices only */
};
/* CUpti_ActivitySynchronization and CUpti_ActivitySynchronization2 */
struct synchronization {
	uint32_t kind, type;
	uint64_t start, end;
	uint32_t correlation, context, stream, event;
};
#define NO_STREAM UINT32_MAX
/* The begin of CUpti_ActivityUnifiedMemoryCounter2 and CUpti_ActivityUnifiedMemoryCounter3. */
struct migration {
	uint32_t kind, counter;
	uint64_t value, start, end, address;
	uint32_t from, to, stream, process, flags;
};
/* CUpti_ActivityUnifiedMemoryCounterConfig; scope 1: a process and a device. */
struct migration_config {
	uint32_t scope, counter, device, enable;
};
enum migration_counter { TO_DEVICE = 1, TO_HOST, CPU_FAULT, GPU_FAULT, THRASHING, THROTTLING, REMOTE_MAP, BETWEEN_DEVICES };

/* data: a struct callback in the domains of calls */
typedef void on_call(void *user, int domain, uint32_t id, const void *data);
typedef void on_request(uint8_t **buffer, size_t *size, size_t *records);
typedef void on_complete(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);

#endif
