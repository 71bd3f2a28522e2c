/* live.c: the table of live blocks: a shadow for those with a kind, hashed shards for the others. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "area.h"
#include "hints.h"
#include "kind.h"
#include "live.h"
#include "own/own.h"
#include "tau.h"

#define SHARDS 64
#define SHARD_FIRST 8	/* slots of a shard at first; always a power of two */
#define SHARD_PAGE 128	/* then */
#define REGION_BYTES (LIVE_CELLS * sizeof(uint16_t))
#define PAGE 4096u
#define REGION_PAGES (REGION_BYTES / PAGE)

struct shard {
	int lock;
	uint32_t n;
	size_t slots;
	struct live_block *at;	/* open addressing, linear; address 0 = free */
	char pad[64 - 24];
};

uint16_t **live_regions;
static struct shard shards[SHARDS];
/* Regions in use: walks skip the others. */
static uint32_t *region_list;
static uint32_t region_n;

int live_init(void)
{
	if (!live_regions)
		live_regions = area_map(LIVE_REGIONS * sizeof(*live_regions));
	if (!region_list)
		region_list = area_map(LIVE_REGIONS * sizeof(*region_list));
	return live_regions && region_list ? 0 : -1;
}

/* Maps the shadow of the region of an address; NULL without memory. */
static uint16_t *region_make(uintptr_t address)
{
	uint32_t number = address >> LIVE_REGION_SHIFT;
	uint16_t *fresh = area_map(REGION_BYTES), *none = NULL;

	if (!fresh)
		return NULL;
	if (!__atomic_compare_exchange_n(&live_regions[number], &none, fresh, 0, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE)) {
		area_unmap(fresh, REGION_BYTES);
		return none;
	}
	region_list[__atomic_fetch_add(&region_n, 1, __ATOMIC_ACQ_REL)] = number;
	return fresh;
}

static uint64_t mix(uintptr_t address)
{
	return (address >> 3) * 0x9e3779b97f4a7c15ULL;
}

static struct shard *shard_of(uintptr_t address)
{
	return &shards[mix(address) >> 58];
}

static size_t home(const struct shard *s, uintptr_t address)
{
	return (mix(address) >> 20) & (s->slots - 1);
}

/* Slot of the address, or the free one where it belongs. */
static size_t probe(const struct shard *s, uintptr_t address)
{
	size_t i = home(s, address);

	while (s->at[i].address && s->at[i].address != address)
		i = (i + 1) & (s->slots - 1);
	return i;
}

static int shard_grow(struct shard *s)
{
	struct shard bigger = *s;
	size_t i;

	bigger.slots = s->slots > SHARD_FIRST ? s->slots * 2 : s->slots ? SHARD_PAGE : SHARD_FIRST;
	bigger.at = s->slots ? area_map(bigger.slots * sizeof(*bigger.at))
			     : area_bytes(bigger.slots * sizeof(*bigger.at));
	if (!bigger.at)
		return -1;
	for (i = 0; i < s->slots; i++)
		if (s->at[i].address)
			bigger.at[probe(&bigger, s->at[i].address)] = s->at[i];
	if (s->slots > SHARD_FIRST)
		area_unmap(s->at, s->slots * sizeof(*s->at));
	s->slots = bigger.slots;
	s->at = bigger.at;
	return 0;
}

static int put_hashed(const struct live_block *b, struct live_block *old)
{
	struct shard *s = shard_of(b->address);
	int result = 0;
	size_t i;

	lock_acquire(&s->lock);
	if ((s->n + 1) * 3ull <= s->slots * 2ull || shard_grow(s) == 0 || s->n + 1 < s->slots) {
		i = probe(s, b->address);
		result = 1;
		if (s->at[i].address) {
			*old = s->at[i];
			result = 2;
		} else {
			s->n++;
		}
		s->at[i] = *b;
	}
	lock_release(&s->lock);
	return result;
}

/* A block with a kind into its cell. 0: it has no cell, or there is another block in the same 32 bytes. */
static int put_cell(const struct live_block *b)
{
	uint16_t *cell;

	if (!b->kind || (b->address & 15) || b->address >> 47)
		return 0;
	cell = live_cell(b->address);
	if (!cell && region_make(b->address))
		cell = live_cell(b->address);
	if (!cell || *cell)
		return 0;
	__atomic_store_n(cell, live_cell_value(b->address, b->kind), __ATOMIC_RELEASE);
	return 1;
}

static int pop_hashed(uintptr_t address, struct live_block *out);

int live_put(const struct live_block *b, struct live_block *old)
{
	uint16_t *cell = live_cell(b->address);
	int lost;

	if (cell && live_cell_kind(cell, b->address)) /* its free was never seen */
		return live_detach(b->address, old) && live_put(b, old) ? 2 : 0;
	lost = pop_hashed(b->address, old);
	if (put_cell(b))
		return lost ? 2 : 1;
	return put_hashed(b, old) ? lost ? 2 : 1 : 0;
}

/* Closes the hole at i: moves back what was pushed past it. */
static void shard_remove(struct shard *s, size_t i)
{
	size_t j = i;

	for (;;) {
		size_t h;

		j = (j + 1) & (s->slots - 1);
		if (!s->at[j].address)
			break;
		h = home(s, s->at[j].address);
		if (((j - h) & (s->slots - 1)) >= ((j - i) & (s->slots - 1))) {
			s->at[i] = s->at[j];
			i = j;
		}
	}
	s->at[i].address = 0;
	s->n--;
}

static int pop_hashed(uintptr_t address, struct live_block *out)
{
	struct shard *s = shard_of(address);
	int found = 0;
	size_t i;

	if (!__atomic_load_n(&s->n, __ATOMIC_ACQUIRE))
		return 0;
	lock_acquire(&s->lock);
	if (s->n) {
		i = probe(s, address);
		if (s->at[i].address) {
			*out = s->at[i];
			shard_remove(s, i);
			found = 1;
		}
	}
	lock_release(&s->lock);
	return found;
}

static struct live_block of_kind(uintptr_t address, uint32_t kind)
{
	return (struct live_block){ address, kinds[kind].size, kinds[kind].node, kind };
}

int live_detach(uintptr_t address, struct live_block *out)
{
	uint16_t *cell = live_cell(address);
	uint32_t kind = cell ? live_cell_kind(cell, address) : 0;

	if (likely(kind)) {
		__atomic_store_n(cell, 0, __ATOMIC_RELAXED);
		*out = of_kind(address, kind);
		return 1;
	}
	return pop_hashed(address, out);
}

int live_find(uintptr_t address, struct live_block *out)
{
	uint16_t *cell = live_cell(address);
	uint32_t kind = cell ? live_cell_kind(cell, address) : 0;
	struct shard *s = shard_of(address);
	int found = 0;
	size_t i;

	if (kind) {
		*out = of_kind(address, kind);
		return 1;
	}
	if (!__atomic_load_n(&s->n, __ATOMIC_ACQUIRE))
		return 0;
	lock_acquire(&s->lock);
	if (s->n) {
		i = probe(s, address);
		*out = s->at[i];
		found = s->at[i].address != 0;
	}
	lock_release(&s->lock);
	return found;
}

int live_hashed(uintptr_t address)
{
	struct shard *s = shard_of(address);
	int found = 0;

	if (!__atomic_load_n(&s->n, __ATOMIC_ACQUIRE))
		return 0;
	lock_acquire(&s->lock);
	if (s->n)
		found = s->at[probe(s, address)].address != 0;
	lock_release(&s->lock);
	return found;
}

int live_retype(uintptr_t address, uint32_t node)
{
	uint16_t *cell = live_cell(address);
	uint32_t kind = cell ? live_cell_kind(cell, address) : 0, changed;
	struct live_block b, none;
	uint16_t was;

	changed = kind ? kind_get(node, kinds[kind].size) : 0;
	if (likely(changed)) {
		/* Another thread may free it meanwhile: then it is not live. */
		was = live_cell_value(address, kind);
		return __atomic_compare_exchange_n(cell, &was, live_cell_value(address, changed),
						   0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	}
	if (!live_detach(address, &b))
		return 0;
	b.node = node;
	b.kind = kind_get(node, b.size);
	return live_put(&b, &none) != 0;
}

#define CELLS_AT_ONCE (sizeof(uint64_t) / sizeof(uint16_t))

/* One page of a region's shadow, known to be in memory. */
static int walk_page(uint32_t number, unsigned page, int (*f)(void *, const struct live_block *),
		     void *arg)
{
	unsigned cells = PAGE / sizeof(uint16_t), i;
	uintptr_t base = ((uintptr_t)number << LIVE_REGION_SHIFT) +
			 ((uintptr_t)page * cells << LIVE_CELL_SHIFT);
	const uint16_t *cell = live_regions[number] + (size_t)page * cells;
	struct live_block b;
	uint64_t some;

	for (i = 0; i < cells; i++) {
		if (i % CELLS_AT_ONCE == 0) {
			memcpy(&some, cell + i, sizeof(some));
			i += some ? 0 : CELLS_AT_ONCE - 1;
		}
		if (!cell[i])
			continue;
		b = of_kind(base + ((uintptr_t)i << LIVE_CELL_SHIFT) +
				    ((uintptr_t)(cell[i] & 1) << (LIVE_CELL_SHIFT - 1)),
			    cell[i] >> 1);
		if (f(arg, &b))
			return 1;
	}
	return 0;
}

/*
 * Which pages of a region exist, in memory or swapped out: looking at those is far cheaper than touching all. Without an
 * answer from the kernel, all. The system calls are raw ones: other wrappers must not take them for the program's.
 */
static void pages_of(uint32_t number, unsigned char *exists)
{
	uint64_t entry[512];
	off_t first = (off_t)((uintptr_t)live_regions[number] / PAGE);
	unsigned i, j;
	long fd = system_call(SYS_openat, AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC, 0),
	     n;

	for (i = 0; i < REGION_PAGES; i += 512) {
		n = fd < 0 ? -1
			   : system_call(SYS_pread64, fd, entry, sizeof(entry), (first + i) * 8);
		tau_own_read(n);
		if (n != sizeof(entry))
			memset(entry, 0xff, sizeof(entry));
		for (j = 0; j < 512; j++)
			exists[i + j] = entry[j] >> 62 != 0;
	}
	if (fd >= 0)
		system_call(SYS_close, fd);
}

static int walk_region(uint32_t number, int (*f)(void *, const struct live_block *), void *arg)
{
	unsigned char exists[REGION_PAGES];
	unsigned i;
	int e = errno;

	pages_of(number, exists);
	errno = e;
	for (i = 0; i < REGION_PAGES; i++)
		if (exists[i] && walk_page(number, i, f, arg))
			return 1;
	return 0;
}

/* The lowest region from this number on; LIVE_REGIONS: there is none. */
static uint32_t region_from(uint32_t number)
{
	uint32_t r, regions = __atomic_load_n(&region_n, __ATOMIC_ACQUIRE), least = LIVE_REGIONS;

	for (r = 0; r < regions; r++)
		if (region_list[r] >= number && region_list[r] < least)
			least = region_list[r];
	return least;
}

int live_walk(int (*f)(void *arg, const struct live_block *b), void *arg)
{
	uint32_t r;
	unsigned i;
	size_t j;

	for (r = 0; (r = region_from(r)) < LIVE_REGIONS; r++)
		if (walk_region(r, f, arg))
			return 1;
	for (i = 0; i < SHARDS; i++)
		for (j = 0; j < shards[i].slots; j++)
			if (shards[i].at[j].address && f(arg, &shards[i].at[j]))
				return 1;
	return 0;
}

void live_clear(void)
{
	uint32_t r;
	unsigned i;
	int e = errno;

	for (r = 0; r < region_n; r++)
		if (live_regions[region_list[r]])
			madvise(live_regions[region_list[r]], REGION_BYTES, MADV_DONTNEED);
	for (i = 0; i < SHARDS; i++) {
		/* A thread of the parent may have been inside: its arrays are left alone, not trusted. */
		shards[i] = (struct shard){ 0 };
	}
	errno = e;
}
