/*
 * loader_cache.c: looks a library up in the cache of ldconfig. The file begins with a head; then
 * come entries, sorted by name from the highest to the lowest, and the strings. Their places count
 * from the head. The names of levels of processors are in an extension.
 */
#include "convert/code/loader_cache.h"

#include <stdint.h>
#include <string.h>

struct cache_bytes {
	const char *p;
	size_t n;
};

struct cache_head {
	char magic[20]; /* with the version */
	uint32_t entries, strings;
	uint8_t flags, unused[3];
	uint32_t extensions, unused2[3];
};

struct cache_entry {
	int32_t flags;
	uint32_t name, path, version;
	uint64_t level;
};

#define CACHE_MAGIC     "glibc-ld.so.cache1.1"
#define CACHE_OLD       "ld.so-1.7.0"
#define CACHE_LEVEL     (1ull << 62) /* `level` is a place in the list of names of levels */
#define CACHE_EXTENSION 0xeaa42174u
enum { CACHE_OLD_HEAD = 16, CACHE_OLD_ENTRY = 12, CACHE_LEVELS = 1 };

/* The part of the cache that begins with the new head; n 0: there is none. An old one may be before
 * it. */
static struct cache_bytes cache_new(struct cache_bytes b)
{
	uint32_t n;
	uint64_t skip;

	if (b.n > CACHE_OLD_HEAD && !memcmp(b.p, CACHE_OLD, sizeof(CACHE_OLD) - 1)) {
		memcpy(&n, b.p + CACHE_OLD_HEAD - 4, sizeof(n));
		skip = (CACHE_OLD_HEAD + (uint64_t)n * CACHE_OLD_ENTRY + 7) & ~7ull;
		if (skip >= b.n)
			return (struct cache_bytes){0};
		b.p += skip;
		b.n -= skip;
	}
	if (b.n < sizeof(struct cache_head) ||
	    memcmp(b.p, CACHE_MAGIC, sizeof(CACHE_MAGIC) - 1) != 0)
		b.n = 0;
	return b;
}

/* A string of the cache, whose file has a zero after its last byte. */
static const char *cache_text(const struct cache_bytes *b, uint32_t at)
{
	return at < b->n ? b->p + at : "";
}

/* How the loader sorts names: numbers by their value. */
static int names_compare(const char *a, const char *b)
{
	while (*a) {
		int x = *a >= '0' && *a <= '9', y = *b >= '0' && *b <= '9';
		unsigned m = 0, n = 0;

		if (x != y)
			return x ? 1 : -1;
		if (!x) {
			if (*a != *b)
				return *a - *b;
			a++;
			b++;
			continue;
		}
		while (*a >= '0' && *a <= '9')
			m = m * 10 + (unsigned)(*a++ - '0');
		while (*b >= '0' && *b <= '9')
			n = n * 10 + (unsigned)(*b++ - '0');
		if (m != n)
			return m < n ? -1 : 1;
	}
	return *a - *b;
}

/* The name of the level with this number; "": none. */
static const char *cache_level(const struct cache_bytes *b, uint32_t number)
{
	const struct cache_head *head = (const void *)b->p;
	uint32_t part[4], count[2], at = head->extensions;

	if (!at || at > b->n - 8 || b->n < 8)
		return "";
	memcpy(count, b->p + at, 8);
	for (uint32_t i = 0; count[0] == CACHE_EXTENSION && i < count[1]; i++) {
		uint64_t place = at + 8 + (uint64_t)i * 16;

		if (place + 16 > b->n)
			return "";
		memcpy(part, b->p + place, 16); /* tag, flags, offset, size */
		if (part[0] != CACHE_LEVELS || number >= part[3] / 4 ||
		    part[2] + (uint64_t)number * 4 + 4 > b->n)
			continue;
		memcpy(count, b->p + part[2] + (uint64_t)number * 4, 4);
		return cache_text(b, count[0]);
	}
	return "";
}

/* Less is better; -1: not for this processor. */
static int entry_rank(const char *const *level, const struct cache_bytes *b,
		      const struct cache_entry *e)
{
	const char *name;
	int rank = 0;

	if (!e->level)
		return LOADER_LEVELS;
	if (!(e->level & CACHE_LEVEL))
		return -1;
	name = cache_level(b, (uint32_t)e->level);
	for (; *level; level++, rank++)
		if (!strcmp(*level, name))
			return rank;
	return -1;
}

size_t loader_cache_find(const char *cache, size_t size, const char *name,
			 const char *const *levels, const char **path, size_t most)
{
	struct cache_bytes b = cache_new((struct cache_bytes){cache, size});
	const struct cache_head *head = (const void *)b.p;
	const struct cache_entry *entry = b.n ? (const void *)(b.p + sizeof(*head)) : NULL;
	size_t n = b.n ? (b.n - sizeof(*head)) / sizeof(*entry) : 0, low = 0, high, found = 0;

	if (b.n && head->entries < n)
		n = head->entries;
	for (high = n; low < high;) { /* the first that is not above it */
		size_t middle = low + (high - low) / 2;

		if (names_compare(name, cache_text(&b, entry[middle].name)) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (high = low; high < n && !names_compare(name, cache_text(&b, entry[high].name));)
		high++;
	for (int rank = 0; rank <= LOADER_LEVELS; rank++)
		for (size_t i = low; i < high && found < most; i++)
			if (entry_rank(levels, &b, &entry[i]) == rank)
				path[found++] = cache_text(&b, entry[i].path);
	return found;
}
