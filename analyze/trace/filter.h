/* filter.h: which ranks and threads of a trace are meant, and which of its regions (filter_cursor.h). */
#ifndef FILTER_H
#define FILTER_H

#include "analyze/trace/trace.h"

struct only_range {
	int64_t first, last;
};
struct only_ranges {	/* none: all */
	struct only_range *v;
	size_t v_n, v_cap;
};

struct only_names {	/* none: all */
	char **v;
	size_t v_n, v_cap;
};

struct only {
	struct only_ranges rank, thread;
	struct only_names group, region;
	struct only_names path;	/* "a => b": what happens inside of b where a called it */
};

/* Adds what text says: numbers and ranges, "0,3..7,12". what: "rank" or "thread", for the message. ERROR_USAGE. */
int only_parse(const char *text, const char *what, struct only_ranges *out, struct error *e);
/* Adds a name, or several that commas separate. */
void only_name(const char *text, int several, struct only_names *out);
void only_release(struct only *o);

/* o NULL: all are meant. */
int only_process(const struct only *o, const struct trace_process *p);
int only_thread(const struct only *o, int64_t thread);
int only_stream(const struct only *o, const struct trace *t, uint32_t stream);

/* Does it leave out regions, so that a thread may have been busy and show nothing? */
static inline int only_regions(const struct only *o)
{
	return o && (o->group.v_n || o->region.v_n || o->path.v_n);
}

/* ERROR_INPUT: nothing of the trace is meant. */
int only_check(const struct only *o, const struct trace *t, struct error *e);

#endif
