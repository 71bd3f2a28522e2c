/* report_html.h: pages: of one kind (--format html), and of a whole study (kind html). */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "cmd/report/report.h"

/* One kind, ready to print. */
struct report_part {
	struct report_options o;
	const struct report_runs *runs;
	report_print *print;
};

/*
 * Tables and picture of a kind, as far as it has them, on a page of their own. Returns the exit status of its tables. The error is
 * that of the tables, if there is no picture either.
 */
int report_page(const struct report_part *part, const char *kind, struct output *out, struct error *e);

/*
 * What a page gets other kinds from. get: prepares a kind for these options and loads its runs, which stay loaded for the next kind
 * if that needs the same. only: the one run of `from` to show, by its number among all runs; SIZE_MAX: all.
 */
struct report_parts {
	int (*get)(void *of, const struct report_options *o, const struct report_kind *kind, size_t only,
		   struct report_part *part, struct error *e);
	void *of;
};
int report_html(const struct report_options *o, const struct report_parts *parts, struct output *out, struct error *e);

#endif
