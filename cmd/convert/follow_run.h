/* follow_run.h: writes the events of a run as JSON lines or CSV while it is recorded. */
#ifndef FOLLOW_RUN_H
#define FOLLOW_RUN_H

#include "analyze/trace/filter.h"

struct program;

/*
 * Writes to `out` ("-": standard output) until the run ends, or until the reader of `out` closes it. json: objects of JSON, one a
 * line. only: ranks and threads; NULL: all.
 */
int follow_run(const struct program *program, const char *run, const char *out, int json,
	       const struct filter *only, struct error *e);

#endif
