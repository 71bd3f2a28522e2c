/* db_trace.h: runs as the source of the tables event and call (db/events.h). */
#ifndef DB_TRACE_H
#define DB_TRACE_H

#include "convert/formats.h"
#include "db/events.h"

struct trace_source {
	struct trace **trace;
	size_t trace_n, trace_cap;
};

/* Opens the runs. trace_source_release() frees what is held in any case. */
int trace_source_open(struct trace_source *s, const char *const *run, size_t n, struct error *e);
void trace_source_release(struct trace_source *s);
/* As a source of the database; s lives as long. */
struct db_event_source trace_source_get(struct trace_source *s);

#endif
