/* json_tracks.c: samples as a track of calls, and the live memory of a process as a counter (json_tracks.h). */
#include "convert/clip.h"
#include "convert/text/json_parts.h"
#include "convert/text/json_tracks.h"

#include <string.h>

#include "convert/text/text_names.h"
#include "convert/trace_write.h"

#define SAMPLES_TID (1u << 20) /* the track of thread N is N and that */

/* ---- samples ---- */

struct track_stack {
	uint32_t *v; /* numbers of names, outermost first */
	size_t v_n, v_cap;
};

struct json_samples {
	struct names name;
	struct track_stack open, now;
	int64_t end; /* ns: of the last sample */
};

static void put_edge(struct text *x, const char *phase, int64_t time, uint32_t name)
{
	uint32_t thread = x->thread;

	x->thread = thread + SAMPLES_TID;
	json_head(x, phase, time, x->samples->name.name[name]);
	fputs(",\"cat\":\"sample\"}", x->f);
	x->thread = thread;
}

/* Ends all frames but the n outermost. */
static void close_to(struct text *x, size_t n, int64_t time)
{
	struct track_stack *open = &x->samples->open;

	while (open->v_n > n)
		put_edge(x, "E", time, open->v[--open->v_n]);
}

static void begin_track(struct text *x)
{
	const struct trace *t = x->trace;
	const char *label = NULL;
	uint32_t thread = x->thread;
	char *name;

	x->samples = mem_alloc(sizeof(*x->samples));
	x->samples->end = INT64_MIN;
	for (size_t i = 0; i < t->stream_n && !label; i++) {
		const struct trace_stream *s = &t->stream[i];

		if (t->process[s->process].node == x->node && s->thread == thread)
			label = s->label;
	}
	name = label ? mem_printf("%s, samples", label) : mem_printf("thread %u, samples", thread);
	x->thread = thread + SAMPLES_TID;
	json_name(x, "thread_name", name);
	x->thread = thread;
	free(name);
}

/* The stack of a sample; calls that were inlined are frames like others. */
static void write_stack(struct text *x, const struct clip_event *ev)
{
	struct json_samples *s = x->samples;
	const struct event_args *a = ev->args;

	s->now.v_n = 0;
	for (uint32_t i = a->sample.stack.n; i-- > 0;) {
		struct trace_place p =
			trace_place(x->trace, ev->code[a->sample.stack.first + i]);

		for (size_t k = p.n; k-- > 0;) {
			const char *name = text_code_name(&p.code[k]);

			*array_add(&s->now, v) = names_add(&s->name, name, strlen(name));
		}
	}
}

void json_sample(struct text *x, const struct clip_event *ev)
{
	int64_t time = ev->event.time, period = (int64_t)ev->args->sample.ns, begin = time - period;
	struct json_samples *s;
	size_t same = 0;

	if (!x->trace->ops->code) {
		x->o->lost[EVENT_SAMPLE]++;
		return;
	}
	if (!ev->args->sample.stack.n)
		return;
	if (!x->samples)
		begin_track(x);
	s = x->samples;
	write_stack(x, ev);
	/* What is nearer to the sample before than half a period is no gap. */
	if (s->end != INT64_MIN && begin - s->end <= period / 2)
		begin = s->end;
	else
		close_to(x, 0, s->end);
	if (begin < 0)
		begin = 0;
	while (same < s->open.v_n && same < s->now.v_n && s->open.v[same] == s->now.v[same])
		same++;
	close_to(x, same, begin);
	for (; same < s->now.v_n; same++) {
		put_edge(x, "B", begin, s->now.v[same]);
		*array_add(&s->open, v) = s->now.v[same];
	}
	s->end = time;
}

void json_samples_end(struct text *x)
{
	if (!x->samples)
		return;
	close_to(x, 0, x->samples->end);
	names_release(&x->samples->name);
	free(x->samples->open.v);
	free(x->samples->now.v);
	free(x->samples);
	x->samples = NULL;
}

/* ---- memory ---- */

/* One stream of a process, at its next change of memory. */
struct track_source {
	struct clip clip;
	int more;
	int64_t time, bytes;
};

struct sources {
	struct track_source *v;
	size_t v_n, v_cap;
	int64_t live; /* bytes */
	int64_t time;	       /* of the point that is not written yet; INT64_MIN: none */
};

/* To the next change; findings of what was never freed are none. */
static int source_next(struct track_source *s, const struct trace *t, struct error *e)
{
	const struct event *run;
	struct clip_event ev;

	for (;;) {
		while (clip_run(&s->clip, SIZE_MAX, &run))
			;
		s->more = clip_next(&s->clip, &ev, e);
		if (s->more <= 0)
			return s->more;
		if (ev.event.kind != EVENT_ALLOC && ev.event.kind != EVENT_FREE)
			continue;
		if (t->memtype[ev.args->block.type].leak)
			continue;
		s->time = ev.event.time;
		s->bytes = ev.event.kind == EVENT_ALLOC ? (int64_t)(ev.args->block.bytes -
								    ev.args->block.inner)
							: -(int64_t)ev.args->block.bytes;
		return 1;
	}
}

static int64_t live_at_begin(const struct clip *c)
{
	int64_t live = 0;

	for (size_t i = 0; i < c->trace->memtype_n; i++)
		if (!c->trace->memtype[i].leak)
			live += c->level[i].bytes;
	return live;
}

static void put_point(struct text *x, struct sources *all)
{
	if (all->time == INT64_MIN)
		return;
	json_counter(x, all->time, "memory", "live memory (bytes)", (double)all->live);
	all->time = INT64_MIN;
}

/* In order of time; changes within a microsecond are one point. */
static int merge(struct text *x, struct sources *all, struct error *e)
{
	for (;;) {
		struct track_source *first = NULL;
		int code;

		for (size_t i = 0; i < all->v_n; i++)
			if (all->v[i].more > 0 && (!first || all->v[i].time < first->time))
				first = &all->v[i];
		if (!first)
			break;
		if (all->time != INT64_MIN && all->time / 1000 != first->time / 1000)
			put_point(x, all);
		all->live += first->bytes;
		all->time = first->time;
		code = source_next(first, x->trace, e);
		if (code < 0)
			return code;
	}
	put_point(x, all);
	return 0;
}

static int process_track(struct text *x, const struct trace_process *p, struct error *e)
{
	const struct trace *t = x->trace;
	struct sources all = {.time = INT64_MIN};
	int64_t begin = INT64_MAX;
	int code = 0;

	all.v = mem_alloc((p->stream_n + 1) * sizeof(*all.v));
	x->node = p->node;
	for (size_t i = 0; i < p->stream_n && code >= 0; i++) {
		struct window_span span;
		struct track_source *s = &all.v[all.v_n];

		if (!t->stream[p->stream[i]].has_memory ||
		    !write_span(t, x->o, p->stream[i], &span))
			continue;
		x->thread = t->stream[p->stream[i]].thread;
		all.v_n++;
		code = clip_open(&s->clip, x->trace, p->stream[i], span, 1, e);
		if (code < 0)
			break;
		all.live += live_at_begin(&s->clip);
		begin = s->clip.begin < begin ? s->clip.begin : begin;
		code = source_next(s, t, e);
	}
	if (code >= 0 && all.live && begin < INT64_MAX)
		json_counter(x, begin > 0 ? begin : 0, "memory", "live memory (bytes)",
			     (double)all.live);
	if (code >= 0)
		code = merge(x, &all, e);
	for (size_t i = 0; i < all.v_n; i++)
		clip_close(&all.v[i].clip);
	free(all.v);
	return code < 0 ? code : 0;
}

int json_memory_tracks(struct text *x, struct error *e)
{
	int code = 0;

	for (size_t i = 0; i < x->trace->process_n && !code; i++)
		code = process_track(x, &x->trace->process[i], e);
	return code;
}
