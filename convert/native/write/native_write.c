/*
 * native_write.c: writes a trace of any format, or a window of it, as a run in our own format
 * (tau-trace(5)): one file per stream; ticks are nanoseconds since the start of the run. A window
 * keeps its times. The snapshot of the first chunk holds what was open when the window begins, and
 * marks it as cut. If the window ends before the stream does, recording is off from there.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "analyze/base/map.h"
#include "convert/clip.h"
#include "convert/io/deflate.h"
#include "convert/io/whole_file.h"
#include "convert/native/file/names_file.h"
#include "convert/native/file/native_put.h"
#include "convert/native/native_run.h"
#include "convert/native/write/native_writer.h"
#include "convert/trace_write.h"

#define CHUNK_RECORDS 65000

/* ---- chunks ---- */

/* What the stream has added to the live memory: one level for each number in the file. */
static void put_levels(struct native_writer *w, struct buffer *to)
{
	size_t n = w->trace->memtype_n, types = 0;
	struct clip_level *sum = mem_alloc((n + 1) * sizeof(*sum));

	for (size_t i = 0; i < n; i++) {
		struct clip_level *l = &sum[w->memtype[i] - 1];

		l->bytes = (int64_t)((uint64_t)l->bytes + (uint64_t)w->clip->level[i].bytes);
		l->blocks = (int64_t)((uint64_t)l->blocks + (uint64_t)w->clip->level[i].blocks);
	}
	for (size_t i = 0; i < n; i++)
		types += sum[i].bytes || sum[i].blocks;
	put_varint(to, types);
	for (size_t i = 0; i < n; i++) {
		if (!sum[i].bytes && !sum[i].blocks)
			continue;
		put_varint(to, i + 1);
		put_zigzag(to, sum[i].bytes);
		put_zigzag(to, sum[i].blocks);
	}
	free(sum);
}

static void snapshot(struct native_writer *w)
{
	const struct event_state *s = &w->clip->state;
	int cut = w->clip->cut && w->seq == 0;
	struct buffer section = {0};

	put_varint(&w->args, 2u + (s->in_use != 0) + (unsigned)cut + (w->metrics != 0));
	put_varint(&w->args, TAU_SNAP_STACK);
	put_varint(&section, s->frame_n);
	for (size_t i = 0; i < s->frame_n; i++) {
		int64_t enter = s->frame[i].enter > 0 ? s->frame[i].enter : 0;

		put_varint(&section, native_need_region(w, s->frame[i].region));
		put_varint(&section, (uint64_t)enter < w->first ? w->first - (uint64_t)enter : 0);
	}
	put_part(&w->args, &section);
	put_varint(&w->args, TAU_SNAP_MEMORY);
	put_levels(w, &section);
	put_part(&w->args, &section);
	if (w->metrics) {
		put_varint(&w->args, TAU_SNAP_METRICS);
		for (uint32_t i = 0; i < w->metrics; i++)
			put_zigzag(&section, w->value[i]);
		/* Where it is not known it is as if nothing had changed. */
		for (size_t i = 0; i < s->frame_n * w->metrics; i++)
			put_zigzag(&section,
				   i < w->entered_n * w->metrics
					   ? (int64_t)((uint64_t)w->value[i % w->metrics] -
						       (uint64_t)w->entered[i])
					   : 0);
		put_part(&w->args, &section);
	}
	if (s->in_use) {
		put_varint(&w->args, TAU_SNAP_THREAD);
		put_varint(&section, 0);
		put_part(&w->args, &section);
	}
	if (cut) {
		put_varint(&w->args, TAU_SNAP_CUT);
		put_varint(&w->args, 0);
	}
}

static void chunk_begin(struct native_writer *w, uint64_t tick)
{
	w->first = w->last = tick;
	w->records = 0;
	w->request = 0;
	w->args.v_n = w->time.v_n = w->id.v_n = w->time_high.v_n = w->id_high.v_n = 0;
	snapshot(w);
}

/* Writes w->packed, the bytes of a chunk. */
static void packed_write(struct native_writer *w)
{
	fwrite(w->packed.v, 1, w->packed.v_n, w->out.file);
	w->offset += w->packed.v_n;
	w->packed.v_n = 0;
}

static void chunk_end(struct native_writer *w)
{
	struct tau_chunk_header h = {.magic = TAU_CHUNK_MAGIC,
				     .kind = TAU_CHUNK_EVENTS,
				     .codec = TAU_CODEC_DEFLATE,
				     .metrics = (uint8_t)w->metrics,
				     .seq = w->seq,
				     .records = w->records,
				     .first_tick = w->first,
				     .last_tick = w->last,
				     .lost = w->trace->stream[w->clip->stream].lost,
				     .sync_tick = w->last,
				     .sync_mono_ns = w->last,
				     .sync_real_ns =
					     (uint64_t)w->trace->wall + w->last};
	struct tau_index_entry entry = {.offset = w->offset,
					.first_tick = w->first,
					.last_tick = w->last,
					.records = w->records};
	struct buffer column[TAU_COLUMNS];

	put(&w->time, w->time_high.v, w->time_high.v_n);
	put(&w->id, w->id_high.v, w->id_high.v_n);
	column[TAU_DEFS] = w->defs;
	column[TAU_TIMES] = w->time;
	column[TAU_IDS] = w->id;
	column[TAU_ARGS] = w->args;
	native_put_chunk(&w->packed, w->deflater, &h, column);
	packed_write(w);
	entry.defs_stored = h.stored[TAU_DEFS];
	put(&w->index, &entry, sizeof(entry));
	w->total += w->records;
	w->seq++;
	w->defs.v_n = 0;
}

/* Adds a record; its arguments are in ARGS already. */
static void record(struct native_writer *w, uint64_t tick, uint32_t token)
{
	uint64_t delta = tick > w->last ? tick - w->last : 0;
	unsigned time = delta < TAU_TIME_LONG ? (unsigned)delta : TAU_TIME_LONG;

	put_byte(&w->time, time & 255);
	put_byte(&w->time_high, time >> 8);
	put_byte(&w->id, token & 255);
	put_byte(&w->id_high, token >> 8);
	if (time == TAU_TIME_LONG)
		put_varint(&w->args, delta);
	w->last += delta;
	w->records++;
}

/* ---- records ---- */

/* What the metrics changed since they were written last. */
static void put_values(struct native_writer *w, struct buffer *to, const int64_t *row)
{
	for (uint32_t i = 0; i < w->metrics; i++) {
		int64_t now = row ? row[i] : w->value[i];

		put_zigzag(to, (int64_t)((uint64_t)now - (uint64_t)w->value[i]));
		w->value[i] = now;
	}
}

/* A record that is written. */
struct written_record {
	struct native_writer *w;
	struct buffer *f; /* its fields */
	const struct clip_event *ev;
	unsigned kind; /* enum tau_record_kind; 0: it is not written */
};

/* One function for each type of field (EVENT_TYPES). */
static void put_SIGNED(struct written_record *r, int64_t v)
{
	put_zigzag(r->f, v);
}

static void put_SIZE(struct written_record *r, uint64_t v)
{
	put_varint(r->f, v);
}

/* Integers are shorter in a kind of their own. */
static void put_NUMBER(struct written_record *r, double v)
{
	if (v >= -0x1p62 && v <= 0x1p62 && v == (double)(int64_t)v) {
		put_zigzag(r->f, (int64_t)v);
		return;
	}
	put(r->f, &v, sizeof(v));
	r->kind = TAU_REC_VALUE_F64;
}

static void put_REQUEST(struct written_record *r, uint32_t request)
{
	if (!request)
		return;
	put_zigzag(r->f, (int32_t)(request - r->w->request));
	r->w->request = request;
}

static void put_EVENT(struct written_record *r, uint32_t event)
{
	put_varint(r->f, native_need_event(r->w, event));
}

/* Always the last field. */
static void put_OFFSET(struct written_record *r, int64_t at)
{
	if (at >= 0)
		put_varint(r->f, (uint64_t)at);
}

/* As well. */
static void put_INNER(struct written_record *r, uint64_t inner)
{
	if (inner)
		put_varint(r->f, inner);
}

static void put_COMM(struct written_record *r, uint32_t comm)
{
	put_varint(r->f, native_need_comm(r->w, comm));
}

static void put_MEMTYPE(struct written_record *r, uint32_t type)
{
	put_varint(r->f, r->w->memtype[type]);
}

static void put_REGIONS(struct written_record *r, struct event_list l)
{
	put_varint(r->f, l.n);
	for (uint32_t i = 0; i < l.n; i++)
		put_varint(r->f, native_need_region(r->w, r->ev->regions[l.first + i]));
}

static void put_CODE(struct written_record *r, struct event_list l)
{
	uint64_t last = 0;

	if (l.n && !r->w->trace->ops->code) {
		r->w->o->lost[EVENT_SAMPLE]++;
		r->kind = 0;
		return;
	}
	put_varint(r->f, l.n);
	for (uint32_t i = 0; i < l.n; i++) {
		uint64_t at = native_need_code(r->w, r->ev->code[l.first + i], i > 0);

		put_zigzag(r->f, (int64_t)(at - last));
		last = at;
	}
}

#define put_RANK	    put_SIGNED
#define put_AMOUNT	    put_SIZE
#define put_THREAD	    put_SIZE
#define put_COLL_OP	    put_SIZE
#define put_RMA_OP	    put_SIZE
#define put_SYNC_OP	    put_SIZE
#define put_IO_OP	    put_SIZE
#define put_MARK_KIND	    put_SIZE
#define put_WAIT_KIND	    put_SIZE
#define put_FILE_WAIT	    put_SIZE
#define put_FEW		    put_SIZE
#define put_PATH	    put_REGIONS
#define put_COUNT(r, v)	    put_SIZE(r, (uint64_t)(v))
#define put_DEPTH(r, v)	    put_SIZE(r, (uint64_t)(v))
#define put_DURATION(r, v)  put_SIZE(r, (uint64_t)(v))
#define put_REF(r, v)	    put_SIZE(r, (r)->ev->event.ref)

#define PUT_FIELD(type, member, name, column) put_##type(&r, a->member);
#define PUT_ROW(k, title, text, metrics, lost, fields) \
	case EVENT_##k: \
		r.kind = TAU_REC_##k; \
		fields break;

/* Fields of an extended record. Returns its kind, 0: it is not written. */
static unsigned put_fields(struct native_writer *w, struct buffer *f, const struct clip_event *ev)
{
	const struct event_args *a = ev->args;
	struct written_record r = {w, f, ev, 0};

	if (ev->event.kind == EVENT_METRICS && !w->metrics)
		return 0;
	switch (ev->event.kind) {
		EVENT_RECORD_ROWS(PUT_ROW, PUT_FIELD)
	}
	return r.kind;
}

/* What is open when the window begins. */
static void entered_begin(struct native_writer *w, const struct clip *c)
{
	size_t n = w->metrics ? c->entered_n : 0;

	w->entered_n = n;
	w->entered_cap = n * w->metrics;
	w->entered = mem_resize(NULL, w->entered_cap + 1, sizeof(*w->entered));
	for (size_t i = 0; i < n; i++)
		memcpy(w->entered + i * w->metrics, c->entered + i * w->trace->metric_n,
		       w->metrics * sizeof(*w->entered));
}

/* The event is written: which values had the metrics when what is open now was entered? */
static void entered_follow(struct native_writer *w, uint32_t kind)
{
	size_t n = w->clip->state.frame_n, stayed = n - (kind == EVENT_ENTER);

	if (kind == EVENT_ON)
		stayed = w->clip->stayed;
	if (w->entered_n > stayed)
		w->entered_n = stayed;
	if (w->entered_cap < n * w->metrics) {
		w->entered_cap = 2 * n * w->metrics;
		w->entered = mem_resize(w->entered, w->entered_cap, sizeof(*w->entered));
	}
	for (; w->entered_n < n; w->entered_n++)
		memcpy(w->entered + w->entered_n * w->metrics, w->value,
		       w->metrics * sizeof(*w->value));
}

static void write_event(struct native_writer *w, const struct clip_event *ev)
{
	uint64_t tick = (uint64_t)(ev->event.time > 0 ? ev->event.time : 0);
	struct buffer f = {0};
	unsigned kind;

	if (ev->event.kind == EVENT_ENTER) {
		uint32_t token = TAU_TOKEN_REGION + native_need_region(w, ev->event.ref);

		if (token >= TAU_TOKEN_BLOCK) {
			put_varint(&w->args, ev->event.ref);
			token = TAU_TOKEN_FAR;
		}
		put_values(w, &w->args, ev->metric);
		record(w, tick, token);
		return;
	}
	if (ev->event.kind == EVENT_LEAVE) {
		put_values(w, &w->args, ev->metric);
		record(w, tick, TAU_TOKEN_LEAVE);
		return;
	}
	if (event_has_metrics(ev->event.kind))
		put_values(w, &f, ev->metric);
	kind = put_fields(w, &f, ev);
	if (!kind) {
		free(f.v);
		return;
	}
	put_part(&w->args, &f);
	record(w, tick, kind);
}

/* A record without fields. */
static void record_empty(struct native_writer *w, uint64_t tick, uint32_t kind)
{
	struct buffer f = {0};

	put_values(w, &f, w->clip->metered ? w->clip->value : NULL);
	put_part(&w->args, &f);
	record(w, tick, kind);
}

/*
 * Enters and leaves without values, which is nearly all there is: the columns get their room first, so that it is not asked
 * for byte by byte.
 */
static void write_run(struct native_writer *w, const struct event *ev, size_t n)
{
	const unsigned char *defined = w->defined[0];
	unsigned char *time, *time_high, *id, *id_high;
	uint64_t last = w->last;

	put_reserve(&w->time, n);
	put_reserve(&w->time_high, n);
	put_reserve(&w->id, n);
	put_reserve(&w->id_high, n);
	time = w->time.v + w->time.v_n;
	time_high = w->time_high.v + w->time_high.v_n;
	id = w->id.v + w->id.v_n;
	id_high = w->id_high.v + w->id_high.v_n;
	for (size_t i = 0; i < n; i++) {
		uint64_t tick = (uint64_t)(ev[i].time > 0 ? ev[i].time : 0);
		uint64_t delta = tick > last ? tick - last : 0;
		uint32_t token = TAU_TOKEN_LEAVE, short_delta = (uint32_t)delta;

		if (ev[i].kind == EVENT_ENTER) {
			if (!defined[ev[i].ref])
				native_need_region(w, ev[i].ref);
			token = TAU_TOKEN_REGION + ev[i].ref;
			if (token >= TAU_TOKEN_BLOCK) {
				put_varint(&w->args, ev[i].ref);
				token = TAU_TOKEN_FAR;
			}
		}
		if (delta >= TAU_TIME_LONG) {
			put_varint(&w->args, delta);
			short_delta = TAU_TIME_LONG;
		}
		time[i] = (unsigned char)short_delta;
		time_high[i] = (unsigned char)(short_delta >> 8);
		id[i] = (unsigned char)token;
		id_high[i] = (unsigned char)(token >> 8);
		last += delta;
	}
	w->time.v_n += n;
	w->time_high.v_n += n;
	w->id.v_n += n;
	w->id_high.v_n += n;
	w->last = last;
	w->records += (uint32_t)n;
}

/* ---- streams ---- */

static void header(struct native_writer *w, uint32_t stream)
{
	const struct trace_stream *s = &w->trace->stream[stream];
	const struct trace_process *p = &w->trace->process[s->process];
	struct tau_file_header h = {.magic = TAU_TRACE_MAGIC,
				    .major = TAU_VERSION_MAJOR,
				    .minor = TAU_VERSION_MINOR,
				    .header_size = sizeof(h),
				    .process_id = p->id ^ 0x7461752d63757400u,
				    .pid = p->pid,
				    .thread = s->thread,
				    .clock = TAU_CLOCK_MONOTONIC,
				    .ticks_hz = 1000000000,
				    .start_tick = (uint64_t)(p->start > 0 ? p->start : 0)};

	h.crc = (uint32_t)crc32(0, (unsigned char *)&h, offsetof(struct tau_file_header, crc));
	fwrite(&h, sizeof(h), 1, w->out.file);
	w->offset = sizeof(h);
}

static void trailer(struct native_writer *w)
{
	native_put_index(&w->packed, &w->index,
			 (struct tau_trailer){.index_offset = w->offset,
					      .records = w->total,
					      .lost = w->trace->stream[w->clip->stream].lost,
					      .chunks = w->seq});
	packed_write(w);
}

static void writer_release(struct native_writer *w)
{
	struct buffer *all[] = {&w->defs,      &w->args,    &w->time,  &w->id,
				&w->time_high, &w->id_high, &w->index, &w->packed};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		free(all[i]->v);
	for (size_t i = 0; i < sizeof(w->defined) / sizeof(*w->defined); i++)
		free(w->defined[i]);
	names_release(&w->named);
	map_release(&w->named_of);
	free(w->entered);
	deflater_free(w->deflater);
}

/* Everything of one stream between its header and its trailer. */
static int records(struct native_writer *w, struct clip *c, struct error *e)
{
	uint32_t most = w->o->chunk_records ? w->o->chunk_records : CHUNK_RECORDS;
	const struct event *run;
	struct clip_event ev;
	size_t n;
	int code;

	entered_begin(w, c);
	chunk_begin(w, (uint64_t)c->begin);
	for (;;) {
		/* The snapshot is what holds before the event: so the next chunk begins before the
		 * clip goes on. */
		if (w->records >= most && (w->valued || w->records / 4 >= most)) {
			uint64_t last = w->last;

			chunk_end(w);
			chunk_begin(w, last);
		}
		n = w->metrics || w->records >= most ? 0 : clip_run(c, most - w->records, &run);
		if (n) {
			w->valued = 1;
			write_run(w, run, n);
			continue;
		}
		code = clip_next(c, &ev, e);
		if (code <= 0)
			break;
		w->valued = !w->metrics || ev.metric;
		w->o->loss[LOSS_METRIC] += ev.metric ? w->trace->metric_n - w->metrics : 0;
		write_event(w, &ev);
		if (w->metrics)
			entered_follow(w, ev.event.kind);
	}
	if (code < 0)
		return code;
	if (c->cut_end && c->state.in_use)
		record_empty(w, (uint64_t)c->end, TAU_REC_OFF);
	else if (c->state.in_use && (uint64_t)c->end > w->last)
		record_empty(w, (uint64_t)c->end, TAU_REC_METRICS);
	chunk_end(w);
	return 0;
}

/* shared: what all streams have in common. */
static int stream_write(const struct native_writer *shared, const char *folder, uint32_t stream,
			struct window_span span, struct error *e)
{
	struct native_writer w = *shared;
	struct write_options *o = w.o;
	struct trace *t = w.trace;
	const struct trace_process *p = &t->process[t->stream[stream].process];
	struct clip c;
	int code = clip_open(&c, t, stream, span, 0, e), bad = 0,
	    kept = c.used || c.live || write_idle(o);
	char *path = mem_printf("%s/%d.%u.tau", folder, p->node, t->stream[stream].thread);

	w.clip = &c;
	if (code >= 0 && kept)
		code = whole_open(&w.out, path, e);
	if (code >= 0 && kept) {
		size_t n[3] = {t->region_n, t->event_n, t->comm_n};

		for (int i = 0; i < 3; i++)
			w.defined[i] = mem_alloc(n[i] + 1);
		/* In other formats values may begin anywhere. */
		if (c.metered || t->ops != &native_ops)
			w.metrics = t->metric_n < TAU_METRICS ? (uint32_t)t->metric_n : TAU_METRICS;
		if (w.metrics)
			memcpy(w.value, c.value, w.metrics * sizeof(*w.value));
		w.deflater = deflater_new();
		o->streams += c.used || c.live;
		header(&w, stream);
		native_define_stream(&w, stream);
		code = records(&w, &c, e);
		if (!code)
			trailer(&w);
		bad = whole_close(&w.out, path, code != 0, e);
	}
	writer_release(&w);
	clip_close(&c);
	free(path);
	return code < 0 ? code : bad;
}

/* Samples keep the addresses of their binaries, and so what is stored of these. */
static void names_carry(const struct trace *t, const char *folder)
{
	const struct native_run *run = t->ops == &native_ops ? t->reader : NULL;

	if (run && run->names)
		names_file_write(folder, run->names);
}

int native_write(struct trace *t, const char *to, struct write_options *o, struct error *e)
{
	char *folder = whole_folder(to, e);
	struct names image = {0};
	struct native_writer shared = {.trace = t, .o = o, .image = &image};
	uint32_t *memtype;
	int code = 0;

	if (!folder)
		return e->code;
	shared.memtype = memtype = native_number_memtypes(t);
	for (uint32_t s = 0; s < t->stream_n && !code; s++) {
		struct window_span span;

		if (write_span(t, o, s, &span))
			code = stream_write(&shared, folder, s, span, e);
	}
	if (!code)
		code = write_nothing(t, o, e);
	if (!code)
		names_carry(t, folder);
	names_release(&image);
	free(memtype);
	code = whole_folder_close(folder, to, code, e) ? (code ? code : e->code) : code;
	return code;
}
