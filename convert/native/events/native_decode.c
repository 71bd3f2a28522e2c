/* native_decode.c: records of a chunk to events, plain ones in one tight loop. */
#include <stddef.h>
#include <string.h>

#include "convert/native/define/native_code.h"
#include "convert/native/file/native_columns.h"
#include "convert/native/events/native_cursor.h"
#include "convert/native/events/native_fields.h"
#include "convert/native/native_run.h"

#define RECORD_WRONG "a record is damaged, or uses what is not defined"
#define ALWAYS_INLINE inline __attribute__((always_inline))
#define METRIC_LIMIT (UINT64_C(1) << 61) /* sums of differences, so that none overflows */

/* ---- records with fields: event_kinds.h has which fields a kind has ---- */

#define EVENT_OF_ROW(kind, title, text, metrics, lost, fields) [TAU_REC_##kind] = EVENT_##kind,
static const uint8_t event_of[] = {
	EVENT_RECORD_ROWS(EVENT_OF_ROW, EVENT_NO_FIELD)
	/* Two more ways to store what another kind is. */
	[TAU_REC_VALUE_F64] = EVENT_VALUE,
	[TAU_REC_BRIEF] = EVENT_ALLOC,
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
static __attribute__((noinline)) void take_metrics(struct trace_cursor *c, struct bytes *b)
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

#define GET_FIELD(type, member, name, column) bad |= get_##type(&r, &a->member);
#define GET_ROW(kind, title, text, metrics, lost, fields) \
	case EVENT_##kind: \
		fields break;

/* Fields of one extended record. 1 or 2: it is that number of events, 0: this program does not know what was recorded, -1:
 * damaged. */
static ALWAYS_INLINE int decode_fields(struct trace_cursor *c, uint64_t kind, struct event *ev)
{
	const unsigned char *at = c->args.p;
	struct record r = {c, c->stream, bytes_string(&c->args), ev, kind, 0, 0};
	uint32_t event;
	struct event_args *a;
	int bad = 0;

	if (c->columns.head.metrics && TAU_KIND_HAS_METRICS(kind)) {
		struct bytes f = r.f;

		take_metrics(c, &f);
		r.f = f;
	}
	if (c->args.bad || r.f.bad)
		return -1;
	if (kind >= sizeof(event_of) || !event_of[kind])
		return 0;
	event = event_of[kind];
	ev->kind = event;
	ev->ref = (uint32_t)c->batch.args_n;
	a = array_add(&c->batch, args);
	switch (event) {
		EVENT_RECORD_ROWS(GET_ROW, GET_FIELD)
	}
	bad |= event == EVENT_ALLOC && a->block.inner > a->block.bytes;
	if (bad || r.f.bad)
		return -1;
	if (r.unknown) {
		c->batch.args_n--;
		return 0;
	}
	if (native_repeats_kind((uint32_t)kind) && !r.differs)
		native_repeats_add(&c->repeats, at, (uint32_t)kind, ev->ref);
	return kind == TAU_REC_BRIEF ? 2 : 1;
}

static __attribute__((noinline)) int decode_rare(struct trace_cursor *c, uint64_t kind,
						 struct event *ev)
{
	return decode_fields(c, kind, ev);
}

#define FREQUENT(kind) case TAU_REC_##kind: return decode_fields(c, TAU_REC_##kind, ev);

/* decode_fields(), made for the kinds that are frequent. */
static inline int decode_extended(struct trace_cursor *c, uint64_t kind, struct event *ev)
{
	switch (kind) {
		FREQUENT(ALLOC) FREQUENT(FREE) FREQUENT(SEND) FREQUENT(RECV) FREQUENT(RMA)
	default:
		return decode_rare(c, kind, ev);
	}
}

/* Region of an ENTER whose number is not in the token, TRACE_NONE when it is not defined. */
static uint32_t region_far(struct trace_cursor *c)
{
	uint64_t id = bytes_varint(&c->args);

	return c->args.bad ? TRACE_NONE : native_id(&c->stream->region, id);
}

/*
 * Decodes a record whose token alone does not describe it. Returns as decode_extended(); 2: an
 * allocation and its free.
 */
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
#define JOIN	   NATIVE_JOIN
_Static_assert(NATIVE_BATCH % JOIN == 0, "columns are read in whole pieces");
_Static_assert(offsetof(struct event, ref) == offsetof(struct event, kind) + 4,
	       "a head is kind, then ref");

/* A ref has 31 bits: no memory holds the definitions of more. */
static uint64_t head_of(uint32_t kind, uint32_t ref)
{
	const uint32_t pair[2] = {kind, ref};
	uint64_t head;

	memcpy(&head, pair, sizeof(head));
	return ref > INT32_MAX ? HEAD_OTHER : head;
}

/* Does the head of a record that is one event leave its ref to its arguments? It is TRACE_NONE. */
static inline int head_is_late(uint64_t head)
{
	uint32_t pair[2];

	memcpy(pair, &head, sizeof(pair));
	return (int)(pair[1] >> 31);
}

/* May records of this kind have a value that makes them unknown in a file of a later version? */
static int grows(size_t kind)
{
	return kind == TAU_REC_IO || kind == TAU_REC_SYNC;
}

/* Records of these kinds are one event each. later: the file is of a later version. */
static void heads_late(uint64_t *head, int later)
{
	for (size_t kind = 0; kind < sizeof(event_of); kind++) {
		const uint32_t pair[2] = {event_of[kind], TRACE_NONE};

		if (event_of[kind] && kind != TAU_REC_BRIEF && !(later && grows(kind)))
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
	heads_late(c->head, s->file->head.minor > TAU_VERSION_MINOR);
	c->head[TAU_TOKEN_LEAVE] = head_of(EVENT_LEAVE, 0);
	for (size_t i = 0; i < n; i++)
		c->head[TAU_TOKEN_REGION + i] = head_of(EVENT_ENTER, region->v[i]);
	for (size_t i = 0; i < s->block_n; i++) {
		uint64_t *head = &c->head[TAU_TOKEN_BLOCK + i * TAU_BLOCK_OPS];
		struct event_args *a = array_add(&c->batch, args);

		a->block.type = s->block[i].type;
		a->block.bytes = s->block[i].bytes;
		a->block.inner = 0;
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

/*
 * Decodes the arguments of records that decode_plain() has left for later, the first of which is
 * record `at` of the chunk. Returns how many of the n records are good; *wrong describes the
 * problem of the next.
 */
static size_t decode_late(struct trace_cursor *c, const uint16_t *late, size_t late_n, size_t at,
			  size_t n, const char **wrong)
{
	struct event *ev = &c->event[c->batch.n];

	for (size_t k = 0; k < late_n; k++) {
		uint32_t token = native_token(&c->columns, at + late[k]);

		if (native_repeats_kind(token) &&
		    native_repeats_read(&c->repeats, &c->args, token, &ev[late[k]].ref))
			continue; /* its kind is known */
		if (decode_extended(c, token, &ev[late[k]]) == 1)
			continue;
		*wrong = RECORD_WRONG;
		return late[k];
	}
	return n;
}

/* Is one of JOIN bytes 0xff? */
static inline int any_full(const unsigned char *byte)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t word[JOIN / sizeof(uint64_t)], full = 0;

	memcpy(word, byte, sizeof(word));
	for (size_t k = 0; k < JOIN / sizeof(*word); k++)
		full |= (~word[k] - ones) & word[k];
	return (full & ones << 7) != 0;
}

/*
 * The next of n records from `at` on whose time is not in its column; n: there is none. high: the
 * upper bytes of the times.
 */
static size_t long_next(const uint16_t *time, const unsigned char *high, size_t at, size_t n)
{
	for (; at < n; at += JOIN) {
		size_t end = at + JOIN < n ? at + JOIN : n;

		if (!any_full(high + at))
			continue;
		for (size_t i = at; i < end; i++)
			if (time[i] == TAU_TIME_LONG)
				return i;
	}
	return n;
}

/*
 * Decodes records of one event, whose times are in their column, up to the first that is none, and
 * returns how many. id: what `head` is indexed by, of records from `at` on. args: there are
 * arguments. What comes next, enter or leave, is hard to guess for a processor: so both take the
 * same way through the table `head`.
 * Time needs one multiplication: ticks are shifted so that its upper half is nanoseconds. 0 where
 * that does not fit (half of the room remains for the times of a batch, which may be damaged), or where
 * time would have to be corrected: then the next record is one for decode_one().
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
	    (up && (last - base) >> (clock->shift - 1)) || native_time(clock, c->tick) < c->last_ns)
		return 0;
	d = (c->tick - base) << up;
	for (i = 0; i < n; i++) {
		const uint64_t h = head[id[i]];

		if (__builtin_expect(args ? h == HEAD_OTHER : head_is_late(h), 0))
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
static void ids_read(const struct trace_cursor *c, uint16_t *restrict id, size_t from, size_t n)
{
	const unsigned char *restrict number = c->columns.data[TAU_IDS] + from;
	const uint16_t known = c->known < UINT16_MAX ? (uint16_t)c->known : UINT16_MAX;

	if (c->columns.listed) {
		for (size_t i = 0; i < n; i += JOIN)
			for (size_t k = 0; k < JOIN; k++)
				id[i + k] = number[i + k];
		return;
	}
	native_planes_join(id, c->columns.data[TAU_IDS], c->columns.head.records, from, n);
	for (size_t i = 0; i < n; i += JOIN)
		for (size_t k = 0; k < JOIN; k++)
			id[i + k] = id[i + k] < known ? id[i + k] : known;
}

const char *native_decode(struct trace_cursor *c)
{
	const size_t records = c->columns.head.records, left = records - c->at;
	const size_t n = left < NATIVE_BATCH ? left : NATIVE_BATCH;
	const unsigned char *high = c->columns.data[TAU_TIMES] + records + c->at;
	uint16_t time[NATIVE_BATCH], id[NATIVE_BATCH];
	const char *wrong = NULL;
	size_t i = 0, close = 0; /* the times of records before `close` are in their column */

	native_repeats_clear(&c->repeats);
	c->batch.metric = c->columns.head.metrics ? c->metric_row : NULL;
	if (c->columns.listed && !c->at)
		listed_fill(c);
	native_planes_join(time, c->columns.data[TAU_TIMES], records, c->at, n);
	ids_read(c, id, c->at, n);
	while (i < n && !wrong) {
		if (i >= close)
			close = long_next(time, high, i, n);
		if (!c->batch.metric && bytes_left(&c->args))
			i += decode_args(c, time + i, id + i, c->at + i, close - i, &wrong);
		else if (!c->batch.metric)
			i += decode_bare(c, time + i, id + i, close - i);
		if (i < n && !wrong)
			wrong = decode_one(c, native_token(&c->columns, c->at + i), time[i]);
		i += i < n && !wrong;
	}
	c->at += i;
	c->open = !wrong && c->at < records;
	return wrong;
}
