/* comm_variables.h: what MPI's own variables show about messages: lengths of its queues, and eager limits. */
#ifndef COMM_VARIABLES_H
#define COMM_VARIABLES_H

#include "analyze/messages/samples.h"
#include "cmd/report/events/report_trace.h"
#include "cmd/table/table_fields.h"

/* Is the counter the length of the queue of messages that no receive was posted for? */
int comm_is_unexpected(const char *counter);

/* Tables, without notes; NULL: none were recorded. x: after samples_end(). */
struct table *comm_queue_table(const struct report_options *o, const struct report_trace *r,
			       const struct samples *x);
struct table *comm_limit_table(const struct report_trace *r);
/* Their columns. */
extern const struct table_field comm_queue_fields[], comm_limit_fields[];

#endif
