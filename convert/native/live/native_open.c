/* native_open.c: finds the regions that are open at the end of a live chunk. */
#include "convert/native/live/native_open.h"

#include "analyze/base/base.h"
#include "convert/io/bytes.h"
#include "convert/native/file/native_chunks.h"
#include "convert/native/live/native_whole.h"

struct opened {
	struct native_open *out;
	const struct native_open_visit *visit;
	uint64_t tick;
	size_t record;
};

static void enter(struct opened *s, uint64_t tick, uint32_t region)
{
	*array_add(s->out, of) = (struct native_open_region){tick, region};
	if (s->visit)
		s->visit->enter(s->visit->to, s->record, region, tick);
}

static void leave(struct opened *s, uint64_t n)
{
	if (n >= s->out->of_n)
		return;
	s->out->of_n = (size_t)n;
	if (s->visit)
		s->visit->leave(s->visit->to, s->out->of_n, s->tick);
}

static void section_read(void *to, uint64_t tag, struct bytes b)
{
	struct opened *s = to;
	uint64_t depth = tag == TAU_SNAP_STACK ? bytes_varint(&b) : 0;

	for (uint64_t k = 0; k < depth && !b.bad; k++) {
		uint32_t region = (uint32_t)bytes_varint(&b);

		enter(s, s->tick - bytes_varint(&b), region);
	}
}

static void extended_read(struct bytes f, unsigned kind, unsigned metrics, struct opened *s)
{
	uint64_t n;

	for (unsigned m = 0; m < metrics && TAU_KIND_HAS_METRICS(kind); m++)
		bytes_varint(&f);
	switch (kind) {
	case TAU_REC_UNWIND:
		n = bytes_varint(&f);
		leave(s, n < s->out->of_n ? s->out->of_n - n : 0);
		break;
	case TAU_REC_THREAD_BEGIN:
	case TAU_REC_THREAD_END:
		leave(s, 0);
		break;
	case TAU_REC_ON:
		leave(s, 0);
		n = bytes_varint(&f);
		for (uint64_t k = 0; k < n && bytes_left(&f); k++)
			enter(s, 0, (uint32_t)bytes_varint(&f));
		break;
	case TAU_REC_FOLD:
		if (s->visit)
			s->visit->fold(s->visit->to, s->record, f);
		break;
	default:
		break;
	}
}

void native_open_find(const struct native_columns *c, uint64_t first_tick, unsigned metrics,
		      struct native_open *out, const struct native_open_visit *visit)
{
	struct bytes args = bytes_of(c->data[TAU_ARGS], c->length[TAU_ARGS]);
	struct opened s = {out, visit, first_tick, 0};

	out->of_n = 0;
	native_snapshot_pass(&args, section_read, &s);
	for (size_t at = 0; at + 4 <= c->length[TAU_TIMES] && !args.bad; at += 4) {
		struct native_live_record r = native_record_pass(c, at, metrics, &args);

		s.record = at / 4;
		s.tick += r.later;
		if (TAU_TOKEN_IS_REGION((unsigned)r.token))
			enter(&s, s.tick, r.region);
		else if (!r.token && out->of_n)
			leave(&s, out->of_n - 1);
		else if (r.token && r.token < TAU_TOKEN_REGION)
			extended_read(r.fields, r.token, metrics, &s);
	}
	if (args.bad)
		out->of_n = 0;
}
