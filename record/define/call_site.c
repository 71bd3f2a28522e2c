/*
 * call_site.c: regions that are the calls of one function, or of one other region, from one place in the code.
 */
#include "record/define/call_site.h"
#include "record/api.h"
#include "record/base/frame.h"
#include "record/base/gate.h"
#include "record/base/process.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/define/define.h"
#include "record/define/definition_fields.h"
#include "record/define/select.h"

#include <string.h>

/* Functions are looked up without the lock, because the loader may have one of its own. */
static void function_select(struct definition *d, const struct call_site *c)
{
	uint32_t off = (process.functions_off ? CALL_OFF_GROUP : 0) |
		       (select_keeps_out_address(c->called) ? CALL_OFF_SELECTED : 0);

	if (off)
		process.groups_touched = true;
	__atomic_store_n(&d->off, off, __ATOMIC_RELEASE);
}

void call_sites_reselect(void)
{
	uint32_t n = __atomic_load_n(&process.registry[REG_REGION].n, __ATOMIC_ACQUIRE);
	struct call_site c;

	for (uint32_t id = 1; id <= n; id++) {
		struct definition *d = definition_get(REG_REGION, id);

		if (call_site_get(d, &c) && !KEY_IS_REGION(c.called))
			function_select(d, &c);
	}
}

uint32_t tau_call_site(uint32_t region, uintptr_t function, uintptr_t site)
{
	struct definition *d = region ? definition_get(REG_REGION, region) : NULL;
	struct call_site c = {region ? REGION_KEY(region) : function, site};
	uint8_t bytes[CALL_SITE_BYTES] = {0};
	uint32_t id;

	/* A region at a place is a call site already. */
	if (!site || tau_gate.value == GATE_DEAD || (region && (!d || region_place(d))))
		return region;
	memcpy(bytes + CALL_SITE_EMPTY, &c, sizeof(c));
	id = define(REG_REGION, bytes, sizeof(bytes));
	d = definition_get(REG_REGION, id);
	if (d && !region)
		function_select(d, &c);
	return d ? id : region;
}

/* Is the frame of this region, or of a call site of it? */
static bool is_of(const struct frame *f, uint64_t key)
{
	struct call_site c;

	return f->key == key ||
	       (KEY_IS_REGION(f->key) &&
		call_site_get(definition_get(REG_REGION, (uint32_t)f->key), &c) && c.called == key);
}

uint32_t tau_call_site_open(uint32_t region, uintptr_t function)
{
	uint64_t key = region ? REGION_KEY(region) : function;

	if (tau_stranger() || !self.live || self.ready == READY_BUSY)
		return 0;
	for (const struct frame *f = self.top; f-- > self.stream->frames;)
		if (is_of(f, key))
			return KEY_IS_REGION(f->key) ? (uint32_t)f->key : 0;
	return 0;
}

int tau_call_site_inlined(uintptr_t sp)
{
	return !tau_stranger() && self.live && self.ready != READY_BUSY &&
	       self.top > self.stream->frames && self.top[-1].sp == sp;
}
