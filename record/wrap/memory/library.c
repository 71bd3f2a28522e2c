/*
 * library.c: which loaded object an address belongs to.
 *
 * A sorted table of all segments. Where something is allocated or constructed the linker's lock may
 * not be waited for: the thread that has it may wait for a lock of our caller. There a library that
 * is not in the table is found without a lock and added (tau_object). The whole table is made with
 * dl_iterate_phdr, which takes that lock: when the process starts, after a dlclose, and for a
 * census. No lock of ours is held around it.
 *
 * A new table is built beside the old one and published with one store. Old tables stay mapped,
 * because another thread may be reading them; there is one for each dlopen call that loaded an
 * allocating library. dlopen itself is not wrapped: that would change its caller.
 */
#include <link.h>
#include <string.h>
#include <unistd.h>
#include <errno.h>
#include "area.h"
#include "hints.h"
#include "library.h"
#include "tau.h"


static struct library *libraries;
static unsigned library_n = 1;	/* 0 is "unknown" */
static int library_lock;
static struct library_segments *current;

/* Libraries that are MPI, OpenSHMEM or PMIx, or come with them, by how their names begin; the first row counts. */
static const struct {
	const char *name;
	uint8_t flags;
} runtime_names[] = {
	{ "libmpich", LIBRARY_RUNTIME | LIBRARY_MPICH },
	{ "libmpifort", LIBRARY_RUNTIME | LIBRARY_MPICH },
	{ "libmpi.so.12", LIBRARY_RUNTIME | LIBRARY_MPICH },
	{ "libmpi", LIBRARY_RUNTIME },
	{ "libopen-pal.", LIBRARY_RUNTIME },
	{ "libopen-rte.", LIBRARY_RUNTIME },
	{ "liboshmem.", LIBRARY_RUNTIME },
	{ "libmca_", LIBRARY_RUNTIME },
	{ "libompitrace.", LIBRARY_RUNTIME },
	{ "mca_", LIBRARY_RUNTIME },
	{ "libevent", LIBRARY_RUNTIME },
	{ "libhwloc.", LIBRARY_RUNTIME },
	{ "libpmix.", LIBRARY_RUNTIME | LIBRARY_PMIX },
	{ "pmix_mca_", LIBRARY_RUNTIME | LIBRARY_PMIX },
};

static uint8_t library_flags(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(runtime_names) / sizeof(*runtime_names); i++)
		if (!strncmp(name, runtime_names[i].name, strlen(runtime_names[i].name)))
			return runtime_names[i].flags;
	return 0;
}

static struct library *library_table(void)
{
	struct library *t = __atomic_load_n(&libraries, __ATOMIC_ACQUIRE), *none = NULL;

	if (t)
		return t;
	t = area_map(LIBRARY_MAX * sizeof(*t));
	if (!t)
		return NULL;
	memcpy(t[0].name, "unknown", sizeof("unknown"));
	if (!__atomic_compare_exchange_n(&libraries, &none, t, 0, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE)) {
		area_unmap(t, LIBRARY_MAX * sizeof(*t));
		t = none;
	}
	return t;
}

/* The number of a name; the same name keeps its number when it is loaded again. */
static unsigned library_number(const char *name)
{
	struct library *t = library_table();
	unsigned i = 0;

	if (!t)
		return 0;
	lock_acquire(&library_lock);
	for (i = 1; i < library_n; i++)
		if (!strncmp(t[i].name, name, sizeof(t[i].name) - 1))
			break;
	if (i == library_n) {
		if (i < LIBRARY_MAX) {
			memcpy(t[i].name, name, strnlen(name, sizeof(t[i].name) - 1));
			t[i].flags = library_flags(name);
			library_n++;
		} else {
			i = 0;
		}
	}
	lock_release(&library_lock);
	return i;
}

struct library *library_get(unsigned library)
{
	static struct library none = { .name = "unknown" };
	struct library *t = library_table();

	return t ? &t[library] : &none;
}

int library_any_flags(void)
{
	struct library *t = library_table();
	unsigned i;

	for (i = 1; t && i < library_n; i++)
		if (t[i].flags)
			return 1;
	return 0;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* dl_iterate_phdr names the program "". */
static const char *program_name(char *buffer, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", buffer, size - 1);

	if (n <= 0)
		return "program";
	buffer[n] = 0;
	return base_name(buffer);
}

struct library_build {
	struct library_segments *s; /* NULL while counting */
	const struct library_segments *before;
	size_t room;
	size_t n;
	uint64_t adds, subs;
};

static const struct library_segment *segments_find(const struct library_segments *s,
						   uintptr_t address);

/* Is it the object that was there before? Then its segments are the same, too. */
static const struct library_segment *known_before(const struct library_segments *before,
						  const struct dl_phdr_info *i, uintptr_t begin)
{
	const struct library_segment *s = segments_find(before, begin);
	const char *name;

	if (!s || s->begin != begin || s->base != i->dlpi_addr || s->headers != i->dlpi_phdr)
		return NULL;
	if (!i->dlpi_name || !*i->dlpi_name)
		return s;
	name = library_get(s->library)->name;
	return strncmp(name, base_name(i->dlpi_name), LIBRARY_NAME - 1) ? NULL : s;
}

static unsigned library_of_object(const struct dl_phdr_info *i)
{
	char buffer[4096];

	return library_number(i->dlpi_name && *i->dlpi_name
				      ? base_name(i->dlpi_name)
				      : program_name(buffer, sizeof(buffer)));
}

static int summary_build_one(struct dl_phdr_info *i, size_t size, void *arg)
{
	struct library_build *g = arg;
	unsigned library = 0, p;

	if (size < sizeof(*i))
		return 1;
	g->adds = i->dlpi_adds;
	g->subs = i->dlpi_subs;
	for (p = 0; p < i->dlpi_phnum; p++) {
		const ElfW(Phdr) *h = &i->dlpi_phdr[p];
		uintptr_t begin = i->dlpi_addr + h->p_vaddr;
		const struct library_segment *known;

		if (h->p_type != PT_LOAD || !h->p_memsz)
			continue;
		if (g->s && g->n < g->room) {
			known = known_before(g->before, i, begin);
			if (!library)
				library = known ? known->library : library_of_object(i);
			g->s->at[g->n] = (struct library_segment){
				begin,         begin + h->p_memsz,
				library,       !!(h->p_flags & PF_W),
				i->dlpi_addr,  i->dlpi_phdr,
				i->dlpi_phnum, known ? known->place : 0,
			};
		}
		g->n++;
	}
	return 0;
}

static int filter_counts(struct dl_phdr_info *i, size_t size, void *arg)
{
	struct library_build *g = arg;

	if (size >= sizeof(*i)) {
		g->adds = i->dlpi_adds;
		g->subs = i->dlpi_subs;
	}
	return 1;
}

/* Shell sort: a few hundred rows, and libc's qsort may allocate. */
static void segments_sort(struct library_segments *s)
{
	unsigned gap, i, j;

	for (gap = s->n / 2; gap; gap /= 2)
		for (i = gap; i < s->n; i++) {
			struct library_segment t = s->at[i];

			for (j = i; j >= gap && s->at[j - gap].begin > t.begin; j -= gap)
				s->at[j] = s->at[j - gap];
			s->at[j] = t;
		}
}

static struct library_segments *segments_make(const struct library_segments *before)
{
	struct library_build g = {.before = before};
	struct library_segments *s;
	size_t bytes;

	/* Loaded between the two walks: the second finds no room, and the next miss adds it. */
	dl_iterate_phdr(summary_build_one, &g);
	bytes = sizeof(*s) + (g.n + 16) * sizeof(s->at[0]);
	s = area_map(bytes);
	if (!s)
		return NULL;
	g.room = g.n + 16;
	g.n = 0;
	g.s = s;
	dl_iterate_phdr(summary_build_one, &g);
	s->n = g.n < g.room ? g.n : g.room;
	s->adds = g.adds;
	s->subs = g.subs;
	s->bytes = bytes;
	segments_sort(s);
	return s;
}

const struct library_segments *segments_now(void)
{
	struct library_segments *old = __atomic_load_n(&current, __ATOMIC_ACQUIRE), *s;
	struct library_build g = {0};

	dl_iterate_phdr(filter_counts, &g);
	if (old && old->adds == g.adds && old->subs == g.subs)
		return old;
	s = segments_make(old);
	if (!s)
		return old;
	__atomic_store_n(&current, s, __ATOMIC_RELEASE);
	return s;
}

/* Is the object of a segment still loaded? Found without the linker's lock. */
static int is_loaded(const struct library_segment *s)
{
	struct tau_object o;

	return tau_object(s->begin, &o) > 0 && o.base == s->base && o.headers == s->headers;
}

/* What was in the table before and is not now. */
static size_t segments_missing(const struct library_segments *before,
			       const struct library_segments *now, struct code_gone *range,
			       size_t most)
{
	uintptr_t base = 0;
	size_t n = 0;
	unsigned i, k = 0;

	for (i = 0; before && before != now && i < before->n; i++) {
		const struct library_segment *was = &before->at[i];

		while (k < now->n && now->at[k].begin < was->begin)
			k++;
		if (k < now->n && now->at[k].begin == was->begin && now->at[k].base == was->base &&
		    now->at[k].library == was->library)
			continue;
		if (n && (was->base == base || n == most))
			range[n - 1].end = was->end;
		else
			range[n++] = (struct code_gone){was->begin, was->end};
		base = was->base;
	}
	return n;
}

/*
 * Makes the segments of what was unloaded empty: none is found then, and the others stay in order. n: how many ranges there are
 * already. Returns how many there are then.
 */
static size_t segments_empty(struct library_segments *s, struct code_gone *range, size_t n,
			     size_t most)
{
	const struct library_segment *last = NULL;
	uintptr_t base = 0, end;
	int loaded = 0;
	unsigned i;

	for (i = 0; i < s->n; i++) {
		struct library_segment *of = &s->at[i];

		if (__atomic_load_n(&of->end, __ATOMIC_RELAXED) == of->begin)
			continue;
		if (!last || last->base != of->base)
			loaded = is_loaded(of);
		last = of;
		if (loaded)
			continue;
		end = __atomic_exchange_n(&of->end, of->begin, __ATOMIC_ACQ_REL);
		if (end == of->begin)	/* by another thread that unloads */
			continue;
		if (n && (of->base == base || n == most))
			range[n - 1].end = end;
		else
			range[n++] = (struct code_gone){of->begin, end};
		base = of->base;
	}
	return n;
}

size_t segments_drop(const struct library_segments *before, struct code_gone *range, size_t most)
{
	struct library_segments *s = __atomic_load_n(&current, __ATOMIC_ACQUIRE), *now = s;
	struct tau_object o;
	size_t n = 0;

	if (!s || !tau_object || tau_object((uintptr_t)segments_drop, &o) < 0)
		return segments_missing(before, segments_now(), range, most);
	/* A thread that adds an object meanwhile may have copied what was not yet empty. */
	do {
		s = now;
		n = segments_empty(s, range, n, most);
		now = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
	} while (now != s);
	return n;
}

static const struct library_segment *segments_find(const struct library_segments *s,
						   uintptr_t address)
{
	unsigned low = 0, high = s ? s->n : 0;

	while (low < high) {
		unsigned mid = (low + high) / 2;

		if (s->at[mid].end <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return s && low < s->n && s->at[low].begin <= address ? &s->at[low] : NULL;
}

/* The table with the object that an address is in, instead of what stood there before. NULL without memory. */
static struct library_segments *segments_with(const struct library_segments *old,
					      const struct tau_object *o)
{
	struct dl_phdr_info info = {.dlpi_addr = o->base,
				    .dlpi_name = o->name,
				    .dlpi_phdr = o->headers,
				    .dlpi_phnum = (ElfW(Half))o->header_n};
	struct library_build g = {.room = o->header_n};
	size_t bytes = sizeof(*old) + ((old ? old->n : 0) + o->header_n) * sizeof(old->at[0]);
	struct library_segments *s = area_map(bytes);
	unsigned i, k;

	if (!s)
		return NULL;
	g.s = s;
	summary_build_one(&info, sizeof(info), &g);
	s->n = (unsigned)g.n;
	for (i = 0; old && i < old->n; i++) {
		for (k = 0; k < g.n; k++)
			if (old->at[i].begin < s->at[k].end && s->at[k].begin < old->at[i].end)
				break;
		if (k == g.n && old->at[i].begin < old->at[i].end)
			s->at[s->n++] = old->at[i];
	}
	s->adds = old ? old->adds : 0;
	s->subs = old ? old->subs : 0;
	s->bytes = bytes;
	segments_sort(s);
	return s;
}

/* An object that is not in the table is added. The segment, NULL: there is none. */
static const struct library_segment *segments_add(uintptr_t address)
{
	struct library_segments *old, *s;
	struct tau_object o;
	int found = tau_object ? tau_object(address, &o) : -1;

	if (found < 0)
		return segments_find(segments_now(), address);
	while (found) {
		old = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
		s = segments_with(old, &o);
		if (!s)
			return NULL;
		if (__atomic_compare_exchange_n(&current, &old, s, 0, __ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE))
			return segments_find(s, address);
		area_unmap(s, s->bytes);
	}
	return NULL;
}

const struct library_segments *segments_known(void)
{
	return __atomic_load_n(&current, __ATOMIC_ACQUIRE);
}

const struct library_segment *segment_known(uintptr_t address)
{
	return segments_find(segments_known(), address);
}

const struct library_segment *segment_of(uintptr_t address)
{
	const struct library_segment *found = segment_known(address);

	return found ? found : segments_add(address);
}

uint32_t library_place(uintptr_t address)
{
	struct library_segment *s = (struct library_segment *)segment_of(address);
	uint32_t place = s ? __atomic_load_n(&s->place, __ATOMIC_RELAXED) : 0;

	if (unlikely(s && !place && tau_place)) {
		place = tau_place(address);
		__atomic_store_n(&s->place, place, __ATOMIC_RELAXED);
	}
	return place;
}

unsigned library_of(uintptr_t address)
{
	const struct library_segment *s = segment_of(address);

	return s ? s->library : 0;
}
