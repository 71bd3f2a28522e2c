/*
 * sums_read.c: returns its own sums to a program: tau_sums_...() and tau_open_name() of tau.h.
 */
#include "record/api.h"
#include "record/base/calls_up.h"
#include "record/base/clock.h"
#include "record/base/control.h"
#include "record/base/frame.h"
#include "record/base/gate.h"
#include "record/base/lock.h"
#include "record/base/process.h"
#include "record/base/registry.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/define/define.h"
#include "record/define/definition_fields.h"
#include "record/enter/sums.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

/* How often a reader tries again while a thread changes its sums. */
#define TRIES 100000

/* ---- one thread ---- */

static inline uint64_t get(const uint64_t *from)
{
	return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}

/* The sums of the region in a thread, in ticks. */
struct region_tally {
	uint64_t calls, children, inclusive, exclusive, open;
};

/* Open calls count until `now`. The frames may be inconsistent if the thread changes them meanwhile: then the caller retries. */
static void open_add(const struct sums *m, const struct sum *sum, uint64_t now,
		     struct region_tally *t)
{
	const struct sum_frame *frame = __atomic_load_n(&m->frame, __ATOMIC_ACQUIRE), *f;
	uint64_t inner = 0, took = 0, inside, outermost = 0;
	const struct sum *owner;

	for (size_t i = __atomic_load_n(&m->frame_n, __ATOMIC_ACQUIRE); i-- > 0;) {
		f = &frame[i];
		owner = __atomic_load_n(&f->sum, __ATOMIC_ACQUIRE);
		inside = get(&f->inside) + inner;
		took = get(&f->begin);
		took = now > took ? now - took : 0;
		if (owner == sum) {
			t->exclusive += took > inside ? took - inside : 0;
			outermost = took;
		}
		inner = owner ? took : inside;
	}
	t->inclusive += outermost;
}

static void tally_read(const struct sums *m, uint32_t id, uint64_t now, struct region_tally *t)
{
	const struct sum *block = __atomic_load_n(&m->block[id / SUMS_BLOCK], __ATOMIC_ACQUIRE);
	const struct sum *sum;
	uint64_t off = get(&m->off_tick);

	*t = (struct region_tally){0};
	if (!block)
		return;
	sum = block + id % SUMS_BLOCK;
	t->calls = get(&sum->calls);
	t->children = get(&sum->children);
	t->inclusive = get(&sum->inclusive);
	t->exclusive = get(&sum->exclusive);
	t->open = get(&sum->open);
	if (t->open)
		open_add(m, sum, off ? off : now, t);
}

struct event_tally {
	uint64_t n;
	double min, max, sum, squares;
};

static double get_value(const double *from)
{
	double value;

	__atomic_load(from, &value, __ATOMIC_ACQUIRE);
	return value;
}

static void event_read(const struct sums *m, uint32_t id, uint64_t now __attribute__((unused)),
		       void *out)
{
	const struct sum_event *block =
		__atomic_load_n(&m->events[id / SUMS_BLOCK], __ATOMIC_ACQUIRE);
	const struct sum_event *e;
	struct event_tally *t = out;

	*t = (struct event_tally){0};
	if (!block)
		return;
	e = block + id % SUMS_BLOCK;
	*t = (struct event_tally){get(&e->n), get_value(&e->min), get_value(&e->max),
				  get_value(&e->sum), get_value(&e->squares)};
}

static void region_read(const struct sums *m, uint32_t id, uint64_t now, void *out)
{
	tally_read(m, id, now, out);
}

typedef void reader(const struct sums *m, uint32_t id, uint64_t now, void *out);

/* False: the thread keeps changing the sums, for example because it is this thread, interrupted by a signal handler. */
static bool read_whole(const struct sums *m, uint32_t id, reader *read, void *out)
{
	for (int i = 0; i < TRIES; i++) {
		uint32_t turn = __atomic_load_n(&m->turn, __ATOMIC_ACQUIRE);

		if (turn % 2 == 0) {
			read(m, id, ticks(process.shift), out);
			if (__atomic_load_n(&m->turn, __ATOMIC_RELAXED) == turn)
				return true;
		} else if (self.stream && self.stream->sums == m) {
			return false;
		}
		sched_yield();
	}
	return false;
}

/* ---- threads ---- */

typedef void adder(void *to, const void *part);

/* Adds up the sums of the selected threads; 0: no sums are kept, or there is no such thread. */
static int threads_read(uint32_t id, int thread, reader *read, adder *add, void *part, void *to)
{
	const struct sums *m;
	sigset_t saved;
	struct stream *s;
	int found = 0;

	if (tau_gate.value == GATE_STRANGER)
		return 0;
	if (tau_gate.value == GATE_FORKED)
		enter_slow();
	s = self.stream;
	if (!control.sums || tau_gate.value == GATE_DEAD || id / SUMS_BLOCK >= SUMS_BLOCKS)
		return 0;
	if (thread != TAU_SUMS_SELF) {
		lock_acquire(&saved);
		s = process.streams;
		lock_release(&saved);
	}
	for (; s; s = thread == TAU_SUMS_SELF ? NULL : s->next) {
		if (thread >= 0 && s->number != (uint32_t)thread)
			continue;
		m = __atomic_load_n(&s->sums, __ATOMIC_ACQUIRE);
		found = 1;
		if (m && id && read_whole(m, id, read, part))
			add(to, part);
	}
	return found;
}

static void tally_add(void *to, const void *part)
{
	struct region_tally *t = to;
	const struct region_tally *p = part;

	t->calls += p->calls;
	t->children += p->children;
	t->inclusive += p->inclusive;
	t->exclusive += p->exclusive;
	t->open += p->open;
}

static void event_add(void *to, const void *part)
{
	struct event_tally *t = to;
	const struct event_tally *p = part;

	if (!p->n)
		return;
	t->min = t->n && t->min < p->min ? t->min : p->min;
	t->max = t->n && t->max > p->max ? t->max : p->max;
	t->n += p->n;
	t->sum += p->sum;
	t->squares += p->squares;
}

static uint64_t ns_of(uint64_t ticks)
{
	return process.ticks_hz
		       ? (uint64_t)((unsigned __int128)ticks * 1000000000u / process.ticks_hz)
		       : 0;
}

int tau_sums_of(uint32_t i, int thread, struct tau_sums *out)
{
	struct region_tally part, all = {0};
	int found = threads_read(i, thread, region_read, tally_add, &part, &all);

	*out = (struct tau_sums){all.calls, all.children, ns_of(all.inclusive),
				 ns_of(all.exclusive), all.open};
	return found;
}

/* ---- regions and events by the program's handles ---- */

/* 0: no sums are kept for it yet. */
static uint32_t key_number(uint64_t key)
{
	return control.sums ? define(REG_SUMMED, (const uint8_t *)&key, sizeof(key)) : 0;
}

int tau_sums_region(uint32_t region, int thread, struct tau_sums *out)
{
	return tau_sums_of(region ? key_number(REGION_KEY(region)) : 0, thread, out);
}

int tau_sums_function(const void *function, int thread, struct tau_sums *out)
{
	return tau_sums_of(key_number((uint64_t)(uintptr_t)function), thread, out);
}

int tau_sums_event(uint32_t event, int thread, struct tau_event_sums *out)
{
	struct event_tally part, all = {0};
	int found = threads_read(event, thread, event_read, event_add, &part, &all);

	*out = (struct tau_event_sums){all.n, all.min, all.max, all.sum, all.squares};
	return found;
}

/* ---- names ---- */

static uint32_t number_of(enum registry_kind kind)
{
	return __atomic_load_n(&process.registry[kind].n, __ATOMIC_ACQUIRE);
}

uint32_t tau_sums_regions(void)
{
	return number_of(REG_SUMMED);
}

uint32_t tau_sums_events(void)
{
	return control.sums ? number_of(REG_EVENT) : 0;
}

/* The text at p, which begins with its length. */
static size_t text_copy(const uint8_t *p, char *out, size_t size)
{
	size_t n = 0, fits;

	for (int shift = 0;; shift += 7) {
		n |= (size_t)(*p & 0x7f) << shift;
		if (!(*p++ & 0x80))
			break;
	}
	fits = n < size ? n : size - (size > 0);
	if (size) {
		memcpy(out, p, fits);
		out[fits] = 0;
	}
	return n;
}

/* The name that the object's symbols give to a function, otherwise its address. */
static size_t function_name(uint64_t address, char *out, size_t size)
{
	Dl_info info;
	int n;

	tau_hide();
	if (dladdr((void *)(uintptr_t)address, &info) && info.dli_sname &&
	    info.dli_saddr == (void *)(uintptr_t)address)
		n = snprintf(out, size, "%s", info.dli_sname);
	else
		n = snprintf(out, size, "0x%llx", (unsigned long long)address);
	tau_show();
	return n > 0 ? (size_t)n : 0;
}

static size_t key_name(uint64_t key, char *out, size_t size)
{
	const struct definition *d = NULL;
	struct call_site call;

	if (KEY_IS_REGION(key))
		d = definition_get(REG_REGION, (uint32_t)key);
	if (call_site_get(d, &call)) {
		key = call.called;
		d = definition_get(REG_REGION, (uint32_t)key);
	}
	if (!KEY_IS_REGION(key))
		return function_name(key, out, size);
	if (d)
		return text_copy(d->bytes, out, size);
	if (size)
		*out = 0;
	return 0;
}

size_t tau_sums_name(uint32_t i, char *out, size_t size)
{
	const struct definition *d = definition_get(REG_SUMMED, i);
	uint64_t key = REGION_KEY(0);

	if (d)
		memcpy(&key, d->bytes, sizeof(key));
	return key_name(key, out, size);
}

size_t tau_sums_event_name(uint32_t event, char *out, size_t size)
{
	const struct definition *d = definition_get(REG_EVENT, event);

	if (size)
		*out = 0;
	/* Its flags are below 128. */
	if (!d || d->bytes[0] & (TAU_EVENT_NAME | TAU_EVENT_LOCK))
		return 0;
	if (d->renamed)
		d = definition_get(REG_EVENT, d->renamed);
	return text_copy(d->bytes + 1, out, size);
}

size_t tau_open_regions(void)
{
	return self.stream && self.live ? (size_t)(self.top - self.stream->frames) : 0;
}

size_t tau_open_name(size_t depth, char *out, size_t size)
{
	if (size)
		*out = 0;
	if (!depth || depth > tau_open_regions())
		return 0;
	return key_name(self.stream->frames[depth - 1].key, out, size);
}
