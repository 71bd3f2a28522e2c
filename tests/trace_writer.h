/*
 * trace_writer.h: writes traces of our format from tests, so that a test decides about every byte of them. It shares
 * nothing with the recorder but format.h. One tick is one nanosecond.
 */
#ifndef TRACE_WRITER_H
#define TRACE_WRITER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "record/format.h"

struct buffer {
	unsigned char *p;
	size_t n, cap;
};

struct writer {
	FILE *file;
	char path[512];
	struct tau_file_header head;
	struct buffer defs, args;	/* of the chunk being written */
	struct buffer time, id;		/* 2 bytes a record */
	struct buffer index;
	uint64_t first, last;		/* ticks of the chunk */
	uint32_t seq, records, chunks;
	uint64_t total;
	uint32_t limit;			/* records of a chunk; 0: the test ends chunks */
	uint64_t lost;			/* events that were lost so far */
	int raw;			/* do not deflate */
	uint32_t open[256];
	uint64_t entered[256];
	size_t depth;
	int64_t bytes[64], blocks[64];	/* by memtype */
	int idle;			/* no thread is using the stream */
	uint64_t sealed;		/* ticks before a chunk that storing the one before took */
	uint32_t metrics;		/* values with each record that carries any */
	int64_t metric[TAU_METRICS];	/* what they are now: the test sets them before each record */
	int64_t metric_last[TAU_METRICS], metric_entered[256][TAU_METRICS];
};

__attribute__((unused)) static void put_bytes(struct buffer *b, const void *p, size_t n)
{
	if (b->n + n > b->cap) {
		b->cap = (b->n + n) * 2 + 64;
		b->p = realloc(b->p, b->cap);
	}
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
}

__attribute__((unused)) static void put_varint(struct buffer *b, uint64_t v)
{
	unsigned char c;

	for (; v > 127; v >>= 7) {
		c = (unsigned char)(v | 128);
		put_bytes(b, &c, 1);
	}
	c = (unsigned char)v;
	put_bytes(b, &c, 1);
}

__attribute__((unused)) static void put_zigzag(struct buffer *b, int64_t v)
{
	put_varint(b, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

__attribute__((unused)) static void put_string(struct buffer *b, const char *s)
{
	put_varint(b, strlen(s));
	put_bytes(b, s, strlen(s));
}

/* Appends what is in `part` with its length in front, and empties it. */
__attribute__((unused)) static void put_part(struct buffer *b, struct buffer *part)
{
	put_varint(b, part->n);
	put_bytes(b, part->p, part->n);
	part->n = 0;
}

__attribute__((unused)) static void writer_define(struct writer *w, unsigned kind, struct buffer *fields)
{
	put_varint(&w->defs, kind);
	put_part(&w->defs, fields);
	free(fields->p);
}

__attribute__((unused)) static void writer_region(struct writer *w, uint32_t id, const char *name, const char *groups)
{
	struct buffer f = { 0 };

	put_varint(&f, id);
	put_string(&f, name);
	put_string(&f, groups);
	put_string(&f, "");
	put_varint(&f, 0);
	writer_define(w, TAU_DEF_REGION, &f);
}

__attribute__((unused)) static void writer_event(struct writer *w, uint32_t id, const char *name, unsigned flags)
{
	struct buffer f = { 0 };

	put_varint(&f, id);
	put_varint(&f, flags);
	put_string(&f, name);
	writer_define(w, TAU_DEF_EVENT, &f);
}

__attribute__((unused)) static void writer_memtype(struct writer *w, uint32_t id, uint32_t owner, unsigned flags,
						   const char *name, const char *library)
{
	struct buffer f = { 0 };

	put_varint(&f, id);
	put_varint(&f, owner);
	put_varint(&f, flags);
	put_varint(&f, 0);
	put_string(&f, name);
	put_string(&f, library);
	writer_define(w, TAU_DEF_MEMTYPE, &f);
}

__attribute__((unused)) static void writer_meta(struct writer *w, const char *name, const char *value)
{
	struct buffer f = { 0 };

	put_string(&f, name);
	put_string(&f, value);
	writer_define(w, TAU_DEF_META, &f);
}

__attribute__((unused)) static void writer_rank(struct writer *w, uint32_t rank, uint32_t size)
{
	struct buffer f = { 0 };

	put_varint(&f, rank);
	put_varint(&f, size);
	put_varint(&f, TAU_RANK_MPI);
	writer_define(w, TAU_DEF_RANK, &f);
}

__attribute__((unused)) static void writer_metric(struct writer *w, uint32_t id, unsigned flags, const char *name,
						  const char *unit)
{
	struct buffer f = { 0 };

	put_varint(&f, id);
	put_varint(&f, flags);
	put_string(&f, name);
	put_string(&f, unit);
	writer_define(w, TAU_DEF_METRIC, &f);
}

/* The values of a record: how much each changed. */
static void put_metrics(struct buffer *b, struct writer *w)
{
	for (uint32_t i = 0; i < w->metrics; i++) {
		put_zigzag(b, (int64_t)((uint64_t)w->metric[i] - (uint64_t)w->metric_last[i]));
		w->metric_last[i] = w->metric[i];
	}
}

static void put_metric_section(struct buffer *b, struct writer *w)
{
	memcpy(w->metric_last, w->metric, sizeof(w->metric));
	for (uint32_t i = 0; i < w->metrics; i++)
		put_zigzag(b, w->metric[i]);
	for (size_t d = 0; d < w->depth; d++)
		for (uint32_t i = 0; i < w->metrics; i++)
			put_zigzag(b, w->metric[i] - w->metric_entered[d][i]);
}

/* Begins a chunk: its snapshot is what is open now. */
static void writer_begin(struct writer *w, uint64_t tick)
{
	struct buffer section = { 0 };
	uint64_t types = 0;

	w->first = w->last = tick;
	w->records = 0;
	w->defs.n = w->args.n = w->time.n = w->id.n = 0;
	put_varint(&w->args, 2 + !w->idle + (w->metrics > 0) + (w->sealed > 0));
	put_varint(&w->args, TAU_SNAP_STACK);
	put_varint(&section, w->depth);
	for (size_t i = 0; i < w->depth; i++) {
		put_varint(&section, w->open[i]);
		put_varint(&section, tick - w->entered[i]);
	}
	put_part(&w->args, &section);
	put_varint(&w->args, TAU_SNAP_MEMORY);
	for (int i = 0; i < 64; i++)
		types += w->bytes[i] || w->blocks[i];
	put_varint(&section, types);
	for (int i = 0; i < 64; i++) {
		if (!w->bytes[i] && !w->blocks[i])
			continue;
		put_varint(&section, (uint64_t)i);
		put_zigzag(&section, w->bytes[i]);
		put_zigzag(&section, w->blocks[i]);
	}
	put_part(&w->args, &section);
	if (w->metrics) {
		put_varint(&w->args, TAU_SNAP_METRICS);
		put_metric_section(&section, w);
		put_part(&w->args, &section);
	}
	if (w->sealed) {
		put_varint(&w->args, TAU_SNAP_SEAL);
		put_varint(&section, w->sealed);
		put_part(&w->args, &section);
	}
	if (!w->idle) {
		put_varint(&w->args, TAU_SNAP_THREAD);
		put_varint(&section, 1);
		put_part(&w->args, &section);
	}
	free(section.p);
}

__attribute__((unused)) static void writer_open(struct writer *w, const char *path, uint64_t process, uint32_t thread,
						uint64_t start, uint64_t first)
{
	memset(w, 0, sizeof(*w));
	snprintf(w->path, sizeof(w->path), "%s", path);
	w->file = fopen(path, "wb");
	w->head = (struct tau_file_header){ .magic = TAU_TRACE_MAGIC, .major = TAU_VERSION_MAJOR,
		.header_size = sizeof(w->head), .process_id = process, .pid = (uint32_t)process, .thread = thread,
		.clock = TAU_CLOCK_MONOTONIC, .ticks_hz = 1000000000, .start_tick = start };
	w->head.crc = (uint32_t)crc32(0, (unsigned char *)&w->head, offsetof(struct tau_file_header, crc));
	fwrite(&w->head, sizeof(w->head), 1, w->file);
	writer_begin(w, first);
}

/* The 2-byte records as two planes. */
static struct buffer writer_planes(const struct buffer *records)
{
	struct buffer planes = { 0 };
	size_t n = records->n / 2;

	for (size_t plane = 0; plane < 2; plane++)
		for (size_t i = 0; i < n; i++)
			put_bytes(&planes, records->p + 2 * i + plane, 1);
	return planes;
}

/*
 * As columns of a chunk with TAU_LAYOUT_NUMBERS, where tokens are few enough: 0: they are not. Any groups will do; these change from
 * chunk to chunk.
 */
static int writer_numbers(const struct writer *w, struct buffer *times, struct buffer *ids)
{
	static uint8_t number[65536];
	size_t n = w->id.n / 2, listed = 1;
	struct buffer low = { 0 }, high = { 0 }, group = { 0 }, back = { 0 }, upper = { 0 };
	unsigned before = 0;

	memset(number, 0xff, sizeof(number));
	number[0] = 0;
	for (size_t i = 0; i < n; i++) {
		unsigned token = w->id.p[2 * i] | (unsigned)w->id.p[2 * i + 1] << 8;

		if (number[token] != 0xff)
			continue;
		if (listed == 255)
			return 0;
		number[token] = (uint8_t)listed++;
	}
	low.p = calloc(low.n = low.cap = listed, 1);
	high.p = calloc(high.n = high.cap = listed, 1);
	group.p = calloc(group.n = group.cap = listed, 1);
	for (size_t token = 0; token < 65536; token++) {
		if (number[token] == 0xff)
			continue;
		low.p[number[token]] = (uint8_t)token;
		high.p[number[token]] = (uint8_t)(token >> 8);
		group.p[number[token]] = (uint8_t)((number[token] * 5 + w->seq) >> 1 & 3);
	}
	for (size_t i = 0; i < n; i++) {
		unsigned here = number[w->id.p[2 * i] | (unsigned)w->id.p[2 * i + 1] << 8];
		int second = here ? group.p[here] & 1 : group.p[before] & 2;
		uint8_t is = (uint8_t)here;

		put_bytes(ids, &is, 1);
		put_bytes(second ? &back : times, w->time.p + 2 * i, 1);
		put_bytes(&upper, w->time.p + 2 * i + 1, 1);
		before = here;
	}
	for (size_t i = back.n; i > 0; i--)
		put_bytes(times, back.p + i - 1, 1);
	put_bytes(times, upper.p, upper.n);
	put_bytes(ids, low.p, listed);
	put_bytes(ids, high.p, listed);
	put_bytes(ids, group.p, listed);
	free(low.p), free(high.p), free(group.p), free(back.p), free(upper.p);
	return 1;
}

static struct buffer writer_deflate(const struct buffer *from)
{
	struct buffer to = { 0 };
	z_stream z = { 0 };
	int small = from->n < 2048;

	/* Tables of the full size take longer to clear than a small column takes to compress. */
	deflateInit2(&z, 6, Z_DEFLATED, small ? -9 : -MAX_WBITS, small ? 1 : 9, Z_DEFAULT_STRATEGY);
	to.cap = deflateBound(&z, from->n) + 64;
	to.p = malloc(to.cap);
	z.next_in = from->p ? from->p : (unsigned char *)"";
	z.avail_in = (uInt)from->n;
	z.next_out = to.p;
	z.avail_out = (uInt)to.cap;
	deflate(&z, Z_FINISH);
	to.n = z.total_out;
	deflateEnd(&z);
	return to;
}

/* Appends a chunk of any kind to the file. */
static void writer_put_chunk(struct writer *w, struct tau_chunk_header *h, struct buffer column[TAU_COLUMNS])
{
	struct buffer payload = { 0 };

	for (int i = 0; i < TAU_COLUMNS; i++) {
		struct buffer packed = { 0 };

		h->raw[i] = (uint32_t)column[i].n;
		if (h->codec == TAU_CODEC_DEFLATE)
			packed = writer_deflate(&column[i]);
		if (h->codec == TAU_CODEC_DEFLATE && packed.n < column[i].n) {
			h->stored[i] = (uint32_t)packed.n;
			put_bytes(&payload, packed.p, packed.n);
		} else {
			h->stored[i] = h->raw[i];
			put_bytes(&payload, column[i].p, column[i].n);
		}
		free(packed.p);
	}
	h->payload_crc = (uint32_t)crc32_z(0, payload.p, payload.n);
	h->header_crc = (uint32_t)crc32(0, (unsigned char *)h, offsetof(struct tau_chunk_header, header_crc));
	fwrite(h, sizeof(*h), 1, w->file);
	fwrite(payload.p, 1, payload.n, w->file);
	free(payload.p);
}

/* Seals the chunk and begins the next one at a tick. */
__attribute__((unused)) static void writer_chunk(struct writer *w, uint64_t tick)
{
	struct tau_chunk_header h = { .magic = TAU_CHUNK_MAGIC, .kind = TAU_CHUNK_EVENTS,
		.codec = w->raw ? TAU_CODEC_RAW : TAU_CODEC_DEFLATE, .metrics = (uint8_t)w->metrics, .seq = w->seq, .records = w->records,
		.first_tick = w->first, .last_tick = w->last, .lost = w->lost, .sync_tick = w->last, .sync_mono_ns = w->last,
		.sync_real_ns = w->last };
	struct buffer column[TAU_COLUMNS] = { w->defs, { 0 }, { 0 }, w->args };
	struct tau_index_entry entry = { .offset = (uint64_t)ftell(w->file), .first_tick = w->first,
		.last_tick = w->last, .records = w->records };

	/* Both layouts occur in every trace of some length. */
	if (w->seq % 2 && writer_numbers(w, &column[TAU_TIMES], &column[TAU_IDS])) {
		h.layout = TAU_LAYOUT_NUMBERS;
	} else {
		column[TAU_TIMES] = writer_planes(&w->time);
		column[TAU_IDS] = writer_planes(&w->id);
	}
	writer_put_chunk(w, &h, column);
	entry.defs_stored = h.stored[TAU_DEFS];
	put_bytes(&w->index, &entry, sizeof(entry));
	w->total += w->records;
	w->seq++;
	w->chunks++;
	free(column[TAU_TIMES].p);
	free(column[TAU_IDS].p);
	writer_begin(w, tick);
}

/* One record with its token; what it has in ARGS (before a long time) is given by the caller. */
__attribute__((unused)) static void writer_record(struct writer *w, uint64_t tick, uint32_t token,
						  const struct buffer *args)
{
	uint64_t delta;
	uint16_t time, id = (uint16_t)token;

	if (w->limit && w->records >= w->limit)
		writer_chunk(w, tick);
	delta = tick - w->last;
	time = (uint16_t)(delta < TAU_TIME_LONG ? delta : TAU_TIME_LONG);
	put_bytes(&w->time, &time, 2);
	put_bytes(&w->id, &id, 2);
	if (args)
		put_bytes(&w->args, args->p, args->n);
	if (token == TAU_TOKEN_LEAVE || TAU_TOKEN_IS_REGION(token))
		put_metrics(&w->args, w);
	if (time == TAU_TIME_LONG)
		put_varint(&w->args, delta);
	w->last = tick;
	w->records++;
}

__attribute__((unused)) static void writer_enter(struct writer *w, uint64_t tick, uint32_t region)
{
	writer_record(w, tick, TAU_TOKEN_REGION + region, NULL);
	memcpy(w->metric_entered[w->depth], w->metric, sizeof(w->metric));
	w->open[w->depth] = region;
	w->entered[w->depth++] = tick;
}

__attribute__((unused)) static void writer_leave(struct writer *w, uint64_t tick)
{
	writer_record(w, tick, TAU_TOKEN_LEAVE, NULL);
	if (w->depth)
		w->depth--;
}

/* An extended record from its fields, which are released. */
__attribute__((unused)) static void writer_extended(struct writer *w, uint64_t tick, uint32_t kind,
						    struct buffer *fields)
{
	struct buffer args = { 0 }, whole = { 0 };

	/* A chunk that is full ends before the values are taken, which build on its snapshot. */
	if (w->limit && w->records >= w->limit)
		writer_chunk(w, tick);
	if (TAU_KIND_HAS_METRICS(kind))
		put_metrics(&whole, w);
	put_bytes(&whole, fields->p, fields->n);
	put_part(&args, &whole);
	writer_record(w, tick, kind, &args);
	free(whole.p);
	free(args.p);
	free(fields->p);
	memset(fields, 0, sizeof(*fields));
}

/* A record of a collective operation: 8 bytes in and out, none of a barrier. */
__attribute__((unused)) static void writer_collective(struct writer *w, uint64_t tick, unsigned op,
						       int root)
{
	struct buffer f = {0};

	put_varint(&f, op);
	put_varint(&f, 0);
	put_zigzag(&f, root);
	put_varint(&f, op == TAU_COLL_BARRIER ? 0 : 8);
	put_varint(&f, op == TAU_COLL_BARRIER ? 0 : 8);
	writer_extended(w, tick, TAU_REC_COLL, &f);
}

/* One wait of the call that is open, or its head: of kind TAU_WAIT_ALL or TAU_WAIT_ANY. */
__attribute__((unused)) static void writer_wait(struct writer *w, uint64_t tick, unsigned kind, unsigned op, int peer,
						int tag)
{
	struct buffer f = { 0 };

	put_varint(&f, kind);
	put_varint(&f, op);
	put_varint(&f, 0);
	put_varint(&f, 0);
	put_zigzag(&f, peer);
	put_zigzag(&f, tag);
	writer_extended(w, tick, TAU_REC_WAITS, &f);
}

__attribute__((unused)) static void writer_value(struct writer *w, uint64_t tick, uint32_t event, double value)
{
	struct buffer f = { 0 };
	int whole = value == (double)(int64_t)value;

	put_varint(&f, event);
	if (whole)
		put_zigzag(&f, (int64_t)value);
	else
		put_bytes(&f, &value, 8);
	writer_extended(w, tick, whole ? TAU_REC_VALUE : TAU_REC_VALUE_F64, &f);
}

__attribute__((unused)) static void writer_memory(struct writer *w, uint64_t tick, uint32_t kind, uint32_t type,
						  uint32_t to, uint64_t bytes)
{
	struct buffer f = { 0 };
	int sign = kind == TAU_REC_ALLOC ? 1 : -1;

	put_varint(&f, type);
	if (kind == TAU_REC_RETYPE)
		put_varint(&f, to);
	put_varint(&f, bytes);
	writer_extended(w, tick, kind, &f);
	w->bytes[type] += sign * (int64_t)bytes;
	w->blocks[type] += sign;
	if (kind == TAU_REC_RETYPE) {
		w->bytes[to] += (int64_t)bytes;
		w->blocks[to]++;
	}
}

/* A BLOCK, and a record that is its token. */
__attribute__((unused)) static void writer_block(struct writer *w, uint32_t id, uint32_t type, uint64_t bytes)
{
	struct buffer f = { 0 };

	put_varint(&f, id);
	put_varint(&f, type);
	put_varint(&f, bytes);
	writer_define(w, TAU_DEF_BLOCK, &f);
}

__attribute__((unused)) static void writer_block_op(struct writer *w, uint64_t tick, uint32_t id, unsigned op,
						    uint32_t type, uint64_t bytes)
{
	int sign = op == TAU_BLOCK_ALLOC ? 1 : op == TAU_BLOCK_FREE ? -1 : 0;

	writer_record(w, tick, TAU_TOKEN_BLOCK + TAU_BLOCK_OPS * id + op, NULL);
	w->bytes[type] += sign * (int64_t)bytes;
	w->blocks[type] += sign;
}

static void writer_release(struct writer *w)
{
	fclose(w->file);
	free(w->defs.p);
	free(w->args.p);
	free(w->time.p);
	free(w->id.p);
	free(w->index.p);
}

/* Ends the file with the chunk that was being written, and with an index. */
__attribute__((unused)) static void writer_close(struct writer *w)
{
	struct tau_chunk_header h = { .magic = TAU_CHUNK_MAGIC, .kind = TAU_CHUNK_INDEX, .codec = TAU_CODEC_RAW };
	struct tau_trailer t = { .magic = TAU_TRAILER_MAGIC };
	struct buffer column[TAU_COLUMNS] = { { 0 } };

	if (w->records || w->defs.n || !w->chunks)
		writer_chunk(w, w->last);
	h.seq = w->seq;
	h.records = t.chunks = w->chunks;
	h.lost = t.lost = w->lost;
	t.index_offset = (uint64_t)ftell(w->file);
	t.records = w->total;
	t.crc = (uint32_t)crc32(0, (unsigned char *)&t, offsetof(struct tau_trailer, crc));
	put_bytes(&w->index, &t, sizeof(t));
	column[TAU_DEFS] = w->index;
	writer_put_chunk(w, &h, column);
	writer_release(w);
}

/* The chunk that is being written, to the live file. */
__attribute__((unused)) static void writer_live(struct writer *w)
{
	struct tau_live_header l = { .magic = TAU_LIVE_MAGIC, .major = TAU_VERSION_MAJOR, .header_size = 4096,
		.process_id = w->head.process_id, .thread = w->head.thread, .seq = w->seq, .first_tick = w->first,
		.last_tick = w->last, .sync_tick = w->first, .sync_mono_ns = w->first, .sync_real_ns = w->first,
		.metrics = w->metrics };
	struct buffer column[TAU_COLUMNS] = { w->defs, { 0 }, { 0 }, w->args };
	char path[600];
	uint64_t at = 0x7f0000001000;
	FILE *live;

	for (uint32_t i = 0; i < w->records; i++) {
		put_bytes(&column[TAU_TIMES], w->time.p + 2 * i, 2);
		put_bytes(&column[TAU_TIMES], w->id.p + 2 * i, 2);
	}
	for (int c = 0; c < TAU_COLUMNS; c++) {
		l.cap[c] = c == TAU_IDS ? 0 : (uint32_t)column[c].n + 64;
		l.base[c] = at;
		l.cur[c] = at + column[c].n;
		at += l.cap[c];
	}
	l.map_size = l.header_size + at - l.base[0];
	snprintf(path, sizeof(path), "%.*s.live", (int)strlen(w->path) - 4, w->path);
	live = fopen(path, "wb");
	fwrite(&l, sizeof(l), 1, live);
	for (int c = 0; c < TAU_COLUMNS; c++) {
		fseek(live, (long)(l.base[c] - l.base[0] + l.header_size), SEEK_SET);
		if (column[c].n)
			fwrite(column[c].p, 1, column[c].n, live);
	}
	if (ftruncate(fileno(live), (off_t)l.map_size))
		perror(path);
	fclose(live);
	free(column[TAU_TIMES].p);
}

/* Leaves everything as a killed process does. */
__attribute__((unused)) static void writer_kill(struct writer *w)
{
	writer_live(w);
	writer_release(w);
}

#endif
