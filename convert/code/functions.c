/*
 * functions.c: sorts the functions of a binary by address, and finds them.
 *
 * Their number may be large beside that of the addresses that are looked up, so they are sorted by the bytes of their
 * addresses, least first, and only functions with equal addresses are compared.
 */
#include "convert/code/functions.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/base/base.h"

enum { DIGITS = 256, FEW = 64 };

struct function_key {
	uint64_t low;	/* above the lowest address */
	size_t at;	/* which function */
};

static int function_compare(const void *va, const void *vb)
{
	const struct function *a = va, *b = vb;
	size_t an, bn;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	if (a->weak != b->weak)
		return a->weak - b->weak;
	if (!a->name || !b->name)
		return 0;
	an = strlen(a->name);
	bn = strlen(b->name);
	return an != bn ? (an < bn ? -1 : 1) : strcmp(a->name, b->name);
}

/* Sorts by one byte, the lowest being 0, and keeps the order of equal ones. */
static void byte_sort(const struct function_key *from, struct function_key *to, size_t n, int byte)
{
	size_t begin[DIGITS] = {0}, sum = 0, count;

	for (size_t i = 0; i < n; i++)
		begin[from[i].low >> 8 * byte & 255]++;
	for (int d = 0; d < DIGITS; d++) {
		count = begin[d];
		begin[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[begin[from[i].low >> 8 * byte & 255]++] = from[i];
}

static void address_sort(struct functions *t)
{
	size_t n = t->v_n;
	struct function_key *key = mem_resize(NULL, n, sizeof(*key)), *other, *was;
	struct function *v = mem_resize(NULL, n, sizeof(*v));
	uint64_t least = UINT64_MAX, most = 0;

	other = mem_resize(NULL, n, sizeof(*other));
	for (size_t i = 0; i < n; i++) {
		least = t->v[i].low < least ? t->v[i].low : least;
		most = t->v[i].low > most ? t->v[i].low : most;
	}
	for (size_t i = 0; i < n; i++)
		key[i] = (struct function_key){t->v[i].low - least, i};
	for (int byte = 0; byte < 8 && (most - least) >> 8 * byte; byte++) {
		byte_sort(key, other, n, byte);
		was = key;
		key = other;
		other = was;
	}
	for (size_t i = 0; i < n; i++)
		v[i] = t->v[key[i].at];
	free(key);
	free(other);
	free(t->v);
	t->v = v;
	t->v_cap = n;
}

/* Functions with equal addresses are mostly two or three. */
static void equal_sort(struct function *v, size_t n)
{
	struct function f;
	size_t to;

	if (n > FEW) {
		qsort(v, n, sizeof(*v), function_compare);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		f = v[i];
		for (to = i; to && function_compare(&v[to - 1], &f) > 0; to--)
			v[to] = v[to - 1];
		v[to] = f;
	}
}

void functions_sort(struct functions *t)
{
	size_t end;

	if (!t->sorted && t->v_n <= FEW) {
		if (t->v_n)
			qsort(t->v, t->v_n, sizeof(*t->v), function_compare);
	} else if (!t->sorted) {
		address_sort(t);
		for (size_t i = 0; i < t->v_n; i = end) {
			for (end = i + 1; end < t->v_n && t->v[end].low == t->v[i].low; end++)
				;
			equal_sort(t->v + i, end - i);
		}
	}
	t->sorted = 1;
}

const struct function *functions_find(struct functions *t, uint64_t address)
{
	size_t low = 0, high = t->v_n;

	functions_sort(t);
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->v[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	/* the first of the functions with the same address */
	for (low--; low && t->v[low - 1].low == t->v[low].low; low--)
		;
	for (; low < t->v_n && t->v[low].low <= address; low++)
		if (address < t->v[low].high || address == t->v[low].low)
			return &t->v[low];
	return NULL;
}
