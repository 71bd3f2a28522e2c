/*
 * functions.c: sorts the functions of a binary by address, and finds them.
 *
 * Their number may be large beside that of the addresses that are looked up. So they are only put in groups of some that are
 * near each other, and the group of an address is sorted when it is looked up. Many functions are sorted by the bytes of
 * their addresses, least first, and only functions with equal addresses are compared.
 */
#include "convert/code/functions.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/base/base.h"

enum { DIGITS = 256, FEW = 64, NEAR = 4 /* functions of a group, about */ };

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

static void address_limits(const struct function *v, size_t n, uint64_t *least, uint64_t *most)
{
	*least = UINT64_MAX;
	*most = 0;
	for (size_t i = 0; i < n; i++) {
		*least = v[i].low < *least ? v[i].low : *least;
		*most = v[i].low > *most ? v[i].low : *most;
	}
}

static void address_sort(struct function *v, size_t n)
{
	struct function_key *key = mem_resize(NULL, n, sizeof(*key)), *other, *was;
	struct function *copy = mem_copy(v, n, sizeof(*v));
	uint64_t least, most;

	other = mem_resize(NULL, n, sizeof(*other));
	address_limits(v, n, &least, &most);
	for (size_t i = 0; i < n; i++)
		key[i] = (struct function_key){v[i].low - least, i};
	for (int byte = 0; byte < 8 && (most - least) >> 8 * byte; byte++) {
		byte_sort(key, other, n, byte);
		was = key;
		key = other;
		other = was;
	}
	for (size_t i = 0; i < n; i++)
		v[i] = copy[key[i].at];
	free(key);
	free(other);
	free(copy);
}

/* Groups, and functions with equal addresses, are mostly a few. */
static void few_sort(struct function *v, size_t n)
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

static void part_sort(struct function *v, size_t n)
{
	size_t end;

	if (n <= FEW) {
		few_sort(v, n);
		return;
	}
	address_sort(v, n);
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && v[end].low == v[i].low; end++)
			;
		few_sort(v + i, end - i);
	}
}

static void groups_free(struct functions *t)
{
	free(t->group);
	free(t->group_sorted);
	t->group = NULL;
	t->group_sorted = NULL;
}

void functions_sort(struct functions *t)
{
	if (!t->sorted)
		part_sort(t->v, t->v_n);
	groups_free(t);
	t->sorted = 1;
}

void functions_release(struct functions *t)
{
	groups_free(t);
	free(t->v);
}

/* ---- groups ---- */

static size_t group_of(const struct functions *t, uint64_t address)
{
	return (size_t)((address - t->least) >> t->shift);
}

static void groups_make(struct functions *t)
{
	size_t n = t->v_n, sum = 0, count;
	struct function *v = mem_resize(NULL, n, sizeof(*v));
	uint64_t most;

	groups_free(t);
	address_limits(t->v, n, &t->least, &most);
	t->shift = 0;
	while ((most - t->least) >> t->shift >= n / NEAR)
		t->shift++;
	t->group_n = group_of(t, most) + 1;
	t->group = mem_alloc((t->group_n + 1) * sizeof(*t->group));
	t->group_sorted = mem_alloc(t->group_n);
	for (size_t i = 0; i < n; i++)
		t->group[group_of(t, t->v[i].low)]++;
	for (size_t g = 0; g < t->group_n; g++) {
		count = t->group[g];
		t->group[g] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		v[t->group[group_of(t, t->v[i].low)]++] = t->v[i];
	/* Each is at the begin of the next one now. */
	memmove(t->group + 1, t->group, t->group_n * sizeof(*t->group));
	t->group[0] = 0;
	free(t->v);
	t->v = v;
	t->v_cap = n;
	t->grouped = n;
}

/* The last group that has functions, up to the one of this address, with its limits; sorted. 0: there is none. */
static int group_find(struct functions *t, uint64_t address, size_t *low, size_t *high)
{
	size_t g;

	if (address < t->least)
		return 0;
	g = (address - t->least) >> t->shift < t->group_n ? group_of(t, address) : t->group_n - 1;
	for (;;) {
		*low = t->group[g];
		*high = t->group[g + 1];
		if (*low < *high && !t->group_sorted[g])
			part_sort(t->v + *low, *high - *low);
		t->group_sorted[g] = 1;
		if (*low < *high && t->v[*low].low <= address)
			return 1;
		if (!g--)
			return 0;
	}
}

const struct function *functions_find(struct functions *t, uint64_t address)
{
	size_t first = 0, low, high = t->v_n;

	if (!t->sorted && t->v_n <= FEW)
		functions_sort(t);
	if (!t->sorted && (!t->group || t->grouped != t->v_n))
		groups_make(t);
	if (!t->sorted && !group_find(t, address, &first, &high))
		return NULL;
	low = first;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->v[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == first)
		return NULL;
	/* the first of the functions with the same address */
	for (low--; low > first && t->v[low - 1].low == t->v[low].low; low--)
		;
	for (; low < t->v_n && t->v[low].low <= address; low++)
		if (address < t->v[low].high || address == t->v[low].low)
			return &t->v[low];
	return NULL;
}
