/* text_lines.c: writes events as lines, those that are much alike from patterns. */
#include <stdio.h>
#include <string.h>

#include "convert/text/text_lines.h"
#include "analyze/base/mem_stream.h"

#define LINES (1 << 16) /* bytes of lines that are written together */
#define TIME_MOST 32	/* characters of a time */

/* A line of an enter or a leave, as `take` makes it: only its time differs from one to the next. */
struct pattern {
	char *text; /* NULL: not made yet */
	size_t before, after, n; /* its time is at [before, after) */
};

static void lines_flush(struct text *x)
{
	fwrite(x->lines, 1, x->lines_n, x->f);
	x->lines_n = 0;
}

void text_time(struct text *x)
{
	if (x->time_at)
		*x->time_at = ftell(x->f);
}

static void patterns_forget(struct text *x)
{
	for (size_t i = 0; x->pattern && i < 2 * x->trace->region_n; i++) {
		free(x->pattern[i].text);
		x->pattern[i] = (struct pattern){0};
	}
}

/* The line of time 0. */
static void pattern_make(struct text *x, struct pattern *p, const struct event *of)
{
	struct clip_event ev = {.event = *of};
	FILE *f = x->f, *memory = mem_stream(&p->text, &p->n);
	long at = 0;

	ev.event.time = 0;
	x->f = memory;
	x->time_at = &at;
	x->kind->receive(x, &ev);
	x->time_at = NULL;
	x->f = f;
	fclose(memory);
	p->before = (size_t)at;
	p->after = p->before + (x->kind->us ? strlen("0.000") : strlen("0"));
}

static size_t put_digits(char *to, uint64_t v)
{
	char digit[24];
	size_t n = 0, i = 0;

	do
		digit[n++] = (char)('0' + v % 10);
	while (v /= 10);
	while (n)
		to[i++] = digit[--n];
	return i;
}

static size_t put_time(char *to, uint64_t ns, int us)
{
	size_t n = put_digits(to, us ? ns / 1000 : ns);

	if (!us)
		return n;
	to[n] = '.';
	to[n + 1] = (char)('0' + ns % 1000 / 100);
	to[n + 2] = (char)('0' + ns % 100 / 10);
	to[n + 3] = (char)('0' + ns % 10);
	return n + 4;
}

/* Enters and leaves without metrics, which is nearly all there is. 0: it is none. */
static int write_quick(struct text *x, const struct event *ev)
{
	struct pattern *p;
	char *to;

	if (!x->pattern || ev->kind > EVENT_ENTER || ev->time < 0)
		return 0;
	p = &x->pattern[ev->kind == EVENT_ENTER ? ev->ref : x->trace->region_n + ev->ref];
	if (!p->text)
		pattern_make(x, p, ev);
	if (!p->text || p->n + TIME_MOST > LINES)
		return 0;
	if (x->lines_n + p->n + TIME_MOST > LINES)
		lines_flush(x);
	to = x->lines + x->lines_n;
	memcpy(to, p->text, p->before);
	to += p->before;
	to += put_time(to, (uint64_t)(ev->time < x->floor ? x->floor : ev->time), x->kind->us);
	memcpy(to, p->text + p->after, p->n - p->after);
	x->lines_n = (size_t)(to - x->lines) + p->n - p->after;
	return 1;
}

/* An event that no pattern has. */
static void write_one(struct text *x, struct clip_event ev)
{
	lines_flush(x);
	if (ev.event.time < x->floor)
		ev.event.time = x->floor;
	x->kind->receive(x, &ev);
}

/* All events of an open clip. */
static int events(struct text *x, struct clip *c, struct error *e)
{
	const struct event *run;
	struct clip_event ev;
	int code;
	size_t n;

	for (;;) {
		n = x->pattern ? clip_run(c, SIZE_MAX, &run) : 0;
		for (size_t i = 0; i < n; i++)
			if (!write_quick(x, &run[i]))
				write_one(x, (struct clip_event){.event = run[i]});
		if (n)
			continue;
		code = clip_next(c, &ev, e);
		if (code <= 0)
			break;
		if (!write_quick(x, &ev.event))
			write_one(x, ev);
	}
	lines_flush(x);
	return code;
}

void text_lines_begin(struct text *x)
{
	const struct trace *t = x->trace;

	x->lines = mem_alloc(LINES);
	if (!t->metric_n && !x->column_n)
		x->pattern = mem_alloc((2 * t->region_n + 1) * sizeof(*x->pattern));
}

void text_lines_plain(struct text *x)
{
	free(x->pattern);
	x->pattern = NULL;
}

void text_lines_end(struct text *x)
{
	free(x->pattern);
	free(x->lines);
	x->pattern = NULL;
	x->lines = NULL;
}

int text_clip(struct text *x, struct clip *c, struct error *e)
{
	int code = events(x, c, e);

	patterns_forget(x);
	return code;
}

int text_streams(struct text *x, struct error *e)
{
	struct trace *t = x->trace;
	int code = 0;

	text_lines_begin(x);
	for (uint32_t s = 0; s < t->stream_n && code >= 0; s++) {
		struct window_span span;
		struct clip c;

		if (!write_span(t, x->o, s, &span))
			continue;
		code = clip_open(&c, t, s, span, 1, e);
		x->node = t->process[t->stream[s].process].node;
		x->thread = t->stream[s].thread;
		x->o->streams += c.used != 0;
		if (code >= 0 && (c.used || write_idle(x->o)) && x->kind->begin)
			x->kind->begin(x, s);
		x->o->loss[LOSS_THREAD] += !c.used && write_idle(x->o) && !x->kind->begin;
		if (code >= 0)
			code = text_clip(x, &c, e);
		if (x->kind->end)
			x->kind->end(x);
		x->o->loss[LOSS_OPEN] += c.enters;
		x->o->loss[LOSS_LIVE] += c.live;
		clip_close(&c);
	}
	if (code >= 0 && x->kind->finish)
		code = x->kind->finish(x, e);
	text_lines_end(x);
	return code < 0 ? code : 0;
}
