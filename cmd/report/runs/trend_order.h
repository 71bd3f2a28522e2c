/* trend_order.h: what names the versions of trend's runs, and their order: metadata, tags, and a list as git rev-list prints it. */
#ifndef TREND_ORDER_H
#define TREND_ORDER_H

#include "cmd/report/report.h"

/*
 * --label: by run the value of this metadata, or "tags"; NULL: the run has none. Borrowed from the runs. ERROR_USAGE: no run has it.
 */
int trend_labels(const struct report_options *o, const struct report_runs *r, const char **label,
		 struct error *e);
/*
 * --order: by run the line of the file with its label. Of two texts of at least 7 characters, as commits are, one may be the begin of
 * the other. ERROR_INPUT: a run has no label, or one that no line has.
 */
int trend_places(const struct report_options *o, const struct report_runs *r,
		 const char *const *label, size_t *place, struct error *e);

#endif
