/*
 * define.h: definitions: ids of the process, and those that each file contains.
 */
#ifndef DEFINE_H
#define DEFINE_H

#include "record/base/compiler.h"
#include "record/base/registry.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Code that an interpreter runs (REG_CODE) has addresses that machine code never has. They are even: the address of a caller in a
 * sample is larger by 1.
 */
#define CODE_ADDRESS(id) ((uint64_t)1 << 62 | (uint64_t)(id) << 1)
#define IS_CODE_ADDRESS(address) ((address) >> 62 == 1)

/* Libraries were unloaded: definitions with an address that is gone are not found again. */
void definitions_forget(bool (*gone)(const void *of, uint64_t address), const void *of);
uint32_t define(enum registry_kind kind, const uint8_t *bytes, size_t length);	/* id, 0 on failure */
bool define_first(enum registry_kind kind, uint32_t id);	/* defines id in this file, which does not define it yet */
uint32_t region_token(uint32_t region);		/* of the ENTER of a region of a file */
struct local *region_local(uint32_t region);		/* of the calling thread, defined there; NULL on failure */
uint64_t *slots_new(size_t n);				/* n a power of two; NULL on failure */
uint64_t *address_slot(uint64_t address);		/* finds or defines; NULL on failure */

/* A region got its number in the file of s: makes its entry in s->what. */
bool filtered_define(struct stream *s, uint32_t region, uint64_t key, uint32_t flags);

/* Makes the calling thread's file define id. */
static inline bool define_here(enum registry_kind kind, uint32_t id)
{
	const struct stream *s = self.stream;

	return (likely(id < s->known_cap[kind]) && likely(s->known[kind][id])) || define_first(kind, id);
}

#endif
