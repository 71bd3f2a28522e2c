/*
 * loop.c TURNS STEPS [KIND]: loops of 1000 calls that do STEPS steps of work each, in turns without hooks and with them, all in one
 * process, so that the processor's speed is the same. Prints the ns of both. Recorded it shows what recording adds, and what of
 * that a profile can subtract. KIND is the work, because processors do some of the hooks beside some of it:
 *
 * chain	multiplications, of which each waits for the one before, through all calls
 * fresh	the same, but each call begins anew
 * sum		additions from a table
 * chase	loads, of which each waits for the one before
 * branch	a branch by a byte from a table
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PLAIN __attribute__((noinline, noclone, no_instrument_function))
#define HOOKED __attribute__((noinline, noclone))
#define MANY 4096
#define TURN 1000 /* calls */

static volatile unsigned long sink;
static unsigned next[MANY], bytes[MANY];

/* x: what the call before returned, i: which call it is. */
#define STEPS(name, ...) \
	PLAIN unsigned long name(unsigned long x, long i, int steps) \
	{ \
		for (int j = 0; j < steps; j++) \
			__VA_ARGS__ \
		return x; \
	}
#define WORK(kind, name, steps_do) \
	kind unsigned long name(unsigned long x, long i, int steps) \
	{ \
		x = steps_do(x, i, steps); \
		__asm__ volatile("" : "+r"(x)); /* not the last thing, so that it is a call with and without hooks */ \
		return x; \
	}
#define LOOP(kind, name, work, start) \
	kind void name(long n, int steps) \
	{ \
		unsigned long x = 1; \
		for (long i = 0; i < n; i++) { \
			x = work(start, i, steps); \
			__asm__ volatile("" : "+r"(x)); /* a call without a use counts, too */ \
		} \
		sink = x; \
	}
#define KIND(name, start, ...) \
	STEPS(name##_steps, __VA_ARGS__) \
	WORK(PLAIN, name##_plain, name##_steps) \
	LOOP(PLAIN, name##_loop_plain, name##_plain, start) \
	WORK(HOOKED, name, name##_steps) \
	LOOP(HOOKED, name##_loop, name, start)

KIND(chain, x, { (void)i; x = x * 6364136223846793005u + 1442695040888963407u; })
KIND(fresh, (unsigned long)i, { (void)i; x = x * 6364136223846793005u + 1442695040888963407u; })
KIND(sum, 0, x += next[(i + j) % MANY] ^ (unsigned)j;)
KIND(chase, (unsigned long)i % MANY, { (void)i; x = next[x]; })
KIND(branch, 0, { if (bytes[(i * 7 + j) % MANY] & 1) x += (unsigned)j; else x = 3 * x + 1; })

static const struct {
	const char *name;
	void (*plain)(long, int), (*hooked)(long, int);
} kinds[] = {
	{ "chain", chain_loop_plain, chain_loop }, { "fresh", fresh_loop_plain, fresh_loop },
	{ "sum", sum_loop_plain, sum_loop },       { "chase", chase_loop_plain, chase_loop },
	{ "branch", branch_loop_plain, branch_loop },
};

static PLAIN long long timed(void (*f)(long, int), long n, int steps)
{
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	f(n, steps);
	clock_gettime(CLOCK_MONOTONIC, &b);
	return (b.tv_sec - a.tv_sec) * 1000000000LL + b.tv_nsec - a.tv_nsec;
}

/* next[] goes once around all. */
static PLAIN void tables_fill(void)
{
	unsigned order[MANY];

	for (unsigned i = 0; i < MANY; i++) {
		unsigned other = (unsigned)rand() % (i + 1);

		bytes[i] = (unsigned)rand() >> 8;
		order[i] = order[other];
		order[other] = i;
	}
	for (unsigned i = 0; i < MANY; i++)
		next[order[i]] = order[(i + 1) % MANY];
}

PLAIN int main(int argc, char **argv)
{
	long turns = argc > 1 ? atol(argv[1]) : 1;
	int steps = argc > 2 ? atoi(argv[2]) : 30;
	const char *kind = argc > 3 ? argv[3] : "chain";

	tables_fill();
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		long long plain = 0, hooked = 0;

		if (strcmp(kinds[k].name, kind) != 0)
			continue;
		kinds[k].plain(TURN, steps);
		for (long turn = 0; turn < turns; turn++) {
			plain += timed(kinds[k].plain, TURN, steps);
			hooked += timed(kinds[k].hooked, TURN, steps);
		}
		printf("%lld %lld\n", plain, hooked);
		return 0;
	}
	fprintf(stderr, "loop: no such work: %s\n", kind);
	return 2;
}
