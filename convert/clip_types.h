/* clip_types.h: one stream in one window: its state and its events. */
#ifndef CLIP_TYPES_H
#define CLIP_TYPES_H

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

#endif
