/* moments.c: reads marks, times without recording, lost events and ends by a signal. */
#include "analyze/stream/moments.h"

#include <string.h>

#include "analyze/base/thread_pool.h"
#include "record/metadata.h"

/* What the threads that read share; each stream has its own list. */
struct moments_reader {
	struct trace *t;
	const struct window_span *span;
	const char *wanted;
	char *off;                 /* by region: it has the time in which recording is off */
	int any;                   /* a region or an event is of moments */
	struct stream_moments *of; /* by stream */
	struct error *error;       /* by stream */
};

/* A stream that is being read. */
struct moments_stream {
	const struct moments_reader *x;
	uint32_t stream;
	struct window_span span;
	struct stream_moments *m;
	int64_t off;            /* since when recording is off; INT64_MAX: it is on */
	uint64_t lost, between; /* events that were lost so far; of these, after `since` */
	int64_t since, last;    /* the state before, and the last event */
};

static void moment_add(struct stream_moments *m, struct window_span s, struct stream_moment v)
{
	const int inside = v.begin == v.end ? v.begin >= s.begin && v.begin < s.end
					    : v.end > s.begin && v.begin < s.end;

	if (!inside || m->v_n >= MOMENTS_MOST)
		return;
	v.begin = v.begin > s.begin ? v.begin : s.begin;
	v.end = v.end < s.end ? v.end : s.end;
	*array_add(m, v) = v;
}

static void off_end(struct moments_stream *x, int64_t end)
{
	if (x->off != INT64_MAX)
		moment_add(
			x->m, x->span,
			(struct stream_moment){MOMENT_OFF, x->stream, TRACE_NONE, 0, x->off, end});
	x->off = INT64_MAX;
}

static void lost_end(struct moments_stream *x, int64_t end)
{
	if (x->between)
		moment_add(x->m, x->span,
			   (struct stream_moment){MOMENT_LOST, x->stream, TRACE_NONE,
						  (int64_t)x->between, x->since, end});
	x->between = 0;
}

static void state_read(struct moments_stream *x, const struct event_state *s)
{
	const struct event_frame *inner = s->frame_n ? &s->frame[s->frame_n - 1] : NULL;

	lost_end(x, s->time);
	x->between = s->lost > x->lost ? s->lost - x->lost : 0;
	x->lost = s->lost;
	x->since = s->time;
	if (x->off == INT64_MAX && inner && x->x->off[inner->region])
		x->off = inner->enter;
}

static void event_read(struct moments_stream *x, const struct event_batch *b,
		       const struct event *ev)
{
	if (ev->kind == EVENT_ENTER) {
		if (x->x->off[ev->ref])
			x->off = ev->time;
	} else if (ev->kind == EVENT_LEAVE || ev->kind == EVENT_ON ||
		   ev->kind == EVENT_THREAD_END) {
		off_end(x, ev->time);
	} else if (ev->kind == EVENT_MARK) {
		const struct event_args *a = &b->args[ev->ref];

		moment_add(x->m, x->span,
			   (struct stream_moment){
				   a->mark.kind == MARK_SNAPSHOT ? MOMENT_SNAPSHOT : MOMENT_MARK,
				   x->stream, a->mark.name, a->mark.number, ev->time, ev->time});
	}
}

/* Can it have any, besides the end of its process? */
static int stream_has(const struct moments_reader *x, uint32_t stream)
{
	const struct trace_stream *s = &x->t->stream[stream];

	return s->records && (x->any || s->lost) && (!x->wanted || x->wanted[stream]);
}

static int stream_read(void *to, unsigned worker, size_t i)
{
	const struct moments_reader *x = to;
	struct trace *t = x->t;
	const struct trace_process *p = &t->process[t->stream[i].process];
	struct moments_stream s = {.x = x,
				   .stream = (uint32_t)i,
				   .m = &x->of[i],
				   .off = INT64_MAX,
				   .since = t->stream[i].first,
				   .last = t->stream[i].first};
	struct trace_cursor *c;
	struct event_batch *b;
	int code;

	(void)worker;
	if (!stream_has(x, (uint32_t)i))
		return 0;
	s.span = x->span ? x->span[t->stream[i].process]
			 : (struct window_span){INT64_MIN, INT64_MAX};
	code = t->ops->open(t, (uint32_t)i, t->stream[i].lost ? INT64_MIN : s.span.begin, &c,
			    &x->error[i]);
	if (code < 0)
		return code;
	while (s.last < s.span.end && (code = t->ops->next(c, &b, &x->error[i])) > 0) {
		if (b->state)
			state_read(&s, b->state);
		for (size_t k = 0; k < b->n; k++)
			event_read(&s, b, &b->event[k]);
		if (b->n)
			s.last = b->event[b->n - 1].time;
	}
	t->ops->close(c);
	lost_end(&s, s.last > s.since ? s.last : s.since + 1);
	off_end(&s, p->end > s.last ? p->end : s.last);
	return code < 0 ? code : 0;
}

/* The first stream of the process that is wanted; TRACE_NONE: none. */
static uint32_t stream_of(const struct moments_reader *x, const struct trace_process *p)
{
	for (size_t i = 0; i < p->stream_n; i++)
		if (!x->wanted || x->wanted[p->stream[i]])
			return p->stream[i];
	return TRACE_NONE;
}

static void signals(struct stream_moments *m, const struct moments_reader *x)
{
	for (size_t i = 0; i < x->t->process_n; i++) {
		const struct trace_process *p = &x->t->process[i];
		const struct window_span all = {INT64_MIN, INT64_MAX};
		const uint32_t stream = stream_of(x, p);
		struct window_span s = x->span ? x->span[i] : all;

		/* The end of the run is the end of a process, too. */
		if (s.end < INT64_MAX && s.end == p->end)
			s.end++;
		if (p->ended == TRACE_END_KILLED && stream != TRACE_NONE)
			moment_add(m, s,
				   (struct stream_moment){MOMENT_SIGNAL, stream, TRACE_NONE,
							  p->end_value, p->end, p->end});
	}
}

static int by_begin(const void *va, const void *vb)
{
	const struct stream_moment *a = va, *b = vb;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	return (a->kind > b->kind) - (a->kind < b->kind);
}

static void reader_begin(struct moments_reader *x)
{
	const struct trace *t = x->t;

	x->off = mem_alloc(t->region_n + 1);
	x->of = mem_alloc((t->stream_n + 1) * sizeof(*x->of));
	x->error = mem_alloc((t->stream_n + 1) * sizeof(*x->error));
	for (size_t i = 0; i < t->region_n; i++) {
		x->off[i] = !strcmp(t->region[i].name, TAU_REGION_OFF);
		x->any |= x->off[i];
	}
	for (size_t i = 0; i < t->event_n; i++)
		x->any |= t->event[i].marks;
}

int moments_read(struct stream_moments *m, struct trace *t, const struct window_span *span,
		 const char *wanted, unsigned threads, struct error *e)
{
	struct moments_reader x = {.t = t, .span = span, .wanted = wanted};
	int code;

	*m = (struct stream_moments){0};
	reader_begin(&x);
	code = thread_pool_run(&(struct thread_pool){stream_read, NULL, &x}, threads, t->stream_n);
	for (size_t s = 0; s < t->stream_n; s++) {
		if (code && x.error[s].code == code && !e->code)
			*e = x.error[s];
		for (size_t i = 0; i < x.of[s].v_n; i++)
			*array_add(m, v) = x.of[s].v[i];
		free(x.of[s].v);
	}
	signals(m, &x);
	if (m->v_n)
		qsort(m->v, m->v_n, sizeof(*m->v), by_begin);
	free(x.off);
	free(x.of);
	free(x.error);
	return code;
}

void moments_release(struct stream_moments *m)
{
	free(m->v);
	*m = (struct stream_moments){0};
}
