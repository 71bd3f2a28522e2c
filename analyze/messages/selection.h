/*
 * selection.h: the threads, regions and call paths of a trace that --rank, --thread, --group,
 * --region and --inside select, for analyses that read messages.
 *
 * All events are read and matched, whatever is selected; an analysis adds up only what is selected.
 * As in profiles, a region that is not selected counts as part of the selected region around it: an
 * event is selected if a selected region is open.
 */
#ifndef SELECTION_H
#define SELECTION_H

#include "analyze/stream/callstack.h"
#include "analyze/summary/summary_filter.h"
#include "analyze/trace/filter.h"

struct selection_path {
	uint32_t nearest; /* the path itself or its innermost selected parent; TRACE_NONE: none */
	char inside;	  /* it is inside a call path of --inside, or there is no such option */
};

struct selection {
	struct trace *trace;
	const struct filter *filter;
	struct filter_selected regions;
	const struct callstack_paths *paths;
	struct selection_path *path; /* by path */
	size_t path_n, path_cap;
};

/*
 * ERROR_INPUT: the filter selects nothing in the trace, or names an unknown region or group. t and
 * f must stay. Release s in any case.
 */
int selection_make(struct selection *s, struct trace *t, const struct filter *f, struct error *e);
void selection_release(struct selection *s);
/* Begins a new pass, with its own paths. first: by region, the first one of its name. */
void selection_begin(struct selection *s, const struct callstack_paths *paths,
		     const uint32_t *first);

/* In the following functions s may be NULL: everything is selected. */
/* Is the stream selected? */
int selection_stream(const struct selection *s, uint32_t stream);
/*
 * Is the rank selected, and are only ranks selected? Then the selection does not depend on the
 * thread or path of the message.
 */
int selection_rank(const struct selection *s, int64_t rank);
/* Are only some ranks or threads selected? */
int selection_streams(const struct selection *s);
/* Are only some regions or call paths selected? */
int selection_regions(const struct selection *s);
/* The selected path to which a path is attributed: itself or one around it. TRACE_NONE: none. */
uint32_t selection_path(struct selection *s, uint32_t path);
/* Is a region selected that is open in this path of a stream? */
int selection_has(struct selection *s, uint32_t stream, uint32_t path);

#endif
