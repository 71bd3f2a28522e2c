/* location.h: a location while it is being read: what the cursor and the kinds of records share. */
#ifndef ARCHIVE_LOCATION_H
#define ARCHIVE_LOCATION_H

#include "convert/otf2/archive.h"

#define ARCHIVE_BATCH 1024	/* records read for one batch */

/* An I/O operation that has begun. */
struct otf2_pending {
	uint64_t handle, id;
	unsigned mode;
	int64_t begin;
};

/* Regions of a task that waits. */
struct otf2_task {
	uint64_t id;
	uint32_t *region;
	size_t region_n, region_cap;
};

/* Attributes of an event. */
#define ARCHIVE_GIVEN 4	/* that are looked at; of more the first */
struct archive_tags {
	unsigned n;
	uint32_t ref[ARCHIVE_GIVEN];
	uint64_t value[ARCHIVE_GIVEN];
};

/* Those with which an open region was entered. */
struct tag {
	size_t frame;		/* index into open */
	struct archive_tags given;
};

struct trace_cursor {
	struct trace *trace;
	struct archive *run;
	struct trace_stream *stream;
	struct archive_location *location;
	OTF2_Reader *reader;	/* of its own, so that cursors share nothing; NULL: there is nothing to read */
	OTF2_EvtReader *events;
	uint64_t limit;		/* times from here on are damage; 0: only times are wanted */
	uint64_t stamp;		/* time stamp of the record before */
	uint64_t time;		/* of the record; none falls */
	const char *wrong;	/* with this record */
	struct event_batch batch;
	size_t event_cap;
	struct event_state state;
	int64_t last;		/* ns of the last event */
	int begun, ended;
	uint64_t read;		/* records */
	uint64_t rank;		/* of the process, as communicators of one count it */
	uint32_t *open;		/* regions of the trace, and ARCHIVE_REGION_ROOT */
	size_t open_n, open_cap;
	struct otf2_pending *pending;
	size_t pending_n, pending_cap;
	struct otf2_task *task;
	size_t task_n, task_cap;
	uint64_t task_now;	/* 0: none */
	size_t task_base;	/* open regions below those of the task */
	int64_t *metric;	/* now, by metric of the trace; NULL: the trace has none */
	int64_t *travel;	/* how far each has gone up and down */
	int metered;		/* values have come */
	int behind;		/* they follow the event that they belong to */
	int fresh;		/* values have come that no event has taken yet */
	struct archive_tags given; /* of the next event */
	struct tag *tag;	/* of open regions that have some, ascending frames */
	size_t tag_n, tag_cap;
	size_t on_base;		/* regions open when recording last went on: leaves may be of others inside them */
	int slow;		/* enters and leaves may be more than that: there are attributes, or metrics, or off is set */
	int off;		/* recording is off, and ARCHIVE_REGION_OFF is open in the trace alone */
	uint64_t by_attribute, by_place;	/* leaves of other regions than were entered, and how they were paired */
	uint64_t *over;		/* records of each kind that nothing is made of, others.c */
	uint64_t fell;		/* times before those of earlier records */
	size_t row_n, row_cap;	/* rows of batch.metric that hold values, or have room */
};

static inline int64_t archive_now(const struct trace_cursor *c)
{
	int64_t ns = archive_time(c->run, c->time);

	return ns > c->last ? ns : c->last;
}

/*
 * Appends an event; times never fall. There is always room for as many events as records are read at a time, so the two
 * kinds that matter, each of which appends one, need not look.
 */
static inline void archive_push_quick(struct trace_cursor *c, uint32_t kind, uint32_t ref)
{
	c->last = archive_now(c);
	c->batch.event[c->batch.n++] = (struct event){ c->last, kind, ref };
}

static inline void archive_push(struct trace_cursor *c, uint32_t kind, uint32_t ref)
{
	if (c->batch.n + ARCHIVE_BATCH >= c->event_cap)
		c->batch.event = array_grow(c->batch.event, &c->event_cap, sizeof(*c->batch.event));
	archive_push_quick(c, kind, ref);
}

static inline struct event_args *archive_push_args(struct trace_cursor *c, uint32_t kind)
{
	archive_push(c, kind, (uint32_t)c->batch.args_n);
	return array_add(&c->batch, args);
}

static inline void archive_off(struct trace_cursor *c, int off)
{
	c->off = off;
	c->slow = off || c->metric || c->run->attributed;
}

/* The parameters that all callbacks have. */
#define ARCHIVE_EVENT OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t at, void *to, OTF2_AttributeList *attributes

/* Sets the callbacks of stack.c (regions, tasks, calling contexts, recording on and off), events.c, others.c (all others). */
void archive_on_stack(OTF2_EvtReaderCallbacks *to);
void archive_on_events(OTF2_EvtReaderCallbacks *to);
void archive_on_others(OTF2_EvtReaderCallbacks *to);
/* The name of kind < archive_others() of records in c->over, and the number of kinds. */
const char *archive_other(size_t kind);
size_t archive_others(void);

#endif
