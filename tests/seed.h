/* seed.h: the seed from which a test draws: its own, so that all machines try the same, unless TAU_TEST_SEED gives another. */
#ifndef SEED_H
#define SEED_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Never 0; printed. TAU_TEST_SEED=time: another one every second. */
static inline uint64_t test_seed(uint64_t own)
{
	const char *given = getenv("TAU_TEST_SEED");

	if (given && !strcmp(given, "time"))
		own = (uint64_t)time(NULL) * 2654435761u;
	else if (given && *given)
		own = strtoull(given, NULL, 0);
	own = own ? own : 1;
	printf("# TAU_TEST_SEED=%llu\n", (unsigned long long)own);
	return own;
}

#endif
