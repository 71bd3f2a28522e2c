/*
 * window_make.c: makes windows from one point to another, and has the table of the kinds of
 * windows.
 */
#include "analyze/window/window_make.h"

#include <string.h>

#include "analyze/window/window_wall.h"

static int64_t part(const struct window_span *s, int64_t value, int share)
{
	__int128 all;

	if (!share)
		return value;
	all = (__int128)(s->end - s->begin) * value / (100 * SHARE_ONE);
	return all < INT64_MAX ? (int64_t)all : INT64_MAX;
}

/* The end of a span of this length. A clock time may put its begin before the run. */
static int64_t end_after(int64_t begin, int64_t length)
{
	int64_t end;

	return __builtin_add_overflow(begin, length, &end) ? INT64_MAX : end;
}

/* A moment of an instance. 1: known, 0: this process does not have the instance. */
static int instance_at(const struct resolver *x, const struct window_text *r,
		       const struct window_text_point *p, int is_end, size_t process, int64_t *out,
		       struct error *e)
{
	const struct window_spans *all;
	struct window_span s;
	int code = p->rank >= 0 ? window_rank(x, r, p->rank, &process, e) : 0;

	if (code)
		return code;
	all = window_found(x, &p->of, process);
	if (all->v_n < p->instance)
		return 0;
	s = all->v[p->instance - 1];
	*out = is_end ? s.end : s.begin;
	if (p->offset == OFFSET_AFTER_BEGIN)
		*out = end_after(s.begin, part(&s, p->offset_value, p->offset_share));
	else if (p->offset == OFFSET_BEFORE_END)
		*out = s.end - part(&s, p->offset_value, p->offset_share);
	return 1;
}

static int wall_at(const struct resolver *x, const struct window_text *r,
		   const struct window_text_point *p, int64_t *out, struct error *e)
{
	const struct trace *t = x->trace;

	if (!t->wall)
		return error_set(e, ERROR_INPUT,
				 "window '%s': this trace does not contain the time of day",
				 r->text);
	*out = p->kind == POINT_WALL ? p->value - t->wall
				     : wall_nearest(p->value, t->wall, t->wall + t->end) - t->wall;
	return 1;
}

/*
 * The time of one end; begin: time of the begin, if this is the end. 1: known, 0: this process does
 * not have the instance.
 */
static int point_at(const struct resolver *x, const struct window_text *r,
		    const struct window_text_point *p, const int64_t *begin, size_t process,
		    int64_t *out, struct error *e)
{
	const struct window_span run = {0, x->trace->end};

	if ((p->kind == POINT_SHARE || p->kind == POINT_LENGTH_SHARE) && p->value > 100 * SHARE_ONE)
		return error_set(e, ERROR_INPUT, "window '%s': a percentage is at most 100%%",
						 r->text);
	switch (p->kind) {
	case POINT_OPEN:
		*out = begin ? INT64_MAX : 0;
		return 1;
	case POINT_TIME:
		*out = p->value;
		return 1;
	case POINT_FROM_END:
		*out = run.end - p->value;
		return 1;
	case POINT_LENGTH:
		*out = end_after(*begin, p->value);
		return 1;
	case POINT_LENGTH_SHARE:
		*out = end_after(*begin, part(&run, p->value, 1));
		return 1;
	case POINT_SHARE:
		*out = part(&run, p->value, 1);
		return 1;
	case POINT_WALL:
	case POINT_CLOCK:
		return wall_at(x, r, p, out, e);
	case POINT_INSTANCE:
		break;
	}
	return instance_at(x, r, p, begin != NULL, process, out, e);
}

/* The span in one process: 1, 0: none, or an error. A span begins with the run or later. */
static int between_in(const struct resolver *x, const struct window_text *r, size_t process,
		      struct window_span *out, struct error *e)
{
	int code = point_at(x, r, &r->begin, NULL, process, &out->begin, e);

	if (code > 0)
		code = point_at(x, r, &r->end, &out->begin, process, &out->end, e);
	if (code <= 0)
		return code;
	out->begin = out->begin < 0 ? 0 : out->begin;
	out->end = out->end < 0 ? 0 : out->end;
	return 1;
}

static int reversed(const struct window_text *r, const struct window_span *s, struct error *e)
{
	char end[64], begin[64];

	window_time_text(end, sizeof(end), s->end);
	window_time_text(begin, sizeof(begin), s->begin);
	return error_set(e, ERROR_INPUT, "window '%s': its end (%s) is before its begin (%s)",
			 r->text, end, begin);
}

/*
 * Notes a window of time that is outside of the run. This is not an error: the caller knows whether
 * other windows are inside.
 */
static void note_outside(struct resolver *x, const struct window_text *r,
			 const struct window_span *s)
{
	char at[40];
	int behind = s->begin >= x->trace->end && x->trace->end, before = !behind && s->end == 0;

	x->out->outside += behind || before;
	window_time_text(at, sizeof(at), x->trace->end - 1);
	if (behind)
		window_note(x, r,
			    mem_printf("it is after the end of the run, which is %s long", at));
	else if (before)
		window_note(x, r, mem_printf("it is before the beginning of the run"));
}

static int append_between(struct resolver *x, const struct window_text *r, struct error *e)
{
	const struct window_text_point *p[] = {&r->begin, &r->end};
	struct window_base b = {.reading = r, .window = {.text = mem_string(r->text)}};
	size_t there = 0, backward = 0, without = 0;
	struct window_span span, wrong = {0, 0};
	int code = 0, per_process = 0;

	for (size_t i = 0; i < 2; i++)
		per_process |= p[i]->kind == POINT_INSTANCE && p[i]->rank < 0;
	b.window.of_n = per_process && x->trace->process_n ? x->trace->process_n : 1;
	b.window.of = mem_alloc(b.window.of_n * sizeof(*b.window.of));
	for (size_t i = 0; i < b.window.of_n && code >= 0; i++) {
		code = between_in(x, r, i, &span, e);
		if (code <= 0) {
			without += !code;
			continue;
		}
		if (span.end < span.begin) {
			backward++;
			wrong = span;
			continue;
		}
		there++;
		*array_add(&b.window.of[i], v) = span;
	}
	if (code >= 0 && backward && !there)
		code = reversed(r, &wrong, e);
	else if (code >= 0 && !there && x->trace->process_n)
		code = error_set(e, ERROR_INPUT, "window '%s': no process has such an instance",
				 r->text);
	else if (code >= 0 && backward)
		window_note(x, r,
			    mem_printf("in %zu of %zu processes its end is before its begin; they "
				       "contribute nothing",
				       backward, b.window.of_n));
	if (code >= 0 && there && without)
		window_note(x, r,
			    mem_printf("%zu of %zu processes have no such instance and "
				       "contribute nothing",
				       without, b.window.of_n));
	for (size_t i = 0; i < 2 && code >= 0; i++)
		if (p[i]->kind == POINT_INSTANCE && p[i]->of.loop &&
		    !(i && p[0]->kind == POINT_INSTANCE && p[0]->of.loop))
			window_note_loop(x, r, &p[i]->of);
	if (code >= 0 && !per_process && there)
		note_outside(x, r, &span);
	if (code >= 0)
		return window_base_cut(x, &b, e);
	window_base_release(&b);
	return code;
}

int windows_append(struct resolver *x, const struct window_text *r, struct error *e)
{
	static int (*const append[])(struct resolver *, const struct window_text *,
				     struct error *) = {
		[WINDOW_BETWEEN] = append_between,
		[WINDOW_INSTANCES] = windows_append_counted,
		[WINDOW_PHASES] = windows_append_phases,
		[WINDOW_SNAPSHOTS] = windows_append_snapshots,
	};

	return append[r->kind](x, r, e);
}
