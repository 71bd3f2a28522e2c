/* sampling.c: reads the options and variables that set whether, how often and how deep samples are taken. */
#include "cmd/record/options/sampling.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "analyze/base/quantity.h"
#include "cmd/shared/choice.h"
#include "cmd/shared/tau_variables.h"

#define DEFAULT_US 10000
#define NONE "none"
#define TEXT(number) #number
#define US(number)   TEXT(number) "us"

int sampling_period(const char *text, const char *who, unsigned long long *out, struct error *e)
{
	const struct quantity_option period = {
		who, QUANTITY_TIME, "us", US(SAMPLING_SHORTEST_US), "1000s", "10ms"};
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

/*
 * From these versions on, the kernel lets a timer of CPU time expire when its thread returns to the program, which is after
 * any system call: none ends with EINTR. Before, the clock's interrupt sent the signal, also to a thread that was
 * beginning to wait. Other processors than x86-64 got this one by one, all that have real-time kernels by 6.12.
 */
#if defined(__x86_64__)
enum { KERNEL_MAJOR = 5, KERNEL_MINOR = 10 };
#else
enum { KERNEL_MAJOR = 6, KERNEL_MINOR = 12 };
#endif

static int kernel_harmless(void)
{
	struct utsname u;
	int major = 0, minor = 0;

	return uname(&u) == 0 && sscanf(u.release, "%d.%d", &major, &minor) == 2 &&
	       (major > KERNEL_MAJOR || (major == KERNEL_MAJOR && minor >= KERNEL_MINOR));
}

void sampling_not_unasked(struct sampling *s)
{
	if (s->unasked)
		s->period_us = 0;
}

static int period_get(const char *period, const char *tau_period, struct sampling *out,
		      struct error *e)
{
	if (period && *period)
		return sampling_period(period, "--sample", &out->period_us, e);
	if (tau_period && *tau_period)
		return sampling_period(tau_period, "TAU_EBS_PERIOD", &out->period_us, e);
	return 0;
}

int sampling_get(const char *period, const char *unwind, struct sampling *out, struct error *e)
{
	const char *tau_period = tau_variable("TAU_EBS_PERIOD");
	const char *tau = tau_variable("TAU_SAMPLING");
	const char *tau_unwind = tau_variable("TAU_EBS_UNWIND");
	const char *tau_depth = tau_variable("TAU_EBS_UNWIND_DEPTH");
	int none = period && !strcmp(period, NONE);

	*out = (struct sampling){.depth = 1};
	if (none && unwind)
		return error_set(e, ERROR_USAGE, "--unwind: --sample=none takes no samples");
	if (none || (!period && !unwind && tau && *tau && !choice_on(tau)))
		return 0;
	out->unasked = !period && !unwind && !(tau && *tau);
	if (out->unasked && !kernel_harmless()) {
		out->refused = "because system calls may be interrupted by them on this kernel";
		return 0;
	}
	out->period_us = DEFAULT_US;
	if (period_get(period, tau_period, out, e) < 0)
		return e->code;
	if (unwind || !tau_unwind || !*tau_unwind || choice_on(tau_unwind))
		out->depth = SAMPLING_DEPTH;
	if (unwind && *unwind)
		return depth_get(unwind, "--unwind", SAMPLING_DEPTH, out, e);
	if (!unwind && out->depth > 1 && tau_depth && *tau_depth)
		return depth_get(tau_depth, "TAU_EBS_UNWIND_DEPTH", ULONG_MAX, out, e);
	return 0;
}

#define VARIABLES 3

struct sampling_variable {
	const char *name;
	char value[32];	/* "": not set */
};

static void variables_make(const struct sampling *s, struct sampling_variable v[VARIABLES])
{
	static const char *const names[] = {"TAU_RECORD_SAMPLE", "TAU_RECORD_UNWIND",
					    "TAU_RECORD_SAMPLE_UNASKED"};

	for (int i = 0; i < VARIABLES; i++)
		v[i] = (struct sampling_variable){.name = names[i]};
	if (!s->period_us)
		return;
	snprintf(v[0].value, sizeof(v[0].value), "%llu", s->period_us);
	snprintf(v[1].value, sizeof(v[1].value), "%u", s->depth);
	if (s->unasked)
		strcpy(v[2].value, "1");
}

/* Also if it takes no samples: this one may run inside of another tau-record, which has set them. */
void sampling_export(const struct sampling *s)
{
	struct sampling_variable v[VARIABLES];

	variables_make(s, v);
	for (int i = 0; i < VARIABLES; i++)
		if (*v[i].value)
			setenv(v[i].name, v[i].value, 1);
		else
			unsetenv(v[i].name);
}

void sampling_show(const struct sampling *s)
{
	struct sampling_variable v[VARIABLES];

	variables_make(s, v);
	for (int i = 0; i < VARIABLES; i++)
		if (*v[i].value)
			printf("%s=%s\n", v[i].name, v[i].value);
}
