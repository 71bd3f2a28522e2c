/*
 * cupti_tool.c: a tool of CUPTI that enables what the wrapper of CUDA enables, and does nothing with it: what CUPTI itself costs.
 */
#include <cupti.h>
#include <stdlib.h>
#include <time.h>

#define BYTES (1 << 20)

int InitializeInjection(void);

static uint64_t CUPTIAPI now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void CUPTIAPI called(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data)
{
	(void)user, (void)domain, (void)id, (void)data;
}

static void CUPTIAPI request(uint8_t **buffer, size_t *size, size_t *most)
{
	*buffer = aligned_alloc(64, BYTES);
	*size = BYTES;
	*most = 0;
}

static void CUPTIAPI complete(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
	CUpti_Activity *record = NULL;

	(void)context, (void)stream, (void)size;
	while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS)
		continue;
	free(buffer);
}

int InitializeInjection(void)
{
	CUpti_SubscriberHandle s;

	if (cuptiSubscribe(&s, called, NULL) || cuptiEnableDomain(1, s, CUPTI_CB_DOMAIN_RUNTIME_API) ||
	    cuptiEnableDomain(1, s, CUPTI_CB_DOMAIN_DRIVER_API) ||
	    cuptiEnableCallback(0, s, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuKernelGetName) ||
	    cuptiActivityRegisterTimestampCallback(now) ||
	    cuptiActivityRegisterCallbacks(request, complete) ||
	    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) ||
	    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY) || cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET) ||
	    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY2) ||
	    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION))
		abort();
	return 1;
}
