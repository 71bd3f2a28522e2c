/*
 * sums.c: keeps the calls and times of each region, and the values of each event, in the process.
 */
#include "record/enter/sums.h"
#include "record/base/compiler.h"
#include "record/base/control.h"
#include "record/base/frame.h"
#include "record/base/memory_map.h"
#include "record/base/own_stack.h"
#include "record/base/process.h"
#include "record/base/registry.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/define/define.h"

#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

/* ---- does the program use sums? ---- */

#define ASKING "tau_sums_"

struct dynamic {
	const ElfW(Sym) *symbol;
	const char *text;
	size_t text_size;
	const uint32_t *hash;	/* a table; its second word is the number of symbols */
};

/* Symbols that the object refers to precede those in its hash table or, with the older kind of table, are among them. */
static struct dynamic dynamic_read(const ElfW(Dyn) *d)
{
	struct dynamic out = {0};

	for (; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_SYMTAB)
			out.symbol = (const ElfW(Sym) *)d->d_un.d_ptr;
		else if (d->d_tag == DT_STRTAB)
			out.text = (const char *)d->d_un.d_ptr;
		else if (d->d_tag == DT_STRSZ)
			out.text_size = d->d_un.d_val;
		else if (d->d_tag == DT_GNU_HASH || (d->d_tag == DT_HASH && !out.hash))
			out.hash = (const uint32_t *)d->d_un.d_ptr;
	}
	return out;
}

/* An object that exports no symbol has an empty hash table, which does not count those it refers to; their names follow them. */
static size_t symbols_n(const struct dynamic *d)
{
	if (d->hash[1] > 1 || (uintptr_t)d->text < (uintptr_t)d->symbol)
		return d->hash[1];
	return ((uintptr_t)d->text - (uintptr_t)d->symbol) / sizeof(*d->symbol);
}

static int refers(struct dl_phdr_info *o, size_t size __attribute__((unused)),
		  void *found __attribute__((unused)))
{
	struct dynamic d = {0};

	for (int i = 0; i < o->dlpi_phnum; i++)
		if (o->dlpi_phdr[i].p_type == PT_DYNAMIC)
			d = dynamic_read(
				(const void *)(o->dlpi_addr + o->dlpi_phdr[i].p_vaddr));
	/* The loader has not relocated the kernel's own object. */
	if (!d.symbol || !d.text || !d.hash || (uintptr_t)d.symbol < o->dlpi_addr)
		return 0;
	for (size_t i = 1, n = symbols_n(&d); i < n; i++)
		if (d.symbol[i].st_shndx == SHN_UNDEF && d.symbol[i].st_name < d.text_size &&
		    !strncmp(d.text + d.symbol[i].st_name, ASKING, strlen(ASKING)))
			return 1;
	return 0;
}

void sums_start(void)
{
	control.sums = getenv("TAU_RECORD_SUMS") || dl_iterate_phdr(refers, NULL);
}

/* ---- memory ---- */

static bool sums_new(void *argument)
{
	struct stream *s = argument;

	__atomic_store_n(&s->sums, map_alloc(sizeof(*s->sums)), __ATOMIC_RELEASE);
	return s->sums != NULL;
}

static struct sums *sums_get(void)
{
	struct stream *s = self.stream;

	return likely(s->sums) || own_stack_run(s, sums_new, s) ? s->sums : NULL;
}

static bool frames_larger(void *argument)
{
	struct sums *m = argument;
	void *p = map_larger(m->frame, &m->frame_cap, sizeof(*m->frame),
			     m->frame_cap ? 2 * m->frame_cap : 128);

	if (p)
		__atomic_store_n(&m->frame, p, __ATOMIC_RELEASE);
	return p != NULL;
}

struct block_new {
	void **block;
	size_t size;
};

static bool block_work(void *argument)
{
	struct block_new *b = argument;

	__atomic_store_n(b->block, map_alloc(SUMS_BLOCK * b->size), __ATOMIC_RELEASE);
	return *b->block != NULL;
}

/* Entry of number id in an array of blocks; NULL: no memory. */
static void *entry(void **blocks, uint32_t id, size_t size)
{
	struct block_new new = {blocks + id / SUMS_BLOCK, size};

	if (id / SUMS_BLOCK >= SUMS_BLOCKS ||
	    (!*new.block && !own_stack_run(self.stream, block_work, &new)))
		return NULL;
	return (char *)*new.block + id % SUMS_BLOCK * size;
}

static struct sum *sum_of(struct sums *m, uint64_t key)
{
	size_t at = (key ^ key >> 8) % SUMS_CACHE;
	uint32_t id;

	if (m->cache[at].key == key)
		return m->cache[at].sum;
	id = define(REG_SUMMED, (const uint8_t *)&key, sizeof(key));
	if (!id)
		return NULL;
	m->cache[at].sum = entry((void **)m->block, id, sizeof(struct sum));
	m->cache[at].key = m->cache[at].sum ? key : 0;
	return m->cache[at].sum;
}

/* ---- counting ---- */

/* Stores in order, so that a reader that sees one of them also sees that `turn` was odd before. */
static inline void set(uint64_t *to, uint64_t value)
{
	__atomic_store_n(to, value, __ATOMIC_RELEASE);
}

static inline void add(uint64_t *to, uint64_t value)
{
	set(to, *to + value);
}

static inline void turn(struct sums *m)
{
	__atomic_store_n(&m->turn, m->turn + 1, __ATOMIC_RELEASE);
}

static void pop(struct sums *m, uint64_t now)
{
	const struct sum_frame *f = &m->frame[m->frame_n - 1];
	uint64_t took = now > f->begin ? now - f->begin : 0;

	__atomic_store_n(&m->frame_n, m->frame_n - 1, __ATOMIC_RELEASE);
	if (f->sum) {
		set(&f->sum->open, f->sum->open - 1);
		if (!f->sum->open)
			add(&f->sum->inclusive, took);
		add(&f->sum->exclusive, took > f->inside ? took - f->inside : 0);
	}
	if (m->frame_n)
		add(&m->frame[m->frame_n - 1].inside, f->sum ? took : f->inside);
}

/* called: the call begins now; false: it began earlier and is seen for the first time. */
static void push(struct sums *m, size_t i, uint64_t begin, bool called)
{
	const struct stream *s = self.stream;
	const struct frame *f = &s->frames[i];
	struct sum_frame *to = &m->frame[i];

	set(&to->key, f->key);
	set(&to->time, f->time);
	set(&to->begin, begin);
	set(&to->inside, 0);
	__atomic_store_n(&to->sum, frame_recorded(s, f) ? sum_of(m, f->key) : NULL,
			 __ATOMIC_RELEASE);
	if (to->sum) {
		add(&to->sum->calls, called);
		add(&to->sum->open, 1);
		for (size_t under = called ? i : 0; under-- > 0;)
			if (m->frame[under].sum) {
				add(&m->frame[under].sum->children, 1);
				break;
			}
	}
	__atomic_store_n(&m->frame_n, i + 1, __ATOMIC_RELEASE);
}

static inline bool same(const struct sums *m, const struct frame *frames)
{
	const struct sum_frame *f = &m->frame[m->frame_n - 1];

	return f->key == frames[m->frame_n - 1].key && f->time == frames[m->frame_n - 1].time;
}

/* Ends frames that are no longer open, at `end`. */
static void frames_gone(struct sums *m, size_t depth, uint64_t end)
{
	while (m->frame_n && (m->frame_n > depth || !same(m, self.stream->frames)))
		pop(m, end);
}

static void frames_new(struct sums *m, size_t depth, uint64_t begin, bool called)
{
	while (m->frame_n < depth) {
		if (m->frame_n == m->frame_cap && !own_stack_run(self.stream, frames_larger, m))
			return;
		push(m, m->frame_n, begin ? begin : self.stream->frames[m->frame_n].time, called);
	}
}

void sums_follow(uint64_t now)
{
	size_t depth = (size_t)(self.top - self.stream->frames);
	struct sums *m = sums_get();

	if (!m || m->off_tick)
		return;
	turn(m);
	frames_gone(m, depth, now);
	frames_new(m, depth, 0, true);
	turn(m);
}

void sums_off(uint64_t now)
{
	struct sums *m = sums_get();

	if (m)
		set(&m->off_tick, now);
}

/* Frames that ended meanwhile ended when recording went off; frames that began meanwhile begin now and do not count as calls. */
void sums_on(uint64_t now)
{
	size_t depth = (size_t)(self.top - self.stream->frames);
	struct sums *m = sums_get();

	if (!m)
		return;
	turn(m);
	frames_gone(m, depth, m->off_tick ? m->off_tick : now);
	if (m->off_tick && m->frame_n && now > m->off_tick)
		add(&m->frame[m->frame_n - 1].inside, now - m->off_tick);
	set(&m->off_tick, 0);
	frames_new(m, depth, now, false);
	turn(m);
}

static inline void set_value(double *to, double value)
{
	__atomic_store(to, &value, __ATOMIC_RELEASE);
}

void sums_event(uint32_t event, double value)
{
	struct sums *m = sums_get();
	struct sum_event *e = m ? entry((void **)m->events, event, sizeof(*e)) : NULL;

	if (!e)
		return;
	turn(m);
	if (!e->n || value < e->min)
		set_value(&e->min, value);
	if (!e->n || value > e->max)
		set_value(&e->max, value);
	set_value(&e->sum, e->sum + value);
	set_value(&e->squares, e->squares + value * value);
	add(&e->n, 1);
	turn(m);
}
