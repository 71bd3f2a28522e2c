/* summary_sums.c: summaries of spans, squared times and sampled stacks are sums: added in parts they are the same. */
#include "analyze/summary/summary.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/profile/profile_squares.h"
#include "analyze/profile/sampled_stacks.h"
#include "analyze/stream/metrics.h"
#include "analyze/stream/squares.h"
#include "tap.h"

/* The sum of a window that has ended, in ns^2. */
static square squares_of(const struct squares *s, size_t window, uint32_t row)
{
	return row < s->window[window].v_n ? s->window[window].v[row] : 0;
}

static void row(struct summary *s, uint32_t path, uint64_t calls, int64_t excl, int64_t metric)
{
	struct summary_row *r = summary_row_add(s, path, 1);

	r->calls = calls;
	r->excl = excl;
	s->metric[s->row_n - 1] = metric;
}

static void level(struct summary *s, uint32_t number, int64_t peak, int64_t gain)
{
	*array_add(s, level) = (struct level_sum){number, {peak, 1}, {gain, 0}};
}

static void test_summary(void)
{
	struct summary a, b;

	summary_init(&a, 1);
	summary_init(&b, 1);
	a.begin = 10, a.end = b.begin = 20, b.end = 50;
	a.repaired = 1, b.repaired = 2;
	row(&a, 1, 5, 100, 7);
	row(&a, 4, 1, 10, 0);
	row(&b, 1, 1, 1, 1);
	row(&b, 2, 3, 30, -3);
	b.then[0] = 99;
	/* Up 100 and back to 40, then up 70 from there: the peak is 110. */
	level(&a, 0, 100, 40);
	level(&b, 0, 70, -40);
	level(&b, 3, 5, 5);
	summary_append(&a, &b, 1);
	ok(a.begin == 10 && a.end == 50 && a.repaired == 3 && a.then[0] == 99, "the sum is from the first begin to the last end");
	ok(a.row_n == 3 && a.row[0].path == 1 && a.row[1].path == 2 && a.row[2].path == 4, "rows of both, by path");
	ok(a.row[0].calls == 6 && a.row[0].excl == 101 && a.metric[0] == 8, "a row of both is the sum");
	ok(a.row[1].calls == 3 && a.metric[1] == -3 && a.row[2].excl == 10 && a.metric[2] == 0, "rows of one stay");
	ok(a.level_n == 2 && a.level[0].peak.bytes == 110 && a.level[0].gain.bytes == 0, "a peak counts from where the first part ended");
	ok(a.level[1].row == 3 && a.level[1].gain.bytes == 5, "a level that only the second part has");
	summary_clear(&a);
	ok(!a.row_n && !a.level_n && !a.repaired && a.row_cap, "cleared, with its room");
	row(&a, 9, 1, 1, 0);
	ok(a.metric[0] == 0 && a.row[0].path == 9, "a new row has no old values");
	summary_release(&a);
	summary_release(&b);
}

static void test_square(void)
{
	square s = 0;

	ok(square_of(-3) == 9 && square_of(0) == 0 && square_of(INT64_MIN) == (square)1 << 126, "squares of whole numbers");
	square_add(&s, 4);
	square_add(&s, 5);
	ok(s == 9, "a sum");
	square_add(&s, SQUARE_UNKNOWN);
	square_add(&s, 1);
	ok(s == SQUARE_UNKNOWN, "with an unknown one it is unknown");
	s = SQUARE_UNKNOWN - 1;
	square_add(&s, 2);
	ok(s == SQUARE_UNKNOWN, "a sum that is too large is unknown");
}

/* Two windows, 0 to 10 and 10 to 20; a call of region 7 has 4 ns in the first and 6 in the second. */
static void test_squares(void)
{
	static struct segment segment[2] = {{0, 10, 0, 1}, {10, 20, 1, 1}};
	static uint32_t member[2] = {0, 1};
	const struct segments of = {.v = segment, .v_n = 2, .member = member, .member_n = 2};
	struct squares s;

	squares_init(&s, &of, 2, NULL);
	squares_begin(&s, &segment[0]);
	squares_push(&s, 7);
	squares_spend(&s, 0, 4);
	squares_end(&s);
	squares_begin(&s, &segment[1]);
	squares_spend(&s, 0, 6);
	squares_pop(&s);
	squares_add(&s, 7, 2);
	squares_add(&s, 3, -5);
	squares_end(&s);
	ok(squares_of(&s, 0, 7) == 16 && squares_of(&s, 1, 7) == 36 + 4, "a call counts in each window with its time there");
	ok(squares_of(&s, 1, 3) == 25 && !squares_of(&s, 0, 3) && !squares_of(&s, 1, 100000), "a row of one window, and none");
	squares_release(&s);
	squares_init(&s, &of, 2, NULL);
	squares_begin(&s, &segment[0]);
	squares_add(&s, 1, 5);
	squares_forget(&s, 1);
	squares_end(&s);
	ok(squares_of(&s, 0, 1) == SQUARE_UNKNOWN, "calls of unknown length make the sum unknown");
	squares_release(&s);
}

/* The same windows with a carry, which then goes on in the windows 20 to 30 and 30 to 40, where reading begins with the call open. */
static void test_carry(void)
{
	static struct segment segment[2] = {{0, 10, 0, 1}, {10, 20, 1, 1}};
	static uint32_t member[2] = {0, 1};
	struct segments of = {.v = segment, .v_n = 2, .member = member, .member_n = 2};
	struct squares_carry carry = {0};
	struct squares s;

	squares_init(&s, &of, 2, &carry);
	squares_begin(&s, &segment[0]);
	squares_push(&s, 7);
	squares_spend(&s, 0, 4);
	squares_add(&s, 7, 3);
	squares_end(&s);
	ok(squares_of(&s, 0, 7) == 9, "with a carry, a window has the calls that end in it");
	ok(carry.own_n == 1 && carry.own[0] == 4, "and the carry the time of the open one");
	squares_begin(&s, &segment[1]);
	squares_spend(&s, 0, 6);
	squares_end(&s);
	ok(squares_of(&s, 1, 7) == 100, "the last window has an open call with all of its time");
	squares_release(&s);
	segment[0] = (struct segment){10, 30, 0, 1};
	segment[1] = (struct segment){30, 40, 1, 1};
	squares_init(&s, &of, 2, &carry);
	squares_begin(&s, &segment[0]);
	squares_push(&s, 7);
	squares_resume(&s, 10);
	squares_spend(&s, 0, 5);
	squares_end(&s);
	squares_begin(&s, &segment[1]);
	squares_pop(&s);
	squares_end(&s);
	ok(squares_of(&s, 0, 7) == 0 && squares_of(&s, 1, 7) == 81, "and so on: 4 ns before, 5 ns now");
	ok(carry.own_n == 1 && carry.own[0] == 9, "the carry of the next look");
	squares_release(&s);
	free(carry.own);
}

static void test_known(void)
{
	static const struct {
		double calls, square;
		size_t known;
	} cases[] = {{2, 50, 1}, {2, 0.0 / 0.0, 0}, {1, 100, 0}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct profile *p = profile_new();
		uint32_t path;
		struct profile_row *r;

		p->squares = 1;
		profile_add_metric(p, "TIME");
		path = profile_add_path(p, profile_add_timer(p, "f", "", NULL, 0), PROFILE_FLAT);
		profile_add_thread(p, 0, 0, 0);
		r = profile_add_row(p, 0, path);
		r->calls = cases[i].calls;
		*profile_excl(p, &p->thread[0], r) = 10;
		*profile_squares(&p->thread[0], r) = cases[i].square;
		ok(profile_squares_known(p) == cases[i].known, "%g calls with a sum of %g: %zu", cases[i].calls, cases[i].square, cases[i].known);
		profile_free(p);
	}
}

static void test_between(void)
{
	static const struct {
		int64_t from, value, to, next, at, is;
	} cases[] = {
		{0, 0, 10, 100, 5, 50},	 {0, 0, 10, 100, 10, 100}, {0, 0, 3, 10, 1, 3},	 {0, 0, 3, -10, 1, -4},
		{0, 5, 10, 5, 7, 5},	 {0, 0, INT64_MAX, INT64_MAX, INT64_MAX / 2, INT64_MAX / 2},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		ok(metrics_between(cases[i].from, cases[i].value, cases[i].to, cases[i].next, cases[i].at) == cases[i].is,
		   "case %zu: a metric between two values is %lld", i, (long long)cases[i].is);
}

static void test_stacks(void)
{
	struct stack_tree t;
	struct stacks a = {0}, b = {0};
	const uint32_t deep[] = {3, 2, 1}, other[] = {4, 2, 1};
	uint32_t x, y;

	stack_tree_init(&t);
	ok(stack_tree_add(&t, NULL, 0) == 0, "an empty stack is node 0");
	x = stack_tree_add(&t, deep, 3);
	y = stack_tree_add(&t, other, 3);
	ok(x != y && t.v[x].parent == t.v[y].parent && t.v[x].code == 3 && t.v_n == 5, "stacks with the same callers share their nodes");
	ok(stack_tree_add(&t, deep, 3) == x && stack_tree_child(&t, t.v[x].parent, 3) == x, "a stack is found again");
	ok(stacks_empty(&a), "nothing was sampled");
	stacks_add(&a, 1, x, 2, 20);
	stacks_add(&a, 1, x, 1, 5);
	stacks_add(&a, 2, x, 1, 7);
	stacks_add(&b, 1, x, 4, 40);
	stacks_add(&b, 1, y, 1, 1);
	stacks_merge(&a, &b);
	ok(a.v_n == 3 && a.v[0].n == 7 && a.v[0].ns == 65, "counts of one stack in one context add up");
	ok(a.v[1].context == 2 && a.v[1].n == 1 && a.v[2].node == y, "other contexts and stacks are apart");
	stacks_clear(&a);
	ok(stacks_empty(&a) && !stacks_empty(&b), "cleared");
	stacks_release(&a);
	stacks_release(&b);
	stack_tree_release(&t);
}

int main(void)
{
	test_summary();
	test_square();
	test_squares();
	test_carry();
	test_known();
	test_between();
	test_stacks();
	return tap_end();
}
