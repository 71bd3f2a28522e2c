/* ranks.h: for tests that write a trace rank by rank, with trace_writer.h, and read it. */
#ifndef TESTS_RANKS_H
#define TESTS_RANKS_H

#include <stdio.h>
#include <sys/stat.h>

#include "convert/formats.h"

/* A run of its own in `dir`, as write_rank() writes it; NULL: it does not open, and the test's output has the reason. */
static struct trace *run_open(const char *dir, int ranks, void (*write_rank)(const char *run, int rank))
{
	static int n;
	struct error e = {0};
	struct trace *t = NULL;
	char run[64];

	snprintf(run, sizeof(run), "%s/%d", dir, n++);
	mkdir(run, 0700);
	for (int r = 0; r < ranks; r++)
		write_rank(run, r);
	if (trace_open(run, &t, &e))
		printf("# %s\n", e.text);
	return t;
}

#endif
