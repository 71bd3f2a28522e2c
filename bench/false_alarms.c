/*
 * false_alarms.c RUNS INSTANCES: simulates runs in which nothing is unusual, of that number of instances each: 8 ranks with 3
 * regions, whose times are independent and log-normal, and counts the runs in which tau-convert --follow --anomalies would report
 * something. Prints runs with an alarm, alarms, and runs.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/anomalies/slow_now.h"

#define RANKS	8
#define REGIONS 3

static uint64_t state = 88172645463325252u;

/* In (0, 1). */
static double uniform(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

static uint64_t run(long instances)
{
	static const char *const region[REGIONS] = {"steady", "varies", "wild"};
	static const double sigma[REGIONS] = {0.02, 0.2, 0.8};
	struct slow_now_alarm alarm[SLOW_NOW_ALARMS];
	int64_t now[RANKS] = {0};
	struct slow_now s = {0};
	uint64_t alarms;

	for (long i = 0; i < instances; i++) {
		int rank = (int)(i % RANKS), r = (int)(i / RANKS % REGIONS);

		slow_now_enter(&s, rank, 0, region[r], "TAU_USER", now[rank], 0);
		now[rank] += (int64_t)(1e6 * exp(sigma[r] * normal()));
		slow_now_leave(&s, rank, 0, now[rank], alarm);
	}
	alarms = s.alarms;
	slow_now_release(&s);
	return alarms;
}

int main(int argc, char **argv)
{
	long runs = argc > 1 ? atol(argv[1]) : 100, instances = argc > 2 ? atol(argv[2]) : 1000000;
	unsigned long long with = 0, all = 0;

	for (long i = 0; i < runs; i++) {
		uint64_t n = run(instances);

		with += n > 0;
		all += n;
	}
	printf("%llu %llu %ld\n", with, all, runs);
	return 0;
}
