/*
 * explain.h: --explain: what each column of a report is, its formula, who defined it, and the runs that it is computed from.
 * A row names the kinds of reports that have the column.
 */
#ifndef EXPLAIN_H
#define EXPLAIN_H

#include "cmd/report/report_types.h"

struct explanation {
	const char *kinds;	/* of reports, separated by blanks; NULL: all */
	const char *key;	/* of the column; one '*' matches any text, and for the same text in the formula as '$' */
	const char *value;	/* one value of a column of words; NULL: the column */
	const char *meaning;
	const char *formula;	/* table_formula.h; NULL: measured, or said by the meaning */
	const char *source;	/* who defined it; NULL: not necessary */
};
/* The first one that fits a column is its explanation. The last one of each file has a NULL key. */
extern const struct explanation explain_times[], explain_events[], explain_runs[];

/* Adds the explanations of a table's columns, and its inputs. */
void explain_table(struct table *t, const struct report_options *o);

#endif
