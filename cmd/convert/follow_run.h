/* follow_run.h: writes the events of a run as JSON lines, CSV or OTF2 archives while it is recorded, or gives them to a plug-in. */
#ifndef FOLLOW_RUN_H
#define FOLLOW_RUN_H

#include "analyze/trace/filter.h"

struct program;

struct follow_wish {
	int json;			/* JSON: an object per line; 0: CSV */
	const struct filter *only;	/* ranks and threads; NULL: all */
	int64_t last;			/* ns: nothing that is older than this at the begin; 0: everything */
	int anomalies;			/* writes what is unusual, in place of events */
	int64_t least;			/* ns: only what takes so much longer than usual */
	int64_t every;			/* ns: OTF2 archives of such spans, in place of lines; 0: lines */
	const char *plugin;		/* that gets the events, as plugin_open() has it; NULL: none */
};

/*
 * Writes to `out` ("-": standard output) until the run ends, or until the reader of `out` closes it. The exit status of the plug-in, 0
 * without one, or an error.
 */
int follow_run(const struct program *program, const char *run, const char *out,
	       const struct follow_wish *wish, struct error *e);

#endif
