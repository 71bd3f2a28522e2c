/*
 * cuda.c: the wrapper of CUDA: the driver loads what CUDA_INJECTION64_PATH names and calls
 * InitializeInjection(), which opens CUPTI.
 *
 * Calls of the runtime, and of the driver from outside of the runtime, are regions of the calling
 * thread. Kernels, copies and memsets are regions of a thread for each stream of each device, inside
 * the call path that started them (cuda/work.c).
 */
#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "metadata.h"
#include "now.h"
#include "tau.h"
#include "cuda/cupti.h"
#include "cuda/ending.h"
#include "cuda/library.h"
#include "cuda/memory.h"
#include "cuda/path.h"
#include "cuda/work.h"
#include "own/own.h"

#define EXPORT __attribute__((visibility("default")))

static struct {
	int (*subscribe)(void **subscriber, on_call *function, void *user);
	int (*enable_domain)(uint32_t on, void *subscriber, int domain);
	int (*enable_call)(uint32_t on, void *subscriber, int domain, uint32_t id);
	int (*activity)(int kind);
	int (*callbacks)(on_request *request, on_complete *complete);
	int (*flush)(uint32_t flag);
	int (*next)(uint8_t *buffer, size_t valid, void **record);
	int (*timestamp)(uint64_t *ns);
	int (*timestamp_callback)(uint64_t (*now)(void));
	int (*dropped)(void *context, uint32_t stream, size_t *n);
	int (*unified)(struct migration_config *config, uint32_t n);
} cupti;

/* A thread that starts work may have to wait for a buffer, but not for the records of another one. */
static int buffer_lock, work_lock;
static void lock(int *of)
{
	while (__atomic_exchange_n(of, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}
static void unlock(int *of)
{
	__atomic_store_n(of, 0, __ATOMIC_RELEASE);
}

static void *pages(size_t bytes)
{
	return tau_map(bytes);
}

/* ---- calls ---- */

static int started; /* there were calls since the last flush of CUPTI's buffers */
static int unended; /* and since the last forced one, without which work that has not ended stays in them */

#define CALLS 2048
static uint32_t regions[DOMAINS + 1][CALLS];
static __thread uint32_t depth, outer; /* outer: the number of the outermost call */
static __thread const struct path *path;
static __thread int entered;

static uint32_t region_of(int domain, uint32_t id, const char *name)
{
	uint32_t r;

	if (!name)
		return 0;
	if (id >= CALLS)
		return tau_region(name, "CUDA", NULL, 0);
	r = __atomic_load_n(&regions[domain][id], __ATOMIC_RELAXED);
	if (!r) {
		r = tau_region(name, "CUDA", NULL, 0);
		__atomic_store_n(&regions[domain][id], r, __ATOMIC_RELAXED);
	}
	return r;
}

static void call_begins(int domain, uint32_t id, const struct callback *c)
{
	if (depth++) {
		if (c->correlation != outer)
			work_called(c->correlation, path);
		return;
	}
	outer = c->correlation;
	path = path_here();
	entered = tau_active() && !tau_inside();
	if (entered)
		tau_begin(region_of(domain, id, c->function));
	work_called(outer, path);
	if (!__atomic_load_n(&started, __ATOMIC_RELAXED))
		__atomic_store_n(&started, 1, __ATOMIC_RELAXED);
}

static void context_begins(void);

/* What the runtime calls of the driver, and of itself, belongs to the call. */
static void called(void *user, int domain, uint32_t id, const void *data)
{
	const struct callback *c = data;

	(void)user;
	if (domain == RESOURCE && id == CONTEXT_CREATED)
		context_begins();
	if (!c || (domain != DRIVER && domain != RUNTIME))
		return;
	if (c->site == SITE_ENTER) {
		call_begins(domain, id, c);
		return;
	}
	if (!depth)
		return;
	/* What the runtime allocates by the driver is the runtime's. */
	if ((domain == RUNTIME || depth == 1) && entered)
		memory_called(domain, id, c);
	if (!--depth && entered)
		tau_leave(region_of(domain, id, c->function));
}

/* ---- buffers ---- */

#define BUFFER (1 << 20)
#define SPARES 16
static uint8_t *spares[SPARES];
static size_t spare_n;

static void request(uint8_t **buffer, size_t *size, size_t *records)
{
	lock(&buffer_lock);
	*buffer = spare_n ? spares[--spare_n] : NULL;
	unlock(&buffer_lock);
	if (!*buffer)
		*buffer = pages(BUFFER);
	*size = *buffer ? BUFFER : 0;
	*records = 0;
}

static void return_buffer(uint8_t *buffer)
{
	lock(&buffer_lock);
	if (spare_n < SPARES) {
		spares[spare_n++] = buffer;
		buffer = NULL;
	}
	unlock(&buffer_lock);
	if (buffer)
		tau_unmap(buffer, BUFFER);
}

static void complete(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
	void *record = NULL;
	size_t dropped = 0;

	(void)size;
	if (!buffer)
		return;
	lock(&work_lock);
	while (valid && cupti.next(buffer, valid, &record) == 0 && record)
		work_add(record);
	if (cupti.dropped && cupti.dropped(context, stream, &dropped) == 0)
		work_lost(dropped);
	unlock(&work_lock);
	return_buffer(buffer);
}

static int owner; /* the process that CUPTI was opened in: a forked child has no thread of CUPTI's */
static int ended;

/*
 * One thread at a time: what the flush of another one has fetched is known when that flush returns, and not before. A
 * flush that hangs holds up the end of the program no longer than TURN_NS; 0: that time is over.
 */
#define TURN_NS 10000000000u
static int flush_lock;
static int flush_turn(void)
{
	const uint64_t from = now_ns();

	while (__atomic_exchange_n(&flush_lock, 1, __ATOMIC_ACQUIRE)) {
		if (now_ns() - from > TURN_NS)
			return 0;
		sched_yield();
	}
	return 1;
}

/* A flush without work of the device can wait for ever. */
static int flush(uint32_t forced)
{
	int work, mine;

	if (!tau_active() || getpid() != owner || __atomic_load_n(&ended, __ATOMIC_ACQUIRE))
		return 0;
	work = __atomic_exchange_n(&started, 0, __ATOMIC_RELAXED);
	if (forced)
		work |= __atomic_exchange_n(&unended, 0, __ATOMIC_RELAXED);
	else if (work)
		__atomic_store_n(&unended, 1, __ATOMIC_RELAXED);
	mine = flush_turn();
	if (work)
		cupti.flush(forced);
	if (mine)
		unlock(&flush_lock);
	return 1;
}

/* CUPTI may deliver what began before later, but hardly by so much. */
#define LATE_NS	    1000000000u
#define INTERVAL_NS 500000000u
static void flush_at_interval(void)
{
	uint64_t limit = now_ns() - LATE_NS;

	if (!flush(0))
		return;
	lock(&work_lock);
	work_write(limit);
	unlock(&work_lock);
}

static void finish(void)
{
	uint64_t lost;
	char text[24];

	if (!flush(1))
		return;
	lock(&work_lock);
	lost = work_write(UINT64_MAX);
	unlock(&work_lock);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)lost);
	if (lost)
		tau_meta(TAU_META_CUDA_RECORDS_LOST, text);
}

/* After this CUDA ends. */
static void end(void)
{
	finish();
	__atomic_store_n(&ended, 1, __ATOMIC_RELEASE);
}

/* ---- the start ---- */

static int cupti_find(void *library)
{
	const struct {
		const char *name;
		void *to;
	} functions[] = {
		{"cuptiSubscribe", &cupti.subscribe},
		{"cuptiEnableDomain", &cupti.enable_domain},
		{"cuptiEnableCallback", &cupti.enable_call},
		{"cuptiActivityEnable", &cupti.activity},
		{"cuptiActivityRegisterCallbacks", &cupti.callbacks},
		{"cuptiActivityFlushAll", &cupti.flush},
		{"cuptiActivityGetNextRecord", &cupti.next},
		{"cuptiGetTimestamp", &cupti.timestamp},
		{"cuptiActivityRegisterTimestampCallback", &cupti.timestamp_callback},
		{"cuptiActivityGetNumDroppedRecords", &cupti.dropped},
		{"cuptiActivityConfigureUnifiedMemoryCounter", &cupti.unified},
	};
	size_t n = sizeof(functions) / sizeof(*functions);

	for (size_t i = 0; i < n; i++) {
		void *p = own_of(library, functions[i].name);

		if (!p && i < n - 3)
			return 0;
		memcpy(functions[i].to, &p, sizeof(p));
	}
	return 1;
}

/* By how many ns CLOCK_MONOTONIC is ahead of CUPTI's clock. */
static int64_t clock_ahead(void)
{
	uint64_t best = UINT64_MAX, theirs;
	int64_t ahead = 0;

	for (int i = 0; i < 8; i++) {
		uint64_t before = now_ns(), after;

		if (cupti.timestamp(&theirs))
			continue;
		after = now_ns();
		if (after - before < best) {
			best = after - before;
			ahead = (int64_t)(before + best / 2 - theirs);
		}
	}
	return ahead;
}

/* CUPTI takes its times from the recorder's clock; before 11.6 the difference is added. */
static int clocks_align(void)
{
	int64_t ahead = clock_ahead();
	int same = cupti.timestamp_callback && cupti.timestamp_callback(now_ns) == 0;

	return work_start(same ? 0 : ahead, ahead);
}

/*
 * Migrations and faults of unified memory, of all devices that have it. CUPTI refuses this until there is a context, and
 * a context that is made later can need it again.
 */
static void unified_start(void)
{
	static const uint32_t counters[] = {TO_DEVICE, TO_HOST, CPU_FAULT, GPU_FAULT,
					    BETWEEN_DEVICES};
	int there = 0;

	for (uint32_t device = 0; cupti.unified && device < 16; device++)
		for (size_t i = 0; i < sizeof(counters) / sizeof(*counters); i++) {
			struct migration_config c = {1, counters[i], device, 1};

			there |= !cupti.unified(&c, 1);
		}
	if (there)
		cupti.activity(UNIFIED_MEMORY);
}

/*
 * A device has work only in a context, so that records need not be fetched before, and not by a thread: the driver has threads
 * by then, and until then a program that only counts devices may do what processes with threads cannot.
 */
static void context_begins(void)
{
	unified_start();
	ending_start(end);
	tau_every(INTERVAL_NS, flush_at_interval);
}

static const char *cupti_start(void)
{
	void *library = cupti_open(), *subscriber;

	if (!library)
		return "libcupti.so was not found";
	if (!cupti_find(library))
		return "libcupti.so lacks functions";
	if (cupti.subscribe(&subscriber, called, NULL))
		return "another tool uses CUPTI";
	if (cupti.enable_domain(1, subscriber, RUNTIME) ||
	    cupti.enable_domain(1, subscriber, DRIVER))
		return "CUPTI reports no calls";
	/* The runtime makes this call before each launch, only for the callback. */
	cupti.enable_call(0, subscriber, DRIVER, CU_KERNEL_GET_NAME);
	if (!clocks_align() || cupti.callbacks(request, complete) ||
	    cupti.activity(CONCURRENT_KERNEL) || cupti.activity(MEMCPY) || cupti.activity(MEMSET))
		return "CUPTI reports no kernels and copies";
	cupti.activity(MEMCPY2);
	cupti.activity(SYNCHRONIZATION);
	cupti.enable_call(1, subscriber, RESOURCE, CONTEXT_CREATED);
	return NULL;
}

EXPORT int InitializeInjection(void);

int InitializeInjection(void)
{
	const char *why;

	if (!tau_active())
		return 1;
	tau_hide();
	why = cupti_start();
	tau_show();
	if (why) {
		tau_meta(TAU_META_CUDA_NOT_RECORDED, why);
		return 1;
	}
	owner = getpid();
	atexit(end);
	at_quick_exit(end);
	tau_on_finalize(finish);
	return 1;
}
