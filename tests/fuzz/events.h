/* events.h: what fuzz targets of traces share: every event of every stream is read, and every id looked at. */
#ifndef FUZZ_EVENTS_H
#define FUZZ_EVENTS_H

#include <string.h>

#include "analyze/replay/replay.h"
#include "convert/formats.h"

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n);

#define FUZZ_MUST(x)             \
	do {                     \
		if (!(x))        \
			abort(); \
	} while (0)

/* A list of numbers below `most` inside the n of a batch. */
static inline void fuzz_list(struct event_list l, const uint32_t *v, size_t n, size_t most)
{
	for (uint32_t i = 0; i < l.n; i++)
		FUZZ_MUST(l.first + i < n && v[l.first + i] < most);
}

static inline void fuzz_args(const struct trace *t, const struct event_batch *b, const struct event *ev)
{
	const struct event_args *a = &b->args[ev->ref];

	FUZZ_MUST(ev->ref < b->args_n);
	if (ev->kind == EVENT_VALUE)
		FUZZ_MUST(a->value.event < t->event_n);
	if (ev->kind == EVENT_IO)
		FUZZ_MUST(a->io.file < t->event_n && a->io.op < IO_OPS && a->io.ns >= 0 &&
			  a->io.at >= -1);
	if (ev->kind == EVENT_SEND || ev->kind == EVENT_RECV)
		FUZZ_MUST(a->message.comm == TRACE_NONE || a->message.comm < t->comm_n);
	if (ev->kind == EVENT_COLL)
		FUZZ_MUST(a->coll.op < COLLS &&
			  (a->coll.comm == TRACE_NONE || a->coll.comm < t->comm_n));
	if (ev->kind == EVENT_RMA)
		FUZZ_MUST(a->rma.op < RMAS);
	if (ev->kind == EVENT_SYNC)
		FUZZ_MUST(a->sync.op < SYNCS &&
			  (a->sync.comm == TRACE_NONE || a->sync.comm < t->comm_n));
	if (ev->kind == EVENT_WAITS)
		FUZZ_MUST(a->wait.kind < EVENT_WAIT_KINDS && a->wait.op < COLLS &&
			  (a->wait.comm == TRACE_NONE || a->wait.comm < t->comm_n));
	if (ev->kind == EVENT_WAITS_FILE)
		FUZZ_MUST(a->file_wait.kind < EVENT_FILE_WAITS && a->file_wait.file < t->event_n);
	if (ev->kind >= EVENT_ALLOC && ev->kind <= EVENT_RETYPE)
		FUZZ_MUST(a->block.type < t->memtype_n && !(a->block.bytes >> 62));
	if (ev->kind == EVENT_RETYPE)
		FUZZ_MUST(a->block.to < t->memtype_n);
	if (ev->kind == EVENT_ON)
		fuzz_list(a->on.open, b->regions, b->regions_n, t->region_n);
	if (ev->kind == EVENT_FOLD)
		fuzz_list(a->fold.path, b->regions, b->regions_n, t->region_n);
	if (ev->kind == EVENT_SAMPLE)
		fuzz_list(a->sample.stack, b->code, b->code_n, t->code_n);
}

static inline void fuzz_state(const struct trace *t, const struct event_state *s)
{
	for (size_t i = 0; i < s->frame_n; i++)
		FUZZ_MUST(s->frame[i].region < t->region_n);
	for (size_t i = 0; i < s->memory_n; i++)
		FUZZ_MUST(s->memory[i].type < t->memtype_n);
}

/* The events of a stream from a moment on; returns how many there are. */
static inline uint64_t fuzz_stream(struct trace *t, uint32_t stream, int64_t from)
{
	struct trace_cursor *c;
	struct event_batch *b;
	struct error e;
	int64_t last = INT64_MIN;
	uint64_t n = 0;

	if (t->ops->open(t, stream, from, &c, &e) < 0)
		return 0;
	while (t->ops->next(c, &b, &e) > 0) {
		if (b->state)
			fuzz_state(t, b->state);
		for (size_t i = 0; i < b->n; i++) {
			const struct event *ev = &b->event[i];

			FUZZ_MUST(ev->kind < EVENT_KINDS && ev->time >= last);
			last = ev->time;
			if (ev->kind == EVENT_ENTER)
				FUZZ_MUST(ev->ref < t->region_n);
			else if (ev->kind >= EVENT_VALUE)
				fuzz_args(t, b, ev);
		}
		n += b->n;
	}
	t->ops->close(c);
	return n;
}

/* Profiles of the whole and of a half of it: what is counted must fit the numbers that count it. */
static inline void fuzz_replay(struct trace *t)
{
	static const char *const text[] = { ":", "25%:75%" };
	struct window_options w = { .text = text, .n = 2 };
	struct windows windows = { 0 };
	struct replay_options o = { .windows = &windows, .callpath_depth = REPLAY_UNLIMITED, .index = INDEX_NEVER };
	struct profile *p[2];
	struct error e;

	if (windows_resolve(t, &w, &windows, &e))
		return;
	if (windows.v_n == 2 && !replay_profiles(t, &o, p, &e)) {
		profile_free(p[0]);
		profile_free(p[1]);
	}
	windows_release(&windows);
}

/* Reads a trace whole, and from the middle on, makes profiles of some, and lets it go. */
static inline void fuzz_trace(struct trace *t, int replay)
{
	for (uint32_t s = 0; s < t->stream_n; s++) {
		int64_t first = t->stream[s].first, last = t->stream[s].last;
		uint64_t all = fuzz_stream(t, s, INT64_MIN);

		/* If reading stopped at damage, there may be more after it. */
		if (all > 1 && s < 4)
			FUZZ_MUST(fuzz_stream(t, s, first / 2 + last / 2) <= all || t->stream[s].damaged);
	}
	if (replay)
		fuzz_replay(t);
	trace_free(t);
}

#endif
