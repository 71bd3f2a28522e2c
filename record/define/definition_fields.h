/*
 * definition_fields.h: the fields in the definitions of regions, call sites, memtypes, stacks and blocks.
 */
#ifndef DEFINITION_FIELDS_H
#define DEFINITION_FIELDS_H

#include "record/base/registry.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * A call site, the calls of one function or of one other region from one place in the code, is a region too.
 * It is a definition of kind REG_REGION whose bytes are an empty name, no groups, no file, line 0, the key of what is
 * called (as in struct frame) and the address to which the call returns. A file gets DEF_CALL for it.
 */
struct call_site {
	uint64_t called, site;
};

#define CALL_SITE_EMPTY 4	/* the lengths of name, groups and file, and the line: all 0 */
#define CALL_SITE_BYTES (CALL_SITE_EMPTY + sizeof(struct call_site))

/* Bits of definition.off of the call site of a function. */
enum { CALL_OFF_GROUP = 1, CALL_OFF_SELECTED = 2 };

/* Is the region a call site? */
static inline bool call_site_get(const struct definition *d, struct call_site *out)
{
	static const uint8_t empty[CALL_SITE_EMPTY];

	if (!d || d->length != CALL_SITE_BYTES || memcmp(d->bytes, empty, sizeof(empty)) != 0)
		return false;
	memcpy(out, d->bytes + CALL_SITE_EMPTY, sizeof(*out));
	return true;
}

/* The code address with which the bytes of a region may end; 0: there is none. */
uint64_t region_place(const struct definition *d);

uint32_t memtype_owner(const struct definition *memtype);
/* The call site (8 bytes), the place of it (4 bytes) and the stack (4 bytes) that follow the bytes of a definition; 0: none. */
#define SITE_BYTES 12
uint64_t memtype_site(const struct definition *memtype);
uint32_t memtype_place(const struct definition *memtype);	/* of one that has a site */
uint32_t memtype_stack(const struct definition *memtype);
uint32_t stack_caller(const struct definition *stack);
uint32_t block_memtype(const struct definition *block);

#endif
