/* sampling.c: reads the options and variables that set whether, how often and how deep samples are taken. */
#include "cmd/record/options/sampling.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/base/quantity.h"
#include "cmd/shared/choice.h"

#define DEFAULT_US 10000

int sampling_period(const char *text, const char *who, unsigned long long *out, struct error *e)
{
	const struct quantity_option period = {who, QUANTITY_TIME, "us", "50us", "1000s", "10ms"};
	int64_t ns;

	if (quantity_option(&period, text, &ns, e))
		return e->code;
	*out = (unsigned long long)ns / 1000;
	return 0;
}

/* most: a larger depth is an error from there on; the value of a variable of TAU's is only cut. */
static int depth_get(const char *text, const char *who, unsigned long most, struct sampling *out,
		     struct error *e)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*end || end == text || *text == '-' || n < 1 || n > most)
		return error_set(e, ERROR_USAGE, "%s: '%s' is not a depth; use 1 to %d", who, text,
				 SAMPLING_DEPTH);
	out->depth = n < SAMPLING_DEPTH ? (unsigned)n : SAMPLING_DEPTH;
	out->cut = n > SAMPLING_DEPTH ? text : NULL;
	return 0;
}

int sampling_get(const char *period, const char *unwind, struct sampling *out, struct error *e)
{
	const char *tau_period = getenv("TAU_EBS_PERIOD");
	const char *tau_depth = getenv("TAU_EBS_UNWIND_DEPTH");
	int code = 0;

	*out = (struct sampling){ .depth = 1 };
	if (period || unwind || choice_on(getenv("TAU_SAMPLING")))
		out->period_us = DEFAULT_US;
	if (!out->period_us)
		return 0;
	if (period && *period)
		code = sampling_period(period, "--sample", &out->period_us, e);
	else if (tau_period && *tau_period)
		code = sampling_period(tau_period, "TAU_EBS_PERIOD", &out->period_us, e);
	if (code)
		return code;
	if (unwind || choice_on(getenv("TAU_EBS_UNWIND")))
		out->depth = SAMPLING_DEPTH;
	if (unwind && *unwind)
		return depth_get(unwind, "--unwind", SAMPLING_DEPTH, out, e);
	if (!unwind && out->depth > 1 && tau_depth && *tau_depth)
		return depth_get(tau_depth, "TAU_EBS_UNWIND_DEPTH", ULONG_MAX, out, e);
	return 0;
}

void sampling_export(const struct sampling *s)
{
	char period[32], depth[16];

	if (!s->period_us)
		return;
	snprintf(period, sizeof(period), "%llu", s->period_us);
	snprintf(depth, sizeof(depth), "%u", s->depth);
	setenv("TAU_RECORD_SAMPLE", period, 1);
	setenv("TAU_RECORD_UNWIND", depth, 1);
}
