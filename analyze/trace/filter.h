/* filter.h: which ranks and threads of a trace are meant, and which of its regions (filter_cursor.h). */
#ifndef FILTER_H
#define FILTER_H

#include "analyze/trace/trace.h"

struct filter_range {
	int64_t first, last;
};
struct filter_ranges { /* none: all */
	struct filter_range *v;
	size_t v_n, v_cap;
};

struct filter_names { /* none: all */
	char **v;
	size_t v_n, v_cap;
};

struct filter {
	struct filter_ranges rank, thread;
	struct filter_names group, region;
	struct filter_names path; /* "a => b": what happens inside of b where a called it */
};

/* Adds what text says: numbers and ranges, "0,3..7,12". what: "rank" or "thread", for the message. ERROR_USAGE. */
int filter_parse(const char *text, const char *what, struct filter_ranges *out, struct error *e);
/* Adds a name, or several that commas separate. */
void filter_name(const char *text, int several, struct filter_names *out);
void filter_release(struct filter *o);

/* o NULL: all are meant. */
int filter_process(const struct filter *o, const struct trace_process *p);
int filter_thread(const struct filter *o, int64_t thread);
int filter_stream(const struct filter *o, const struct trace *t, uint32_t stream);

/* Does it leave out regions, so that a thread may have been busy and show nothing? */
static inline int filter_regions(const struct filter *o)
{
	return o && (o->group.v_n || o->region.v_n || o->path.v_n);
}

/* ERROR_INPUT: nothing of the trace is meant. */
int filter_check(const struct filter *o, const struct trace *t, struct error *e);

#endif
