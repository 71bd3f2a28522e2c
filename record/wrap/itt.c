/*
 * itt.c: the wrapper of ITT, the annotations of Intel's tools: the library in a program loads what
 * INTEL_LIBITTNOTIFY64 names at the first call, and lets it fill its table of functions.
 *
 * Tasks are regions "NAME [DOMAIN]" of group ITT. Frames may overlap and are values: their
 * microseconds. Markers are events, and so are counters. Each domain has a stack of its own in each
 * thread: where a task ends that is not the innermost of all, those inside it end with it and begin
 * again. Pause and resume switch the instrumentation off and on.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "now.h"
#include "tau.h"

#define EXPORT __attribute__((visibility("default")))
#define NAME   256  /* longest name, with its end */
#define DEEP   256  /* open tasks of one thread; deeper ones are not recorded */
#define SLOTS  4096 /* of the table of regions; a power of two */
#define FRAMES 64   /* that are open at the same time */
#define POOL   (1 << 19)

/* __itt_id, __itt_domain, __itt_string_handle */
struct id {
	unsigned long long d[3];
};
struct domain {
	volatile int flags; /* 0: it is disabled */
	const char *name;
	void *wide;
	int extra;
	void *extra_too;
	struct domain *next;
};
struct handle {
	const char *name;
	void *wide;
	int extra;
	void *extra_too;
	struct handle *next;
};

/* ---- what is created: never freed, and found by its name ---- */

static int lock; /* of the lists, the pool and the frames */

static void lock_acquire(void)
{
	while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
		;
}

static void lock_release(void)
{
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
}

/* NULL: there is no more. The lock is held. */
static void *pool_get(size_t bytes)
{
	static _Alignas(16) char pool[POOL];
	static size_t used;
	void *p = pool + used;

	bytes = (bytes + 15) & ~(size_t)15;
	if (bytes > POOL - used)
		return NULL;
	used += bytes;
	return p;
}

static const char *text_copy(const char *name)
{
	size_t n = strnlen(name, NAME - 1);
	char *copy = pool_get(n + 1);

	if (!copy)
		return "";
	memcpy(copy, name, n);
	copy[n] = 0;
	return copy;
}

static struct domain *domain_create(const char *name)
{
	static struct domain *first;
	struct domain *d;

	lock_acquire();
	name = name ? name : "";
	for (d = first; d && strncmp(d->name, name, NAME - 1) != 0;)
		d = d->next;
	if (!d && (d = pool_get(sizeof(*d)))) {
		*d = (struct domain){.flags = 1, .name = text_copy(name), .next = first};
		first = d;
	}
	lock_release();
	return d;
}

static struct handle *handle_create(const char *name)
{
	static struct handle *first;
	struct handle *h;

	lock_acquire();
	name = name ? name : "";
	for (h = first; h && strncmp(h->name, name, NAME - 1) != 0;)
		h = h->next;
	if (!h && (h = pool_get(sizeof(*h)))) {
		*h = (struct handle){.name = text_copy(name), .next = first};
		first = h;
	}
	lock_release();
	return h;
}

static int is_on(const struct domain *d)
{
	return d && d->flags;
}

/* ---- tasks ---- */

static struct known {
	const struct domain *domain;
	const struct handle *handle;
	uint32_t region;
} *table[SLOTS];

static uint32_t region_new(const struct domain *d, const struct handle *h)
{
	char full[2 * NAME + 4];

	snprintf(full, sizeof(full), "%.255s [%.255s]", h->name, d->name ? d->name : "");
	return tau_region(full, "ITT", NULL, 0);
}

static uint32_t region_of(const struct domain *d, const struct handle *h)
{
	size_t at = ((uintptr_t)d * 31 + (uintptr_t)h) >> 4;
	struct known *k, *none = NULL;

	for (size_t i = at; i < at + 16; i++) {
		struct known **slot = &table[i & (SLOTS - 1)];

		k = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
		if (k && k->domain == d && k->handle == h)
			return k->region;
		if (k)
			continue;
		lock_acquire();
		k = tau_active() ? pool_get(sizeof(*k)) : NULL;
		lock_release();
		if (!k)
			break;
		*k = (struct known){d, h, region_new(d, h)};
		__atomic_compare_exchange_n(slot, &none, k, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
		return k->region;
	}
	return tau_active() ? region_new(d, h) : 0;
}

static __thread struct {
	const struct domain *domain;
	uint32_t region;
} open[DEEP];
static __thread int depth;

static void task_begin(const struct domain *d, struct id task, struct id parent,
		       const struct handle *h)
{
	(void)task;
	(void)parent;
	if (!is_on(d) || !h)
		return;
	if (depth < DEEP) {
		open[depth].domain = d;
		open[depth].region = region_of(d, h);
		tau_enter(open[depth].region);
	}
	depth++;
}

static void task_end(const struct domain *d)
{
	int at = depth - 1;

	if (!is_on(d) || !depth)
		return;
	if (depth > DEEP) {
		depth--;
		return;
	}
	while (at >= 0 && open[at].domain != d)
		at--;
	if (at < 0)
		return;
	for (int i = depth - 1; i >= at; i--)
		tau_leave(open[i].region);
	depth--;
	for (int i = at; i < depth; i++) {
		open[i] = open[i + 1];
		tau_enter(open[i].region);
	}
}

/* ---- frames ---- */

static struct itt_frame {
	const struct domain *domain; /* NULL: free */
	struct id id;
	uint64_t begin;
} frames[FRAMES];

static void frame_sample(const struct domain *d, uint64_t ns)
{
	char name[NAME + 32];

	snprintf(name, sizeof(name), "ITT frame %.200s (us)", d->name ? d->name : "");
	tau_trigger(tau_event(name, 2), (double)ns / 1000);
}

/* The lock is held. */
static struct itt_frame *frame_find(const struct domain *d, const struct id *id)
{
	for (size_t i = 0; i < FRAMES; i++)
		if (frames[i].domain == d && (!d || !memcmp(&frames[i].id, id, sizeof(*id))))
			return &frames[i];
	return NULL;
}

static void frame_begin(const struct domain *d, const struct id *id)
{
	static const struct id none;
	struct itt_frame *f;

	if (!is_on(d))
		return;
	lock_acquire();
	f = frame_find(d, id ? id : &none);
	f = f ? f : frame_find(NULL, NULL);
	if (f)
		*f = (struct itt_frame){d, id ? *id : none, now_ns()};
	lock_release();
}

static void frame_end(const struct domain *d, const struct id *id)
{
	static const struct id none;
	uint64_t begin = 0;
	struct itt_frame *f;

	if (!is_on(d))
		return;
	lock_acquire();
	f = frame_find(d, id ? id : &none);
	if (f) {
		begin = f->begin;
		f->domain = NULL;
	}
	lock_release();
	if (begin)
		frame_sample(d, now_ns() - begin);
}

/* ---- markers and counters ---- */

static void marker(const struct domain *d, struct id id, const struct handle *h, int scope)
{
	char name[2 * NAME + 4];

	(void)id;
	(void)scope;
	if (!is_on(d) || !h)
		return;
	snprintf(name, sizeof(name), "%.255s [%.255s]", h->name, d->name ? d->name : "");
	tau_trigger(tau_event(name, 2), 1);
}

/* Values of these types are set. */
enum type {
	TYPE_U64 = 1,
	TYPE_S64,
	TYPE_U32,
	TYPE_S32,
	TYPE_U16,
	TYPE_S16,
	TYPE_FLOAT,
	TYPE_DOUBLE
};

struct counter {
	char name[2 * NAME + 4];
	int type;
	int64_t value;
};

static struct counter *counter_typed(const char *name, const char *domain, int type)
{
	struct counter *c;

	lock_acquire();
	c = pool_get(sizeof(*c));
	lock_release();
	if (!c)
		return NULL;
	snprintf(c->name, sizeof(c->name), domain ? "%.255s [%.255s]" : "%.255s",
		 name ? name : "", domain ? domain : "");
	c->type = type;
	return c;
}

static struct counter *counter_create(const char *name, const char *domain)
{
	return counter_typed(name, domain, TYPE_U64);
}

static void counter_add(struct counter *c, int64_t n)
{
	if (c)
		tau_trigger(tau_event(c->name, 0),
			    (double)__atomic_add_fetch(&c->value, n, __ATOMIC_RELAXED));
}
static void counter_inc(struct counter *c)
{
	counter_add(c, 1);
}
static void counter_inc_delta(struct counter *c, unsigned long long n)
{
	counter_add(c, (int64_t)n);
}
static void counter_dec(struct counter *c)
{
	counter_add(c, -1);
}
static void counter_dec_delta(struct counter *c, unsigned long long n)
{
	counter_add(c, (int64_t)-n);
}

static void counter_set(struct counter *c, const void *value)
{
	union {
		uint64_t u64;
		int64_t s64;
		uint32_t u32;
		int32_t s32;
		uint16_t u16;
		int16_t s16;
		float f;
		double d;
	} v = {0};
	static const unsigned char bytes[] = {0, 8, 8, 4, 4, 2, 2, 4, 8};
	double number;

	if (!c || !value || c->type < TYPE_U64 || c->type > TYPE_DOUBLE)
		return;
	memcpy(&v, value, bytes[c->type]);
	number = c->type == TYPE_U64   ? (double)v.u64
		 : c->type == TYPE_S64 ? (double)v.s64
		 : c->type == TYPE_U32 ? v.u32
		 : c->type == TYPE_S32 ? v.s32
		 : c->type == TYPE_U16 ? v.u16
		 : c->type == TYPE_S16 ? v.s16
		 : c->type == TYPE_FLOAT ? (double)v.f
					 : v.d;
	tau_trigger(tau_event(c->name, 0), number);
}

/* ---- threads, and recording as a whole ---- */

static void thread_name(const char *name)
{
	if (name)
		tau_thread_name(name);
}

static void pause_all(void)
{
	Tau_disable_instrumentation();
}

static void resume_all(void)
{
	Tau_enable_instrumentation();
}

/* ---- the entry: the library calls it once for each of its copies ---- */

typedef void (*function)(void);
static const struct {
	const char *name;
	function ours;
} functions[] = {
	{"__itt_domain_create", (function)domain_create},
	{"__itt_string_handle_create", (function)handle_create},
	{"__itt_task_begin", (function)task_begin},
	{"__itt_task_end", (function)task_end},
	{"__itt_frame_begin_v3", (function)frame_begin},
	{"__itt_frame_end_v3", (function)frame_end},
	{"__itt_marker", (function)marker},
	{"__itt_counter_create", (function)counter_create},
	{"__itt_counter_create_typed", (function)counter_typed},
	{"__itt_counter_inc", (function)counter_inc},
	{"__itt_counter_inc_delta", (function)counter_inc_delta},
	{"__itt_counter_dec", (function)counter_dec},
	{"__itt_counter_dec_delta", (function)counter_dec_delta},
	{"__itt_counter_set_value", (function)counter_set},
	{"__itt_thread_set_name", (function)thread_name},
	{"__itt_pause", (function)pause_all},
	{"__itt_resume", (function)resume_all},
};

/* __itt_api_info, and __itt_global up to its list of these. */
struct api_info {
	const char *name;
	function *at;
	void *init, *null;
	int group;
};
struct itt_global {
	unsigned char magic[8];
	unsigned long version[3];
	volatile long initialized, mutex_initialized, atomic_counter;
	pthread_mutex_t mutex;
	void *library, *error_handler;
	const char **path;
	struct api_info *list;
};

static function function_find(const char *name)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (!strcmp(functions[i].name, name))
			return functions[i].ours;
	return NULL;
}

EXPORT void __itt_api_init(struct itt_global *g, int groups);

void __itt_api_init(struct itt_global *g, int groups)
{
	(void)groups;
	for (struct api_info *i = g ? g->list : NULL; i && i->name; i++) {
		function ours = function_find(i->name);

		if (i->at && (ours || i->null))
			*i->at = ours ? ours : (function)i->null;
	}
}
