/* base.c: errors, memory, growing arrays and interned strings for the offline programs. */
#include "analyze/base/base.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyze/base/text.h"

int error_set(struct error *e, int code, const char *format, ...)
{
	char text[sizeof(e->text)];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	text_clean_to(e->text, sizeof(e->text), text);
	e->code = code;
	return code;
}

/* The one place below cmd/ that ends a program: nothing sensible can be done without memory. */
static void out_of_memory(void)
{
	static const char text[] = "out of memory\n";

	if (write(2, text, sizeof(text) - 1) < 0)
		_exit(-ERROR_SYSTEM);
	_exit(-ERROR_SYSTEM);
}

void *mem_alloc(size_t size)
{
	void *p = calloc(1, size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *mem_resize(void *p, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		out_of_memory();
	p = realloc(p, bytes ? bytes : 1);
	if (!p)
		out_of_memory();
	return p;
}

void *mem_copy(const void *p, size_t count, size_t size)
{
	void *copy = mem_resize(NULL, count, size);

	return count ? memcpy(copy, p, count * size) : copy;
}

char *mem_string(const char *s)
{
	size_t n = strlen(s) + 1;

	return memcpy(mem_alloc(n), s, n);
}

char *text_clean(const char *s)
{
	size_t size = text_clean_to(NULL, 0, s) + 1;
	char *out = mem_alloc(size);

	text_clean_to(out, size, s);
	return out;
}

char *text_trim(char *text)
{
	size_t n;

	text += strspn(text, " \t\r\n");
	n = strlen(text);
	while (n && strchr(" \t\r\n", text[n - 1]))
		n--;
	text[n] = 0;
	return text;
}

char *mem_vprintf(const char *format, va_list args)
{
	char *s;

	if (vasprintf(&s, format, args) < 0)
		out_of_memory();
	return s;
}

char *mem_printf(const char *format, ...)
{
	va_list args;
	char *s;

	va_start(args, format);
	s = mem_vprintf(format, args);
	va_end(args);
	return s;
}

char *mem_join(const char *first, ...)
{
	size_t size = 1, at = 0;
	va_list args;
	char *s;

	va_start(args, first);
	for (const char *part = first; part; part = va_arg(args, const char *))
		size += strlen(part);
	va_end(args);
	s = mem_resize(NULL, size, 1);
	va_start(args, first);
	for (const char *part = first; part; part = va_arg(args, const char *)) {
		size_t n = strlen(part);

		memcpy(s + at, part, n);
		at += n;
	}
	va_end(args);
	s[at] = 0;
	return s;
}

void *array_grow(void *v, size_t *cap, size_t size)
{
	*cap = *cap ? *cap * 2 : 8;
	return mem_resize(v, *cap, size);
}

/*
 * Hashes words of 8 bytes, because names may be long; the last word holds the rest of the bytes,
 * with their number on top.
 */
static uint64_t hash_bytes(const char *s, size_t n)
{
	uint64_t h = 0xcbf29ce484222325u ^ n, word;

	for (; n >= sizeof(word); s += sizeof(word), n -= sizeof(word)) {
		memcpy(&word, s, sizeof(word));
		h = (h ^ word) * 0x9e3779b97f4a7c15u;
		h ^= h >> 32;
	}
	word = n;
	while (n-- > 0)
		word = word << 8 | (unsigned char)s[n];
	h = (h ^ word) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 32;
}

/* The slot that holds s, or the free slot where it belongs. */
static size_t names_slot(const struct names *t, const char *s, size_t length)
{
	size_t i = hash_bytes(s, length) & (t->slots - 1);

	for (;; i = (i + 1) & (t->slots - 1)) {
		uint32_t id = t->slot[i];

		if (!id || (t->length[id - 1] == length && !memcmp(t->name[id - 1], s, length)))
			return i;
	}
}

static void names_rehash(struct names *t)
{
	free(t->slot);
	t->slots = t->slots ? t->slots * 2 : 64;
	t->slot = mem_alloc(t->slots * sizeof(*t->slot));
	for (size_t id = 0; id < t->name_n; id++)
		t->slot[names_slot(t, t->name[id], t->length[id])] = (uint32_t)id + 1;
}

uint32_t names_add(struct names *t, const char *s, size_t length)
{
	size_t i;

	if (t->name_n * 2 >= t->slots)
		names_rehash(t);
	i = names_slot(t, s, length);
	if (t->slot[i])
		return t->slot[i] - 1;
	if (t->name_n == t->name_cap) {
		size_t cap = t->name_cap;

		t->length = array_grow(t->length, &cap, sizeof(*t->length));
		t->name = array_grow(t->name, &t->name_cap, sizeof(*t->name));
	}
	assert(length < UINT32_MAX && t->name_n < UINT32_MAX - 1);
	t->name[t->name_n] = memcpy(mem_alloc(length + 1), s, length);
	t->length[t->name_n] = (uint32_t)length;
	t->slot[i] = (uint32_t)++t->name_n;
	return t->slot[i] - 1;
}

int64_t names_find(const struct names *t, const char *s, size_t length)
{
	return t->slots ? (int64_t)t->slot[names_slot(t, s, length)] - 1 : -1;
}

void names_release(struct names *t)
{
	for (size_t i = 0; i < t->name_n; i++)
		free(t->name[i]);
	free(t->name);
	free(t->length);
	free(t->slot);
	memset(t, 0, sizeof(*t));
}

/* ---- order ---- */

int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}
