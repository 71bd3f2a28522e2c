/*
 * definition_fields.c: the fields in the definitions of regions, memtypes, stacks and blocks.
 */
#include "record/define/definition_fields.h"
#include "record/base/registry.h"
#include "record/format.h"

#include <string.h>

/* The varint with which the bytes of a definition begin. */
static uint32_t first_number(const struct definition *d)
{
	uint32_t v = 0;

	for (int i = 0; i < 5; i++) {
		v |= (uint32_t)(d->bytes[i] & 0x7f) << 7 * i;
		if (!(d->bytes[i] & 0x80))
			break;
	}
	return v;
}

uint32_t memtype_owner(const struct definition *memtype)
{
	return first_number(memtype);
}

uint32_t stack_caller(const struct definition *stack)
{
	return first_number(stack);
}

static unsigned memtype_flags(const struct definition *memtype)
{
	const uint8_t *p = memtype->bytes;
	unsigned flags;

	while (*p++ & 0x80) /* owner */
		;
	flags = *p & 0x7f;
	return *p & 0x80 ? flags | (unsigned)(p[1] & 0x7f) << 7 : flags;
}

static const uint8_t *site_bytes(const struct definition *memtype, unsigned flags)
{
	return memtype->bytes + memtype->length - SITE_BYTES - (flags & TAU_MEM_STACK ? 4 : 0);
}

uint64_t memtype_site(const struct definition *memtype)
{
	unsigned flags = memtype_flags(memtype);
	uint64_t site;

	if (!(flags & TAU_MEM_SITE))
		return 0;
	memcpy(&site, site_bytes(memtype, flags), 8);
	return site;
}

uint32_t memtype_place(const struct definition *memtype)
{
	uint32_t place;

	memcpy(&place, site_bytes(memtype, memtype_flags(memtype)) + 8, 4);
	return place;
}

uint32_t memtype_stack(const struct definition *memtype)
{
	uint32_t stack;

	if (!(memtype_flags(memtype) & TAU_MEM_STACK))
		return 0;
	memcpy(&stack, memtype->bytes + memtype->length - 4, 4);
	return stack;
}

uint32_t block_memtype(const struct definition *block)
{
	uint32_t memtype = 0;

	for (int i = 0; i < 5; i++) {
		memtype |= (uint32_t)(block->bytes[i] & 0x7f) << 7 * i;
		if (!(block->bytes[i] & 0x80))
			break;
	}
	return memtype;
}

uint64_t region_place(const struct definition *d)
{
	const uint8_t *p = d->bytes;
	uint64_t address = 0;

	for (int i = 0; i < 4; i++) { /* name, groups, file; line */
		size_t n = 0;

		for (int shift = 0;; shift += 7) {
			n |= (size_t)(*p & 0x7f) << shift;
			if (!(*p++ & 0x80))
				break;
		}
		p += i < 3 ? n : 0;
	}
	if (p < d->bytes + d->length)
		memcpy(&address, p, 8);
	return address;
}
