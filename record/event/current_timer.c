/*
 * current_timer.c: TAU's calls that concern the innermost open timer: its stop, its name, its metadata, and its parameter.
 *
 * A parameter is a region "TIMER [ <NAME> = <VALUE> ]" of group TAU_PARAM, inside the timer, from the call on until the timer
 * stops. A second parameter of the same call replaces it.
 */
#include "record/event/current_timer.h"
#include "record/api.h"
#include "record/base/frame.h"
#include "record/base/process.h"
#include "record/base/registry.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/define/definition_fields.h"
#include "record/enter/region.h"
#include "record/format.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PARAM "TAU_PARAM"
#define TEXT  1024

struct timer_text {
	char name[TEXT], groups[TEXT];
};

static const uint8_t *string_copy(const uint8_t *p, char out[TEXT])
{
	size_t n = 0;

	for (int shift = 0;; shift += 7) {
		n |= (size_t)(*p & 0x7f) << shift;
		if (!(*p++ & 0x80))
			break;
	}
	memcpy(out, p, n < TEXT ? n : TEXT - 1);
	out[n < TEXT ? n : TEXT - 1] = 0;
	return p + n;
}

/* Reads the name and the groups with which the bytes of a region begin. 0: there is no such region. */
static int timer_read(uint32_t region, struct timer_text *t)
{
	const struct definition *d = definition_get(REG_REGION, region);

	t->name[0] = t->groups[0] = 0;
	if (!d)
		return 0;
	string_copy(string_copy(d->bytes, t->name), t->groups);
	return 1;
}

/* Region of the i-th open frame, counted from the innermost (i = 0). 0: no such frame, or a function with hooks. */
static uint32_t open_region(size_t i)
{
	const struct stream *s = self.stream;
	struct call_site call;
	uint64_t key;

	if (!s || !self.top || (size_t)(self.top - s->frames) <= i)
		return 0;
	key = self.top[-1 - (ptrdiff_t)i].key;
	if (!KEY_IS_REGION(key) || call_site_get(definition_get(REG_REGION, (uint32_t)key), &call))
		return 0;
	return (uint32_t)key;
}

static int is_parameter(uint32_t region)
{
	struct timer_text t;

	return timer_read(region, &t) && strstr(t.groups, PARAM) != NULL;
}

static __attribute__((noinline)) void parameter_stop_other(uint32_t timer)
{
	uint32_t inner = open_region(0);

	if (inner && open_region(1) == timer && is_parameter(inner))
		tau_leave(inner);
}

void parameter_stop(uint32_t timer)
{
	if (self.top && self.top[-1].key != REGION_KEY(timer))
		parameter_stop_other(timer);
}

void Tau_profile_param1l(long value, const char *name)
{
	struct timer_text t;
	char full[TEXT + 64], groups[TEXT + 16];
	uint32_t timer = open_region(0);

	if (timer && is_parameter(timer)) {
		tau_leave(timer);
		timer = open_region(0);
	}
	if (!timer || !timer_read(timer, &t)) {
		tau_trigger(tau_event(name, TAU_EVENT_CONTEXT), (double)value);
		return;
	}
	snprintf(full, sizeof(full), "%.900s [ <%.80s> = <%ld> ]", t.name, name, value);
	snprintf(groups, sizeof(groups), "%s|" PARAM, t.groups);
	region_begin(tau_region(full, groups, NULL, 0));
}

void Tau_global_stop(void)
{
	uint32_t timer = open_region(0);

	if (timer && is_parameter(timer)) {
		tau_leave(timer);
		timer = open_region(0);
	}
	tau_leave(timer);
}

static uint32_t phase_region(const char *name)
{
	return tau_region(name, "TAU_USER|TAU_PHASE", NULL, 0);
}

void Tau_static_phase_start(const char *name)
{
	region_begin(phase_region(name));
}

void Tau_static_phase_stop(const char *name)
{
	uint32_t phase = phase_region(name);

	parameter_stop(phase);
	tau_leave(phase);
}

void Tau_timer_change(void **timer, const char *name, const char *group_name)
{
	struct timer_text t;

	if (timer_read((uint32_t)(uintptr_t)*timer, &t))
		*timer = (void *)(uintptr_t)tau_region(name ? name : t.name,
						       group_name ? group_name : t.groups, NULL, 0);
}

void Tau_timer_describe(const void *timer, char *name, char *group_name, size_t size)
{
	struct timer_text t;

	timer_read(timer ? (uint32_t)(uintptr_t)timer : open_region(0), &t);
	snprintf(name, size, "%s", t.name);
	snprintf(group_name, size, "%s", t.groups);
}

/* name [TIMER], or the name alone. */
static void metadata_of(uint32_t region, const char *name, const char *value)
{
	struct timer_text t;
	char full[TEXT];

	snprintf(full, sizeof(full), timer_read(region, &t) ? "%.300s [%.700s]" : "%.300s", name,
		 t.name);
	tau_meta(full, value);
}

void Tau_context_metadata(const char *name, const char *value)
{
	metadata_of(open_region(0), name, value);
}

void Tau_phase_metadata(const char *name, const char *value)
{
	size_t depth = self.stream && self.top ? (size_t)(self.top - self.stream->frames) : 0;
	struct timer_text t;

	for (size_t i = 0; i < depth; i++)
		if (timer_read(open_region(i), &t) && strstr(t.groups, "TAU_PHASE")) {
			metadata_of(open_region(i), name, value);
			return;
		}
	metadata_of(0, name, value);
}
