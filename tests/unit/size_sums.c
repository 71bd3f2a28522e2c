/* size_sums.c: sums of sizes by type and context. */
#include "analyze/stream/size_sums.h"

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
		     {{SIZE_SUM_MAX, SIZE_SUM_MAX, SIZE_SUM_MAX, 1}, 4, 1, SIZE_SUM_MAX, 3ull * SIZE_SUM_MAX + 1,
		      3.0 * SIZE_SUM_MAX * SIZE_SUM_MAX + 1}};
	struct size_sums h = {0};
	struct size_sum *x;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct size_sum s = {0};

		for (size_t k = 0; k < cases[i].n; k++)
			size_sum_add(&s, cases[i].size[k]);
		ok(s.n == cases[i].n && s.min == cases[i].min && s.max == cases[i].max, "case %zu: number, least and largest", i);
		ok(s.sum == cases[i].sum && (double)s.sumsq == cases[i].sumsq, "case %zu: sums", i);
	}

	size_sum_add(size_table_number(&h.context, 1000), 5);
	size_sum_add(size_table_number(&h.context, 7), 6);
	size_sum_add(size_table_number(&h.context, 1000), 7);
	ok(h.context.v_n == 2, "a number has one sum");
	x = size_table_number(&h.context, 1000);
	ok(x->n == 2 && x->sum == 12 && size_table_number(&h.context, 7)->sum == 6, "found by its number");
	for (uint64_t key = 0; key < 1000; key++)
		size_sum_add(size_table_key(&h.message, key << 32 | key % 2), 9);
	x = size_table_key(&h.message, (uint64_t)999 << 32 | 1);
	ok(h.message.v_n == 1000 && x->n == 1 && x->sum == 9, "found by its key");
	ok(size_sums_rows(&h) == 1002, "numbers and keys are counted");
	size_sums_clear(&h);
	ok(!size_sums_rows(&h) && !size_table_number(&h.context, 1000)->n &&
		   !size_table_key(&h.message, (uint64_t)999 << 32 | 1)->n,
	   "cleared");
	size_sums_release(&h);
	return tap_end();
}
