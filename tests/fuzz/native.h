/*
 * native.h: what the fuzz targets of our own traces share. Checksums would keep a fuzzer out, so their bytes are what those
 * protect: flags (1: with index and trailer, 2: deflated columns as given, 4: the last chunk is live, 8: with folded calls beside
 * it, 16: tokens are numbers, 32: the live chunk is the one that was stored last, as if a process is killed right after that),
 * then for each chunk its number of metrics (from 33 on: with a longer list of tokens), the lengths of definitions and arguments
 * (16 bits), the number of records (8 bits), and the columns. With folded calls the live chunk is preceded by the length (16 bits)
 * of their file, and its bytes.
 */
#ifndef FUZZ_NATIVE_H
#define FUZZ_NATIVE_H

#include <stddef.h>
#include <string.h>
#include <zlib.h>

#include "analyze/base/base.h"
#include "record/format.h"
#include "place.h"

#define PACK_CHUNKS 40

struct pack {
	unsigned char *p;
	size_t n;
	size_t pad;		/* bytes after the arguments of each chunk, which have no meaning */
	struct tau_index_entry entry[PACK_CHUNKS];
	uint32_t chunks, records;
};

static inline uint32_t pack_crc(const void *p, size_t n)
{
	return (uint32_t)crc32_z(0, p, n);
}

static inline unsigned pack_16(const unsigned char *p)
{
	return p[0] | (unsigned)p[1] << 8;
}

static inline void pack_put(struct pack *o, const void *p, size_t n)
{
	if (n)
		memcpy(o->p + o->n, p, n);
	o->n += n;
}

static inline void pack_chunk(struct pack *o, struct tau_chunk_header *h, const unsigned char *payload, size_t n)
{
	size_t at = o->n, pad = h->kind == TAU_CHUNK_EVENTS ? o->pad : 0;

	h->magic = TAU_CHUNK_MAGIC;
	h->seq = o->chunks;
	o->n += sizeof(*h);
	pack_put(o, payload, n);
	memset(o->p + o->n, 0, pad);
	o->n += pad;
	h->raw[TAU_ARGS] += (uint32_t)pad;
	h->stored[TAU_ARGS] += (uint32_t)pad;
	h->payload_crc = pack_crc(o->p + at + sizeof(*h), n + pad);
	h->header_crc = pack_crc(h, offsetof(struct tau_chunk_header, header_crc));
	memcpy(o->p + at, h, sizeof(*h));
}

/* One chunk from the bytes; returns how many it took. */
static inline size_t pack_events(struct pack *o, const unsigned char *p, size_t n, unsigned flags)
{
	uint32_t length[TAU_COLUMNS];
	struct tau_chunk_header h = { .kind = TAU_CHUNK_EVENTS, .codec = flags & 2 ? TAU_CODEC_DEFLATE : TAU_CODEC_RAW };
	size_t all = 0;

	h.metrics = p[0] % (TAU_METRICS + 1);
	length[TAU_DEFS] = pack_16(p + 1);
	length[TAU_ARGS] = pack_16(p + 3);
	h.records = p[5];
	length[TAU_TIMES] = length[TAU_IDS] = 2 * h.records;
	if (flags & 16) {
		h.layout = TAU_LAYOUT_NUMBERS;
		length[TAU_IDS] = h.records + 3 * (1 + p[0] / (TAU_METRICS + 1));
	}
	for (int c = 0; c < TAU_COLUMNS; c++)
		all += length[c];
	if (all > n - 6)
		return n;
	for (int c = 0; c < TAU_COLUMNS; c++)
		h.raw[c] = h.stored[c] = length[c];
	if (flags & 2)
		h.raw[TAU_DEFS] = 64;
	h.first_tick = 100000 * o->chunks;
	h.last_tick = h.first_tick + 100000;
	h.sync_tick = h.sync_mono_ns = h.sync_real_ns = h.last_tick;
	o->entry[o->chunks] = (struct tau_index_entry){ o->n, h.first_tick, h.last_tick, h.records, h.stored[TAU_DEFS] };
	pack_chunk(o, &h, p + 6, all);
	o->chunks++;
	o->records += h.records;
	return 6 + all;
}

static inline void pack_trailer(struct pack *o)
{
	struct tau_trailer t = { .magic = TAU_TRAILER_MAGIC, .index_offset = o->n, .records = o->records, .chunks = o->chunks };
	size_t n = o->chunks * sizeof(*o->entry);
	struct tau_chunk_header h = { .kind = TAU_CHUNK_INDEX, .records = o->chunks };
	unsigned char payload[sizeof(o->entry) + sizeof(t)];

	t.crc = pack_crc(&t, offsetof(struct tau_trailer, crc));
	memcpy(payload, o->entry, n);
	memcpy(payload + n, &t, sizeof(t));
	h.raw[TAU_DEFS] = h.stored[TAU_DEFS] = (uint32_t)(n + sizeof(t));
	pack_chunk(o, &h, payload, n + sizeof(t));
}

/* x.fold: its nodes unchanged, and its header except what identifies it. */
static inline size_t pack_fold(const unsigned char *p, size_t n)
{
	struct tau_fold_header h = { 0 };
	size_t length = n < 2 ? 0 : pack_16(p);
	unsigned char *file;

	if (n < 2 || length > n - 2)
		return n;
	file = mem_alloc(sizeof(h) + length);
	memcpy(&h, p + 2, length < sizeof(h) ? length : sizeof(h));
	memcpy(h.magic, TAU_FOLD_MAGIC, sizeof(h.magic));
	h.major = TAU_VERSION_MAJOR;
	h.header_size = sizeof(h);
	h.process_id = 7;
	h.thread = 0;
	memcpy(file, &h, sizeof(h));
	if (length > sizeof(h))
		memcpy(file + sizeof(h), p + 2 + sizeof(h), length - sizeof(h));
	place_put("x.fold", file, length > sizeof(h) ? length : sizeof(h));
	free(file);
	return 2 + length;
}

/* The other bytes become x.live: its header and columns. */
static inline void pack_live(const unsigned char *p, size_t n, uint32_t seq)
{
	struct tau_live_header l = { .magic = TAU_LIVE_MAGIC, .major = TAU_VERSION_MAJOR, .header_size = sizeof(l), .seq = seq,
				     .process_id = 7, .first_tick = 100000 * seq };
	unsigned char *file = mem_alloc(sizeof(l) + n + 1);
	uint64_t at = 4096, left = n - 6;
	uint64_t length[TAU_COLUMNS] = { pack_16(p + 1), 4 * (uint64_t)p[5], 0, pack_16(p + 3) };

	l.metrics = p[0] % (TAU_METRICS + 1);
	l.last_tick = l.first_tick + 100000;
	l.map_size = sizeof(l) + n - 6;
	for (int c = 0; c < TAU_COLUMNS; c++) {
		if (length[c] > left)
			length[c] = left & ~UINT64_C(3);
		l.base[c] = at;
		at += length[c];
		l.cur[c] = at;
		l.cap[c] = (uint32_t)length[c];
		left -= length[c];
	}
	memcpy(file, &l, sizeof(l));
	memcpy(file + sizeof(l), p + 6, n - 6);
	place_put("x.live", file, sizeof(l) + n - 6);
	free(file);
}

/* Room to pack in, the same each time: what readers get is a copy. */
static inline unsigned char *pack_room(size_t n)
{
	static unsigned char *room;
	static size_t cap;

	if (n > cap) {
		cap = 2 * n;
		room = mem_resize(room, cap, 1);
	}
	return room;
}

/* Puts x.tau, and the files that belong to it, into the place. Returns its path. Bytes that begin as a trace file are used unchanged. */
static inline const char *pack_run(const unsigned char *p, size_t n, size_t pad)
{
	struct tau_file_header h = { .magic = TAU_TRACE_MAGIC, .major = TAU_VERSION_MAJOR, .header_size = sizeof(h), .process_id = 7,
				     .clock = TAU_CLOCK_MONOTONIC, .ticks_hz = 1000000000 };
	struct pack o = { .pad = pad };
	unsigned flags = n ? p[0] : 0;
	size_t at = 1;

	if (n >= 8 && !memcmp(p, TAU_TRACE_MAGIC, 8))
		return place_put("x.tau", p, n);
	o.p = pack_room(n + PACK_CHUNKS * pad + (PACK_CHUNKS + 1) * sizeof(struct tau_chunk_header) + sizeof(o.entry) + 1024);
	h.crc = pack_crc(&h, offsetof(struct tau_file_header, crc));
	pack_put(&o, &h, sizeof(h));
	while (at < n && n - at >= 6 && o.chunks < PACK_CHUNKS) {
		if (flags & 4 && o.chunks == 1) {
			if (flags & 8)
				at += pack_fold(p + at, n - at);
			if (n - at >= 6)
				pack_live(p + at, n - at, o.chunks - !!(flags & 32));
			break;
		}
		at += pack_events(&o, p + at, n - at, flags);
	}
	if (flags & 1)
		pack_trailer(&o);
	return place_put("x.tau", o.p, o.n);
}

#endif
