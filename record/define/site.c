/* site.c: defines the call site of a memtype, whose module may be unloaded. */
#include "record/define/site.h"

#include "record/base/process.h"
#include "record/base/registry.h"
#include "record/define/definition_fields.h"
#include "record/define/module.h"
#include "record/encode/define_write.h"
#include "record/encode/varint.h"
#include "record/format.h"

#include <string.h>

/*
 * Is the module of a site still loaded there? A place is a module at its addresses, so what was found for one site holds for all
 * until the next module is unloaded.
 */
static bool place_is(uint64_t site, uint32_t id, const struct definition *place)
{
	enum { PLACES = 1024 };
	static uint32_t found[PLACES]; /* the count of unloaded modules then */
	uint32_t unloaded = __atomic_load_n(&process.unloaded, __ATOMIC_ACQUIRE);
	uint8_t now[MODULE_BYTES];

	if (id < PLACES && __atomic_load_n(&found[id], __ATOMIC_RELAXED) == unloaded)
		return true;
	if (module_bytes(site - 1, now) != place->length ||
	    memcmp(now, place->bytes, place->length) != 0)
		return false;
	if (id < PLACES)
		__atomic_store_n(&found[id], unloaded, __ATOMIC_RELAXED);
	return true;
}

bool site_put(const struct definition *d, const uint8_t *head, size_t head_n)
{
	const struct definition *place = definition_get(REG_PLACE, memtype_place(d));
	uint64_t site = memtype_site(d);
	uint8_t both[20];

	if (!place || !process.unloaded || place_is(site, memtype_place(d), place)) {
		module_cover_sampled(site - 1);
		return defs_put(TAU_DEF_SITE, head, head_n, (uint8_t *)&site, 8);
	}
	memcpy(both, head, head_n);
	memcpy(both + head_n, &site, 8);
	return defs_put(TAU_DEF_SITE, both, head_n + 8, place->bytes, place->length);
}
