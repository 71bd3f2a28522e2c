/* open_regions.c: plays the last chunk of a stream. */
#include "cmd/monitor/open_regions.h"

#include "analyze/stream/callstack.h"

struct last_chunk {
	struct callstack stack;
	int64_t last; /* time of its last event */
};

static void play(void *to, const struct event_batch *b)
{
	struct last_chunk *x = to;
	struct callstack *m = &x->stack;
	size_t i = 0;

	if (b->state) {
		callstack_state(m, b->state, b->state->time, 1);
		x->last = b->state->frame_n ? b->state->frame[b->state->frame_n - 1].enter
					       : b->state->time;
	}
	while (i < b->n) {
		i += callstack_run(m, b->event + i, b->n - i);
		if (i < b->n)
			callstack_other(m, b, &b->event[i++]);
	}
	if (b->n)
		x->last = b->event[b->n - 1].time;
}

static void regions_copy(struct open_regions *out, const struct callstack *m, int64_t last)
{
	if (m->frame_n <= 1)
		return;
	out->n = m->frame_n - 1;
	out->since = last;
	out->region = mem_alloc(out->n * sizeof(*out->region));
	for (size_t i = 0; i < out->n; i++)
		out->region[i] = m->frame[i + 1].region;
}

void open_streams_init(struct open_streams *s, const struct trace *t)
{
	s->n = t->stream_n;
	s->v = mem_alloc((s->n + 1) * sizeof(*s->v));
	s->known = mem_alloc(s->n + 1);
}

void open_streams_receive(void *to, uint32_t stream, const struct callstack *open, int64_t last)
{
	struct open_streams *s = to;

	free(s->v[stream].region);
	s->v[stream] = (struct open_regions){0};
	regions_copy(&s->v[stream], open, last);
	s->known[stream] = 1;
}

void open_streams_release(struct open_streams *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i].region);
	free(s->v);
	free(s->known);
}

int open_regions_get(struct trace *t, uint32_t stream, struct open_regions *out, struct error *e)
{
	struct callstack_paths paths;
	struct last_chunk x = {0};
	int code;

	*out = (struct open_regions){0};
	callstack_paths_init(&paths, 0);
	callstack_init(&x.stack, (uint32_t)t->region_n, &paths);
	code = trace_stream_read(t, stream, t->end, play, &x, e);
	if (!code)
		regions_copy(out, &x.stack, x.last);
	callstack_release(&x.stack);
	callstack_paths_release(&paths);
	return code;
}
