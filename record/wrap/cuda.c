/*
 * cuda.c: the wrapper of CUDA: the driver loads what CUDA_INJECTION64_PATH names and calls
 * InitializeInjection(), which opens CUPTI.
 *
 * Calls of the runtime, and of the driver from outside of the runtime, are regions of the calling
 * thread. Kernels, copies and memsets are regions of a thread for each stream of each device, inside
 * the region that started them (cuda/work.c).
 */
#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "tau.h"
#include "cuda/cupti.h"
#include "cuda/memory.h"
#include "cuda/work.h"

#define EXPORT __attribute__((visibility("default")))

static struct {
	int (*subscribe)(void **subscriber, on_call *function, void *user);
	int (*enable_domain)(uint32_t on, void *subscriber, int domain);
	int (*activity)(int kind);
	int (*callbacks)(on_request *request, on_complete *complete);
	int (*flush)(uint32_t flag);
	int (*next)(uint8_t *buffer, size_t valid, void **record);
	int (*timestamp)(uint64_t *ns);
	int (*timestamp_callback)(uint64_t (*now)(void));
	int (*dropped)(void *context, uint32_t stream, size_t *n);
	int (*unified)(struct migration_config *config, uint32_t n);
} cupti;

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

static void *pages(size_t bytes)
{
	void *p = mmap(tau_map_at(bytes), bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- calls ---- */

static uint32_t started; /* calls since the last flush of CUPTI's buffers */

#define CALLS 2048
static uint32_t regions[DOMAINS + 1][CALLS];
static __thread uint32_t depth;
static __thread uint64_t caller;
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

/* What the runtime calls of the driver, and of itself, belongs to the call. */
static void called(void *user, int domain, uint32_t id, const struct callback *c)
{
	(void)user;
	if (!c || (domain != DRIVER && domain != RUNTIME))
		return;
	if (c->site == SITE_ENTER) {
		if (!depth++) {
			caller = tau_caller();
			entered = tau_active() && !tau_inside();
			if (entered)
				tau_begin(region_of(domain, id, c->function));
		}
		work_called(c->correlation, caller);
		__atomic_add_fetch(&started, 1, __ATOMIC_RELAXED);
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
	lock();
	*buffer = spare_n ? spares[--spare_n] : NULL;
	unlock();
	if (!*buffer)
		*buffer = pages(BUFFER);
	*size = *buffer ? BUFFER : 0;
	*records = 0;
}

static void complete(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
	void *record = NULL;
	size_t dropped = 0;

	(void)size;
	if (!buffer)
		return;
	lock();
	while (valid && cupti.next(buffer, valid, &record) == 0 && record)
		work_add(record);
	if (cupti.dropped && cupti.dropped(context, stream, &dropped) == 0)
		work_lost(dropped);
	if (spare_n < SPARES)
		spares[spare_n++] = buffer;
	else
		munmap(buffer, BUFFER);
	unlock();
}

static int owner; /* the process that CUPTI was opened in: a forked child has no thread of CUPTI's */
static int ended;

/* A flush without work of the device can wait for ever. */
static int flush(uint32_t forced)
{
	if (!tau_active() || getpid() != owner || __atomic_load_n(&ended, __ATOMIC_ACQUIRE))
		return 0;
	if (__atomic_exchange_n(&started, 0, __ATOMIC_RELAXED))
		cupti.flush(forced);
	return 1;
}

/* CUPTI may deliver what began before later, but hardly by so much. */
static void flush_at_interval(void)
{
	uint64_t limit = now() - 2000000000;

	if (!flush(0))
		return;
	lock();
	work_write(limit);
	unlock();
}

static void finish(void)
{
	uint64_t lost;
	char text[24];

	if (!flush(1))
		return;
	lock();
	lost = work_write(UINT64_MAX);
	unlock();
	snprintf(text, sizeof(text), "%llu", (unsigned long long)lost);
	if (lost)
		tau_meta("CUDA records lost", text);
}

/* After this CUDA ends. */
static void end(void)
{
	finish();
	__atomic_store_n(&ended, 1, __ATOMIC_RELEASE);
}

/* ---- the start ---- */

static void *cupti_open(void)
{
	static const char *const names[] = {"libcupti.so", "libcupti.so.13", "libcupti.so.12",
					    "libcupti.so.11.8"};
	static const char *const folders[] = {"lib64", "extras/CUPTI/lib64"};
	const char *home = getenv("CUDA_HOME");
	void *p = NULL;
	char path[4096];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !p; i++)
		p = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders) && !p; i++) {
		snprintf(path, sizeof(path), "%.3000s/%s/libcupti.so",
			 home && *home ? home : "/usr/local/cuda", folders[i]);
		p = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	}
	return p;
}

static int cupti_find(void *library)
{
	const struct {
		const char *name;
		void *to;
	} functions[] = {
		{"cuptiSubscribe", &cupti.subscribe},
		{"cuptiEnableDomain", &cupti.enable_domain},
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
		void *p = dlsym(library, functions[i].name);

		if (!p && i < n - 3)
			return 0;
		memcpy(functions[i].to, &p, sizeof(p));
	}
	return 1;
}

/* CUPTI takes its times from the recorder's clock, or before 11.6 the difference between both is measured. */
static int64_t clock_align(void)
{
	uint64_t best = UINT64_MAX, theirs;
	int64_t ahead = 0;

	if (cupti.timestamp_callback && cupti.timestamp_callback(now) == 0)
		return 0;
	for (int i = 0; i < 8; i++) {
		uint64_t before = now(), after;

		if (cupti.timestamp(&theirs))
			continue;
		after = now();
		if (after - before < best) {
			best = after - before;
			ahead = (int64_t)(before + best / 2 - theirs);
		}
	}
	return ahead;
}

/* Migrations and faults of unified memory, of all devices that have it. */
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
	if (!work_start(clock_align()) || cupti.callbacks(request, complete) ||
	    cupti.activity(CONCURRENT_KERNEL) || cupti.activity(MEMCPY) || cupti.activity(MEMSET))
		return "CUPTI reports no kernels and copies";
	cupti.activity(MEMCPY2);
	cupti.activity(SYNCHRONIZATION);
	unified_start();
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
		tau_meta("CUDA is not recorded", why);
		return 1;
	}
	owner = getpid();
	atexit(end);
	tau_on_finalize(finish);
	tau_every(1000000000, flush_at_interval);
	return 1;
}
