/*
 * sampling.h: --sample and --unwind of tau-record, and TAU's variables for them.
 */
#ifndef SAMPLING_H
#define SAMPLING_H

#include "analyze/base/base.h"

#define SAMPLING_DEPTH 127	/* most code addresses in a sample */

#define SAMPLING_SHORTEST_US 50 /* the shortest period of --sample */

/* A period such as 10ms in microseconds. ERROR_USAGE: it is none; who: the option. */
int sampling_period(const char *text, const char *who, unsigned long long *out, struct error *e);

struct sampling {
	unsigned long long period_us;	/* 0: no samples */
	unsigned depth;		/* code addresses in each */
	const char *cut;	/* a larger depth in TAU_EBS_UNWIND_DEPTH; NULL: none */
	int unasked;		/* neither an option nor a variable is about samples */
	const char *refused;	/* why there are none by default, NULL: this does not hold */
};

/*
 * period: "10ms", "500us", "1s", a number of microseconds, "" for 10ms, "none", NULL: by TAU_SAMPLING and TAU_EBS_PERIOD,
 * without them 10ms if that is harmless on this kernel. unwind: a depth, "" for the most, NULL: by TAU_EBS_UNWIND and
 * TAU_EBS_UNWIND_DEPTH, without them the most. ERROR_USAGE.
 */
int sampling_get(const char *period, const char *unwind, struct sampling *out, struct error *e);
/* Takes no samples, unless an option or a variable requests them. */
void sampling_not_unasked(struct sampling *s);
/* Sets what the recorder reads of it in the program. */
void sampling_export(const struct sampling *s);
/* Prints these variables, as -n does. */
void sampling_show(const struct sampling *s);

#endif
