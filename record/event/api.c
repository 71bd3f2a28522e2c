/* api.c: TAU's functions for regions, events and metadata, implemented with our own. Handles are ids
 * cast to pointers. */
#include "record/api.h"
#include "record/base/frame.h"
#include "record/base/process.h"
#include "record/base/registry.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/define/group.h"
#include "record/enter/region.h"
#include "record/event/current_timer.h"
#include "record/format.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define RECENT 256 /* a power of two */
#define SHORT  128 /* the first byte of a definition with a shorter name is its length */

/* Is this the name of a region, which its definition begins with? */
static bool is_named(uint32_t region, const char *name)
{
	const struct definition *d = definition_get(REG_REGION, region);
	size_t n = d ? d->bytes[0] : SHORT;

	if (n >= SHORT)
		return false;
	for (size_t i = 0; i < n; i++)
		if (name[i] != (char)d->bytes[1 + i])
			return false;
	return !name[n];
}

static __attribute__((noinline)) uint32_t user_define(const char *name, uint32_t *slot)
{
	uint32_t region = tau_region(name, "TAU_USER", NULL, 0);

	__atomic_store_n(slot, region, __ATOMIC_RELAXED);
	return region;
}

/*
 * Most names are texts of the program, which are at the same address each time. So that of the last region from an address
 * is compared, before the text is looked up among all definitions, which takes ten times as long.
 */
static uint32_t user_region(const char *name)
{
	static uint32_t recent[RECENT];
	uint32_t *slot = &recent[((uintptr_t)name ^ (uintptr_t)name >> 8) % RECENT];
	uint32_t region = __atomic_load_n(slot, __ATOMIC_RELAXED);

	if (region && is_named(region, name))
		return region;
	return user_define(name, slot);
}

void Tau_start(const char *name)
{
	region_begin(user_region(name));
}

void Tau_stop(const char *name)
{
	uint32_t region = user_region(name);

	parameter_stop(region);
	tau_leave(region);
}

void Tau_profile_c_timer(void **timer, const char *name, const char *type, TauGroup_t group,
			 const char *group_name)
{
	const char *named = group_named(group);
	char full[1024], groups[256];

	if (*timer)
		return;
	snprintf(full, sizeof(full), "%s%s%s", name, type && *type ? " " : "", type ? type : "");
	snprintf(groups, sizeof(groups), "%s%s%s",
		 group_name && *group_name ? group_name : "TAU_USER", named ? "|" : "",
		 named ? named : "");
	*timer = (void *)(uintptr_t)tau_region(full, groups, NULL, 0);
}

void Tau_start_timer(void *timer, int phase __attribute__((unused)),
		     int tid __attribute__((unused)))
{
	region_begin((uint32_t)(uintptr_t)timer);
}

void Tau_stop_timer(void *timer, int tid __attribute__((unused)))
{
	parameter_stop((uint32_t)(uintptr_t)timer);
	tau_leave((uint32_t)(uintptr_t)timer);
}

int Tau_get_thread(void)
{
	return self.stream ? (int)self.stream->number : 0;
}

int Tau_get_node(void)
{
	return process.rank;
}

void Tau_set_node(int node)
{
	if (node >= 0)
		tau_rank((uint32_t)node, 0, TAU_RANK_USER);
}

void *Tau_get_userevent(const char *name)
{
	return (void *)(uintptr_t)tau_event(name, 0);
}

void Tau_set_event_name(void *event, const char *name)
{
	tau_event_rename((uint32_t)(uintptr_t)event, name);
}

void Tau_userevent(void *event, double value)
{
	tau_trigger((uint32_t)(uintptr_t)event, value);
}

void Tau_trigger_userevent(const char *name, double value)
{
	tau_trigger(tau_event(name, 0), value);
}

void Tau_get_context_userevent(void **event, const char *name)
{
	if (!*event)
		*event = (void *)(uintptr_t)tau_event(name, TAU_EVENT_CONTEXT);
}

void Tau_context_userevent(void *event, double value)
{
	tau_trigger((uint32_t)(uintptr_t)event, value);
}

void Tau_trigger_context_event(const char *name, double value)
{
	tau_trigger(tau_event(name, TAU_EVENT_CONTEXT), value);
}

void Tau_metadata(const char *name, const char *value)
{
	tau_meta(name, value);
}
