/*
 * roctx.c: the wrapper of ROCTX, the annotations of ROCm. Ranges that are pushed and popped are
 * regions of group ROCTX; ranges with a start and a stop may overlap, so they are values: their
 * microseconds; marks are events.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

#include "now.h"
#include "tau.h"
#include "own/own.h"

#define EXPORT __attribute__((visibility("default")))
#define DEEP   256	/* open ranges of one thread; deeper ones are not recorded */
#define RANGES 4096	/* started ranges that are open at the same time */

static void (*real_mark)(const char *);
static int (*real_push)(const char *);
static int (*real_pop)(void);
static uint64_t (*real_start)(const char *);
static void (*real_stop)(uint64_t);

/* Before main(), as the program may call from any thread later. */
__attribute__((constructor)) static void begin(void)
{
	*(void **)&real_mark = own_next("roctxMarkA");
	*(void **)&real_push = own_next("roctxRangePushA");
	*(void **)&real_pop = own_next("roctxRangePop");
	*(void **)&real_start = own_next("roctxRangeStartA");
	*(void **)&real_stop = own_next("roctxRangeStop");
}

EXPORT void roctxMarkA(const char *message);
EXPORT int roctxRangePushA(const char *message);
EXPORT int roctxRangePop(void);
EXPORT uint64_t roctxRangeStartA(const char *message);
EXPORT void roctxRangeStop(uint64_t id);

void roctxMarkA(const char *message)
{
	if (tau_active() && message)
		tau_trigger(tau_event(message, 2), 1);
	if (real_mark)
		real_mark(message);
}

/* ---- pushed ranges ---- */

static __thread uint32_t open[DEEP];
static __thread int depth;

int roctxRangePushA(const char *message)
{
	if (depth < DEEP) {
		open[depth] = tau_active() && message ? tau_region(message, "ROCTX", NULL, 0) : 0;
		tau_enter(open[depth]);
	}
	depth++;
	return real_push ? real_push(message) : depth - 1;
}

int roctxRangePop(void)
{
	int known = depth > 0;

	if (known && --depth < DEEP)
		tau_leave(open[depth]);
	return real_pop ? real_pop() : known ? depth : -1;
}

/* ---- started ranges, by the number that ROCTX gives them ---- */

static struct roctx_range {
	uint64_t id; /* + 1; 0: free */
	uint64_t begin;
	uint32_t event;
} ranges[RANGES];

uint64_t roctxRangeStartA(const char *message)
{
	static uint64_t last;
	uint64_t id = real_start ? real_start(message)
				 : __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
	struct roctx_range *r = &ranges[id % RANGES];
	uint64_t none = 0;
	char name[1000];

	if (!tau_active() || !message)
		return id;
	if (!__atomic_compare_exchange_n(&r->id, &none, UINT64_MAX, 0, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return id;
	snprintf(name, sizeof(name), "ROCTX range %.900s (us)", message);
	r->event = tau_event(name, 2);
	r->begin = now_ns();
	__atomic_store_n(&r->id, id + 1, __ATOMIC_RELEASE);
	return id;
}

void roctxRangeStop(uint64_t id)
{
	struct roctx_range *r = &ranges[id % RANGES];

	if (__atomic_load_n(&r->id, __ATOMIC_ACQUIRE) == id + 1) {
		tau_trigger(r->event, (double)(now_ns() - r->begin) / 1000);
		__atomic_store_n(&r->id, 0, __ATOMIC_RELEASE);
	}
	if (real_stop)
		real_stop(id);
}
