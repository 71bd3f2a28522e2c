/* slow_now.c: slow instances, and ranks that become late, are found; simulated runs without any have few alarms. */
#include "analyze/anomalies/slow_now.h"

#include "draw.h"
#include "tap.h"

struct clock {
	int64_t now[8]; /* ns, by rank */
};

/* One instance of a region; the number of alarms. */
static int instance(struct slow_now *s, struct clock *c, int rank, double ns, struct slow_now_alarm a[SLOW_NOW_ALARMS])
{
	slow_now_enter(s, rank, 0, "step", "TAU_USER", c->now[rank], 0);
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
		struct slow_now_alarm a[SLOW_NOW_ALARMS];

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
	struct slow_now_alarm a[SLOW_NOW_ALARMS];
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
	struct slow_now_alarm a[SLOW_NOW_ALARMS];
	int64_t t = 0;
	int inner = 0, outer = 0;

	for (int i = 0; i < 200; i++) {
		slow_now_enter(&s, 0, 0, "outer", "TAU_USER", t, 0);
		slow_now_enter(&s, 0, 0, "inner", "TAU_USER", t += 1000, 0);
		inner += slow_now_leave(&s, 0, 0, t += i == 150 ? 50000000 : 1000000, a);
		slow_now_enter(&s, 0, 0, "MPI_Recv()", "MPI", t, 0);
		slow_now_leave(&s, 0, 0, t += i == 100 ? 90000000 : 5000, a);
		outer += slow_now_leave(&s, 0, 0, t += 1000, a);
	}
	ok(inner == 1, "the inner region is slow once");
	ok(!outer, "the outer one is not, also if a message takes long");
	slow_now_release(&s);
}

static void test_late(void)
{
	struct slow_now s = {.least = 1e6};
	struct clock c = {{0}};
	struct slow_now_alarm a[SLOW_NOW_ALARMS];
	int late[4] = {0};

	for (int i = 0; i < 4 * 64 * 20; i++) {
		int rank = i % 4, slow = rank == 2 && i > 4 * 64 * 10;
		int n = instance(&s, &c, rank, time_of(0.05) * (slow ? 2 : 1), a);

		for (int k = 0; k < n; k++)
			late[a[k].node] += a[k].rank_late;
	}
	ok(late[2] == 1, "rank 2 falls late, which is reported once: %d", late[2]);
	ok(!late[0] && !late[1] && !late[3], "no other rank does");
	slow_now_release(&s);
}

/* Whole ranks one after the other, the slow one first; and a region that was open before the first event. */
static void test_order(void)
{
	struct slow_now s = {.least = 1e6};
	struct clock c = {{0}};
	struct slow_now_alarm a[SLOW_NOW_ALARMS];
	int late[4] = {0}, n = 0;

	slow_now_enter(&s, 2, 0, "step", "TAU_USER", 0, 1);
	slow_now_leave(&s, 2, 0, 5000000000, a);
	for (int i = 0; i < 4 * 64; i++) {
		int rank = (i / 64 + 2) % 4;
		int k = instance(&s, &c, rank, time_of(0.05) * (rank == 2 ? 2 : 1), a);

		n += k;
		while (k)
			late[a[--k].node] += 1;
	}
	ok(n == 1 && late[2] == 1, "a slow rank that comes first is found: %d of %d alarms", late[2], n);
	ok(s.instances == 4 * (64 - SLOW_NOW_LEAST), "what was open before is not compared: %llu", (unsigned long long)s.instances);
	slow_now_release(&s);
}

int main(void)
{
	draw_seed(20261126);
	test_quiet();
	test_slow();
	test_around();
	test_late();
	test_order();
	return tap_end();
}
