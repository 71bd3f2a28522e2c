/* otf2_cursor.h: a location while it is being read; shared by the cursor and the callbacks that fill its batch. */
#ifndef OTF2_CURSOR_H
#define OTF2_CURSOR_H

#include <string.h>

#include "otf2.h"

#define OTF2_BATCH 1024	/* records read for one batch */

/* An I/O operation that has begun. */
struct pending {
	OTF2_IoHandleRef handle;
	uint64_t id;
	OTF2_IoOperationMode mode;
	int64_t begin;
};

/* Regions of a task that waits. */
struct task {
	uint64_t id;
	uint32_t *region;
	size_t region_n, region_cap;
};

struct trace_cursor {
	struct trace *trace;
	struct otf2_run *run;
	struct trace_stream *stream;
	struct otf2_location *location;
	OTF2_EvtReader *reader;
	struct event_batch batch;
	size_t event_cap;
	struct event_state state;
	int64_t last;		/* ns of the last event */
	int begun, ended;
	uint64_t read;		/* records */
	uint64_t rank;		/* of the process, as communicators of one count it */
	OTF2_RegionRef *open;	/* as the trace names them */
	size_t open_n, open_cap;
	struct pending *pending;
	size_t pending_n, pending_cap;
	struct task *task;
	size_t task_n, task_cap;
	uint64_t task_now;	/* 0: none */
	size_t task_base;	/* open regions below those of the task */
};

/* What every callback takes first, and what most of them do not look at. */
#define OTF2_ARGS                                                                                       \
	OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *to,               \
		OTF2_AttributeList *attributes
#define OTF2_UNUSED (void)location, (void)position, (void)attributes

/*
 * Appends an event; times never fall. There is always room for as many events as records are read at a time, so the two
 * callbacks that matter, each of which appends one, need not look.
 */
static inline void otf2_push_quick(struct trace_cursor *c, OTF2_TimeStamp time, uint32_t kind,
				   uint32_t ref)
{
	int64_t ns = otf2_time(c->run, time);

	c->last = ns > c->last ? ns : c->last;
	c->batch.event[c->batch.n++] = (struct event){ c->last, kind, ref };
}

static inline void otf2_push(struct trace_cursor *c, OTF2_TimeStamp time, uint32_t kind,
			     uint32_t ref)
{
	if (c->batch.n + OTF2_BATCH >= c->event_cap)
		c->batch.event = array_grow(c->batch.event, &c->event_cap, sizeof(*c->batch.event));
	otf2_push_quick(c, time, kind, ref);
}

static inline struct event_args *otf2_push_args(struct trace_cursor *c, OTF2_TimeStamp time, uint32_t kind)
{
	otf2_push(c, time, kind, (uint32_t)c->batch.args_n);
	return array_add(&c->batch, args);
}

/* Callbacks of otf2_stack.c: regions, tasks, calling contexts, recording on and off. */
void otf2_stack_callbacks(OTF2_EvtReaderCallbacks *c);

#endif
