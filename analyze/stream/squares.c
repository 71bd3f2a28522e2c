/* squares.c: the sum over calls of the squared exclusive time, by window. */
#include "analyze/stream/squares.h"

#include <string.h>

#include "analyze/base/base.h"

void squares_init(struct squares *s, const struct segments *of, size_t window_n,
		  struct squares_carry *carry)
{
	memset(s, 0, sizeof(*s));
	s->of = of;
	s->carry = carry;
	s->window_n = window_n;
	s->window = mem_alloc((window_n + 1) * sizeof(*s->window));
}

void squares_release(struct squares *s)
{
	for (size_t w = 0; w < s->window_n; w++)
		free(s->window[w].v);
	free(s->window);
	free(s->now.v);
	free(s->frame);
	free(s->kept);
	memset(s, 0, sizeof(*s));
}

static void rows_grow(struct squares_rows *r, size_t n)
{
	if (r->v_n >= n)
		return;
	r->v = mem_resize(r->v, n, sizeof(*r->v));
	memset(r->v + r->v_n, 0, (n - r->v_n) * sizeof(*r->v));
	r->v_n = n;
}

square *squares_row(struct squares_rows *r, uint32_t row)
{
	if (row >= r->v_n)
		rows_grow(r, (size_t)row + row / 2 + 64);
	return &r->v[row];
}

/* ---- times in earlier segments ---- */

static void keep(struct squares *s, size_t frame, uint32_t window, int64_t own)
{
	uint32_t at = s->spare;
	struct squares_kept *k;

	if (!at) {
		array_add(s, kept);
		at = (uint32_t)s->kept_n;
	}
	k = &s->kept[at - 1];
	s->spare = s->spare ? k->next : 0;
	*k = (struct squares_kept){window, s->frame[frame].kept, own};
	s->frame[frame].kept = at;
	s->waiting++;
}

static void forget_kept(struct squares *s, uint32_t *link)
{
	uint32_t at = *link;

	*link = s->kept[at - 1].next;
	s->kept[at - 1].next = s->spare;
	s->spare = at;
	s->waiting--;
}

/* Removes and returns the time that a frame had in a window before. */
static int64_t pop_kept(struct squares *s, size_t frame, uint32_t window)
{
	for (uint32_t *link = &s->frame[frame].kept; *link; link = &s->kept[*link - 1].next)
		if (s->kept[*link - 1].window == window) {
			int64_t own = s->kept[*link - 1].own;

			forget_kept(s, link);
			return own;
		}
	return 0;
}

/* ---- segments ---- */

static int is_last(const struct squares *s)
{
	return s->open + 1 == s->of->v + s->of->v_n;
}

static void carry_apply(struct squares *s)
{
	size_t n = s->carry->own_n < s->frame_n ? s->carry->own_n : s->frame_n;

	for (size_t i = 0; i < n; i++)
		if (s->carry->own[i])
			keep(s, i, s->of->member[s->open->first], s->carry->own[i]);
	s->carried = 1;
}

void squares_resume(struct squares *s, int64_t time)
{
	if (s->carry && !s->carried && s->open == s->of->v && time == s->open->begin)
		carry_apply(s);
}

/* The time of all frames goes on in the next segment. */
static void carry_on(struct squares *s, uint32_t window)
{
	uint32_t next = s->of->member[s->open[1].first];

	s->carry->own = mem_resize(s->carry->own, s->frame_n + 1, sizeof(*s->carry->own));
	s->carry->own_n = s->frame_n;
	for (size_t i = 0; i < s->frame_n; i++) {
		int64_t own =
			(int64_t)((uint64_t)s->frame[i].own + (uint64_t)pop_kept(s, i, window));

		s->carry->own[i] = own;
		if (own)
			keep(s, i, next, own);
	}
	s->carried = 1;
}

void squares_begin(struct squares *s, const struct segment *segment)
{
	s->open = segment;
	if (s->now.v_n)
		memset(s->now.v, 0, s->now.v_n * sizeof(*s->now.v));
	for (size_t i = s->low; i < s->frame_n; i++)
		s->frame[i].own = 0;
	s->low = s->frame_n;
	if (s->carry && !s->carried && segment == s->of->v && s->frame_n)
		carry_apply(s);
}

/* Does the window continue in the segment after the open one? Members are in order. */
static int goes_on(const struct squares *s, uint32_t window)
{
	const struct segment *next = s->open + 1;
	size_t low, high;

	if (next == s->of->v + s->of->v_n || next->begin != s->open->end)
		return 0;
	low = next->first;
	high = low + next->n;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (s->of->member[middle] <= window)
			low = middle;
		else
			high = middle;
	}
	return low < high && s->of->member[low] == window;
}

static void window_end(struct squares *s, uint32_t window)
{
	int on = goes_on(s, window);

	if (s->carry && !is_last(s)) {
		carry_on(s, window);
		return;
	}
	for (size_t i = s->waiting ? 0 : s->low; i < s->frame_n; i++) {
		struct squares_frame *f = &s->frame[i];
		int64_t own = f->own;

		if (f->kept)
			own = (int64_t)((uint64_t)own + (uint64_t)pop_kept(s, i, window));
		if (own && on)
			keep(s, i, window, own);
		else if (own)
			square_add(squares_row(&s->window[window], f->row), square_of(own));
	}
}

void squares_end(struct squares *s)
{
	if (!s->open)
		return;
	for (uint32_t i = 0; i < s->open->n; i++) {
		uint32_t window = s->of->member[s->open->first + i];
		struct squares_rows *to = &s->window[window];

		rows_grow(to, s->now.v_n);
		for (size_t r = 0; r < s->now.v_n; r++)
			square_add(&to->v[r], s->now.v[r]);
		window_end(s, window);
	}
	s->open = NULL;
}

/* ---- frames ---- */

void squares_grow(struct squares *s)
{
	s->frame = array_grow(s->frame, &s->frame_cap, sizeof(*s->frame));
}

void squares_forget(struct squares *s, uint32_t row)
{
	if (s->open)
		*squares_row(&s->now, row) = SQUARE_UNKNOWN;
}

void squares_end_kept(struct squares *s, size_t frame)
{
	for (uint32_t i = 0; i < s->open->n; i++) {
		uint32_t window = s->of->member[s->open->first + i];
		uint64_t own = (uint64_t)s->frame[frame].own + (uint64_t)pop_kept(s, frame, window);

		square_add(squares_row(&s->window[window], s->frame[frame].row),
			   square_of((int64_t)own));
	}
}
