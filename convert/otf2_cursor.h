/* otf2_cursor.h: a location while it is being read: what the cursor and the kinds of records share. */
#ifndef OTF2_CURSOR_H
#define OTF2_CURSOR_H

#include "otf2.h"

#define OTF2_BATCH 1024	/* records read for one batch */

/* An I/O operation that has begun. */
struct pending {
	uint64_t handle, id;
	unsigned mode;
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
	struct otf2_file file;
	struct otf2_chunks chunks;
	struct otf2_bytes bytes;	/* of the current chunk */
	uint64_t limit;			/* times from here on are damage */
	uint64_t time;			/* of the record, corrected */
	uint32_t *direct;		/* regions with small ids of the location, as run->direct */
	uint32_t direct_n;
	int own_direct;			/* to be freed */
	struct event_batch batch;
	size_t event_cap;
	struct event_state state;
	int64_t last;		/* ns of the last event */
	int begun, ended;
	uint64_t read;		/* records */
	uint64_t rank;		/* of the process, as communicators of one count it */
	uint32_t *open;		/* as the location names them; OTF2_UNDEFINED32: a root */
	size_t open_n, open_cap;
	struct pending *pending;
	size_t pending_n, pending_cap;
	struct task *task;
	size_t task_n, task_cap;
	uint64_t task_now;	/* 0: none */
	size_t task_base;	/* open regions below those of the task */
	int64_t *metric;	/* now, by metric of the trace; NULL: the trace has none */
	int64_t *travel;	/* how far each has gone up and down */
	int metered;		/* values have come */
	int behind;		/* they come behind the event that they belong to */
	int fresh;		/* values have come that no event has taken yet */
	uint64_t attribute[4];	/* of the next event, where we wrote it; the last: it enters what was open before */
	uint64_t over[256];	/* records of each kind that nothing is made of */
	uint64_t fell;		/* times before those of earlier records */
	size_t row_n, row_cap;	/* rows of batch.metric that hold values, or have room */
};

static inline int64_t otf2_now(const struct trace_cursor *c)
{
	int64_t ns = otf2_time(c->run, c->time);

	return ns > c->last ? ns : c->last;
}

/*
 * Appends an event; times never fall. There is always room for as many events as records are read at a time, so the two
 * kinds that matter, each of which appends one, need not look.
 */
static inline void otf2_push_quick(struct trace_cursor *c, uint32_t kind, uint32_t ref)
{
	c->last = otf2_now(c);
	c->batch.event[c->batch.n++] = (struct event){ c->last, kind, ref };
}

static inline void otf2_push(struct trace_cursor *c, uint32_t kind, uint32_t ref)
{
	if (c->batch.n + OTF2_BATCH >= c->event_cap)
		c->batch.event = array_grow(c->batch.event, &c->event_cap, sizeof(*c->batch.event));
	otf2_push_quick(c, kind, ref);
}

static inline struct event_args *otf2_push_args(struct trace_cursor *c, uint32_t kind)
{
	otf2_push(c, kind, (uint32_t)c->batch.args_n);
	return array_add(&c->batch, args);
}

/* Gives the events of the batch that have no row of values yet one: the current ones. */
void otf2_rows(struct trace_cursor *c);
/* Before an event with values: values of another time than now stand alone. */
void otf2_settle(struct trace_cursor *c);

/* ---- otf2_stack.c ---- */
void otf2_enter(struct trace_cursor *c, uint32_t region);
/* A region that was open before, as what we wrote may say. */
void otf2_reopen(struct trace_cursor *c, uint32_t region);
void otf2_leave(struct trace_cursor *c, uint32_t region);
/* Records of regions, tasks, calling contexts, recording on and off. 0: it is none of them. */
int otf2_take_stack(struct trace_cursor *c, unsigned kind, const struct otf2_fields *f);

/* ---- otf2_events.c: all others ---- */
void otf2_take(struct trace_cursor *c, unsigned kind, struct otf2_fields *f);

#endif
