/*
 * memory.c: memtypes, and the class-allocation calls of the public interface.
 *
 * Each thread has a stack of open class allocations, apart from its stack of regions. An entry
 * keeps two memtypes: the bare class, to match a stop with its start, and the class as owned by the
 * entries below it, which is what a stop with record set reports.
 */
#include "record/api.h"
#include "record/base/gate.h"
#include "record/base/memory_map.h"
#include "record/base/object.h"
#include "record/base/own_stack.h"
#include "record/base/process.h"
#include "record/base/registry.h"
#include "record/base/thread.h"
#include "record/define/define.h"
#include "record/define/definition_fields.h"
#include "record/define/module.h"
#include "record/encode/varint.h"
#include "record/format.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NAME_LIMIT 1024

struct class_entry {
	uint32_t bare, owned;
	size_t size;
	size_t inner;	/* bytes of it that allocations inside were recorded with */
	size_t shared;	/* bytes of it that those around it contain, too, and that no allocation was recorded with */
};

struct class_stack {
	struct class_entry *entry;
	size_t entry_n, entry_cap;
};

/* The bytes of a memtype: varint owner, varint flags, varint object size, string name, string
 * library; then, if flags have TAU_MEM_SITE, the site and its place, and if they have TAU_MEM_STACK, the stack. */
uint32_t tau_memtype_in(const char *name, uint32_t owner, unsigned flags, size_t object_size,
			const char *library, uintptr_t site, uint32_t stack, uint32_t place)
{
	static int modules; /* 1: can be found, 2: not */
	uint8_t bytes[2 * NAME_LIMIT + 74], *p;
	uint32_t id;
	size_t n = strlen(name), l = library ? strlen(library) : 0;

	if (tau_gate.value == GATE_DEAD)
		return 0;
	if (site && !modules)
		modules = objects_start() ? 1 : 2;
	flags &= ~(unsigned)(TAU_MEM_SITE | TAU_MEM_STACK);
	flags |= (site ? TAU_MEM_SITE : 0) | (stack ? TAU_MEM_STACK : 0);
	p = put_varint(bytes, owner);
	p = put_varint(p, flags);
	p = put_varint(p, object_size);
	p = put_string(p, name, n < NAME_LIMIT ? n : NAME_LIMIT);
	p = put_string(p, library, l < NAME_LIMIT ? l : NAME_LIMIT);
	if (site) {
		memcpy(p, &site, 8);
		memcpy(p + 8, &place, 4);
		p += SITE_BYTES;
	}
	if (stack) {
		memcpy(p, &stack, 4);
		p += 4;
	}
	id = define(REG_MEMTYPE, bytes, (size_t)(p - bytes));
	if (site && !place && id > process.unplaced)
		process.unplaced = id;
	return id;
}

uint32_t tau_memtype_at(const char *name, uint32_t owner, unsigned flags, size_t object_size,
			const char *library, uintptr_t site)
{
	return tau_memtype_in(name, owner, flags, object_size, library, site, 0, 0);
}

uint32_t tau_memtype(const char *name, uint32_t owner, unsigned flags, size_t object_size,
		     const char *library)
{
	return tau_memtype_in(name, owner, flags, object_size, library, 0, 0, 0);
}

struct event_place {
	uint64_t address;
	uint32_t id;
};

static bool place_work(void *argument)
{
	struct event_place *p = argument;
	uint8_t bytes[MODULE_BYTES];
	size_t n = module_bytes(p->address, bytes);

	p->id = n ? define(REG_PLACE, bytes, n) : 0;
	return true;
}

uint32_t tau_place(uintptr_t address)
{
	struct event_place p = {.address = address};

	if (self.live)
		own_stack_run(self.stream, place_work, &p);
	return p.id;
}

/* The bytes of a stack: varint caller, 8 bytes address. */
uint32_t tau_stack(uint32_t caller, uintptr_t address)
{
	uint8_t bytes[20], *p = put_varint(bytes, caller);

	if (tau_gate.value == GATE_DEAD)
		return 0;
	memcpy(p, &address, 8);
	return define(REG_STACK, bytes, (size_t)(p - bytes) + 8);
}

/* TAU_MEM_CONTEXT: 1 selects call paths. */
static unsigned class_context(void)
{
	static int known; /* 1: yes, 2: no */
	const char *v;

	if (!known) {
		v = getenv("TAU_MEM_CONTEXT");
		known = v && *v && strcmp(v, "0") && strcasecmp(v, "no") && strcasecmp(v, "off") &&
					strcasecmp(v, "false")
				? 1
				: 2;
	}
	return known == 1 ? TAU_MEM_CONTEXT : 0;
}

static uint32_t class_type(const char *name, uint32_t owner)
{
	return tau_memtype(name, owner, TAU_MEM_CLASS | TAU_MEM_API | class_context(), 0, NULL);
}

/* TAU_MEM_CLASSES: unset or "all" selects every class, otherwise those it lists (separators , and :).
 */
static bool class_wanted(const char *name)
{
	const char *list = getenv("TAU_MEM_CLASSES");
	size_t n = strlen(name);

	if (!list || !*list || !strcmp(list, "all"))
		return true;
	while (*list) {
		size_t word = strcspn(list, ",:");

		if (word == n && !memcmp(list, name, n))
			return true;
		list += word + (list[word] != 0);
	}
	return false;
}

void Tau_track_class_allocation(const char *name, size_t size)
{
	if (class_wanted(name))
		tau_mem_alloc(class_type(name, 0), size);
}

void Tau_track_class_deallocation(const char *name, size_t size)
{
	if (class_wanted(name))
		tau_mem_free(class_type(name, 0), size);
}

static struct class_stack *stack_get(void)
{
	struct class_stack *s;

	if (!self.classes)
		self.classes = map_alloc(4096);
	s = self.classes;
	if (s && s->entry_n == s->entry_cap) {
		void *p = map_grow(s->entry, &s->entry_cap, sizeof(*s->entry), s->entry_n + 1);

		if (!p)
			return NULL;
		s->entry = p;
	}
	return s;
}

void Tau_start_class_allocation(const char *name, size_t size, int include_in_parent)
{
	struct class_stack *s = stack_get();
	struct class_entry e;

	if (!s)
		return;
	e.bare = class_type(name, 0);
	e.owned = s->entry_n ? class_type(name, s->entry[s->entry_n - 1].owned) : e.bare;
	e.size = size;
	e.inner = 0;
	e.shared = include_in_parent ? size : 0;
	for (size_t i = 0; include_in_parent && i < s->entry_n; i++) {
		s->entry[i].size += size;
		s->entry[i].shared += size;
	}
	s->entry[s->entry_n++] = e;
}

void Tau_stop_class_allocation(const char *name, int record)
{
	struct class_stack *s = self.classes;
	uint32_t bare = class_type(name, 0);
	size_t i = s ? s->entry_n : 0;
	struct class_entry *e;

	while (i && s->entry[i - 1].bare != bare)
		i--;
	if (!i || i != s->entry_n)
		__atomic_add_fetch(&process.class_mismatches, 1, __ATOMIC_RELAXED);
	if (!i)
		return;
	s->entry_n = i - 1;
	if (!record)
		return;
	e = &s->entry[i - 1];
	tau_mem_alloc_around(e->owned, e->size, e->inner);
	for (i = 0; i < s->entry_n; i++) {
		s->entry[i].inner += e->shared;
		s->entry[i].shared -= e->shared;
	}
}
