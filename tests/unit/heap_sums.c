/* heap_sums.c: sums of sizes by type and context. */
#include "analyze/stream/heap_sums.h"

#include "tap.h"

int main(void)
{
	static const struct {
		uint32_t size[4];
		size_t n;
		uint64_t min, max, sum;
		double sumsq;
	} cases[] = {{{8}, 1, 8, 8, 8, 64},
		     {{8, 0, 24}, 3, 0, 24, 32, 640},
		     {{0, 0}, 2, 0, 0, 0, 0},
		     {{HEAP_SIZE_MAX, HEAP_SIZE_MAX, HEAP_SIZE_MAX, 1}, 4, 1, HEAP_SIZE_MAX, 3ull * HEAP_SIZE_MAX + 1,
		      3.0 * HEAP_SIZE_MAX * HEAP_SIZE_MAX + 1}};
	struct heap_sums h;
	struct heap_sum *x;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct heap_sum s = {0};

		for (size_t k = 0; k < cases[i].n; k++)
			heap_sum_add(&s, cases[i].size[k]);
		ok(s.n == cases[i].n && s.min == cases[i].min && s.max == cases[i].max, "case %zu: number, least and largest", i);
		ok(s.sum == cases[i].sum && (double)s.sumsq == cases[i].sumsq, "case %zu: sums", i);
	}

	heap_sums_init(&h, 3);
	heap_sum_add(heap_sums_context(&h, 1000), 5);
	heap_sum_add(heap_sums_context(&h, 7), 6);
	heap_sum_add(heap_sums_context(&h, 1000), 7);
	ok(h.context_n == 2, "a context has one sum");
	x = heap_sums_context(&h, 1000);
	ok(x->n == 2 && x->sum == 12 && heap_sums_context(&h, 7)->sum == 6, "found by its number");
	heap_sum_add(&h.type[2 * 2 + 1], 9);
	h.any = 1;
	heap_sums_clear(&h);
	ok(!h.context_n && !h.type[5].n && !heap_sums_context(&h, 1000)->n, "cleared");
	heap_sums_release(&h);
	return tap_end();
}
