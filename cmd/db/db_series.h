/* db_series.h: imports several runs: those that cannot be imported are reported, and the others are stored. */
#ifndef DB_SERIES_H
#define DB_SERIES_H

#include "cmd/db/db_jobs.h"
#include "convert/ranks.h"

struct run_series {
	const char *const *run;
	size_t n;
	size_t at_once;		/* limit of runs that are read side by side, if no ranks share the work */
	struct ranks *ranks;	/* NULL: this process is alone */
	void *to;
	int (*one)(void *to, size_t i, struct job_failure *f);	/* as in struct jobs; of each rank */
};

/*
 * Returns 0, or the error. Of several runs, each that cannot be imported gets a line on standard
 * error, from rank 0; then the code is that of the first of them, and the error counts them.
 */
int series_import(const struct run_series *s, struct error *e);

#endif
