/*
 * define.c: definitions. The process keeps one table per kind; it keeps a definition as the bytes
 * that go into a file after its id. Each stream's file gets a definition before the first record
 * that uses it.
 *
 * Look-ups take no lock: an entry is complete before its slot is published, and old slot arrays are
 * not freed when the table grows.
 */
#include "record/define/define.h"
#include "record/api.h"
#include "record/base/frame.h"
#include "record/base/function_table.h"
#include "record/base/gate.h"
#include "record/base/lock.h"
#include "record/base/memory_map.h"
#include "record/base/own_stack.h"
#include "record/base/process.h"
#include "record/base/registry.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/define/definition_fields.h"
#include "record/define/group.h"
#include "record/define/module.h"
#include "record/define/select.h"
#include "record/define/site.h"
#include "record/encode/define_write.h"
#include "record/encode/varint.h"
#include "record/format.h"

#include <errno.h>
#include <string.h>

#define STACK_MOST 128 /* calls in a stack */
#define HASH_GONE  0   /* of a definition whose code was unloaded */

static uint64_t hash_bytes(const uint8_t *p, size_t n)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 0x100000001b3u;
	h ^= h >> 29;
	return h == HASH_GONE ? 1 : h;
}

static uint32_t registry_find(struct registry *r, enum registry_kind kind, uint64_t hash,
			      const uint8_t *bytes, size_t length)
{
	uint32_t *slot = __atomic_load_n(&r->slot, __ATOMIC_ACQUIRE);
	size_t mask;

	if (!slot)
		return 0;
	mask = slot[0] - 1; /* slot[0] holds the size of its own array */
	for (size_t i = hash & mask;; i = (i + 1) & mask) {
		uint32_t id = __atomic_load_n(&slot[1 + i], __ATOMIC_ACQUIRE);
		struct definition *d = definition_get(kind, id);

		if (!d)
			return 0;
		if (d->hash == hash && d->length == length && !memcmp(d->bytes, bytes, length))
			return id;
	}
}

static void slot_put(uint32_t *slot, uint64_t hash, uint32_t id)
{
	size_t mask = slot[0] - 1, i = hash & mask;

	while (slot[1 + i])
		i = (i + 1) & mask;
	__atomic_store_n(&slot[1 + i], id, __ATOMIC_RELEASE);
}

/* Makes room for one more entry. Lock held. */
static bool registry_grow(struct registry *r, enum registry_kind kind)
{
	uint32_t *slot;

	if (r->n >= (uint32_t)BLOCK * BLOCKS)
		return false;
	if (!r->block[r->n / BLOCK]) {
		r->block[r->n / BLOCK] = map_alloc(BLOCK * sizeof(struct definition));
		if (!r->block[r->n / BLOCK])
			return false;
	}
	if (r->slot && r->n * 2 < r->slot[0])
		return true;
	r->slots = r->slot ? r->slots * 2 : 1024;
	slot = map_alloc((r->slots + 1) * sizeof(*slot));
	if (!slot)
		return false;
	slot[0] = (uint32_t)r->slots;
	for (uint32_t id = 1; id <= r->n; id++)
		slot_put(slot, definition_get(kind, id)->hash, id);
	__atomic_store_n(&r->slot, slot, __ATOMIC_RELEASE);
	return true;
}

uint32_t define(enum registry_kind kind, const uint8_t *bytes, size_t length)
{
	struct registry *r = &process.registry[kind];
	uint64_t hash = hash_bytes(bytes, length);
	uint32_t id = registry_find(r, kind, hash, bytes, length);
	int error = errno;
	sigset_t saved;

	if (id)
		return id;
	lock_acquire(&saved);
	id = registry_find(r, kind, hash, bytes, length);
	if (!id && registry_grow(r, kind)) {
		struct definition *d = &r->block[r->n / BLOCK][r->n % BLOCK];

		d->bytes = (uint8_t *)arena_copy(bytes, length);
		if (d->bytes) {
			d->hash = hash;
			d->length = (uint32_t)length;
			d->off = kind == REG_REGION && group_is_off(d);
			id = r->n + 1;
			__atomic_store_n(&r->n, id, __ATOMIC_RELEASE);
			slot_put(r->slot, hash, id);
		}
	}
	lock_release(&saved);
	errno = error;
	return id;
}

/* Does a definition contain an address that is gone? */
static bool refers(enum registry_kind kind, const struct definition *d,
		   bool (*gone)(const void *of, uint64_t address), const void *of)
{
	struct call_site c;
	uint64_t address;

	if (kind == REG_STACK) {
		memcpy(&address, d->bytes + d->length - 8, 8);
		return address && gone(of, address - 1);
	}
	if (kind == REG_MEMTYPE)
		return memtype_site(d) && !memtype_place(d) && gone(of, memtype_site(d) - 1);
	if (!call_site_get(d, &c))
		return region_place(d) && gone(of, region_place(d));
	return gone(of, c.site - 1) || (!KEY_IS_REGION(c.called) && gone(of, c.called));
}

/* A definition without its hash is never found again, so the same bytes get another number, which is defined after the module. */
void definitions_forget(bool (*gone)(const void *of, uint64_t address), const void *of)
{
	static const enum registry_kind kinds[] = {REG_STACK, REG_MEMTYPE, REG_REGION};

	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		struct registry *r = &process.registry[kinds[k]];
		uint32_t n = __atomic_load_n(&r->n, __ATOMIC_ACQUIRE);

		/* Those after it have their places, which differ. */
		if (kinds[k] == REG_MEMTYPE)
			n = process.unplaced;
		for (uint32_t id = 1; id <= n; id++) {
			struct definition *d = definition_get(kinds[k], id);

			if (d && refers(kinds[k], d, gone, of))
				__atomic_store_n(&d->hash, HASH_GONE, __ATOMIC_RELAXED);
		}
	}
}

/* Defines the modules of a lock and of the call that waited for it. */
static void lock_first(const struct definition *d)
{
	uint64_t address[2];

	if (!(d->bytes[0] & TAU_EVENT_LOCK) || d->length < sizeof(address))
		return;
	memcpy(address, d->bytes + d->length - sizeof(address), sizeof(address));
	for (int i = 0; i < 2; i++)
		if (address[i])
			module_cover(address[i]);
}

struct first {
	enum registry_kind kind;
	uint32_t id;
};

static bool known_here(enum registry_kind kind, uint32_t id)
{
	return id < self.stream->known_cap[kind] && self.stream->known[kind][id];
}

/* Defines the callers of a stack, outermost first, and the module of its address. No stack is deeper than STACK_MOST. */
static bool stack_first(const struct definition *d)
{
	uint32_t chain[STACK_MOST], n = 0, id = stack_caller(d);
	uint64_t address;

	memcpy(&address, d->bytes + d->length - 8, 8);
	while (id && n < STACK_MOST && !known_here(REG_STACK, id)) {
		chain[n++] = id;
		id = stack_caller(definition_get(REG_STACK, id));
	}
	while (n)
		if (!define_here(REG_STACK, chain[--n]))
			return false;
	if (address)
		module_cover_sampled(address - 1);
	return true;
}

/*
 * Defines the owners of a memtype that this file does not define yet, outermost first: searches for the outermost each time,
 * because there may be more owners than an array on the stack can hold.
 */
static bool owners_first(uint32_t owner)
{
	while (owner && !known_here(REG_MEMTYPE, owner)) {
		uint32_t outer = owner, up = owner;

		while (up && !known_here(REG_MEMTYPE, up)) {
			const struct definition *d = definition_get(REG_MEMTYPE, up);

			if (!d)
				return false;
			outer = up;
			up = memtype_owner(d);
		}
		if (!define_here(REG_MEMTYPE, outer))
			return false;
	}
	return true;
}

/* Defines what precedes a memtype: its owner, its site and its stack. *length: the bytes without these. */
static bool memtype_first(const struct definition *d, uint32_t id, size_t *length)
{
	uint32_t owner = memtype_owner(d), stack = memtype_stack(d);
	uint8_t head[10], number[10];
	size_t head_n = (size_t)(put_varint(head, id) - head);

	if (!owners_first(owner))
		return false;
	if (stack) {
		*length -= 4;
		if (!define_here(REG_STACK, stack) ||
		    !defs_put(TAU_DEF_PATH, head, head_n, number,
			      (size_t)(put_varint(number, stack) - number)))
			return false;
	}
	if (memtype_site(d)) {
		*length -= SITE_BYTES;
		return site_put(d, head, head_n);
	}
	return true;
}

/* Code of an interpreter is written with its address instead of its id. */
static size_t code_head(uint8_t *head, uint32_t id)
{
	uint64_t address = CODE_ADDRESS(id);

	memcpy(head, &address, sizeof(address));
	return sizeof(address);
}

/* Flags of events are below 128. */
static bool event_renamed(const struct definition *event, const uint8_t *head, size_t head_n)
{
	uint32_t renamed = __atomic_load_n(&event->renamed, __ATOMIC_ACQUIRE);
	const struct definition *d = definition_get(REG_EVENT, renamed);
	uint8_t both[20], *end;

	if (!d)
		return true;
	memcpy(both, head, head_n);
	end = put_varint(both + head_n, event->renamed_n);
	return defs_put(TAU_DEF_RENAME, both, (size_t)(end - both), d->bytes + 1, d->length - 1);
}

static bool first_work(void *argument)
{
	enum registry_kind kind = ((struct first *)argument)->kind;
	uint32_t id = ((struct first *)argument)->id;
	static const enum tau_def_kind def[REGISTRIES] = {
		TAU_DEF_REGION, TAU_DEF_EVENT, TAU_DEF_COMM, TAU_DEF_MEMTYPE,
		TAU_DEF_BLOCK,  TAU_DEF_STACK, TAU_DEF_CODE};
	struct definition *d = definition_get(kind, id);
	struct stream *s = self.stream;
	uint8_t head[10];
	size_t length, head_n;
	void *p;

	if (!d)
		return false;
	length = d->length;
	if (id >= s->known_cap[kind]) {
		p = map_grow(s->known[kind], &s->known_cap[kind], 1, id + 1);
		if (!p)
			return false;
		s->known[kind] = p;
	}
	if (kind == REG_BLOCK && !define_here(REG_MEMTYPE, block_memtype(d)))
		return false;
	if (kind == REG_EVENT)
		lock_first(d);
	if (kind == REG_MEMTYPE && !memtype_first(d, id, &length))
		return false;
	if (kind == REG_STACK && !stack_first(d))
		return false;
	head_n = kind == REG_CODE ? code_head(head, id) : (size_t)(put_varint(head, id) - head);
	if (!defs_put(def[kind], head, head_n, d->bytes, length))
		return false;
	if (kind == REG_EVENT && !event_renamed(d, head, head_n))
		return false;
	s->known[kind][id] = 1;
	return true;
}

bool define_first(enum registry_kind kind, uint32_t id)
{
	struct first first = {kind, id};

	return own_stack_run(self.stream, first_work, &first);
}

uint32_t region_token(uint32_t region)
{
	return region < TAU_TOKEN_BLOCK - TAU_TOKEN_REGION ? region + TAU_TOKEN_REGION
							   : TAU_TOKEN_FAR;
}

/* A region got its number in this stream's file. */
bool filtered_define(struct stream *s, uint32_t region, uint64_t key, uint32_t flags)
{
	void *p;

	if (!process.filtered)
		return true;
	if (region >= s->what_cap) {
		p = map_grow(s->what, &s->what_cap, sizeof(*s->what), region + 1);
		if (!p)
			return false;
		s->what = p;
	}
	s->what[region] = (struct filtered_region){.flags = flags, .key = key};
	return true;
}

/* A region's bytes begin with its name. */
static uint32_t region_flags(const struct definition *d)
{
	const uint8_t *p = d->bytes;
	struct call_site call;
	size_t n = 0;

	if (!process.filtered)
		return 0;
	if (call_site_get(d, &call))
		return KEY_IS_REGION(call.called)
			       ? region_flags(definition_get(REG_REGION, (uint32_t)call.called))
			       : select_flags_address(call.called);
	for (int shift = 0;; shift += 7) {
		n |= (size_t)(*p & 0x7f) << shift;
		if (!(*p++ & 0x80))
			break;
	}
	return select_flags((const char *)p, n);
}

/* Defines in the calling thread's file what the definition of a call site refers to. */
static bool call_site_first(const struct call_site *c)
{
	module_cover_sampled(c->site - 1);
	if (KEY_IS_REGION(c->called))
		return region_local((uint32_t)c->called) != NULL;
	module_cover(c->called);
	return true;
}

static bool call_site_put(const struct call_site *c, uint32_t n)
{
	const struct local *l = NULL;
	uint8_t bytes[40], *p = bytes;
	uint64_t function = 0;

	if (KEY_IS_REGION(c->called))
		l = region_local((uint32_t)c->called);
	else
		function = c->called;
	p = put_varint(p, n);
	p = put_varint(p, l ? l->region + 1 : 0);
	memcpy(p, &c->site, 8);
	memcpy(p + 8, &function, 8);
	return define_raw(TAU_DEF_CALL, bytes, (size_t)(p - bytes) + 16);
}

/* Writes the definition of a region of the API, or of a call site, as region n of the file. */
static bool region_put(const struct definition *d, uint32_t n)
{
	struct call_site call;
	uint64_t place;
	uint8_t head[10];

	if (call_site_get(d, &call))
		return call_site_put(&call, n);
	place = region_place(d);
	if (place)
		module_cover(place);
	return defs_put(TAU_DEF_REGION, head, (size_t)(put_varint(head, n) - head), d->bytes,
			d->length);
}

/* Defines API region *argument in the calling thread's file. */
static bool local_work(void *argument)
{
	uint32_t region = *(uint32_t *)argument;
	struct stream *s = self.stream;
	struct definition *d = definition_get(REG_REGION, region);
	struct call_site call;
	void *p;

	if (call_site_get(d, &call) && !call_site_first(&call))
		return false;
	if (region >= s->local_cap) {
		/* Keeps the old array: this may run in a signal handler that interrupted a call which reads it. */
		p = map_larger(s->local, &s->local_cap, sizeof(*s->local), region + 1);
		if (!p)
			return false;
		s->local = p;
		self.local = s->local;
		self.local_cap = s->local_cap;
	}
	if (!region_put(d, s->region_n) ||
	    !filtered_define(s, s->region_n, REGION_KEY(region), region_flags(d)))
		return false;
	s->local[region].region = s->region_n;
	s->local[region].token = region_token(s->region_n++);
	return true;
}

struct local *region_local(uint32_t region)
{
	struct stream *s = self.stream;

	if (!definition_get(REG_REGION, region))
		return NULL;
	if (region >= s->local_cap || !s->local[region].token)
		if (!own_stack_run(s, local_work, &region))
			return NULL;
	return &s->local[region];
}

uint64_t *slots_new(size_t n)
{
	uint64_t *p = map_alloc(SLOTS_HEAD * sizeof(*p) + n * (sizeof(*p) + sizeof(uint32_t)));

	if (!p)
		return NULL;
	p += SLOTS_HEAD;
	p[-1] = n - 1;
	return p;
}

/* Keeps the old array: a signal handler may have interrupted a hook that reads it. Slots of functions
 * that were unloaded are not copied. */
static bool slots_grow(struct stream *s)
{
	uint64_t *slots, *old = s->slots, *to;
	size_t n = old[-1] + 1 < 1024 ? 1024 : old[-1] + 1, live = 0;
	sigset_t saved;

	for (size_t i = 0; i <= old[-1]; i++)
		live += old[i] && old[i] != SLOT_GONE;
	while (live * 5 >= n)
		n *= 2;
	slots = slots_new(n);
	if (!slots)
		return false;
	lock_acquire(&saved);
	for (size_t i = 0; i <= old[-1]; i++) {
		if (!old[i] || old[i] == SLOT_GONE)
			continue;
		to = (uint64_t *)slot_find(slots, SLOT_ADDRESS(old[i]));
		*to = old[i];
		*slot_region(slots, to) = *slot_region(old, &old[i]);
	}
	s->slots = slots;
	s->slot_n = live;
	lock_release(&saved);
	self.slots = slots;
	return true;
}

static bool slot_work(void *argument)
{
	uint64_t address = *(uint64_t *)argument;
	struct stream *s = self.stream;
	uint8_t bytes[20], *p;
	uint32_t token = 0;
	uint64_t *slot;
	bool out;

	out = process.functions_out || select_keeps_out_address(address);
	if (!out) {
		module_cover(address);
		p = put_varint(bytes, s->region_n);
		memcpy(p, &address, 8);
		if (!define_raw(TAU_DEF_ADDRESS, bytes, (size_t)(p - bytes) + 8))
			return false;
	}
	if (s->slot_n * 4 > s->slots[-1] && !slots_grow(s))
		return false;
	if (!out && !filtered_define(s, s->region_n, address, select_flags_address(address)))
		return false;
	slot = (uint64_t *)slot_find(s->slots, address);
	*slot_region(s->slots, slot) = out ? SLOT_NO_REGION : s->region_n;
	if (!out) {
		token = region_token(s->region_n++);
	}
	*slot = address << 16 | token;
	s->slot_n++;
	return true;
}

uint64_t *address_slot(uint64_t address)
{
	struct stream *s = self.stream;

	if (!*slot_find(s->slots, address) && !own_stack_run(s, slot_work, &address))
		return NULL;
	return (uint64_t *)slot_find(s->slots, address);
}

static uint32_t region_define(const char *name, const char *groups, const char *file, uint32_t line,
			      uint64_t place)
{
	size_t n = strlen(name), g = groups ? strlen(groups) : 0, f = file ? strlen(file) : 0;
	uint8_t small[512], *bytes = small, *p;
	size_t room = n + g + f + 68;
	uint32_t id;

	if (tau_gate.value == GATE_DEAD)
		return 0;
	if (room > sizeof(small)) {
		bytes = map_alloc(room);
		if (!bytes)
			return 0;
	}
	p = put_string(bytes, name, n);
	p = put_string(p, groups, g);
	p = put_string(p, file, f);
	p = put_varint(p, line);
	if (place) {
		memcpy(p, &place, 8);
		p += 8;
	}
	id = define(REG_REGION, bytes, (size_t)(p - bytes));
	if (bytes != small)
		map_free(bytes, room);
	return id;
}

uint32_t tau_region(const char *name, const char *groups, const char *file, uint32_t line)
{
	return region_define(name, groups, file, line, 0);
}

uint32_t tau_region_at(const char *name, const char *groups, const void *place)
{
	return region_define(name, groups, NULL, 0, (uint64_t)(uintptr_t)place);
}
