/*
 * filter_cursor.h: makes a trace look as if only some of its regions had been recorded: those of
 * some groups, of some names, or inside of some call paths.
 *
 * A region that is not selected is neither entered nor left, so its time is that of the region
 * around it. Values, messages, transfers and samples count while a selected region is open. Memory
 * events, begins and ends of threads, and switches of recording stay, because the memory of a
 * process does not depend on the selection. If a thread begins with an event that is removed, its
 * begin takes the place of that event: a selection never changes how long a thread lives.
 */
#ifndef FILTER_CURSOR_H
#define FILTER_CURSOR_H

#include "analyze/summary/summary_filter.h"
#include "analyze/trace/filter.h"

/*
 * From now on cursors deliver only the selected regions; without groups, names and paths nothing
 * changes. Call it once, before any cursor is open. o must stay. Returns 0, or ERROR_INPUT: the
 * trace has no such group or region, or several that the name may select.
 */
int filter_cursor_install(struct trace *t, const struct filter *o, struct error *e);

/*
 * The regions and call paths that a filter selects. m must be all 0. Errors as above; release m in
 * any case, with filter_selected_release().
 */
int filter_selected_make(struct filter_selected *m, struct trace *t, const struct filter *o,
			 struct error *e);

#endif
