/*
 * clip.h: one stream through one window, event by event, for writers of traces: what is open when
 * the window begins, what happens in it, and what ends with it.
 *
 * With `plain` a writer gets enters and leaves that match, inside of a THREAD_BEGIN and a
 * THREAD_END: what was open when the window began is entered there, what is open when it ends is
 * left there; an UNWIND becomes leaves, and before an ON come leaves and enters. Without `plain`,
 * events are unchanged, and what was open at the begin is in `state`.
 */
#ifndef CLIP_H
#define CLIP_H

#include "analyze/window/window.h"

struct clip_event {
	struct event event;	/* kind and time; ref: the region of an ENTER or a LEAVE, the count of an UNWIND */
	int open;		/* plain: an ENTER or THREAD_BEGIN that is no call: what it begins was open before */
	const struct event_args *args;	/* of kinds from VALUE on */
	const uint32_t *regions;	/* of ON and FOLD */
	const uint32_t *code;	/* of SAMPLE */
	const int64_t *metric;	/* by metric of the trace; NULL: the event has no values */
};

struct clip_level {
	int64_t bytes, blocks;
};

/* A part of a stream that may still be written. */
struct clip_part {
	size_t first, most;	/* chunks before the first are not read, nor chunks from `most` on */
	int going;		/* at its end nothing is closed */
	int64_t begin;		/* ns: events before it are not handed out; 0: all are */
	int64_t end;		/* ns: nor events from then on; 0: all are */
};

struct clip {
	struct trace *trace;
	uint32_t stream;
	int plain;
	/* decides which whole chunks are skipped; NULL: none are */
	const struct trace_judge *judge;
	int64_t begin, end;	/* ns: where it begins and ends, once it is open and once it has ended */
	int cut, cut_end;	/* the window begins after the stream, or ends before it */
	int used;		/* something is in it */
	size_t live;		/* types of which it has added to the live memory of its process before the window, which that counts in */
	struct event_state state;	/* open regions and thread now; memory is in `level` */
	struct clip_level *level;	/* by memtype; of a finding that something was never freed: none */
	int64_t *value;		/* metrics at the begin, once it is open, at the end, once it has ended; NULL: there are none */
	int metered;		/* there were values */
	int64_t *entered;	/* of what is open when the window begins: [frame * metrics of the trace + metric] at its enter */
	size_t entered_n, entered_cap;	/* frames of which that is known; numbers */
	size_t stayed;		/* frames that were open before the last ON, and stayed */
	size_t chunks;		/* of the stream that have begun, those before `from` included */
	int64_t chunk_time;	/* ns: when the last of them begins */
	size_t records;		/* events of the last of them before the batch; with `at`: those that have been read */
	uint64_t enters;	/* plain: regions that are entered without a call, as they were open when the window began or so */
	/* private */
	struct window_span span;
	struct clip_part part;
	struct trace_cursor *cursor;
	struct event_batch *batch;
	size_t at;
	int ended;
	int skipped;		/* chunks before the batch were skipped */
	int64_t value_time;	/* of the last values, without those at edges */
	const int64_t *pending_row;	/* values of what is pending */
	struct event *pending;	/* events that replace others */
	size_t pending_n, pending_cap, pending_at;
	uint32_t *resumed;
	size_t resumed_n, resumed_cap;
	struct event_args resume;
	struct event_args none;
};

/*
 * Goes to where the window begins. The span: [begin, end) in ns; INT64_MIN and INT64_MAX: everything.
 * Returns 0 or an error of reading; clip_close() is necessary in both cases.
 */
int clip_open(struct clip *c, struct trace *t, uint32_t stream, struct window_span span, int plain, struct error *e);
/*
 * The same, not plain, without the chunks that the judge excludes; the judge must live as long as
 * the clip. `state` is the state before the span that it judges first; it judges the spans after
 * that one only as long as it excludes them.
 */
int clip_open_judged(struct clip *c, struct trace *t, uint32_t stream, struct window_span span, const struct trace_judge *judge,
		     struct error *e);
/* The same of the whole stream, from a chunk on, with `plain`. What is open when the chunk, or the part, begins is entered there. */
int clip_open_part(struct clip *c, struct trace *t, uint32_t stream, struct clip_part part, struct error *e);
/* Events that are read from the last chunk so far. */
static inline size_t clip_position(const struct clip *c)
{
	return c->records + c->at;
}
/*
 * 1: an event, 0: the end, or an error. What `out` points to is valid until the next call. 2:
 * chunks were skipped, there is no event, and `state` is the state after them.
 */
int clip_next(struct clip *c, struct clip_event *out, struct error *e);
/*
 * May be called in place of the next clip_next(): returns the next enters and leaves without values
 * that are in memory, at most `most`; 0: call clip_next(). *out is valid until the next call.
 */
size_t clip_run(struct clip *c, size_t most, const struct event **out);
void clip_close(struct clip *c);

#endif
