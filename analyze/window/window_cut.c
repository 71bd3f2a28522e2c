/*
 * window_cut.c: adds windows to the list, and cuts them into slices of time if a series is
 * requested.
 */
#include "analyze/window/window_make.h"

#include <stdio.h>
#include <string.h>

void window_note(struct resolver *x, const struct window_text *r, char *text)
{
	*array_add(x->out, note) =
		(struct note){.kind = NOTE_WINDOW, .window = mem_string(r->text), .text = text};
}

/* Adds a window and takes over the text. per_process: its spans differ between processes. */
static struct window *window_add(struct resolver *x, char *text, int per_process)
{
	struct window *w = array_add(x->out, v);

	w->text = text;
	w->of_n = per_process && x->trace->process_n ? x->trace->process_n : 1;
	w->of = mem_alloc(w->of_n * sizeof(*w->of));
	return w;
}

int window_too_many(const struct resolver *x, const struct window_text *r, uint64_t n,
		    struct error *e)
{
	if (n <= WINDOWS_MAX - x->out->v_n)
		return 0;
	return error_set(
		e, ERROR_INPUT,
		"window '%s': that would be %llu windows, and at most %d are possible; select some "
		"(NAME#1..100), all as one window (NAME#*), or several at a time (--every)",
		r->text, (unsigned long long)n, WINDOWS_MAX);
}

void window_span_add(struct window_spans *s, struct window_span span)
{
	if (s->v_n && s->v[s->v_n - 1].end == span.begin)
		s->v[s->v_n - 1].end = span.end;
	else
		*array_add(s, v) = span;
}

void window_time_text(char *out, size_t size, int64_t ns)
{
	int n = snprintf(out, size, "%lld.%06lld", (long long)(ns / 1000000),
			 (long long)(ns % 1000000));

	while (out[n - 1] == '0')
		n--;
	n -= out[n - 1] == '.';
	snprintf(out + n, size - (size_t)n, "ms");
}

/* ---- series ---- */

/* The span [begin, end) of the base in a process. 1: it has one. */
static int base_span(const struct resolver *x, const struct window_base *b, size_t process,
		     struct window_span *out)
{
	const struct window_spans *s = &b->window.of[process];

	if (!s->v_n)
		return 0;
	*out = s->v[0];
	if (out->end == INT64_MAX)
		out->end = x->trace->end > out->begin ? x->trace->end : out->begin;
	return 1;
}

/* The begin of slice k of n, in ns. */
static int64_t slice_at(const struct window_series *s, const struct window_span *x, uint64_t k,
			uint64_t n)
{
	int64_t length = x->end - x->begin;

	if (s->slices)
		return x->begin + (int64_t)((__int128)length * (int64_t)k / (int64_t)n);
	if (k >= n || (__int128)s->every_ns * (int64_t)k >= length)
		return x->end;
	return x->begin + s->every_ns * (int64_t)k;
}

static char *slice_text(const struct window_base *b, const struct window_series *s,
			const struct window_span *x, uint64_t k, uint64_t n)
{
	char from[40], to[40];

	if (b->window.of_n > 1 || b->instance) {
		if (s->slices || !b->instance)
			return mem_printf("%s slice %llu of %llu", b->window.text,
					  (unsigned long long)k + 1, (unsigned long long)n);
		window_time_text(from, sizeof(from), s->every_ns * (int64_t)k);
		window_time_text(to, sizeof(to), s->every_ns * (int64_t)(k + 1));
		return k + 1 < n ? mem_printf("%s+%s:%s+%s", b->instance, from, b->instance, to)
				 : mem_printf("%s+%s:%s", b->instance, from, b->instance);
	}
	window_time_text(from, sizeof(from), slice_at(s, x, k, n));
	window_time_text(to, sizeof(to), slice_at(s, x, k + 1, n));
	return mem_printf("%s:%s", from, to);
}

/* Number of slices of the longest span of the base; 0: it has none. */
static uint64_t slices_of(const struct resolver *x, const struct window_base *b,
			  const struct window_series *s)
{
	uint64_t most = 0;

	for (size_t p = 0; p < b->window.of_n; p++) {
		struct window_span span;
		uint64_t n = s->slices;

		if (!base_span(x, b, p, &span))
			continue;
		if (!n)
			n = (uint64_t)((span.end - span.begin + s->every_ns - 1) / s->every_ns);
		n = n ? n : 1;
		most = n > most ? n : most;
	}
	return most;
}

void window_base_release(struct window_base *b)
{
	for (size_t p = 0; p < b->window.of_n; p++)
		free(b->window.of[p].v);
	free(b->window.of);
	free(b->window.text);
	free(b->instance);
	memset(b, 0, sizeof(*b));
}

int window_base_cut(struct resolver *x, struct window_base *b, struct error *e)
{
	const struct window_series *s = &x->options->series;
	uint64_t n = s->slices || s->every_ns ? slices_of(x, b, s) : 0;
	int code = window_too_many(x, b->reading, n ? n : 1, e);

	if (!n && !code) {
		*array_add(x->out, v) = b->window;
		free(b->instance);
		return 0;
	}
	for (uint64_t k = 0; k < n && !code; k++) {
		struct window_span span = {0, 0};
		struct window *w = window_add(x, NULL, b->window.of_n > 1);

		for (size_t p = 0; p < w->of_n; p++) {
			struct window_span slice;

			if (!base_span(x, b, p, &span))
				continue;
			slice = (struct window_span){slice_at(s, &span, k, n),
						     slice_at(s, &span, k + 1, n)};
			/* the last slice has an open end if the window has */
			if (k + 1 == n && b->window.of[p].v[0].end == INT64_MAX)
				slice.end = INT64_MAX;
			if (slice.end > slice.begin || s->slices)
				window_span_add(&w->of[p], slice);
		}
		w->text = slice_text(b, s, &span, k, n);
	}
	window_base_release(b);
	return code;
}
