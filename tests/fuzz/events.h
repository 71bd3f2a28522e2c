/* events.h: what fuzz targets of traces share: every event of every stream is read, and every id looked at. */
#ifndef FUZZ_EVENTS_H
#define FUZZ_EVENTS_H

#include <string.h>

#include "convert/formats.h"

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n);

#define FUZZ_MUST(x)             \
	do {                     \
		if (!(x))        \
			abort(); \
	} while (0)

static inline void fuzz_args(const struct trace *t, const struct event_batch *b, const struct event *ev)
{
	const struct event_args *a = &b->args[ev->ref];

	FUZZ_MUST(ev->ref < b->args_n);
	if (ev->kind == EVENT_VALUE)
		FUZZ_MUST(a->event < t->event_n);
	if (ev->kind == EVENT_IO)
		FUZZ_MUST(a->file < t->event_n && a->op <= IO_WRITE && a->tag >= 0);
	if (ev->kind == EVENT_SEND || ev->kind == EVENT_RECV || ev->kind == EVENT_COLL)
		FUZZ_MUST(a->comm == TRACE_NONE || a->comm < t->comm_n);
	if (ev->kind == EVENT_COLL)
		FUZZ_MUST(a->op < COLLS);
	if (ev->kind == EVENT_RMA)
		FUZZ_MUST(a->op < RMAS);
	if (ev->kind >= EVENT_ALLOC && ev->kind <= EVENT_RETYPE)
		FUZZ_MUST(a->type < t->memtype_n && !(a->bytes >> 62));
	if (ev->kind == EVENT_RETYPE)
		FUZZ_MUST(a->to < t->memtype_n);
	if (ev->kind == EVENT_ON || ev->kind == EVENT_FOLD)
		for (uint32_t i = 0; i < a->n; i++)
			FUZZ_MUST(a->first + i < b->regions_n && b->regions[a->first + i] < t->region_n);
	if (ev->kind == EVENT_SAMPLE)
		for (uint32_t i = 0; i < a->n; i++)
			FUZZ_MUST(a->first + i < b->code_n && b->code[a->first + i] < t->code_n);
}

static inline void fuzz_state(const struct trace *t, const struct event_state *s)
{
	for (size_t i = 0; i < s->frame_n; i++)
		FUZZ_MUST(s->frame[i].region < t->region_n);
	for (size_t i = 0; i < s->memory_n; i++)
		FUZZ_MUST(s->memory[i].type < t->memtype_n);
}

static inline void fuzz_stream(struct trace *t, uint32_t stream)
{
	struct trace_cursor *c;
	struct event_batch *b;
	struct error e;
	int64_t last = INT64_MIN;

	if (t->ops->open(t, stream, INT64_MIN, &c, &e) < 0)
		return;
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
	}
	t->ops->close(c);
}

/* Reads a trace whole and lets it go. */
static inline void fuzz_trace(struct trace *t)
{
	for (uint32_t s = 0; s < t->stream_n; s++)
		fuzz_stream(t, s);
	trace_free(t);
}

#endif
