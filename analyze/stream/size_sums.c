/* size_sums.c: the tables of the sums of sizes. */
#include "analyze/stream/size_sums.h"

#include <string.h>

static void table_release(struct size_table *t)
{
	free(t->v);
	free(t->at);
	map_release(&t->index);
}

void size_sums_release(struct size_sums *h)
{
	table_release(&h->type);
	table_release(&h->context);
	table_release(&h->typed);
	table_release(&h->message);
	*h = (struct size_sums){0};
}

static void table_clear(struct size_table *t)
{
	for (size_t i = 0; i < t->v_n && t->at_n; i++)
		t->at[t->v[i].key] = 0;
	if (t->v_n)
		map_clear(&t->index);
	t->v_n = 0;
}

void size_sums_clear(struct size_sums *h)
{
	table_clear(&h->type);
	table_clear(&h->context);
	table_clear(&h->typed);
	table_clear(&h->message);
}

size_t size_sums_rows(const struct size_sums *h)
{
	return h->type.v_n + h->context.v_n + h->typed.v_n + h->message.v_n;
}

struct size_sum *size_table_add_number(struct size_table *t, uint32_t number)
{
	struct size_keyed *new = array_add(t, v);

	if (number >= t->at_n) {
		size_t n = (size_t)number + number / 2 + 64;

		t->at = mem_resize(t->at, n, sizeof(*t->at));
		memset(t->at + t->at_n, 0, (n - t->at_n) * sizeof(*t->at));
		t->at_n = n;
	}
	t->at[number] = (uint32_t)t->v_n;
	new->key = number;
	return &new->sum;
}

struct size_sum *size_table_add_key(struct size_table *t, uint64_t key)
{
	struct size_keyed *new = array_add(t, v);

	map_set(&t->index, key, (uint32_t)t->v_n - 1);
	new->key = key;
	return &new->sum;
}
