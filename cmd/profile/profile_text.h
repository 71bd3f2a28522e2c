/* profile_text.h: profiles as tables for people; tau-trace2profile(1), OUTPUT describes them. */
#ifndef PROFILE_TEXT_H
#define PROFILE_TEXT_H

#include <stdio.h>

#include "analyze/profile/profile.h"

#define PROFILE_TEXT_TOP 20

struct profile_text {
	long top;		/* rows of a table, 0: all */
	const char *metric;	/* the one to show; NULL: the first */
	int paths;		/* call paths, not regions */
	int counters;		/* a table of counters, too */
	int all;		/* everything: each thread, metric and counter, regions and call paths, and all rows */
	size_t width;		/* of the terminal, 0: names are never shortened */
};

/* ERROR_USAGE: the profile has no such metric. */
int profile_text_check(const struct profile_text *o, const struct profile *p, struct error *e);

/* One table over all threads, or as o has it. nth: of several windows, from 0. */
void profile_text_print(FILE *f, const struct profile *p, size_t nth, const struct profile_text *o);

#endif
