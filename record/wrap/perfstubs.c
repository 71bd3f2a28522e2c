/*
 * perfstubs.c: the wrapper of PerfStubs, by which PETSc, ADIOS2, Ginkgo and others call a tool:
 * they look for the functions ps_tool_... at their first use. So nothing is put before a function
 * here; that the functions are there is enough.
 *
 * Timers are regions of group PERFSTUBS, dynamic phases those "NAME [ITERATION]", also in group
 * TAU_PHASE; counters are events. PerfStubs prints on standard output that it has found a tool:
 * "Found ps_tool_initialize(), registering tool". Clients call what they found without a test, so
 * all functions are here; a trace has no data to give back.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tau.h"

#define EXPORT __attribute__((visibility("default")))
#define GROUP  "PERFSTUBS"
#define NAME   1000

static uint32_t region_of(const char *name)
{
	return tau_active() && name ? tau_region(name, GROUP, NULL, 0) : 0;
}

/* Handles must not be NULL: number 0 has a bit of its own. */
#define HANDLE (1ull << 32)
static void *handle_of(uint32_t id)
{
	return (void *)(uintptr_t)(id | HANDLE);
}
static uint32_t handle_id(const void *handle)
{
	return (uint32_t)(uintptr_t)handle;
}

/* ---- the process and its threads ---- */

EXPORT void ps_tool_initialize(void);
EXPORT void ps_tool_finalize(void);
EXPORT void ps_tool_pause_measurement(void);
EXPORT void ps_tool_resume_measurement(void);
EXPORT void ps_tool_register_thread(void);
EXPORT void ps_tool_dump_data(void);

void ps_tool_initialize(void)
{
}

void ps_tool_finalize(void)
{
}

void ps_tool_pause_measurement(void)
{
	Tau_disable_instrumentation();
}

void ps_tool_resume_measurement(void)
{
	Tau_enable_instrumentation();
}

void ps_tool_register_thread(void)
{
	tau_attach();
}

void ps_tool_dump_data(void)
{
}

/* ---- timers ---- */

#define DEEP 256
static __thread uint32_t open[DEEP];	/* for ps_tool_stop_current() */
static __thread unsigned depth;

static void timer_enter(uint32_t region)
{
	if (depth < DEEP)
		open[depth] = region;
	depth++;
	tau_enter(region);
}

static void timer_leave(uint32_t region)
{
	depth -= depth > 0;
	tau_leave(region);
}

EXPORT void *ps_tool_timer_create(const char *name);
EXPORT void ps_tool_timer_start(const void *timer);
EXPORT void ps_tool_timer_stop(const void *timer);
EXPORT void ps_tool_start_string(const char *name);
EXPORT void ps_tool_stop_string(const char *name);
EXPORT void ps_tool_stop_current(void);
EXPORT void ps_tool_set_parameter(const char *name, int64_t value);
EXPORT void ps_tool_dynamic_phase_start(const char *name, int iteration);
EXPORT void ps_tool_dynamic_phase_stop(const char *name, int iteration);

void *ps_tool_timer_create(const char *name)
{
	return handle_of(region_of(name));
}

void ps_tool_timer_start(const void *timer)
{
	timer_enter(handle_id(timer));
}

void ps_tool_timer_stop(const void *timer)
{
	timer_leave(handle_id(timer));
}

void ps_tool_start_string(const char *name)
{
	timer_enter(region_of(name));
}

void ps_tool_stop_string(const char *name)
{
	timer_leave(region_of(name));
}

void ps_tool_stop_current(void)
{
	if (depth && depth <= DEEP)
		timer_leave(open[depth - 1]);
}

void ps_tool_set_parameter(const char *name, int64_t value)
{
	if (tau_active() && name)
		tau_trigger(tau_event(name, 2), (double)value);
}

static uint32_t phase_of(const char *name, int iteration)
{
	char full[NAME];

	if (!tau_active() || !name)
		return 0;
	snprintf(full, sizeof(full), "%.900s [%d]", name, iteration);
	return tau_region(full, GROUP "|TAU_PHASE", NULL, 0);
}

void ps_tool_dynamic_phase_start(const char *name, int iteration)
{
	timer_enter(phase_of(name, iteration));
}

void ps_tool_dynamic_phase_stop(const char *name, int iteration)
{
	timer_leave(phase_of(name, iteration));
}

/* ---- counters and metadata ---- */

EXPORT void *ps_tool_create_counter(const char *name);
EXPORT void ps_tool_sample_counter(const void *counter, double value);
EXPORT void ps_tool_set_metadata(const char *name, const char *value);

void *ps_tool_create_counter(const char *name)
{
	return handle_of(tau_active() && name ? tau_event(name, 0) : 0);
}

void ps_tool_sample_counter(const void *counter, double value)
{
	tau_trigger(handle_id(counter), value);
}

void ps_tool_set_metadata(const char *name, const char *value)
{
	if (name && value)
		tau_meta(name, value);
}

/* ---- questions: the structures begin with the numbers of what they hold, which are 0 ---- */

struct timer_data {
	unsigned timers, metrics, threads;
	const void *lists[3];
};
struct counter_data {
	unsigned counters, threads;
	const void *lists[6];
};
struct metadata {
	unsigned values;
	const void *lists[2];
};

EXPORT void ps_tool_get_timer_data(struct timer_data *data);
EXPORT void ps_tool_get_counter_data(struct counter_data *data);
EXPORT void ps_tool_get_metadata(struct metadata *data);
EXPORT void ps_tool_free_timer_data(struct timer_data *data);
EXPORT void ps_tool_free_counter_data(struct counter_data *data);
EXPORT void ps_tool_free_metadata(struct metadata *data);

void ps_tool_get_timer_data(struct timer_data *data)
{
	memset(data, 0, sizeof(*data));
}

void ps_tool_get_counter_data(struct counter_data *data)
{
	memset(data, 0, sizeof(*data));
}

void ps_tool_get_metadata(struct metadata *data)
{
	memset(data, 0, sizeof(*data));
}

void ps_tool_free_timer_data(struct timer_data *data)
{
	(void)data;
}

void ps_tool_free_counter_data(struct counter_data *data)
{
	(void)data;
}

void ps_tool_free_metadata(struct metadata *data)
{
	(void)data;
}
