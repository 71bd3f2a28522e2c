/*
 * filter_cursor.h: a trace as if only some of its regions had been recorded: those of some groups, of some names, or what
 * happens inside of some call paths.
 *
 * A region that is not meant is neither entered nor left, so its time is that of the region around it. Values, messages,
 * transfers and samples count where a region that is meant is open. Memory stays what it is, because what is allocated does not
 * depend on who asks; so do the lives of threads and switches of recording.
 */
#ifndef FILTER_CURSOR_H
#define FILTER_CURSOR_H

#include "analyze/summary/summary_filter.h"
#include "analyze/trace/filter.h"

/*
 * From then on cursors deliver only what is meant; without groups, names and paths nothing changes. Call it before any
 * cursor is open, and once. ERROR_INPUT: the trace has no such group or region, or several that may be meant.
 */
int filter_cursor_install(struct trace *t, const struct filter *o, struct error *e);

/* Which regions and call paths a filter selects. Errors as above; release it in any case. */
int filter_selected_make(struct filter_selected *m, struct trace *t, const struct filter *o,
			 struct error *e);

#endif
