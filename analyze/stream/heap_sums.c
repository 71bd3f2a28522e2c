/* heap_sums.c: the tables of the sums of allocated and freed sizes. */
#include "analyze/stream/heap_sums.h"

#include <string.h>

void heap_sums_init(struct heap_sums *h, size_t types)
{
	*h = (struct heap_sums){.types = 2 * types};
	h->type = mem_alloc((h->types + 1) * sizeof(*h->type));
}

void heap_sums_release(struct heap_sums *h)
{
	free(h->type);
	free(h->at);
	free(h->context);
	*h = (struct heap_sums){0};
}

void heap_sums_clear(struct heap_sums *h)
{
	if (!h->any)
		return;
	memset(h->type, 0, h->types * sizeof(*h->type));
	for (size_t i = 0; i < h->context_n; i++)
		h->at[h->context[i].number] = 0;
	h->context_n = 0;
	h->any = 0;
}

struct heap_sum *heap_sums_context_add(struct heap_sums *h, uint32_t number)
{
	struct heap_context *new = array_add(h, context);

	if (number >= h->at_n) {
		size_t n = (size_t)number + number / 2 + 64;

		h->at = mem_resize(h->at, n, sizeof(*h->at));
		memset(h->at + h->at_n, 0, (n - h->at_n) * sizeof(*h->at));
		h->at_n = n;
	}
	h->at[number] = (uint32_t)h->context_n;
	*new = (struct heap_context){.number = number};
	return &new->sum;
}
