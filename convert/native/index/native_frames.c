/* native_frames.c: what an index keeps of the frames of a stream, as bytes, and back. */
#include <string.h>

#include "analyze/window/loop_frames.h"
#include "convert/native/index/native_index.h"
#include "convert/native/native_run.h"

#define TIME_LIMIT (INT64_C(1) << 61) /* ns: so that differences of times hold */

/*
 * A frame is varint 1 and its fields, each time as the difference from the one before; 0 follows
 * the last frame.
 */
void native_frames_put(struct buffer *b, const struct loop_frame *f, const uint32_t *ids)
{
	int64_t last = f->begin;

	put_varint(b, 1);
	put_varint(b, f->depth);
	put_varint(b, ids[f->region]);
	put_zigzag(b, f->begin);
	put_varint(b, (uint64_t)f->end - (uint64_t)f->begin);
	put_varint(b, (uint64_t)f->setup);
	put_varint(b, f->call_n);
	for (size_t i = 0; i < f->call_n; i++) {
		const struct loop_call *c = &f->call[i];

		put_varint(b, ids[c->region]);
		put_varint(b, (uint64_t)c->begin - (uint64_t)last);
		put_varint(b, (uint64_t)c->end - (uint64_t)c->begin);
		last = c->end;
	}
}

void native_frames_put_rest(struct buffer *b, const struct trace *t, const struct frames_kept *rest,
			    const uint32_t *ids)
{
	uint64_t n = 0;

	for (size_t r = 0; r <= t->region_n; r++)
		n += rest->most[r] > 0;
	put_varint(b, 0);
	put_zigzag(b, rest->end);
	put_zigzag(b, rest->need);
	put_varint(b, rest->cut != 0);
	put_varint(b, rest->folded);
	put_varint(b, n);
	for (size_t r = 0; r <= t->region_n; r++) {
		if (!rest->most[r])
			continue;
		put_varint(b, ids[r]);
		put_varint(b, rest->most[r]);
	}
}

static uint32_t get_region(struct bytes *b, const struct trace *t, const struct native_stream *s)
{
	uint32_t r = native_index_region(t, s, bytes_varint(b));

	b->bad |= r == TRACE_NONE;
	return b->bad ? 0 : r;
}

static int64_t get_first(struct bytes *b)
{
	int64_t v = bytes_zigzag(b);

	b->bad |= v < -TIME_LIMIT || v > TIME_LIMIT;
	return b->bad ? 0 : v;
}

/* A time that is not before another. */
static int64_t get_later(struct bytes *b, int64_t than)
{
	return than + (int64_t)bytes_upto(b, (uint64_t)(TIME_LIMIT - than));
}

static void get_frame(struct bytes *b, const struct trace *t, const struct native_stream *s,
		      struct loop_frame *f)
{
	uint64_t n;
	int64_t last;

	f->depth = bytes_upto(b, FRAMES_DEPTH - 1);
	f->region = get_region(b, t, s);
	f->begin = last = get_first(b);
	f->end = get_later(b, f->begin);
	f->setup = get_later(b, 0);
	n = bytes_upto(b, bytes_left(b) / 3);
	for (uint64_t i = 0; i < n && !b->bad; i++) {
		struct loop_call c = {.region = get_region(b, t, s)};

		b->bad |= c.region == t->region_n; /* nothing calls the root */
		c.begin = get_later(b, last);
		c.end = last = get_later(b, c.begin);
		*array_add(f, call) = c;
	}
}

int native_frames_get(struct bytes b, const struct trace *t, const struct native_stream *s,
		      struct frames_kept *out)
{
	uint64_t n;

	*out = (struct frames_kept){.most = mem_alloc((t->region_n + 1) * sizeof(*out->most))};
	while (bytes_upto(&b, 1) && !b.bad)
		get_frame(&b, t, s, array_add(out, v));
	out->end = bytes_zigzag(&b);
	out->need = bytes_zigzag(&b);
	out->cut = (int)bytes_upto(&b, 1);
	out->folded = bytes_varint(&b);
	n = bytes_upto(&b, bytes_left(&b) / 2);
	for (uint64_t i = 0; i < n && !b.bad; i++) {
		uint32_t r = get_region(&b, t, s);

		out->most[r] = bytes_upto(&b, UINT32_MAX);
	}
	if (!b.bad && b.p == b.end)
		return 0;
	frames_kept_release(out);
	return -1;
}
