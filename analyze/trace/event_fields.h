/*
 * event_fields.h: the fields of events as numbers and text, from the rows of event_kinds.h, for
 * programs that print events.
 */
#ifndef EVENT_FIELDS_H
#define EVENT_FIELDS_H

#include "analyze/trace/trace.h"

#define EVENT_FIELDS_MOST 6
struct event_field {
	uint8_t type, column;	/* enum event_type, enum event_column */
	uint16_t at;		/* offset in struct event_args */
	const char *name;	/* NULL: the kind has no further fields */
};
struct event_row {
	const char *title, *text, *lost;	/* as in event_kinds.h */
	struct event_field field[EVENT_FIELDS_MOST + 1];
};
extern const struct event_row event_row[EVENT_KINDS];

extern const char *const event_coll_name[COLLS];
extern const char *const event_rma_name[RMAS];
extern const char *const event_sync_name[SYNCS];
extern const char *const event_io_name[IO_OPS];
extern const char *const event_mark_name[2];
extern const char *const event_wait_name[EVENT_WAIT_KINDS];
extern const char *const event_file_wait_name[EVENT_FILE_WAITS];

/* The field of a kind that belongs into a column; NULL: the kind has no such field. */
const struct event_field *event_in_column(uint32_t kind, enum event_column column);
/*
 * Is the field a number? SIZE and AMOUNT are unsigned; NUMBER is a double, for which both functions
 * return 0.
 */
int event_field_is_number(const struct event_field *f);
int event_field_is_unsigned(const struct event_field *f);
/* 0: the event has no value for the field: a message without a request. */
int event_field_is_there(const struct event_field *f, const struct event_args *a);
/* The value of the field, in the unit of its type (enum event_type). */
int64_t event_field_number(const struct event_field *f, const struct event *ev, const struct event_args *a);
double event_field_double(const struct event_field *f, const struct event_args *a);
/*
 * The name of the object to which the field refers; of a path, that of its last region. Borrowed
 * from the trace; NULL: the field has no name. regions: of the batch.
 */
const char *event_field_text(const struct event_field *f, const struct trace *t, const struct event_args *a,
			     const uint32_t *regions);
struct event_list event_field_list(const struct event_field *f, const struct event_args *a);

#endif
