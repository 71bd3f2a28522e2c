/*
 * map.c: memory that the program and its libraries take from the system themselves: mmap, mremap, munmap, brk, and segments
 * of System V.
 *
 * An allocator does the same, and hands it out in pieces; the pieces are what counts then. What the library does whose
 * malloc() is in use is not looked at, and libc's internal calls are not intercepted. Shared memory is what is mapped
 * MAP_SHARED without a file, or from a file system in memory (shm_open, memfd_create), or attached (shmat).
 *
 * A table of what is mapped, by address. Unmapping a part of something is a free of all and an allocation of what is left.
 */
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "area.h"
#include "block.h"
#include "budget.h"
#include "format.h"
#include "hints.h"
#include "library.h"
#include "map.h"
#include "own/own.h"
#include "real.h"
#include "stack.h"
#include "tau.h"
#include "thread.h"
#include "caller.h"

#define MAPS_MOST 65536u
#define TMPFS 0x01021994
#define HUGETLBFS 0x958458f6
#define PAGE 4096u
#define CALLER ((uintptr_t)__builtin_return_address(0))

enum map_kind { TAKEN_ALONE, TAKEN_OF_FILE, TAKEN_SHARED, TAKEN_BREAK };
static const char *const kinds_named[] = {"mapped", "mapped file", "shared", "break"};

struct mapping_table {
	uintptr_t begin, end;
	uintptr_t site; /* or a struct stack */
	uint32_t place; /* library_place() of the site */
	uint8_t kind, reported;
	uint16_t library;
};

int maps;
static struct mapping_table *map; /* by address, none over another */
static uint32_t map_n;
static int map_lock;

/* ---- events ---- */

static uint32_t map_memtype(const struct mapping_table *m)
{
	struct stack *stack = stacks ? (struct stack *)m->site : NULL;
	char name[96];
	size_t n = strlen(kinds_named[m->kind]);

	memcpy(name, kinds_named[m->kind], n);
	memcpy(name + n, " [", 2);
	n += 2;
	memcpy(name + n, library_get(m->library)->name, strlen(library_get(m->library)->name));
	n += strlen(library_get(m->library)->name);
	memcpy(name + n, "]", 2);
	return tau_memtype_in(name, 0, TAU_MEM_CLASS | TAU_MEM_MAPPED, 0,
			      library_get(m->library)->name,
			      stack ? stack->pc[stack->n - 1] : m->site,
			      stack ? stack_number(stack) : 0, m->place);
}

static void map_report(struct mapping_table *m, int there)
{
	if (!recording || (!there && !m->reported))
		return;
	if (there)
		tau_mem_alloc(map_memtype(m), m->end - m->begin);
	else
		tau_mem_free(map_memtype(m), m->end - m->begin);
	m->reported = (uint8_t)there;
}

static void map_report_all(void)
{
	uint32_t i;

	if (!maps)
		return;
	lock_acquire(&map_lock);
	for (i = 0; i < map_n; i++)
		if (!map[i].reported)
			map_report(&map[i], 1);
	lock_release(&map_lock);
}

/* ---- the table; the lock is held ---- */

/* The first that ends after the address. */
static uint32_t map_find(uintptr_t address)
{
	uint32_t low = 0, high = map_n;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (map[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void map_insert(uint32_t i, struct mapping_table m)
{
	if (map_n == MAPS_MOST) {
		tally_add(&tally.untracked);
		return;
	}
	memmove(&map[i + 1], &map[i], (map_n - i) * sizeof(*map));
	map_n++;
	map[i] = m;
	map_report(&map[i], 1);
}

/* What was mapped there is no more. */
static void map_cut(uintptr_t begin, uintptr_t end)
{
	uint32_t i = map_find(begin);

	while (i < map_n && map[i].begin < end) {
		struct mapping_table left = map[i], right = map[i];

		map_report(&map[i], 0);
		map_n--;
		memmove(&map[i], &map[i + 1], (map_n - i) * sizeof(*map));
		left.end = begin;
		right.begin = end;
		left.reported = right.reported = 0;
		if (left.begin < left.end)
			map_insert(i++, left);
		if (right.begin < right.end)
			map_insert(i++, right);
	}
}

/* ---- who asks, and for what ---- */

/* Not the recorder itself, nor an allocator whose pieces are counted. */
static int concerns(uintptr_t caller, unsigned *library)
{
	static unsigned allocator;

	if (likely(!maps) || tau_stranger() || is_busy() || ready < 3 || tau_inside() ||
	    (self.slot && self.slot->gate))
		return 0;
	busy_begin();
	*library = library_of(caller - 1);
	if (!allocator)
		allocator = library_of((uintptr_t)real.malloc);
	busy_end();
	return *library != allocator && strncmp(library_get(*library)->name, "libtau", 6) != 0;
}

static enum map_kind kind_of(int flags, int fd)
{
	struct statfs s;

	if (flags & MAP_ANONYMOUS)
		return flags & MAP_SHARED ? TAKEN_SHARED : TAKEN_ALONE;
	if (system_call(SYS_fstatfs, fd, &s) == 0 && (s.f_type == TMPFS || s.f_type == HUGETLBFS))
		return TAKEN_SHARED;
	return TAKEN_OF_FILE;
}

/* Something is mapped where something else may have been; both ends at pages. */
static void map_enter(uintptr_t at, size_t bytes, enum map_kind kind, uintptr_t caller,
		      unsigned library)
{
	struct mapping_table m = {.begin = at,
				  .end = at + ((bytes + PAGE - 1) & ~(size_t)(PAGE - 1)),
				  .kind = (uint8_t)kind,
				  .library = (uint16_t)library};
	int e = errno;

	if (!recording && !census_only && tau_active())
		recording_begin();
	busy_begin();
	m.site = stacks ? (uintptr_t)stack_here(caller) : sites ? caller : 0;
	m.place = m.site ? library_place(caller - 1) : 0;
	lock_acquire(&map_lock);
	map_cut(m.begin, m.end);
	if (likely(!passing))
		map_insert(map_find(m.begin), m);
	lock_release(&map_lock);
	busy_end();
	errno = e;
}

static void map_leave(uintptr_t at, size_t bytes)
{
	int e = errno;

	busy_begin();
	lock_acquire(&map_lock);
	map_cut(at, at + ((bytes + PAGE - 1) & ~(size_t)(PAGE - 1)));
	lock_release(&map_lock);
	busy_end();
	errno = e;
}

/* What an address is in; all 0: nothing that is known. */
static struct mapping_table map_at(uintptr_t address)
{
	struct mapping_table found = {0};
	uint32_t i;

	busy_begin();
	lock_acquire(&map_lock);
	i = map_find(address);
	if (i < map_n && map[i].begin <= address)
		found = map[i];
	lock_release(&map_lock);
	busy_end();
	return found;
}

static int watched(void)
{
	return maps && !tau_stranger() && !is_busy() && ready == 3 && !tau_inside() &&
	       !(self.slot && self.slot->gate);
}

/* ---- the interposed functions ---- */

static inline void *map_any(void *at, size_t bytes, int protection, int flags, int fd, off_t offset,
			    uintptr_t caller)
{
	unsigned library;
	void *p;

	if (real.mmap)
		p = real.mmap(at, bytes, protection, flags, fd, offset);
	else
		p = (void *)system_call(SYS_mmap, at, bytes, protection, flags, fd, offset);
	if (unlikely(maps) && p != MAP_FAILED && concerns(caller, &library))
		map_enter((uintptr_t)p, bytes, kind_of(flags, fd), caller, library);
	return p;
}

EXPORT void *mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	return map_any(at, bytes, protection, flags, fd, offset, CALLER);
}

EXPORT void *mmap64(void *at, size_t bytes, int protection, int flags, int fd, off64_t offset)
{
	return map_any(at, bytes, protection, flags, fd, offset, CALLER);
}

/* Out of the table before it is gone: another thread may be given the same address at once. */
EXPORT int munmap(void *at, size_t bytes)
{
	if (unlikely(maps) && watched() && !((uintptr_t)at & (PAGE - 1)))
		map_leave((uintptr_t)at, bytes);
	return real.munmap ? real.munmap(at, bytes) : (int)system_call(SYS_munmap, at, bytes);
}

EXPORT void *mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...)
{
	struct mapping_table was;
	unsigned library;
	va_list args;
	void *to, *p;

	va_start(args, flags);
	to = flags & MREMAP_FIXED ? va_arg(args, void *) : NULL;
	va_end(args);
	p = (void *)system_call(SYS_mremap, old, old_bytes, bytes, flags, to);
	if (likely(!maps) || p == MAP_FAILED || !concerns(CALLER, &library))
		return p;
	was = map_at((uintptr_t)old);
	if (!was.end)
		return p;
	if (old_bytes)
		map_leave((uintptr_t)old, old_bytes);
	map_enter((uintptr_t)p, bytes, was.kind, CALLER, library);
	return p;
}

static void break_seen(uintptr_t before, uintptr_t now, uintptr_t caller, unsigned library)
{
	if (now > before)
		map_enter(before, now - before, TAKEN_BREAK, caller, library);
	else if (now < before)
		map_leave(now, before - now);
}

EXPORT void *sbrk(intptr_t more)
{
	unsigned library;
	void *p;

	if (unlikely(!real.sbrk)) {
		errno = ENOMEM;
		return (void *)-1;
	}
	p = real.sbrk(more);
	if (unlikely(maps) && more && p != (void *)-1 && concerns(CALLER, &library))
		break_seen((uintptr_t)p, (uintptr_t)p + (uintptr_t)more, CALLER, library);
	return p;
}

EXPORT int brk(void *end)
{
	unsigned library;
	void *before;

	if (unlikely(!real.sbrk || !real.brk)) {
		errno = ENOMEM;
		return -1;
	}
	before = real.sbrk(0);
	if (real.brk(end))
		return -1;
	if (unlikely(maps) && before != (void *)-1 && concerns(CALLER, &library))
		break_seen((uintptr_t)before, (uintptr_t)end, CALLER, library);
	return 0;
}

EXPORT void *shmat(int id, const void *at, int flags)
{
	void *p = (void *)system_call(SYS_shmat, id, at, flags);
	struct shmid_ds s;
	unsigned library;

	if (unlikely(maps) && p != (void *)-1 && concerns(CALLER, &library) &&
	    system_call(SYS_shmctl, id, IPC_STAT, &s) == 0)
		map_enter((uintptr_t)p, s.shm_segsz, TAKEN_SHARED, CALLER, library);
	return p;
}

EXPORT int shmdt(const void *at)
{
	struct mapping_table m;
	int result = (int)system_call(SYS_shmdt, at);

	if (likely(!maps) || result || !watched())
		return result;
	m = map_at((uintptr_t)at);
	if (m.begin == (uintptr_t)at)
		map_leave(m.begin, m.end - m.begin);
	return result;
}

/*
 * Called with the first piece that an allocator (the symmetric heap) hands out of its mapping: the
 * pieces count, so the mapping does not.
 */
EXPORT void tau_mapped_piece(const void *piece)
{
	struct mapping_table m;

	if (!watched())
		return;
	m = map_at((uintptr_t)piece);
	if (m.end)
		map_leave(m.begin, m.end - m.begin);
}

/* In the child of a fork: it has what its parent mapped, and has mapped nothing itself. */
void map_forget(void)
{
	map_lock = 0;
	map_n = 0;
}

int map_init(void)
{
	map = area_map(MAPS_MOST * sizeof(*map));
	maps = map != NULL;
	recording_begun = maps ? map_report_all : NULL;
	return maps ? 0 : -1;
}
