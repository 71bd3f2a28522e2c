/*
 * nvtx.c: the wrapper of NVTX 3, whose header loads the library that NVTX_INJECTION64_PATH names at the first call and lets it fill
 * its tables of functions. Programs need no GPU for it.
 *
 * Ranges that are pushed and popped are regions "MESSAGE", or "MESSAGE [DOMAIN]", of the groups NVTX and CATEGORY. Ranges with a
 * start and an end may overlap and end in another thread, so they are values: their microseconds. Marks are events, and so are
 * payloads. Each domain has a stack of its own in each thread: where a range is popped that is not the innermost of all, those
 * inside it end with it and begin again.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "now.h"
#include "tau.h"

#define EXPORT __attribute__((visibility("default")))
#define NAME   512	/* longest name, with its end */
#define DEEP   256	/* open ranges of one thread; deeper ones are not recorded */
#define SLOTS  8192	/* of the table of regions; a power of two */
#define RECENT 256	/* regions that are found by the address of their name; a power of two */
#define RANGES 4096	/* ranges with a start and an end that are open at the same time */
#define POOL   (1 << 20)

struct domain {
	char name[NAME];
};
struct nvtx_text {
	uint32_t length;
	char name[];
};
/* nvtxEventAttributes_t */
struct nvtx_attributes {
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved;
	union {
		uint64_t u64;
		int64_t i64;
		double f64;
		uint32_t u32;
		int32_t i32;
		float f32;
	} payload;
	int32_t message_type, reserved_too;
	const void *message;
};
enum message_type { MESSAGE_ASCII = 1, MESSAGE_WIDE, MESSAGE_REGISTERED };

/* ---- names ---- */

/* Memory that is never freed; NULL: there is none. */
static void *pool_get(size_t bytes)
{
	static char *pool;
	static size_t left;
	static int lock;
	void *p = NULL;

	bytes = (bytes + 15) & ~(size_t)15;
	while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
		;
	if (left < bytes) {
		pool = tau_map(POOL);
		left = pool ? POOL : 0;
	}
	if (left >= bytes) {
		p = pool;
		pool += bytes;
		left -= bytes;
	}
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
	return p;
}

/* UTF-32 to UTF-8. */
static const char *wide(char out[NAME], const wchar_t *from)
{
	size_t n = 0;

	for (; from && *from && n < NAME - 5; from++) {
		uint32_t c = (uint32_t)*from;
		int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;

		out[n++] = (char)(more ? (0xff00 >> (more + 1) & 0xff) | c >> (6 * more) : c);
		while (more--)
			out[n++] = (char)(0x80 | (c >> (6 * more) & 0x3f));
	}
	out[n] = 0;
	return out;
}

static const char *message_of(const struct nvtx_attributes *a, char out[NAME])
{
	if (!a || !a->message)
		return "";
	switch (a->message_type) {
	case MESSAGE_ASCII:
		return a->message;
	case MESSAGE_WIDE:
		return wide(out, a->message);
	case MESSAGE_REGISTERED:
		return ((const struct nvtx_text *)a->message)->name;
	}
	return "";
}

/* ---- categories: names of numbers, by domain ---- */

#define CATEGORIES 256
static struct category {
	const struct domain *domain;
	uint32_t number;
	char name[NAME];
} categories[CATEGORIES];
static uint32_t category_n;

static const char *category_name(const struct domain *d, uint32_t number)
{
	uint32_t n = __atomic_load_n(&category_n, __ATOMIC_ACQUIRE);

	for (uint32_t i = n < CATEGORIES ? n : CATEGORIES; number && i--;)
		if (categories[i].domain == d && categories[i].number == number)
			return categories[i].name;
	return NULL;
}

/* Groups are separated by blanks and bars. */
static void category_set(const struct domain *d, uint32_t number, const char *name)
{
	static int lock;
	struct category *c;

	while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
		;
	if (category_n < CATEGORIES) {
		c = &categories[category_n];
		c->domain = d;
		c->number = number;
		snprintf(c->name, sizeof(c->name), "%s", name ? name : "");
		for (char *p = c->name; *p; p++)
			if (*p == ' ' || *p == '|')
				*p = '_';
		__atomic_store_n(&category_n, category_n + 1, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
}

/* ---- regions, found by the attributes of a range, without a lock ---- */

struct nvtx_known {
	const struct domain *domain;
	uint32_t category, region, length;
	uint64_t hash;
	char name[];
};
static struct nvtx_known *table[SLOTS];
static struct nvtx_known *recent[RECENT];	/* by the address of the name */

static void full_name(char out[2 * NAME], const struct domain *d, const char *name)
{
	snprintf(out, (size_t)2 * NAME, d ? "%.500s [%.500s]" : "%.500s", name, d ? d->name : "");
}

static uint32_t region_new(const struct domain *d, uint32_t category, const char *name)
{
	const char *group = category_name(d, category);
	char full[2 * NAME], groups[NAME + 8];

	full_name(full, d, name);
	snprintf(groups, sizeof(groups), "NVTX%s%s", group && *group ? "|" : "",
		 group ? group : "");
	return tau_region(full, groups, NULL, 0);
}

static int is_named(const struct nvtx_known *k, const char *name)
{
	for (size_t i = 0; i < k->length; i++)
		if (name[i] != k->name[i])
			return 0;
	return k->length == NAME || !name[k->length];
}

static __attribute__((noinline)) uint32_t
region_look_up(const struct domain *d, uint32_t category, const char *name,
	       struct nvtx_known **found)
{
	uint64_t hash = 0xcbf29ce484222325u ^ (uintptr_t)d ^ category;
	struct nvtx_known *k, *expected;
	size_t n = 0;

	for (; name[n] && n < NAME; n++)
		hash = (hash ^ (unsigned char)name[n]) * 0x100000001b3u;
	for (size_t i = hash; i < hash + 16; i++) {
		struct nvtx_known **slot = &table[i & (SLOTS - 1)];

		k = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
		if (k && k->hash == hash && k->domain == d && k->category == category &&
		    k->length == n && !memcmp(k->name, name, n)) {
			__atomic_store_n(found, k, __ATOMIC_RELEASE);
			return k->region;
		}
		if (k)
			continue;
		if (!tau_active() || !(k = pool_get(sizeof(*k) + n)))
			break;
		*k = (struct nvtx_known){d, category, region_new(d, category, name), (uint32_t)n,
					 hash};
		memcpy(k->name, name, n);
		expected = NULL;
		__atomic_compare_exchange_n(slot, &expected, k, 0, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED);
		return k->region;
	}
	return tau_active() ? region_new(d, category, name) : 0;
}

/* Most names are texts of the program, at the same address each time: then comparing it with the last name there is enough. */
static uint32_t region_of(const struct domain *d, uint32_t category, const char *name)
{
	uintptr_t at = (uintptr_t)name ^ (uintptr_t)d >> 4 ^ category;
	struct nvtx_known **found = &recent[(at ^ at >> 8) % RECENT];
	const struct nvtx_known *k = __atomic_load_n(found, __ATOMIC_ACQUIRE);

	if (k && k->domain == d && k->category == category && is_named(k, name))
		return k->region;
	return region_look_up(d, category, name, found);
}

/* ---- pushed ranges ---- */

static __thread struct open_range {
	const struct domain *domain;
	uint32_t region;
	int level;	/* ranges of the domain up to this one */
} open[DEEP];
static __thread int depth;

/* How many ranges of the domain are open. */
static int level(const struct domain *d)
{
	int at = depth < DEEP ? depth : DEEP;

	while (at && open[at - 1].domain != d)
		at--;
	return at ? open[at - 1].level : 0;
}

static void payload(const struct nvtx_attributes *a, const char *name)
{
	char event[NAME + 32];
	double v;

	switch (a->payload_type) {
	case 1: v = (double)a->payload.u64; break;
	case 2: v = (double)a->payload.i64; break;
	case 3: v = a->payload.f64; break;
	case 4: v = a->payload.u32; break;
	case 5: v = a->payload.i32; break;
	case 6: v = (double)a->payload.f32; break;
	default: return;
	}
	snprintf(event, sizeof(event), "NVTX payload of %.500s", name);
	tau_trigger(tau_event(event, 2), v);
}

static int push(const struct domain *d, uint32_t category, const char *name)
{
	struct open_range *to = &open[depth < DEEP ? depth : 0];
	int before;

	if (depth >= DEEP) {
		depth++;
		return level(d);
	}
	before = depth && to[-1].domain == d ? to[-1].level : level(d);
	depth++;
	to->domain = d;
	to->level = before + 1;
	to->region = region_of(d, category, name);
	tau_enter(to->region);
	return before;
}

static int push_with(const struct domain *d, const struct nvtx_attributes *a)
{
	char text[NAME];
	const char *name = message_of(a, text);
	int before = push(d, a ? a->category : 0, name);

	if (a)
		payload(a, name);
	return before;
}

static int pop(const struct domain *d)
{
	int at = depth - 1;

	if (at >= 0 && at < DEEP && open[at].domain == d) {
		depth = at;
		tau_leave(open[at].region);
		return open[at].level - 1;
	}
	if (depth > DEEP)
		return --depth;
	while (at >= 0 && open[at].domain != d)
		at--;
	if (at < 0)
		return -1;
	for (int i = depth - 1; i >= at; i--)
		tau_leave(open[i].region);
	depth--;
	for (int i = at; i < depth; i++) {
		open[i] = open[i + 1];
		tau_enter(open[i].region);
	}
	return level(d);
}

/* ---- ranges with a start and an end ---- */

static struct nvtx_range {
	uint64_t id; /* 0: free */
	uint64_t begin;
	uint32_t event;
} ranges[RANGES];

static uint64_t range_start(const struct domain *d, const char *name)
{
	static uint64_t last;
	uint64_t id = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
	char full[2 * NAME], event[2 * NAME + 32];

	full_name(full, d, name);
	snprintf(event, sizeof(event), "NVTX range %.900s (us)", full);
	for (uint64_t i = 0; i < RANGES; i++) {
		struct nvtx_range *r = &ranges[(id + i) % RANGES];
		uint64_t none = 0, taken = UINT64_MAX;

		if (!__atomic_compare_exchange_n(&r->id, &none, taken, 0, __ATOMIC_ACQUIRE,
						 __ATOMIC_RELAXED))
			continue;
		r->event = tau_active() ? tau_event(event, 2) : 0;
		r->begin = now_ns();
		__atomic_store_n(&r->id, id + i * 0x1000000000000u, __ATOMIC_RELEASE);
		return id + i * 0x1000000000000u;
	}
	return id;
}

static void range_end(uint64_t id)
{
	struct nvtx_range *r = &ranges[((id & 0xffffffffffffu) + (id >> 48)) % RANGES];

	if (!id || __atomic_load_n(&r->id, __ATOMIC_ACQUIRE) != id)
		return;
	tau_trigger(r->event, (double)(now_ns() - r->begin) / 1000);
	__atomic_store_n(&r->id, 0, __ATOMIC_RELEASE);
}

static void mark(const struct domain *d, const char *name)
{
	char full[2 * NAME];

	full_name(full, d, name);
	tau_trigger(tau_event(full, 2), 1);
}

/* ---- the functions of NVTX: module CORE ---- */

static void mark_ex(const struct nvtx_attributes *a)
{
	char text[NAME];
	const char *name = message_of(a, text);

	mark(NULL, name);
	if (a)
		payload(a, name);
}
static void mark_a(const char *name)
{
	mark(NULL, name ? name : "");
}
static void mark_w(const wchar_t *name)
{
	char text[NAME];

	mark(NULL, wide(text, name));
}
static uint64_t start_ex(const struct nvtx_attributes *a)
{
	char text[NAME];

	return range_start(NULL, message_of(a, text));
}
static uint64_t start_a(const char *name)
{
	return range_start(NULL, name ? name : "");
}
static uint64_t start_w(const wchar_t *name)
{
	char text[NAME];

	return range_start(NULL, wide(text, name));
}
static int push_ex(const struct nvtx_attributes *a)
{
	return push_with(NULL, a);
}
static int push_a(const char *name)
{
	return push(NULL, 0, name ? name : "");
}
static int push_w(const wchar_t *name)
{
	char text[NAME];

	return push(NULL, 0, wide(text, name));
}
static int pop_core(void)
{
	return pop(NULL);
}
static void category_a(uint32_t number, const char *name)
{
	category_set(NULL, number, name);
}
static void category_w(uint32_t number, const wchar_t *name)
{
	char text[NAME];

	category_set(NULL, number, wide(text, name));
}
static void thread_a(uint32_t tid, const char *name)
{
	if (name && tid == (uint32_t)gettid())
		tau_thread_name(name);
}
static void thread_w(uint32_t tid, const wchar_t *name)
{
	char text[NAME];

	thread_a(tid, wide(text, name));
}

/* ---- module CORE2: with domains ---- */

static void domain_mark(const struct domain *d, const struct nvtx_attributes *a)
{
	char text[NAME];
	const char *name = message_of(a, text);

	mark(d, name);
	if (a)
		payload(a, name);
}
static uint64_t domain_start(const struct domain *d, const struct nvtx_attributes *a)
{
	char text[NAME];

	return range_start(d, message_of(a, text));
}
static void domain_end(const struct domain *d, uint64_t id)
{
	(void)d;
	range_end(id);
}
static int domain_push(const struct domain *d, const struct nvtx_attributes *a)
{
	return push_with(d, a);
}
static int domain_pop(const struct domain *d)
{
	return pop(d);
}
static void domain_category_a(const struct domain *d, uint32_t number, const char *name)
{
	category_set(d, number, name);
}
static void domain_category_w(const struct domain *d, uint32_t number, const wchar_t *name)
{
	char text[NAME];

	category_set(d, number, wide(text, name));
}
static struct nvtx_text *register_a(const struct domain *d, const char *name)
{
	static struct nvtx_text nothing;
	size_t n = name ? strlen(name) : 0;
	struct nvtx_text *t = n ? pool_get(sizeof(*t) + n + 1) : NULL;

	(void)d;
	if (!t)
		return &nothing;
	t->length = (uint32_t)n;
	memcpy(t->name, name, n + 1);
	return t;
}
static struct nvtx_text *register_w(const struct domain *d, const wchar_t *name)
{
	char text[NAME];

	return register_a(d, wide(text, name));
}
/* The default domain is NULL, so that without memory a new one is as that. */
static struct domain *create_a(const char *name)
{
	struct domain *d = pool_get(sizeof(*d));

	if (d)
		snprintf(d->name, sizeof(d->name), "%s", name ? name : "");
	return d;
}
static struct domain *create_w(const wchar_t *name)
{
	char text[NAME];

	return create_a(wide(text, name));
}

/* ---- the entry: NVTX calls it once for each library that has a copy of its header ---- */

typedef void (*function)(void);
static const function core[] = {
	NULL,
	(function)mark_ex,
	(function)mark_a,
	(function)mark_w,
	(function)start_ex,
	(function)start_a,
	(function)start_w,
	(function)range_end,
	(function)push_ex,
	(function)push_a,
	(function)push_w,
	(function)pop_core,
	(function)category_a,
	(function)category_w,
	(function)thread_a,
	(function)thread_w,
};
static const function core2[] = {
	NULL,
	(function)domain_mark,
	(function)domain_start,
	(function)domain_end,
	(function)domain_push,
	(function)domain_pop,
	NULL,
	NULL,
	(function)domain_category_a,
	(function)domain_category_w,
	(function)register_a,
	(function)register_w,
	(function)create_a,
	(function)create_w,
	NULL,
	NULL,
};
enum { MODULE_CORE = 1, MODULE_CORE2 = 5, TABLE_CALLBACKS = 1 };

struct callbacks {
	size_t size;
	int (*module_table)(int module, function ***table, unsigned *n);
};

static void fill(const struct callbacks *c, int module, const function *ours, unsigned n)
{
	function **theirs = NULL;
	unsigned size = 0;

	if (!c->module_table(module, &theirs, &size) || !theirs)
		return;
	for (unsigned i = 1; i < n && i < size; i++)
		if (ours[i] && theirs[i])
			*theirs[i] = ours[i];
}

EXPORT int InitializeInjectionNvtx2(const void *(*export_table)(uint32_t));

int InitializeInjectionNvtx2(const void *(*export_table)(uint32_t))
{
	const struct callbacks *c = export_table ? export_table(TABLE_CALLBACKS) : NULL;

	if (!c || c->size < sizeof(*c) || !c->module_table)
		return 0;
	fill(c, MODULE_CORE, core, sizeof(core) / sizeof(*core));
	fill(c, MODULE_CORE2, core2, sizeof(core2) / sizeof(*core2));
	return 1;
}
