/*
 * filter.h: which ranks, threads and regions of a trace the user selected (filter_cursor.h applies
 * the selection of regions).
 */
#ifndef FILTER_H
#define FILTER_H

#include "analyze/trace/trace.h"

struct filter_range {
	int64_t first, last;
};
struct filter_ranges { /* empty: all */
	struct filter_range *v;
	size_t v_n, v_cap;
};

struct filter_names { /* empty: all */
	char **v;
	size_t v_n, v_cap;
};

struct filter {
	struct filter_ranges rank, thread;
	struct filter_names group, region;
	struct filter_names path; /* "a => b": what happens inside b while a has called it */
};

/*
 * Adds the numbers and ranges of a text such as "0,3..7,12". what: "rank" or "thread", for the
 * message. Returns 0, or ERROR_USAGE if the text is not such a list; out is released in both cases.
 */
int filter_parse(const char *text, const char *what, struct filter_ranges *out, struct error *e);
/* Is n in one of them, or are they empty? */
int filter_ranges_have(const struct filter_ranges *r, int64_t n);
/* Adds a name, or several names that commas separate. */
void filter_name(const char *text, int several, struct filter_names *out);
void filter_release(struct filter *o);

/* Is the process, thread or stream selected? o NULL: all are. */
int filter_process(const struct filter *o, const struct trace_process *p);
int filter_thread(const struct filter *o, int64_t thread);
int filter_stream(const struct filter *o, const struct trace *t, uint32_t stream);

/* Are regions excluded, so that a thread can be busy and show no events? */
static inline int filter_regions(const struct filter *o)
{
	return o && (o->group.v_n || o->region.v_n || o->path.v_n);
}

/*
 * Returns 0, or ERROR_INPUT if the trace has streams, but none of a selected rank and thread. Names
 * of regions, groups and paths are not checked.
 */
int filter_check(const struct filter *o, const struct trace *t, struct error *e);

#endif
