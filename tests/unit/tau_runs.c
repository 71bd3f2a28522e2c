/* tau_runs.c: where the records of a stream are in a file: what is added comes back, in runs. */
#include "convert/tau/tau_runs.h"

#include <stdio.h>
#include <string.h>

#include "tap.h"

/* The runs as text: "3+2 9+1". */
static void text(const struct trc_runs *r, char *out, size_t n)
{
	struct trc_walk w = {0};
	struct trc_run_of run;

	*out = 0;
	while (trc_runs_next(r, &w, &run))
		snprintf(out + strlen(out), n - strlen(out), "%s%llu+%llu", *out ? " " : "",
			 (unsigned long long)run.first, (unsigned long long)run.n);
	if (run.n || trc_runs_next(r, &w, &run) || run.n)
		snprintf(out, n, "more after the end");
}

int main(void)
{
	static const struct {
		uint64_t at[8];
		const char *expected;
	} c[] = {
		{ { 0 }, "" },
		{ { 1 }, "0+1" },
		{ { 8 }, "7+1" },
		{ { 1, 2, 3 }, "0+3" },
		{ { 4, 5, 10 }, "3+2 9+1" },
		{ { 2, 4, 6, 8 }, "1+1 3+1 5+1 7+1" },
		{ { 1, 130, 300, 301, 100000000001 }, "0+1 129+1 299+2 100000000000+1" },
	};
	struct trc_runs every = {0};
	struct trc_walk w = {0};
	struct trc_run_of run;
	uint64_t good = 0;

	/* Numbers of the table are one more than the record; 0 ends a row. */
	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		struct trc_runs r = {0};
		char got[200];

		for (size_t k = 0; k < 8 && c[i].at[k]; k++)
			trc_runs_add(&r, c[i].at[k] - 1);
		text(&r, got, sizeof(got));
		ok(!strcmp(got, c[i].expected), "'%s', expected '%s'", got, c[i].expected);
		trc_runs_release(&r);
	}
	for (uint64_t i = 0; i < 10000; i++)
		trc_runs_add(&every, 100 * i);
	while (trc_runs_next(&every, &w, &run))
		good += run.first == 100 * good && run.n == 1;
	ok(good == 10000 && every.byte_n < 20000, "10000 runs come back from %zu bytes", every.byte_n);
	trc_runs_release(&every);
	return tap_end();
}
