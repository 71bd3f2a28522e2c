/* native_decode.c: records of a chunk to events, plain ones in one tight loop. */
#include <stddef.h>
#include <string.h>

#include "convert/native/native_cursor.h"

#define RECORD_WRONG "a record is damaged, or uses what is not defined"
#define METRIC_LIMIT (UINT64_C(1) << 61) /* sums of differences, so that none overflows */

/* ---- records with arguments ---- */

static int args_message(const struct native_stream *s, struct bytes *f, struct event_args *a)
{
	uint64_t comm;

	a->message.peer = bytes_zigzag(f);
	a->message.tag = bytes_zigzag(f);
	comm = bytes_varint(f);
	/* Communicator 0 is the world and needs no definition. */
	a->message.comm = native_id(&s->comm, comm);
	a->message.bytes = bytes_varint(f);
	return comm && a->message.comm == TRACE_NONE ? -1 : 0;
}

static int args_coll(const struct native_stream *s, struct bytes *f, struct event_args *a)
{
	uint64_t comm, op = bytes_varint(f);

	a->coll.op = op < COLLS ? (uint32_t)op : COLL_OTHER;
	comm = bytes_varint(f);
	a->coll.comm = native_id(&s->comm, comm);
	a->coll.root = bytes_zigzag(f);
	a->coll.sent = bytes_varint(f);
	a->coll.received = bytes_varint(f);
	return comm && a->coll.comm == TRACE_NONE ? -1 : 0;
}

static int args_value(const struct native_stream *s, struct bytes *f, struct event_args *a,
		      int whole)
{
	a->value.event = native_id(&s->event, bytes_varint(f));
	a->value.value = whole ? (double)bytes_zigzag(f) : bytes_f64(f);
	return a->value.event == TRACE_NONE ? -1 : 0;
}

static int args_memory(const struct native_stream *s, struct bytes *f, struct event_args *a,
		       int retype)
{
	a->block.type = native_id(&s->memtype, bytes_varint(f));
	a->block.to = retype ? native_id(&s->memtype, bytes_varint(f)) : 0;
	a->block.bytes = bytes_varint(f);
	return a->block.type == TRACE_NONE || a->block.to == TRACE_NONE || a->block.bytes >> 62 ? -1
												: 0;
}

static int args_open(const struct native_stream *s, struct bytes *f, struct event_batch *b,
		     struct event_list *out)
{
	uint64_t n = bytes_varint(f);

	out->first = (uint32_t)b->regions_n;
	if (n > bytes_left(f))
		return -1;
	for (uint64_t i = 0; i < n; i++) {
		uint32_t region = native_id(&s->region, bytes_varint(f));

		if (region == TRACE_NONE)
			return -1;
		*array_add(b, regions) = region;
	}
	out->n = (uint32_t)n;
	return 0;
}

/* Calls that are told by their number and time. */
static int args_fold(const struct native_stream *s, const struct native_clock *clock,
		     struct bytes *f, struct event_batch *b, struct event_args *a)
{
	uint64_t up = bytes_varint(f), calls = bytes_varint(f), took = bytes_varint(f);

	a->fold.frames = up < UINT32_MAX ? (int64_t)up : UINT32_MAX;
	a->fold.calls = calls;
	a->fold.ns = (int64_t)(uint64_t)((unsigned __int128)took * clock->mult >> clock->shift);
	return args_open(s, f, b, &a->fold.path) || !a->fold.path.n || took >> 62 ||
			       a->fold.ns < 0 || calls >> 62
		       ? -1
		       : 0;
}

/* Bytes to or from a file, and the time that the call took. */
static int args_io(const struct native_stream *s, const struct native_clock *clock, struct bytes *f,
		   struct event_args *a)
{
	uint64_t took;

	a->io.op = bytes_varint(f) == TAU_IO_READ ? IO_READ : IO_WRITE;
	a->io.file = native_id(&s->event, bytes_varint(f));
	a->io.bytes = bytes_varint(f);
	took = bytes_varint(f);
	a->io.ns = (int64_t)(uint64_t)((unsigned __int128)took * clock->mult >> clock->shift);
	return a->io.file == TRACE_NONE || took >> 62 || a->io.ns < 0 || a->io.bytes >> 62 ? -1 : 0;
}

static const uint8_t event_of[] = {
	[TAU_REC_EVENT_INT] = EVENT_VALUE,
	[TAU_REC_EVENT_F64] = EVENT_VALUE,
	[TAU_REC_SEND] = EVENT_SEND,
	[TAU_REC_RECV] = EVENT_RECV,
	[TAU_REC_COLL] = EVENT_COLL,
	[TAU_REC_RMA] = EVENT_RMA,
	[TAU_REC_ALLOC] = EVENT_ALLOC,
	[TAU_REC_FREE] = EVENT_FREE,
	[TAU_REC_BRIEF] = EVENT_ALLOC,
	[TAU_REC_RETYPE] = EVENT_RETYPE,
	[TAU_REC_UNWIND] = EVENT_UNWIND,
	[TAU_REC_THREAD_BEGIN] = EVENT_THREAD_BEGIN,
	[TAU_REC_THREAD_END] = EVENT_THREAD_END,
	[TAU_REC_OFF] = EVENT_OFF,
	[TAU_REC_ON] = EVENT_ON,
	[TAU_REC_METRICS] = EVENT_METRICS,
	[TAU_REC_FOLD] = EVENT_FOLD,
	[TAU_REC_SAMPLE] = EVENT_SAMPLE,
	[TAU_REC_IO] = EVENT_IO,
};

/* A metric goes by `d`. 0 when it has gone so far, up and down, that sums could overflow: such
 * values are damage. */
static int travel(struct trace_cursor *c, uint32_t i, int64_t d)
{
	uint64_t way = d < 0 ? 0 - (uint64_t)d : (uint64_t)d;

	if (way > METRIC_LIMIT - c->travel[i])
		return 0;
	c->travel[i] += way;
	return 1;
}

/* The next values of the chunk's metrics. */
static void take_metrics(struct trace_cursor *c, struct bytes *b)
{
	for (uint32_t i = 0; i < c->columns.head.metrics; i++) {
		int64_t d = bytes_zigzag(b);

		if (travel(c, i, d))
			c->metric_now[c->metric[i]] += d;
		else
			b->bad = 1;
	}
}

int native_decode_state(struct trace_cursor *c)
{
	for (uint32_t i = 0; i < c->columns.head.metrics; i++) {
		int64_t *now = &c->metric_now[c->metric[i]], to = c->metric_first[c->metric[i]];

		if (to > (int64_t)METRIC_LIMIT || to < -(int64_t)METRIC_LIMIT ||
		    (c->metered && !travel(c, i, to - *now)))
			return -1;
		*now = to;
	}
	c->metered = 1;
	return 0;
}

/* Arguments of one extended record. 1 or 2: so many events, 0: a kind that this program does not know, -1:
 * damaged. */
static int decode_extended(struct trace_cursor *c, uint64_t kind, struct event *ev)
{
	struct bytes f = bytes_string(&c->args);
	const struct native_stream *s = c->stream;
	struct event_args *a;
	uint64_t n;
	int bad = 0;

	if (c->columns.head.metrics && TAU_KIND_HAS_METRICS(kind))
		take_metrics(c, &f);
	if (c->args.bad || f.bad)
		return -1;
	if (kind >= sizeof(event_of) || !event_of[kind])
		return 0;
	ev->kind = event_of[kind];
	if (kind == TAU_REC_UNWIND) {
		n = bytes_varint(&f);
		ev->ref = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
		return f.bad ? -1 : 1;
	}
	ev->ref = (uint32_t)c->batch.args_n;
	a = array_add(&c->batch, args);
	switch (kind) {
	case TAU_REC_EVENT_INT:
	case TAU_REC_EVENT_F64:
		bad = args_value(s, &f, a, kind == TAU_REC_EVENT_INT);
		break;
	case TAU_REC_SEND:
	case TAU_REC_RECV:
		bad = args_message(s, &f, a);
		break;
	case TAU_REC_COLL:
		bad = args_coll(s, &f, a);
		break;
	case TAU_REC_RMA:
		n = bytes_varint(&f);
		a->rma.op = n < RMAS ? (uint32_t)n : RMA_ATOMIC;
		a->rma.peer = bytes_zigzag(&f);
		a->rma.bytes = bytes_varint(&f);
		break;
	case TAU_REC_ALLOC:
	case TAU_REC_BRIEF:
	case TAU_REC_FREE:
	case TAU_REC_RETYPE:
		bad = args_memory(s, &f, a, kind == TAU_REC_RETYPE);
		break;
	case TAU_REC_THREAD_BEGIN:
		a->thread.id = (uint32_t)bytes_varint(&f);
		break;
	case TAU_REC_ON:
		bad = args_open(s, &f, &c->batch, &a->on.open);
		break;
	case TAU_REC_IO:
		bad = args_io(s, c->clock, &f, a);
		break;
	case TAU_REC_FOLD:
		bad = args_fold(s, c->clock, &f, &c->batch, a);
		break;
	case TAU_REC_SAMPLE:
		bad = native_sample(c->trace, c->stream, c->next - 1, &f, &c->batch, a);
		break;
	default:
		break;
	}
	return bad || f.bad ? -1 : kind == TAU_REC_BRIEF ? 2 : 1;
}

/* Region of an ENTER whose number is not in the token, TRACE_NONE when it is not defined. */
static uint32_t region_far(struct trace_cursor *c)
{
	uint64_t id = bytes_varint(&c->args);

	return c->args.bad ? TRACE_NONE : native_id(&c->stream->region, id);
}

/* A record whose token does not say it all. As decode_extended(); 2: an allocation and its free. */
static int decode_other(struct trace_cursor *c, uint32_t token, struct event *ev)
{
	uint32_t block = (token - TAU_TOKEN_BLOCK) / TAU_BLOCK_OPS;

	if (token < TAU_TOKEN_REGION)
		return decode_extended(c, token, ev);
	if (token >= TAU_TOKEN_BLOCK && token != TAU_TOKEN_FAR) {
		if (block >= c->stream->block_n || c->stream->block[block].type == TRACE_NONE)
			return -1;
		ev->kind = EVENT_ALLOC;
		ev->ref = block;
		return 2;
	}
	ev->kind = EVENT_ENTER;
	ev->ref = token == TAU_TOKEN_FAR ? region_far(c) : TRACE_NONE;
	return ev->ref == TRACE_NONE ? -1 : 1;
}

/* ---- plain records: enter and leave, without arguments ---- */

#define HEAD_OTHER UINT64_MAX /* look closer; kinds whose ref is TRACE_NONE are one event whose arguments follow */
#define ALWAYS_INLINE inline __attribute__((always_inline))
#define JOIN       16 /* records that are joined at once; what is read behind a column is padding */
_Static_assert(NATIVE_BATCH % JOIN == 0 && JOIN <= NATIVE_PAD, "columns are read in whole pieces");
_Static_assert(offsetof(struct event, ref) == offsetof(struct event, kind) + 4,
	       "a head is kind, then ref");

static uint64_t head_of(uint32_t kind, uint32_t ref)
{
	const uint32_t pair[2] = {kind, ref};
	uint64_t head;

	memcpy(&head, pair, sizeof(head));
	return ref == TRACE_NONE ? HEAD_OTHER : head;
}

/* Does the head of a record that is one event leave its ref to its arguments? */
static inline int head_is_late(uint64_t head)
{
	uint32_t pair[2];

	memcpy(pair, &head, sizeof(pair));
	return pair[1] == TRACE_NONE;
}

/* Records of these kinds are one event each. */
static void heads_late(uint64_t *head)
{
	for (size_t kind = 0; kind < sizeof(event_of); kind++) {
		const uint32_t pair[2] = {event_of[kind], TRACE_NONE};

		if (event_of[kind] && kind != TAU_REC_BRIEF)
			memcpy(&head[kind], pair, sizeof(pair));
	}
}

void native_decode_init(struct trace_cursor *c)
{
	const struct native_ids *region = &c->stream->region;
	const struct native_stream *s = c->stream;
	size_t n = region->v_n;

	if (n > TAU_TOKEN_BLOCK - TAU_TOKEN_REGION)
		n = TAU_TOKEN_BLOCK - TAU_TOKEN_REGION;
	c->known = (uint32_t)n + TAU_TOKEN_REGION;
	if (s->block_n)
		c->known = TAU_TOKEN_BLOCK + (uint32_t)s->block_n * TAU_BLOCK_OPS;
	c->head = mem_resize(NULL, (size_t)c->known + 1, sizeof(*c->head));
	memset(c->head, 0xff, ((size_t)c->known + 1) * sizeof(*c->head));
	heads_late(c->head);
	c->head[TAU_TOKEN_LEAVE] = head_of(EVENT_LEAVE, 0);
	for (size_t i = 0; i < n; i++)
		c->head[TAU_TOKEN_REGION + i] = head_of(EVENT_ENTER, region->v[i]);
	for (size_t i = 0; i < s->block_n; i++) {
		uint64_t *head = &c->head[TAU_TOKEN_BLOCK + i * TAU_BLOCK_OPS];
		struct event_args *a = array_add(&c->batch, args);

		a->block.type = s->block[i].type;
		a->block.bytes = s->block[i].bytes;
		if (a->block.type == TRACE_NONE)
			continue;
		head[TAU_BLOCK_ALLOC] = head_of(EVENT_ALLOC, (uint32_t)i);
		head[TAU_BLOCK_FREE] = head_of(EVENT_FREE, (uint32_t)i);
	}
	c->args_kept = c->batch.args_n;
}

void native_decode_release(struct trace_cursor *c)
{
	free(c->head);
}

/* Records from .. from + n of a column of two planes, each `records` long: low bytes, high bytes.
 */
static void planes_join(uint16_t *restrict out, const unsigned char *restrict column,
			size_t records, size_t from, size_t n)
{
	const unsigned char *restrict low = column + from, *restrict high = low + records;

	for (size_t i = 0; i < n; i += JOIN)
		for (size_t k = 0; k < JOIN; k++)
			out[i + k] = (uint16_t)(low[i + k] | high[i + k] << 8);
}

/*
 * Takes the arguments of records that decode_plain() has passed, the first of which is record `at` of the chunk. Returns how many
 * of the n records are good, *wrong says what is wrong with the next.
 */
static size_t decode_late(struct trace_cursor *c, const uint16_t *late, size_t late_n, size_t at,
			  size_t n, const char **wrong)
{
	struct event *ev = &c->event[c->batch.n];

	for (size_t k = 0; k < late_n; k++) {
		uint32_t token = native_token(&c->columns, at + late[k]);

		if (decode_extended(c, token, &ev[late[k]]) == 1)
			continue;
		*wrong = RECORD_WRONG;
		return late[k];
	}
	return n;
}

/*
 * Decodes records of one event up to the first that is none, and returns how many. id: what `head` is indexed by, of records from
 * `at` on. args: there are arguments. What comes next, enter or leave, is hard to guess for a processor: so both take the same way
 * through the table `head`.
 * Time needs one multiplication: ticks are shifted so that its upper half is nanoseconds. 0 where
 * that does not fit, or where time would have to be corrected: then the next record is one for
 * decode_one().
 */
static ALWAYS_INLINE size_t decode_plain(struct trace_cursor *c, const uint16_t *time,
					 const uint16_t *id, int args, size_t at, size_t n,
					 const char **wrong)
{
	const struct native_clock *clock = c->clock;
	const uint64_t *head = c->columns.listed ? c->listed_head : c->head, mult = clock->mult;
	const uint64_t last = c->columns.head.last_tick, base = clock->base;
	const unsigned up = 64 - clock->shift;
	const int64_t offset = clock->offset_ns;
	struct event *ev = &c->event[c->batch.n];
	uint16_t late[NATIVE_BATCH];
	uint64_t tick, d;
	size_t i, late_n = 0;

	if (clock->shift > 64 || clock->shift < 32 || c->tick < base || last < base ||
	    (up && (last - base) >> clock->shift) || native_time(clock, c->tick) < c->last_ns)
		return 0;
	d = (c->tick - base) << up;
	for (i = 0; i < n; i++) {
		const uint64_t h = head[id[i]];

		if (__builtin_expect(args ? h == HEAD_OTHER : head_is_late(h), 0) ||
		    __builtin_expect(time[i] == TAU_TIME_LONG, 0))
			break;
		d += (uint64_t)time[i] << up;
		ev[i].time = offset + (int64_t)(uint64_t)((unsigned __int128)d * mult >> 64);
		memcpy(&ev[i].kind, &h, sizeof(h));
		if (!args)
			continue;
		late[late_n] = (uint16_t)i;
		late_n += head_is_late(h);
	}
	tick = base + (d >> up);
	if (!i || tick > last)
		return 0;
	if (args && late_n)
		i = decode_late(c, late, late_n, at, i, wrong);
	c->tick = tick;
	c->last_ns = i ? ev[i - 1].time : c->last_ns;
	c->batch.n += i;
	return i;
}

/* decode_plain(), made for each case: one function for both would have too few registers. */
static __attribute__((noinline)) size_t decode_bare(struct trace_cursor *c, const uint16_t *time,
						    const uint16_t *id, size_t n)
{
	return decode_plain(c, time, id, 0, 0, n, NULL);
}

static __attribute__((noinline)) size_t decode_args(struct trace_cursor *c, const uint16_t *time,
						    const uint16_t *id, size_t at, size_t n,
						    const char **wrong)
{
	return decode_plain(c, time, id, 1, at, n, wrong);
}

/* The heads of what the chunk's numbers mean. */
static void listed_fill(struct trace_cursor *c)
{
	for (uint32_t k = 0; k < c->columns.listed; k++) {
		uint32_t token = c->columns.token[k];

		c->listed_head[k] = c->head[token < c->known ? token : c->known];
	}
}

/* Any record. NULL, or what is wrong with it. */
static const char *decode_one(struct trace_cursor *c, uint32_t token, uint64_t delta)
{
	const uint64_t head = c->head[token < c->known ? token : c->known];
	const size_t width = c->trace->metric_n;
	struct event_batch *b = &c->batch;
	struct event *ev = &c->event[b->n];
	int got = 1;
	int64_t ns;

	memcpy(&ev->kind, &head, sizeof(head));
	if (head_is_late(head))
		got = decode_other(c, token, ev);
	if (got < 0)
		return RECORD_WRONG;
	if (c->columns.head.metrics && (token == TAU_TOKEN_LEAVE || TAU_TOKEN_IS_REGION(token)))
		take_metrics(c, &c->args);
	if (delta == TAU_TIME_LONG)
		delta = bytes_varint(&c->args);
	if (c->args.bad)
		return "the values of a record are cut short";
	if (delta > c->columns.head.last_tick - c->tick)
		return "the time of a record is damaged";
	c->tick += delta;
	ns = native_time(c->clock, c->tick);
	c->last_ns = ns > c->last_ns ? ns : c->last_ns;
	ev->time = c->last_ns;
	if (got == 2)
		ev[1] = (struct event){ev->time, EVENT_FREE, ev->ref};
	for (size_t i = b->n; b->metric && i < b->n + (size_t)got; i++)
		memcpy(b->metric + i * width, c->metric_now, width * sizeof(*b->metric));
	b->n += (size_t)got;
	return NULL;
}

/* Which heads records from .. from + n have: indexes of listed_head, or of head. */
static void ids_take(const struct trace_cursor *c, uint16_t *restrict id, size_t from, size_t n)
{
	const unsigned char *restrict number = c->columns.data[TAU_IDS] + from;
	const uint16_t known = c->known < UINT16_MAX ? (uint16_t)c->known : UINT16_MAX;

	if (c->columns.listed) {
		for (size_t i = 0; i < n; i += JOIN)
			for (size_t k = 0; k < JOIN; k++)
				id[i + k] = number[i + k];
		return;
	}
	planes_join(id, c->columns.data[TAU_IDS], c->columns.head.records, from, n);
	for (size_t i = 0; i < n; i += JOIN)
		for (size_t k = 0; k < JOIN; k++)
			id[i + k] = id[i + k] < known ? id[i + k] : known;
}

const char *native_decode(struct trace_cursor *c)
{
	const size_t records = c->columns.head.records, left = records - c->at;
	const size_t n = left < NATIVE_BATCH ? left : NATIVE_BATCH;
	uint16_t time[NATIVE_BATCH], id[NATIVE_BATCH];
	const char *wrong = NULL;
	size_t i = 0;

	c->batch.metric = c->columns.head.metrics ? c->metric_row : NULL;
	if (c->columns.listed && !c->at)
		listed_fill(c);
	planes_join(time, c->columns.data[TAU_TIMES], records, c->at, n);
	ids_take(c, id, c->at, n);
	while (i < n && !wrong) {
		if (!c->batch.metric && bytes_left(&c->args))
			i += decode_args(c, time + i, id + i, c->at + i, n - i, &wrong);
		else if (!c->batch.metric)
			i += decode_bare(c, time + i, id + i, n - i);
		if (i < n && !wrong)
			wrong = decode_one(c, native_token(&c->columns, c->at + i), time[i]);
		i += i < n && !wrong;
	}
	c->at += i;
	c->open = !wrong && c->at < records;
	return wrong;
}
