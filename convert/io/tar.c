/*
 * tar.c: reads tar archives. A file in it is a header of 512 bytes, then its bytes in whole blocks
 * of 512.
 */
#include "convert/io/tar.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 512

static int octal(const unsigned char *p, size_t n, uint64_t *out)
{
	uint64_t v = 0;
	size_t i = 0;

	while (i < n && p[i] == ' ')
		i++;
	for (; i < n && p[i] >= '0' && p[i] <= '7'; i++)
		v = v << 3 | (p[i] & 7);
	*out = v;
	return i == n || p[i] == 0 || p[i] == ' ';
}

static int bad(struct error *e, const char *path, size_t at, const char *what)
{
	return error_set(e, ERROR_INPUT, "%s: offset %zu: %s", path, at, what);
}

const unsigned char *tar_first(const unsigned char *p, size_t n)
{
	while (n >= BLOCK && (p[156] == 'x' || p[156] == 'g' || p[156] == '5')) {
		uint64_t size;

		if (!octal(p + 124, 12, &size) || size > n)
			return NULL;
		size = BLOCK + (size + BLOCK - 1) / BLOCK * BLOCK;
		if (size > n)
			return NULL;
		p += size;
		n -= (size_t)size;
	}
	return n >= BLOCK ? p : NULL;
}

/* Last members come later, so that they replace others of the same name. */
static void index_names(struct tar *t)
{
	t->last = mem_resize(NULL, t->member_n + 1, sizeof(*t->last));
	for (size_t i = 0; i < t->member_n; i++) {
		const char *name = t->member[i].name;

		t->last[names_add(&t->names, name, strlen(name))] = (uint32_t)i;
	}
}

int tar_read(const char *path, const unsigned char *start, size_t n, struct tar *out,
	     struct error *e)
{
	const unsigned char *p = start, *end = start + n;

	memset(out, 0, sizeof(*out));
	while (end - p >= BLOCK && *p) {
		struct tar_member m = {.p = p + BLOCK};
		const char *slash;
		uint64_t size;

		memcpy(m.name, p, sizeof(m.name) - 1);
		if (!octal(p + 124, 12, &size))
			return bad(e, path, (size_t)(p + 124 - start),
				   "the size of a part of the archive is not a number");
		if (size > (size_t)(end - m.p))
			return bad(e, path, (size_t)(p + 124 - start),
				   "a part of the archive is cut short");
		m.n = (size_t)size;
		slash = strrchr(m.name, '/');
		if (slash)
			memmove(m.name, slash + 1, strlen(slash));
		if (p[156] == '0' || p[156] == 0)
			*array_add(out, member) = m;
		size = (size + BLOCK - 1) / BLOCK * BLOCK;
		p = size > (size_t)(end - m.p) ? end : m.p + size;
	}
	index_names(out);
	return end - p < BLOCK ? bad(e, path, (size_t)(p - start), "the archive has no end") : 0;
}

const struct tar_member *tar_get(const struct tar *t, const char *name)
{
	int64_t id = t->member_n ? names_find(&t->names, name, strlen(name)) : -1;

	return id < 0 ? NULL : &t->member[t->last[id]];
}

void tar_release(struct tar *t)
{
	free(t->member);
	free(t->last);
	names_release(&t->names);
}
