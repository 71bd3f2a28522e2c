/*
 * view_runs.h: the runs that a page shows, and the command lines of its reports. Each report of the page is the output of tau-report,
 * so the page has no numbers of its own.
 */
#ifndef VIEW_RUNS_H
#define VIEW_RUNS_H

#include "cmd/report/report_types.h"

struct view_runs {
	const char *db;		/* NULL: none; then the runs are its trials, and without runs the page chooses among all of them */
	char *const *name;	/* as the user named them */
	char *const *run;	/* what reports read: the same, or what view_converted.h keeps */
	size_t run_n;
	const char *program;	/* path of tau-report */
	const char *store;	/* path of tau-db, if the page chooses among trials */
	uint64_t memory;	/* bytes that a report may allocate */
	unsigned threads;	/* on which it reads streams */
};

/* Kinds that are lists of trials to choose from, and of what differs between them: tau-db prints them. */
#define VIEW_TRIALS "trials"
#define VIEW_VALUES "values"

/* What the page asks for. NULL: absent. */
struct view_ask {
	const char *kind, *run, *window, *by, *rank, *thread, *squares, *cells, *rows, *top, *word, *format;
	const char *trials, *where, *sort;	/* of those to choose from: numbers with commas between them, a condition, the order */
	int is_run;		/* the command is run, not shown: it names the threads, on which no number depends */
};

struct view_command {
	const char *program;	/* path of the first word; borrowed */
	char **v;		/* the last one is followed by NULL */
	size_t v_n, v_cap;
};

/* The command line of a report. Nothing of the request is a path or an option: ERROR_USAGE for what is not known. Release c. */
int view_command_make(struct view_command *c, const struct view_runs *r, const struct view_ask *a, struct error *e);
void view_command_release(struct view_command *c);
/* The command as a user types it. To be freed. */
char *view_command_text(const struct view_command *c);

/* Can the page show the kind? Some need several runs. */
int view_has(const struct view_runs *r, const struct report_kind *k);
/* The runs and kinds, as JSON. To be freed. */
char *view_runs_json(const struct view_runs *r);

#endif
