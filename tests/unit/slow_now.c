/* slow_now.c: instances that are slow, and ranks that fall behind, are found; simulated runs without any have few alarms. */
#include "analyze/anomalies/slow_now.h"

#include "draw.h"
#include "tap.h"

struct clock {
	int64_t now[8]; /* ns, by rank */
};

/* One instance of a region; the number of alarms. */
static int instance(struct slow_now *s, struct clock *c, int rank, double ns, struct slow_now_alarm a[2])
{
	slow_now_enter(s, rank, 0, "step", "TAU_USER", c->now[rank]);
	c->now[rank] += (int64_t)ns;
	return slow_now_leave(s, rank, 0, c->now[rank], a);
}

/* Log-normal with a median of 1 ms. */
static double time_of(double sigma)
{
	return 1e6 * exp(sigma * draw_gauss());
}

static void test_quiet(void)
{
	static const double sigma[] = {0.01, 0.1, 0.5};
	uint64_t alarms = 0, tests = 0;

	for (int run = 0; run < 60; run++) {
		struct slow_now s = {0};
		struct clock c = {{0}};
		struct slow_now_alarm a[2];

		for (int i = 0; i < 40000; i++)
			instance(&s, &c, i % 4, time_of(sigma[run % 3]), a);
		alarms += s.alarms;
		tests += s.instances;
		slow_now_release(&s);
	}
	printf("# %llu alarms of %llu instances without anomalies\n", (unsigned long long)alarms, (unsigned long long)tests);
	ok(tests > 2000000, "more than 2 million instances were tested");
	ok(alarms <= 2, "at most 2 false alarms");
}

static void test_slow(void)
{
	struct slow_now s = {.least = 1e6};
	struct clock c = {{0}};
	struct slow_now_alarm a[2];
	int found = 0, others = 0;

	for (int i = 0; i < 5000; i++) {
		int planted = i && i % 1000 == 0;
		int n = instance(&s, &c, 0, planted ? 2e7 : time_of(0.1), a);

		found += planted && n == 1 && a[0].nth == (uint64_t)i + 1 && a[0].own == 2e7 && fabs(a[0].typical / 1e6 - 1) < 0.1;
		others += !planted && n;
	}
	ok(found == 4, "each of 4 slow instances: %d", found);
	ok(!others, "and no other");
	slow_now_release(&s);
}

/* The region around a slow one, and time in MPI. */
static void test_around(void)
{
	struct slow_now s = {.least = 1e6};
	struct slow_now_alarm a[2];
	int64_t t = 0;
	int inner = 0, outer = 0;

	for (int i = 0; i < 200; i++) {
		slow_now_enter(&s, 0, 0, "outer", "TAU_USER", t);
		slow_now_enter(&s, 0, 0, "inner", "TAU_USER", t += 1000);
		inner += slow_now_leave(&s, 0, 0, t += i == 150 ? 50000000 : 1000000, a);
		slow_now_enter(&s, 0, 0, "MPI_Recv()", "MPI", t);
		slow_now_leave(&s, 0, 0, t += i == 100 ? 90000000 : 5000, a);
		outer += slow_now_leave(&s, 0, 0, t += 1000, a);
	}
	ok(inner == 1, "the inner region is slow once");
	ok(!outer, "the outer one is not, also if a message takes long");
	slow_now_release(&s);
}

static void test_behind(void)
{
	struct slow_now s = {.least = 1e6};
	struct clock c = {{0}};
	struct slow_now_alarm a[2];
	int behind[4] = {0};

	for (int i = 0; i < 4 * 64 * 20; i++) {
		int rank = i % 4, slow = rank == 2 && i > 4 * 64 * 10;
		int n = instance(&s, &c, rank, time_of(0.05) * (slow ? 2 : 1), a);

		for (int k = 0; k < n; k++)
			behind[rank] += a[k].behind;
	}
	ok(behind[2] == 1, "rank 2 falls behind, which is reported once: %d", behind[2]);
	ok(!behind[0] && !behind[1] && !behind[3], "no other rank does");
	slow_now_release(&s);
}

int main(void)
{
	draw_seed(20261126);
	test_quiet();
	test_slow();
	test_around();
	test_behind();
	return tap_end();
}
