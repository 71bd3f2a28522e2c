/*
 * class.c: class descriptors of Open MPI and PMIx, registered or found, and the class of an object.
 *
 * Every descriptor that is initialized is copied here before the first object of the class is built (construct.c). In builds
 * without debugging an object of Open MPI begins with the address of its descriptor; PMIx 4.2 puts a mutex in front. OBJ_RELEASE
 * does not clear it, so it can be read until the free.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include "area.h"
#include "class.h"
#include "hints.h"
#include "library.h"
#include "own/own.h"
#include "census_read.h"

#define HASH (CLASS_MAX * 2)
#define NAME_MAX_LENGTH 200
#define DEPTH_MAX 32

struct class *classes;
unsigned class_n;
size_t class_largest;
unsigned family_offset[FAMILIES] = { 0, sizeof(pthread_mutex_t) };
static const char *const family_root[FAMILIES] = { "opal_object_t", "pmix_object_t" };
static uint16_t *hash;
static int class_lock;
static void (*library_found)(unsigned library);
/* All descriptors are between these: most words are not, and are dismissed without a look at the table. */
static uintptr_t lowest = UINTPTR_MAX, highest;

int class_init(void (*found)(unsigned library))
{
	library_found = found;
	if (!classes)
		classes = area_map(CLASS_MAX * sizeof(*classes));
	if (!hash)
		hash = area_map(HASH * sizeof(*hash));
	return classes && hash ? 0 : -1;
}

static uint32_t class_slot(const void *descriptor)
{
	uint32_t at = (uint32_t)(((uintptr_t)descriptor >> 4) * 0x9e3779b97f4a7c15ULL >> 51);
	uint16_t c;

	for (; (c = __atomic_load_n(&hash[at & (HASH - 1)], __ATOMIC_ACQUIRE)); at++)
		if (classes[c].descriptor == descriptor)
			break;
	return at & (HASH - 1);
}

unsigned class_find(const void *descriptor)
{
	uintptr_t d = (uintptr_t)descriptor;
	unsigned c;

	if (likely(d < __atomic_load_n(&lowest, __ATOMIC_RELAXED) ||
		   d > __atomic_load_n(&highest, __ATOMIC_RELAXED)))
		return 0;
	c = __atomic_load_n(&hash[class_slot(descriptor)], __ATOMIC_ACQUIRE);
	return c && !classes[c].dead ? c : 0;
}

/* The lock is held. The class is filled before it can be found. */
static unsigned class_enter(const struct descriptor *where, const struct descriptor *d,
			    const char *name, unsigned family, unsigned parent)
{
	uint32_t at = class_slot(where);
	unsigned c = hash[at];
	size_t length = strlen(name);
	char *copy;

	if (c && !strcmp(classes[c].name, name) && classes[c].size == d->size) {
		classes[c].dead = 0;
		return c;
	}
	copy = area_bytes(length + 1);
	if (!copy || class_n + 1 >= CLASS_MAX)
		return 0;
	memcpy(copy, name, length + 1);
	c = class_n + 1;
	classes[c] = (struct class){
		.descriptor = where,
		.name = copy,
		.size = d->size,
		.parent = parent,
		.family = family,
		.library = segment_known((uintptr_t)where)
				   ? segment_known((uintptr_t)where)->library
				   : 0,
	};
	if (!(library_get(classes[c].library)->flags & LIBRARY_CLASSES)) {
		library_get(classes[c].library)->flags |= LIBRARY_CLASSES;
		library_found(classes[c].library);
	}
	class_n = c;
	if ((uintptr_t)where < lowest)
		lowest = (uintptr_t)where;
	if ((uintptr_t)where > highest)
		highest = (uintptr_t)where;
	if (d->size > class_largest)
		class_largest = d->size;
	__atomic_store_n(&hash[at], c, __ATOMIC_RELEASE);
	return c;
}

unsigned class_add(const struct descriptor *d, unsigned family)
{
	const struct descriptor *chain[DEPTH_MAX];
	unsigned n = 0, c = 0;

	for (; d && n < DEPTH_MAX; d = d->parent)
		chain[n++] = d;
	/* The table of libraries then has them. */
	for (unsigned i = 0; i < n; i++)
		library_of((uintptr_t)chain[i]);
	lock_acquire(&class_lock);
	while (n-- > 0)
		c = class_enter(chain[n], chain[n], chain[n]->name, family, c);
	lock_release(&class_lock);
	return c;
}

unsigned class_add_foreign(uintptr_t key, const char *name, unsigned family)
{
	size_t length = strlen(name);
	const struct library_segment *s = segment_known(key);
	char *copy;
	unsigned c;

	for (c = 1; c <= class_n; c++)
		if (classes[c].family == family && !strcmp(classes[c].name, name))
			return c;
	copy = area_bytes(length + 1);
	if (!copy || class_n + 1 >= CLASS_MAX)
		return 0;
	memcpy(copy, name, length + 1);
	lock_acquire(&class_lock);
	c = class_n + 1;
	classes[c] = (struct class){
		.descriptor = (const void *)key,
		.name = copy,
		.family = family,
		.library = s ? s->library : 0,
	};
	class_n = c;
	lock_release(&class_lock);
	return c;
}

void class_unloaded(void)
{
	unsigned c;

	for (c = 1; c <= class_n; c++)
		if (!classes[c].dead && !segment_known((uintptr_t)classes[c].descriptor))
			classes[c].dead = 1;
}

unsigned class_of_object(const void *p, size_t size)
{
	unsigned f, c;

	for (f = 0; f < FAMILIES; f++) {
		if (size < family_offset[f] + 16)
			continue;
		c = class_find(*(void *const *)((const char *)p + family_offset[f]));
		if (c && classes[c].family == f)
			return c;
	}
	return 0;
}

/* A printable identifier in read-only data, copied to `name`. */
static int name_read(char *name, const char *from)
{
	const struct library_segment *s = segment_known((uintptr_t)from);
	size_t n, i;

	if (!s || s->writable)
		return 0;
	n = s->end - (uintptr_t)from;
	n = census_read(name, (uintptr_t)from, n < NAME_MAX_LENGTH ? n : NAME_MAX_LENGTH);
	for (i = 0; i < n && name[i]; i++)
		if (!((name[i] | 32) >= 'a' && (name[i] | 32) <= 'z') &&
		    !(name[i] >= '0' && name[i] <= '9') && name[i] != '_' && name[i] != ':')
			return 0;
	return i > 2 && i < n;
}

/*
 * Reads a descriptor where one may be: inside one writable segment, with a plausible size and a good name. An object's own
 * class has been initialized; the parents need not have been.
 */
static int descriptor_read(struct descriptor *d, char *name, const void *where, int own)
{
	const struct library_segment *s = segment_known((uintptr_t)where);

	if (!s || !s->writable || ((uintptr_t)where & 7) || s->end - (uintptr_t)where < sizeof(*d))
		return 0;
	if (census_read(d, (uintptr_t)where, sizeof(*d)) != sizeof(*d))
		return 0;
	if (own &&
	    (d->initialized <= 0 || d->depth <= 0 || !d->construct_array || !d->destruct_array))
		return 0;
	return d->size >= 16 && d->size < 1 << 24 && d->depth < DEPTH_MAX &&
	       name_read(name, d->name);
}

/* Follows the parents to the root of a family; sizes nest. Returns the class, 0 when anything is odd. */
static unsigned chain_read(const void *where, size_t size, unsigned family, unsigned depth)
{
	char name[NAME_MAX_LENGTH];
	struct descriptor d;
	unsigned up = 0, c = class_find(where);

	if (c)
		return classes[c].family == family && classes[c].size <= size ? c : 0;
	if (depth == DEPTH_MAX || !descriptor_read(&d, name, where, depth == 0) || d.size > size)
		return 0;
	if (d.parent)
		up = chain_read(d.parent, d.size, family, depth + 1);
	if (!up && (d.parent || strcmp(name, family_root[family])))
		return 0;
	lock_acquire(&class_lock);
	c = class_enter(where, &d, name, family, up);
	if (c)
		classes[c].found = 1;
	lock_release(&class_lock);
	return c;
}

unsigned class_there(const void *descriptor, unsigned family)
{
	return chain_read(descriptor, 1u << 24, family, 0);
}

unsigned class_discover(const void *p, size_t size)
{
	const void *word;
	unsigned f, c = class_of_object(p, size);

	for (f = 0; !c && f < FAMILIES; f++) {
		if (size < family_offset[f] + 16)
			continue;
		word = *(void *const *)((const char *)p + family_offset[f]);
		if (word && segment_known((uintptr_t)word))
			c = chain_read(word, size, f, 0);
	}
	return c;
}

void class_discover_words(const uint64_t *word, size_t n, size_t size)
{
	unsigned f;
	size_t i;

	for (i = 0; i < n; i++)
		for (f = 0; f < FAMILIES && word[i] && segment_known(word[i]); f++)
			chain_read((const void *)word[i], size, f, 0);
}
