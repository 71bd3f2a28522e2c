/*
 * native_cursor.h: a cursor over one stream of our own format, as native_cursor.c (chunks) and native_decode.c (records)
 * share it.
 */
#ifndef NATIVE_CURSOR_H
#define NATIVE_CURSOR_H

#include "convert/io/bytes.h"
#include "convert/native/file/native_columns.h"
#include "convert/native/events/native_repeats.h"
#include "convert/native/native_run.h"

#define NATIVE_BATCH 2048	/* events; 32 KiB, so that a batch stays in the first cache */

/*
 * A process that runs goes on while it is read. Calls that it folds before a moment are in records, or in FILE.fold, with later
 * times: these are kept. The stack is followed to find the frames that they belong to.
 */
#define NATIVE_PAST_LEVELS 64
struct native_past {
	int reached;		/* the limit */
	int unknown;		/* frames since then */
	int64_t depth, lowest;	/* frames since then: more, or fewer, than at the limit */
	double cut[NATIVE_PAST_LEVELS];	/* ns that folded calls got less, by their depth */
};

struct trace_cursor {
	struct trace *trace;
	struct trace_stream *to;	/* where damage is noted */
	struct native_stream *stream;
	const struct native_clock *clock;
	struct native_columns columns;
	size_t next;			/* chunk to load next */
	uint64_t read;			/* bytes of the file that were reported to the trace */
	int open;			/* a chunk is being decoded */
	size_t at;			/* record of the chunk to decode next */
	struct bytes args;
	uint64_t tick;
	uint32_t request;		/* the last one of the chunk */
	int64_t last_ns;		/* time of the last event delivered */
	struct native_past past;	/* what was read after the limit of the stream */
	uint32_t metric[TAU_METRICS];	/* of the trace, for each of the chunk */
	int64_t *metric_now;		/* by trace metric; NULL: the trace has none */
	int64_t *metric_row;		/* of a batch */
	int64_t *metric_first;		/* of a state */
	int metered;			/* metric_now holds what the chunk before left */
	uint64_t travel[TAU_METRICS];	/* how far each has gone up and down */
	struct event_state state;
	struct event_batch batch;
	size_t args_kept;		/* of the batch, at its beginning: those of each BLOCK */
	struct event *event;	/* of a batch: room for 2 * event_cap, because a record is two events at most */
	size_t event_cap;	/* records: of the longest chunk so far, up to NATIVE_BATCH */
	struct native_index *index;	/* of the stream's chunks */
	int index_known;		/* it has been looked for */
	uint64_t *head;			/* by token, up to `known`: kind and ref of an event without arguments */
	uint32_t known;
	uint64_t listed_head[256];	/* the same by the chunk's numbers, if it has them */
	struct native_repeats repeats;	/* of the batch */
};

/* Makes the table of tokens from what the stream has defined, once. c->trace, stream and clock are set; batch is empty. */
void native_decode_init(struct trace_cursor *c);
void native_decode_release(struct trace_cursor *c);	/* the table; the rest of the cursor is the caller's */
/* Takes the values of metric_first, of a snapshot of a chunk with metrics. 0, or -1: they are impossible. */
int native_decode_state(struct trace_cursor *c);
/*
 * Decodes up to NATIVE_BATCH records of the chunk, from c->at on, after the events in c->batch. `open` becomes 0 after the last
 * record. NULL, or what is wrong with record c->at; the events before that are good.
 */
const char *native_decode(struct trace_cursor *c);

#endif
