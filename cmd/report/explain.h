/* explain.h: --explain: what each column of a report is, its formula, who defined it, and the runs that it is computed from. */
#ifndef EXPLAIN_H
#define EXPLAIN_H

#include "cmd/report/report_types.h"

/* Adds the explanations of a table's columns, and its inputs. */
void explain_table(struct table *t, const struct report_options *o);

#endif
