/* functions.c: functions are sorted as by comparing each with each, few and many, and found by address. */
#include <stdlib.h>
#include <string.h>

#include "analyze/base/base.h"
#include "convert/code/functions.h"
#include "seed.h"
#include "tap.h"

static int precedes(const struct function *a, const struct function *b)
{
	if (a->low != b->low)
		return a->low < b->low;
	if (a->weak != b->weak)
		return a->weak < b->weak;
	if (strlen(a->name) != strlen(b->name))
		return strlen(a->name) < strlen(b->name);
	return strcmp(a->name, b->name) < 0;
}

/* The first in order of those at the highest address up to this one that cover it. */
static const struct function *covering(const struct functions *t, uint64_t address)
{
	const struct function *best = NULL;
	uint64_t low = 0;

	for (size_t i = 0; i < t->v_n; i++)
		if (t->v[i].low <= address && t->v[i].low > low)
			low = t->v[i].low;
	for (size_t i = 0; i < t->v_n; i++) {
		const struct function *f = &t->v[i];

		if (f->low == low && (address < f->high || address == low) &&
		    (!best || precedes(f, best)))
			best = f;
	}
	return best;
}

/* n functions at addresses up to `most`; some are equal, and the one at `far` is far from the others. */
static void check(size_t n, uint64_t most, size_t far)
{
	static const char *const names[] = {"a", "b", "ab", "ba", "abc"};
	struct functions t = {0};
	size_t wrong = 0, lost = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t low = 1 + ((uint64_t)rand() << 31 | (uint64_t)rand()) % most;

		if (t.v_n && rand() % 4 == 0)
			low = t.v[(size_t)rand() % t.v_n].low;
		if (i == far)
			low = UINT64_C(1) << 62;
		*array_add(&t, v) = (struct function){.low = low,
						      .high = low + (uint64_t)rand() % 9,
						      .name = names[rand() % 5],
						      .weak = rand() % 3};
	}
	for (int k = 0; k < 100; k++) {
		uint64_t address = n ? t.v[(size_t)rand() % n].low + (uint64_t)rand() % 10 : 7;
		const struct function *want = covering(&t, address), *is;
		struct function copy = want ? *want : (struct function){0};

		is = functions_find(&t, address);
		lost += !is != !want || (is && (is->low != copy.low || is->weak != copy.weak ||
						is->name != copy.name || (address >= is->high && address != is->low)));
		if (k % 20 == 0)
			t.sorted = 0;
	}
	functions_sort(&t);
	for (size_t i = 1; i < t.v_n; i++)
		wrong += precedes(&t.v[i], &t.v[i - 1]);
	ok(t.v_n == n && !wrong, "%zu functions up to %llx are in order", n, (unsigned long long)most);
	ok(!lost, "and are found by address");
	functions_release(&t);
}

int main(void)
{
	static const size_t many[] = {0, 1, 2, 64, 65, 3000};

	srand((unsigned)test_seed(5));
	for (size_t i = 0; i < sizeof(many) / sizeof(*many); i++) {
		check(many[i], 100, SIZE_MAX);
		check(many[i], 0x100000, SIZE_MAX);
		check(many[i], UINT64_C(1) << 61, SIZE_MAX);
		check(many[i], 0x10000, many[i] / 2);
	}
	return tap_end();
}
