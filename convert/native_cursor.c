/* native_cursor.c: the events of one stream: columns of a chunk to batches of struct event, in one tight loop. */
#include <string.h>

#include "bytes.h"
#include "native.h"

#define METRIC_LIMIT (UINT64_C(1) << 61)	/* sums of differences, so that none overflows */
#define BATCH 2048		/* events; 32 KiB, so that a batch stays in the first cache */

struct trace_cursor {
	struct trace *trace;
	struct trace_stream *to;	/* where damage is noted */
	struct native_stream *stream;
	const struct native_clock *clock;
	struct native_columns columns;
	size_t next;			/* chunk to load next */
	int open;			/* a chunk is being decoded */
	size_t at;			/* record of the chunk to decode next */
	struct bytes args;
	uint64_t tick;
	int64_t last_ns;		/* time of the last event delivered */
	uint32_t metric[TAU_METRICS];	/* of the trace, for each of the chunk */
	int64_t *metric_now;		/* by trace metric; NULL: the trace has none */
	int64_t *metric_row;		/* of a batch */
	int64_t *metric_first;		/* of a state */
	int metered;			/* metric_now holds what the chunk before left */
	uint64_t travel[TAU_METRICS];	/* how far each has gone up and down */
	struct event_state state;
	struct event_batch batch;
	struct event event[BATCH];
	uint32_t token_ref[65536];	/* region of an ENTER, 0 of a LEAVE; TRACE_NONE: look closer */
};
_Static_assert(EVENT_LEAVE == 0 && EVENT_ENTER == 1, "decode() computes the kind");

/* ---- decoding ---- */

static int args_message(const struct native_stream *s, struct bytes *f, struct event_args *a)
{
	uint64_t comm;

	a->peer = bytes_zigzag(f);
	a->tag = bytes_zigzag(f);
	comm = bytes_varint(f);
	/* Communicator 0 is the world and needs no definition. */
	a->comm = native_id(&s->comm, comm);
	a->bytes = bytes_varint(f);
	return comm && a->comm == TRACE_NONE ? -1 : 0;
}

static int args_coll(const struct native_stream *s, struct bytes *f, struct event_args *a)
{
	uint64_t comm, op = bytes_varint(f);

	a->op = op < COLLS ? (uint32_t)op : COLL_OTHER;
	comm = bytes_varint(f);
	a->comm = native_id(&s->comm, comm);
	a->peer = bytes_zigzag(f);
	a->bytes = bytes_varint(f);
	a->received = bytes_varint(f);
	return comm && a->comm == TRACE_NONE ? -1 : 0;
}

static int args_value(const struct native_stream *s, struct bytes *f, struct event_args *a,
		      int whole)
{
	a->event = native_id(&s->event, bytes_varint(f));
	a->value = whole ? (double)bytes_zigzag(f) : bytes_f64(f);
	return a->event == TRACE_NONE ? -1 : 0;
}

static int args_memory(const struct native_stream *s, struct bytes *f, struct event_args *a,
		       int retype)
{
	a->type = native_id(&s->memtype, bytes_varint(f));
	a->to = retype ? native_id(&s->memtype, bytes_varint(f)) : 0;
	a->bytes = bytes_varint(f);
	return a->type == TRACE_NONE || a->to == TRACE_NONE || a->bytes >> 62 ? -1 : 0;
}

static int args_open(const struct native_stream *s, struct bytes *f, struct event_batch *b,
		     struct event_args *a)
{
	uint64_t n = bytes_varint(f);

	a->first = (uint32_t)b->regions_n;
	if (n > bytes_left(f))
		return -1;
	for (uint64_t i = 0; i < n; i++) {
		uint32_t region = native_id(&s->region, bytes_varint(f));

		if (region == TRACE_NONE)
			return -1;
		*array_add(b, regions) = region;
	}
	a->n = (uint32_t)n;
	return 0;
}

/* Calls that are told by their number and time. */
static int args_fold(const struct native_stream *s, const struct native_clock *clock,
		     struct bytes *f, struct event_batch *b, struct event_args *a)
{
	uint64_t up = bytes_varint(f), calls = bytes_varint(f), took = bytes_varint(f);

	a->peer = up < UINT32_MAX ? (int64_t)up : UINT32_MAX;
	a->bytes = calls;
	a->tag = (int64_t)(uint64_t)((unsigned __int128)took * clock->mult >> clock->shift);
	return args_open(s, f, b, a) || !a->n || took >> 62 || a->tag < 0 || calls >> 62 ? -1 : 0;
}

/* Bytes to or from a file, and the time that the call took. */
static int args_io(const struct native_stream *s, const struct native_clock *clock, struct bytes *f,
		   struct event_args *a)
{
	uint64_t took;

	a->op = bytes_varint(f) == TAU_IO_READ ? IO_READ : IO_WRITE;
	a->file = native_id(&s->event, bytes_varint(f));
	a->bytes = bytes_varint(f);
	took = bytes_varint(f);
	a->tag = (int64_t)(uint64_t)((unsigned __int128)took * clock->mult >> clock->shift);
	return a->file == TRACE_NONE || took >> 62 || a->tag < 0 || a->bytes >> 62 ? -1 : 0;
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

/* A metric goes by `d`. 0 when it has gone so far, up and down, that sums could overflow: such values are damage. */
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

/* The values of a snapshot. -1: they cannot be. */
static int take_state(struct trace_cursor *c)
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

/* Arguments of one extended record. 1: an event, 0: a kind that this program does not know, -1: damaged. */
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
		a->op = n < RMAS ? (uint32_t)n : RMA_ATOMIC;
		a->peer = bytes_zigzag(&f);
		a->bytes = bytes_varint(&f);
		break;
	case TAU_REC_ALLOC:
	case TAU_REC_FREE:
	case TAU_REC_RETYPE:
		bad = args_memory(s, &f, a, kind == TAU_REC_RETYPE);
		break;
	case TAU_REC_THREAD_BEGIN:
		a->thread = (uint32_t)bytes_varint(&f);
		break;
	case TAU_REC_ON:
		bad = args_open(s, &f, &c->batch, a);
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
	return bad || f.bad ? -1 : 1;
}

/* Records i .. i + n of a column of two planes, each `records` long: low bytes, high bytes. */
static void planes_join(uint16_t *restrict out, const unsigned char *restrict column,
			size_t records, size_t i, size_t n)
{
	const unsigned char *restrict low = column + i, *restrict high = column + records + i;

	for (size_t k = 0; k < n; k++)
		out[k] = (uint16_t)(low[k] | high[k] << 8);
}

/* Region of an ENTER whose number is not in the token, TRACE_NONE when it is not defined. */
static uint32_t region_far(struct trace_cursor *c)
{
	uint64_t id = bytes_varint(&c->args);

	return c->args.bad ? TRACE_NONE : native_id(&c->stream->region, id);
}

/* A record with something in ARGS, apart from its time. As decode_extended(). */
static int decode_other(struct trace_cursor *c, uint32_t token, struct event *ev)
{
	if (token < TAU_TOKEN_REGION)
		return decode_extended(c, token, ev);
	ev->kind = EVENT_ENTER;
	ev->ref = token == TAU_TOKEN_FAR ? region_far(c) : TRACE_NONE;
	return ev->ref == TRACE_NONE ? -1 : 1;
}

/*
 * Decodes up to a batch. Returns NULL, or what is wrong with the chunk; batch.n events before that are good. What
 * comes next, enter or leave, is hard to guess for a processor: so both take the same way through the table
 * `token_ref`, and the state stays in registers.
 */
static const char *decode(struct trace_cursor *c)
{
	const size_t records = c->columns.head.records;
	const size_t n = records - c->at < BATCH ? records - c->at : BATCH;
	const uint64_t last = c->columns.head.last_tick;
	const struct native_clock clock = *c->clock;
	const uint32_t *ref = c->token_ref;
	uint16_t time[BATCH], id[BATCH];
	uint64_t tick = c->tick;
	int64_t now = c->last_ns;
	struct event *ev = c->event;
	const char *wrong = NULL;
	size_t i;

	planes_join(time, c->columns.data[TAU_TIMES], records, c->at, n);
	planes_join(id, c->columns.data[TAU_IDS], records, c->at, n);
	for (i = 0; i < n; i++) {
		uint32_t token = id[i], to = ref[token];
		uint64_t delta = time[i];
		int got = 1;
		int64_t ns;

		ev->kind = token != TAU_TOKEN_LEAVE;
		ev->ref = to;
		if (__builtin_expect(to == TRACE_NONE, 0)) {
			got = decode_other(c, token, ev);
			if (got < 0) {
				wrong = "a record is damaged, or uses what is not defined";
				break;
			}
		}
		if (__builtin_expect(delta == TAU_TIME_LONG, 0))
			delta = bytes_varint(&c->args);
		if (__builtin_expect(delta > last - tick || c->args.bad, 0)) {
			wrong = "the time of a record is damaged";
			break;
		}
		tick += delta;
		ns = native_time(&clock, tick);
		now = ns > now ? ns : now;
		ev->time = now;
		ev += got;
	}
	c->batch.n = (size_t)(ev - c->event);
	c->at += i;
	c->tick = tick;
	c->last_ns = now;
	c->open = !wrong && c->at < records;
	return wrong;
}

/* As decode(), for a chunk with metrics: one record after the other. */
static const char *decode_metrics(struct trace_cursor *c)
{
	const size_t records = c->columns.head.records, width = c->trace->metric_n;
	struct event_batch *b = &c->batch;

	for (; b->n < BATCH && c->at < records; c->at++) {
		const unsigned char *low = c->columns.data[TAU_IDS] + c->at,
				    *time = c->columns.data[TAU_TIMES] + c->at;
		uint32_t token = low[0] | (uint32_t)low[records] << 8;
		uint64_t delta = time[0] | (uint64_t)time[records] << 8;
		struct event *ev = &c->event[b->n];
		int got = 1;
		int64_t ns;

		ev->kind = token != TAU_TOKEN_LEAVE;
		ev->ref = c->token_ref[token];
		if (ev->ref == TRACE_NONE)
			got = decode_other(c, token, ev);
		if (got < 0)
			return "a record is damaged, or uses what is not defined";
		if (token == TAU_TOKEN_LEAVE || token >= TAU_TOKEN_REGION)
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
		memcpy(b->metric + b->n * width, c->metric_now, width * sizeof(*b->metric));
		b->n += (size_t)got;
	}
	return NULL;
}

static const char *decode_any(struct trace_cursor *c)
{
	const char *wrong;

	if (!c->columns.head.metrics) {
		c->batch.metric = NULL;
		return decode(c);
	}
	c->batch.metric = c->metric_row;
	wrong = decode_metrics(c);
	c->open = !wrong && c->at < c->columns.head.records;
	return wrong;
}

/* ---- the cursor ---- */

/* The stream ends here: what follows is damaged. A torn record at the end of a live chunk is no damage. */
static void cursor_cut(struct trace_cursor *c, const char *sentence)
{
	c->next = c->stream->file->chunk_n;
	c->open = 0;
	if (c->to->damaged)
		return;
	c->to->damaged = 1;
	c->to->last = c->last_ns > c->to->first ? c->last_ns : c->to->first;
	trace_late_note(c->trace, c->to, "%s; what follows in this file is left out", sentence);
}

/* Loads the next chunk: 1, 0 at the end, or an error of the system. */
static int cursor_load(struct trace_cursor *c, struct error *e)
{
	struct native_file *f = c->stream->file;
	const unsigned mask = 1 << TAU_TIMES | 1 << TAU_IDS | 1 << TAU_ARGS;
	size_t k = c->next;
	int code;

	if (k >= f->chunk_n)
		return 0;
	c->next++;
	code = native_file_load(f, k, mask, &c->columns, e);
	if (code == ERROR_SYSTEM)
		return code;
	c->state.metric = !code && c->columns.head.metrics ? c->metric_first : NULL;
	if (!code && (native_snapshot(c->stream, c->clock, &c->columns, &c->state, &c->args) ||
		      (c->state.metric && take_state(c))))
		code = error_set(e, ERROR_INPUT,
				 "%s: offset %llu: the snapshot of chunk %zu is damaged", f->path,
				 (unsigned long long)f->chunk[k].offset, k);
	if (code) {
		cursor_cut(c, e->text);
		return 0;
	}
	c->at = 0;
	c->tick = c->columns.head.first_tick;
	if (c->state.time < c->last_ns)
		c->state.time = c->last_ns;
	c->batch.state = &c->state;
	c->open = 1;
	return 1;
}

static int cursor_next(struct trace_cursor *c, struct event_batch **out, struct error *e)
{
	struct native_file *f = c->stream->file;
	uint64_t read = f->bytes_read;
	const char *wrong;
	int code;

	c->batch.n = c->batch.args_n = c->batch.regions_n = c->batch.code_n = 0;
	c->batch.state = NULL;
	if (!c->open) {
		code = cursor_load(c, e);
		trace_count(c->trace, 0, f->bytes_read - read);
		if (code <= 0)
			return code;
	}
	wrong = decode_any(c);
	if (wrong) {
		size_t k = c->next - 1;

		error_set(e, ERROR_INPUT, "%s: chunk %zu: record %llu: %s", f->path, k,
			  (unsigned long long)c->at, wrong);
		if (f->chunk[k].live)
			c->open = 0;
		else
			cursor_cut(c, e->text);
	}
	trace_count(c->trace, c->batch.n, 0);
	*out = &c->batch;
	return 1;
}

/*
 * The chunk to start with, so that what holds at `from` is known (see trace.h): the first that ends then or later.
 * When it begins later, nothing happened in between and its snapshot held at `from` already.
 */
static size_t chunk_at(const struct trace_cursor *c, int64_t from)
{
	const struct native_file *f = c->stream->file;
	size_t k = f->chunk_n;

	while (k > 0 && native_time(c->clock, f->chunk[k - 1].last_tick) >= from)
		k--;
	return k > 0 && k == f->chunk_n ? k - 1 : k;
}

static int cursor_open(struct trace *t, uint32_t stream, int64_t from, struct trace_cursor **out,
		       struct error *e)
{
	struct trace_cursor *c = mem_alloc(sizeof(*c));
	struct native_run *run = t->reader;

	(void)e;
	c->trace = t;
	c->to = &t->stream[stream];
	c->stream = c->to->reader;
	c->clock = &run->clock[c->stream->clock];
	c->batch.event = c->event;
	c->last_ns = INT64_MIN;
	memset(c->token_ref, 0xff, sizeof(c->token_ref));
	c->token_ref[TAU_TOKEN_LEAVE] = 0;
	for (size_t i = 0; i < c->stream->region.v_n && i < TAU_TOKEN_FAR - TAU_TOKEN_REGION; i++)
		c->token_ref[TAU_TOKEN_REGION + i] = c->stream->region.v[i];
	c->next = chunk_at(c, from);
	for (uint32_t i = 0; i < TAU_METRICS; i++)
		c->metric[i] = native_id(&c->stream->metric, i);
	if (t->metric_n) {
		c->metric_now = mem_alloc(t->metric_n * sizeof(*c->metric_now));
		c->metric_first = mem_alloc(t->metric_n * sizeof(*c->metric_first));
		c->metric_row = mem_resize(NULL, BATCH * t->metric_n, sizeof(*c->metric_row));
	}
	*out = c;
	return 0;
}

static int cursor_seek(struct trace_cursor *c, int64_t to, struct error *e)
{
	size_t k = chunk_at(c, to);

	(void)e;
	if (k >= c->next && k < c->stream->file->chunk_n) {
		c->next = k;
		c->open = 0;
		return 1;
	}
	return 0;
}

static void cursor_close(struct trace_cursor *c)
{
	native_file_rest(c->stream->file);
	native_columns_release(&c->columns);
	free(c->state.frame);
	free(c->state.memory);
	free(c->batch.args);
	free(c->batch.regions);
	free(c->batch.code);
	free(c->metric_now);
	free(c->metric_first);
	free(c->metric_row);
	free(c);
}

static void ids_release(struct native_ids *m)
{
	free(m->v);
}

static void run_free(struct trace *t)
{
	struct native_run *run = t->reader;

	for (size_t i = 0; i < run->stream_n; i++) {
		struct native_stream *s = run->stream[i];

		native_file_close(s->file);
		ids_release(&s->region);
		ids_release(&s->event);
		ids_release(&s->comm);
		ids_release(&s->memtype);
		ids_release(&s->metric);
		native_modules_release(s);
		free(s->label);
		free(s);
	}
	for (size_t i = 0; i < run->clock_n; i++)
		free(run->clock[i].host);
	names_release(&run->region);
	names_release(&run->event);
	names_release(&run->comm);
	names_release(&run->memtype);
	names_release(&run->metric);
	native_code_release(run);
	free(run->clock);
	free(run->stream);
	free(run);
}

const struct trace_ops native_ops = {
	.open = cursor_open,
	.next = cursor_next,
	.seek = cursor_seek,
	.close = cursor_close,
	.place = native_place,
	.free = run_free,
};
