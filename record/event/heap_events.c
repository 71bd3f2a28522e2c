/*
 * heap_events.c: the heap in use, and the headroom that is left: at the entry and exit of regions, and at
 * calls of the program; at an interval tau-record reads them from outside (measure.h).
 *
 * At entry and exit they are metrics of reserved names (metric.c), which readers show as samples. The
 * heap is counted by the wrapper of memory; at calls of a program without that wrapper it is the
 * number of the C library. Reading the headroom takes tens of microseconds: at regions it is read so
 * rarely that this takes at most a twentieth of the time; in between the last value is used.
 */
#include "record/event/heap_events.h"
#include "record/api.h"
#include "record/base/clock.h"
#include "record/base/failure.h"
#include "record/base/own_stack.h"
#include "record/base/process.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/encode/define_write.h"
#include "record/event/footprint.h"
#include "record/event/measure.h"
#include "record/format.h"
#include "record/measures.h"
#include "record/metadata.h"
#include "record/metric/headroom.h"
#include "record/metric/timer.h"
#include "record/own/own.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SHARE	    20		 /* reading the headroom takes at most this part of the time */
#define INTERVAL_NS 10000000000u
#define SHORTEST_NS 1000000u

static uint64_t (*heap_meter)(void);
static bool heap_requested; /* where the program asks, or on the timer */

static struct {
	int lock; /* who has it reads */
	bool at_regions;
	bool found;
	uint64_t bytes, due; /* when it is read again at a region, ticks */
	const char *limit;
	uint64_t least; /* of all readings, HEADROOM_NONE: none */
	const char *least_limit;
} headroom = {.least = HEADROOM_NONE};

static struct {
	unsigned on;   /* enum tau_measure_what: selected */
	unsigned off;  /* the same: disabled meanwhile */
	uint64_t ns;   /* between two readings */
} timer = {.ns = INTERVAL_NS};

static bool switched_on(const char *name)
{
	const char *v = getenv(name);

	return v && *v && strcmp(v, "0") && strcasecmp(v, "no") && strcasecmp(v, "off") &&
	       strcasecmp(v, "false");
}

/* ---- what is read ---- */

void tau_heap_meter(uint64_t (*read)(void))
{
	__atomic_store_n(&heap_meter, read, __ATOMIC_RELEASE);
}

uint64_t track_heap(void)
{
	uint64_t (*read)(void) = __atomic_load_n(&heap_meter, __ATOMIC_ACQUIRE);

	return read ? read() : 0;
}

extern struct mallinfo2 mallinfo2(void) __attribute__((weak));

/* From any source that is available; too slow for every region. */
static bool heap_anywhere(uint64_t *bytes)
{
	struct mallinfo2 m;

	if (heap_meter) {
		*bytes = track_heap();
		return true;
	}
	if (!mallinfo2)
		return false;
	m = mallinfo2();
	*bytes = m.uordblks + m.hblkhd;
	return true;
}

/* The lock is held, or there is one thread. */
static void limits_find(void)
{
	if (!headroom.found)
		headroom_find("", 0, own_first("shmem_malloc") != NULL);
	headroom.found = true;
}

/* The lock is held. */
static bool headroom_work(void *argument __attribute__((unused)))
{
	uint64_t begin = ticks(process.shift), end;

	headroom.bytes = headroom_read(&headroom.limit);
	if (headroom.bytes < headroom.least) {
		headroom.least = headroom.bytes;
		headroom.least_limit = headroom.limit;
	}
	end = ticks(process.shift);
	__atomic_store_n(&headroom.due, end + SHARE * (end - begin), __ATOMIC_RELAXED);
	return true;
}

/* At a region: inside the recorder, perhaps on little stack. */
uint64_t track_headroom(void)
{
	uint64_t bytes;

	if (ticks(process.shift) >= __atomic_load_n(&headroom.due, __ATOMIC_RELAXED) &&
	    !__atomic_exchange_n(&headroom.lock, 1, __ATOMIC_ACQUIRE)) {
		if (self.stream)
			own_stack_run(self.stream, headroom_work, NULL);
		else
			headroom_work(NULL); /* a stream is being attached: on the stack for that */
		__atomic_store_n(&headroom.lock, 0, __ATOMIC_RELEASE);
	}
	bytes = __atomic_load_n(&headroom.bytes, __ATOMIC_RELAXED);
	return bytes == HEADROOM_NONE ? 0 : bytes;
}

/* ---- where the program asks, and the timer ---- */

static void record_heap(void)
{
	uint64_t bytes;

	if (!heap_anywhere(&bytes))
		return;
	heap_requested = true;
	tau_trigger(tau_event(TAU_COUNTER_HEAP_KB, TAU_EVENT_CONTEXT),
		    (double)bytes / 1024);
}

/* A second event names what binds. */
static void record_headroom(void)
{
	char name[640] = "Memory Headroom Left (MB) by ";
	uint64_t bytes;

	while (__atomic_exchange_n(&headroom.lock, 1, __ATOMIC_ACQUIRE))
		sched_yield();
	limits_find();
	headroom_work(NULL);
	bytes = headroom.bytes;
	strncat(name, headroom.limit, sizeof(name) - strlen(name) - 1);
	__atomic_store_n(&headroom.lock, 0, __ATOMIC_RELEASE);
	if (bytes == HEADROOM_NONE)
		return;
	tau_trigger(tau_event("Memory Headroom Left (MB)", TAU_EVENT_CONTEXT),
		    (double)bytes / 1048576);
	tau_trigger(tau_event(name, 0), (double)bytes / 1048576);
}

static void record_now(void (*record)(void))
{
	int saved = errno;

	if (timer_may_record())
		record();
	errno = saved;
}

void Tau_track_memory_here(void)
{
	record_now(record_heap);
}

void Tau_track_memory_headroom_here(void)
{
	record_now(record_headroom);
}

void Tau_track_memory_rss_and_hwm_here(void)
{
	record_now(footprint_record);
}

void Tau_track_load_here(void)
{
	record_now(load_record);
}

void Tau_track_power_here(void)
{
	record_now(power_record);
}

/* ---- at an interval, by tau-record ---- */

static void tracked_change(void)
{
	measure_tracked(timer.on & ~timer.off, timer.ns);
}

/* From outside, the heap can be read where the wrapper of memory counts it. */
static void timer_track(unsigned what)
{
	if (!tau_active())
		return;
	timer.on |= what;
	timer.off &= ~what;
	heap_requested |= (what & TAU_MEASURE_HEAP) != 0;
	tracked_change();
}

/* ---- TAU's calls ---- */

/* What nothing counts cannot be read from outside. */
static void heap_uncounted_print(void)
{
	static bool said;

	if (tau_active() && !heap_meter && !__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
		message_print("process %u: TAU_TRACK_MEMORY: the heap is not read at intervals, "
			      "because it "
			      "is not counted. Try: tau-record --memory=heap",
			      process.pid);
}

void Tau_track_memory(void)
{
	heap_uncounted_print();
	timer_track(TAU_MEASURE_HEAP);
}

void Tau_track_memory_headroom(void)
{
	timer_track(TAU_MEASURE_HEADROOM);
}

void Tau_track_memory_rss_and_hwm(void)
{
	timer_track(TAU_MEASURE_FOOTPRINT);
}

void Tau_track_load(void)
{
	timer_track(TAU_MEASURE_LOAD);
}

void Tau_track_power(void)
{
	timer_track(TAU_MEASURE_POWER);
}

static void timer_allow(unsigned what)
{
	timer.off &= ~what;
	tracked_change();
}

static void timer_forbid(unsigned what)
{
	timer.off |= what;
	tracked_change();
}

void Tau_enable_tracking_memory(void)
{
	timer_allow(TAU_MEASURE_HEAP);
}

void Tau_disable_tracking_memory(void)
{
	timer_forbid(TAU_MEASURE_HEAP);
}

void Tau_enable_tracking_memory_headroom(void)
{
	timer_allow(TAU_MEASURE_HEADROOM);
}

void Tau_disable_tracking_memory_headroom(void)
{
	timer_forbid(TAU_MEASURE_HEADROOM);
}

void Tau_enable_tracking_load(void)
{
	timer_allow(TAU_MEASURE_LOAD);
}

void Tau_disable_tracking_load(void)
{
	timer_forbid(TAU_MEASURE_LOAD);
}

void Tau_enable_tracking_power(void)
{
	timer_allow(TAU_MEASURE_POWER);
}

void Tau_disable_tracking_power(void)
{
	timer_forbid(TAU_MEASURE_POWER);
}

/* The interval that is under way takes the new length. */
void Tau_set_interrupt_interval(int seconds)
{
	if (seconds <= 0)
		return;
	timer.ns = (uint64_t)seconds * 1000000000u;
	tracked_change();
}

/* ---- the process ---- */

/* Metrics that are to be recorded, each ended by a 0, then an empty one. */
const char *track_metrics(void)
{
	static char list[64];
	char *p = list;

	memset(list, 0, sizeof(list));
	if (switched_on("TAU_TRACK_HEAP"))
		p = stpcpy(p, TAU_METRIC_HEAP) + 1;
	if (switched_on("TAU_TRACK_HEADROOM") || switched_on("TAU_TRACK_MEMORY_HEADROOM")) {
		headroom.at_regions = true;
		limits_find();
		stpcpy(p, TAU_METRIC_HEADROOM);
	}
	return list;
}

void track_start(void)
{
	const char *interval = getenv("TAU_INTERRUPT_INTERVAL");
	const char *ns = getenv("TAU_RECORD_MEMORY_NS");
	double s = interval ? strtod(interval, NULL) : 0;

	if (s > 0 && s < 1e9)
		timer.ns = (uint64_t)(s * 1e9);
	if (ns)
		timer.ns = strtoull(ns, NULL, 10);
	if (timer.ns < SHORTEST_NS)
		timer.ns = SHORTEST_NS;
	if (ns)
		timer_track(TAU_MEASURE_HEAP | TAU_MEASURE_HEADROOM);
}

void track_after_fork(void)
{
	headroom.lock = 0;
	headroom.found = false;
	headroom.due = 0;
	headroom.least = HEADROOM_NONE;
	if (headroom.at_regions)
		limits_find();
	measure_after_fork();
	timer_after_fork();
}

void track_end(void)
{
	measure_end(headroom.least);
	timer_end();
}

void track_meta(void)
{
	char text[2048];

	if (heap_requested)
		define_meta(TAU_META_HEAP_METER,
			    heap_meter ? "requested block sizes" : "mallinfo2");
	if (headroom.least == HEADROOM_NONE)
		return;
	define_meta(TAU_META_MEMORY_HEADROOM_LEAST, headroom.least_limit);
	meta_number(TAU_META_MEMORY_HEADROOM_LEAST_BYTES, headroom.least);
	define_meta(TAU_META_MEMORY_LIMITS, headroom_words(text, sizeof(text)));
}
