/* native_waits.c: the waits in the head of a live chunk become records at its end. */
#include "convert/native/live/native_waits.h"

#include "analyze/base/base.h"
#include "convert/io/bytes.h"
#include "convert/native/file/native_chunks.h"
#include "convert/native/file/native_out.h"
#include "convert/native/live/native_whole.h"

/* When the open regions of the stream were entered, outermost first; 0: not known. */
struct entered {
	uint64_t first;	/* of the chunk */
	uint64_t *tick;
	size_t tick_n, tick_cap;
};

static void entered_resize(struct entered *s, uint64_t n)
{
	while (s->tick_n > n)
		s->tick_n--;
	while (s->tick_n < n)
		*array_add(s, tick) = 0;
}

static void section_read(void *to, uint64_t tag, struct bytes b)
{
	struct entered *s = to;
	uint64_t depth = tag == TAU_SNAP_STACK ? bytes_varint(&b) : 0;

	for (uint64_t k = 0; k < depth && !b.bad; k++) {
		bytes_varint(&b);
		*array_add(s, tick) = s->first - bytes_varint(&b);
	}
}

static void extended_read(struct bytes f, unsigned kind, unsigned metrics, struct entered *s)
{
	uint64_t n;

	for (unsigned m = 0; m < metrics && TAU_KIND_HAS_METRICS(kind); m++)
		bytes_varint(&f);
	switch (kind) {
	case TAU_REC_UNWIND:
		n = bytes_varint(&f);
		entered_resize(s, n < s->tick_n ? s->tick_n - n : 0);
		break;
	case TAU_REC_THREAD_BEGIN:
	case TAU_REC_THREAD_END:
		entered_resize(s, 0);
		break;
	case TAU_REC_ON:
		entered_resize(s, 0);
		n = bytes_varint(&f);
		entered_resize(s, n <= bytes_left(&f) ? n : 0);
		break;
	default:
		break;
	}
}

/* Is a region open at the end of the chunk that was entered then? */
static int is_open(const struct native_columns *c, const struct tau_live_header *live)
{
	struct bytes args = bytes_of(c->data[TAU_ARGS], c->length[TAU_ARGS]);
	struct entered s = {.first = live->first_tick};
	uint64_t tick = live->first_tick;
	int open = 0;

	native_snapshot_pass(&args, section_read, &s);
	for (size_t at = 0; at + 4 <= c->length[TAU_TIMES] && !args.bad; at += 4) {
		struct native_live_record r = native_record_pass(c, at, live->metrics, &args);

		tick += r.later;
		if (TAU_TOKEN_IS_REGION((unsigned)r.token))
			*array_add(&s, tick) = tick;
		else if (!r.token && s.tick_n)
			s.tick_n--;
		else if (r.token && r.token < TAU_TOKEN_REGION)
			extended_read(r.fields, r.token, live->metrics, &s);
	}
	for (size_t i = 0; i < s.tick_n && !args.bad; i++)
		open |= s.tick[i] == live->waits.tick;
	free(s.tick);
	return open;
}

static void record_add(struct native_columns *c, const struct tau_live_wait *w, uint32_t rest)
{
	static const uint16_t record[2] = {0, TAU_REC_WAITS};
	struct buffer fields = {0}, args = {0};

	put_varint(&fields, w->kind);
	put_varint(&fields, w->op);
	put_varint(&fields, w->comm);
	put_varint(&fields, rest);
	put_zigzag(&fields, w->peer);
	put_zigzag(&fields, w->tag);
	put_varint(&args, fields.v_n);
	put(&args, fields.v, fields.v_n);
	native_column_append(c, TAU_ARGS, c->length[TAU_ARGS], args.v, args.v_n);
	native_column_append(c, TAU_TIMES, c->length[TAU_TIMES], record, sizeof(record));
	free(fields.v);
	free(args.v);
}

void native_waits_add(struct native_columns *c, const struct tau_live_header *live)
{
	const struct tau_live_waits *w = &live->waits;

	if (live->header_size < sizeof(*live) || !w->tick || w->n > TAU_LIVE_WAITS ||
	    !is_open(c, live))
		return;
	record_add(c,
		   &(struct tau_live_wait){.kind = w->kind == TAU_WAIT_ANY ? TAU_WAIT_ANY
									   : TAU_WAIT_ALL,
					   .op = TAU_COLL_OTHER},
		   w->rest);
	for (uint32_t i = 0; i < w->n; i++)
		record_add(c, &w->of[i], 0);
}
