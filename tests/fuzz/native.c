/*
 * native.c: fuzzes the reader of our own traces. Checksums would keep a fuzzer out, so the bytes are what they protect: flags (1:
 * with index and trailer, 2: deflate as it stands, 4: the last chunk is live), then for each chunk its number of metrics, the lengths of
 * definitions and arguments (16 bits), the number of records (8 bits), and the columns.
 */
#include <stddef.h>
#include <zlib.h>

#include "convert/native.h"
#include "events.h"
#include "place.h"

struct out {
	unsigned char *p;
	size_t n;
	struct tau_index_entry entry[64];
	uint32_t chunks, records;
};

static void put(struct out *o, const void *p, size_t n)
{
	if (n)
		memcpy(o->p + o->n, p, n);
	o->n += n;
}

static void chunk(struct out *o, struct tau_chunk_header *h, const unsigned char *payload, size_t n)
{
	h->magic = TAU_CHUNK_MAGIC;
	h->seq = o->chunks;
	h->payload_crc = (uint32_t)crc32_z(0, payload, n);
	h->header_crc = (uint32_t)crc32_z(0, (unsigned char *)h, offsetof(struct tau_chunk_header, header_crc));
	put(o, h, sizeof(*h));
	put(o, payload, n);
}

/* One chunk from the bytes; returns how many it took. */
static size_t event_chunk(struct out *o, const unsigned char *p, size_t n, unsigned flags)
{
	uint32_t length[TAU_COLUMNS];
	struct tau_chunk_header h = { .kind = TAU_CHUNK_EVENTS, .codec = flags & 2 ? TAU_CODEC_DEFLATE : TAU_CODEC_RAW };
	size_t all = 0;

	h.metrics = p[0] % (TAU_METRICS + 1);
	length[TAU_DEFS] = p[1] | (uint32_t)p[2] << 8;
	length[TAU_ARGS] = p[3] | (uint32_t)p[4] << 8;
	h.records = p[5];
	length[TAU_TIMES] = length[TAU_IDS] = 2 * h.records;
	for (int c = 0; c < TAU_COLUMNS; c++)
		all += length[c];
	if (all > n - 6)
		return n;
	for (int c = 0; c < TAU_COLUMNS; c++)
		h.raw[c] = h.stored[c] = length[c];
	if (flags & 2)
		h.raw[TAU_DEFS] = 64;
	h.first_tick = 1000 * o->chunks;
	h.last_tick = h.first_tick + 100000;
	h.sync_tick = h.sync_mono_ns = h.sync_real_ns = h.last_tick;
	o->entry[o->chunks] = (struct tau_index_entry){ o->n, h.first_tick, h.last_tick, h.records, h.stored[TAU_DEFS] };
	chunk(o, &h, p + 6, all);
	o->chunks++;
	o->records += h.records;
	return 6 + all;
}

static void trailer(struct out *o)
{
	struct tau_trailer t = { .magic = TAU_TRAILER_MAGIC, .index_offset = o->n, .records = o->records, .chunks = o->chunks };
	size_t n = o->chunks * sizeof(*o->entry);
	struct tau_chunk_header h = { .kind = TAU_CHUNK_INDEX, .records = o->chunks };
	unsigned char payload[sizeof(o->entry) + sizeof(t)];

	t.crc = (uint32_t)crc32_z(0, (unsigned char *)&t, offsetof(struct tau_trailer, crc));
	memcpy(payload, o->entry, n);
	memcpy(payload + n, &t, sizeof(t));
	h.raw[TAU_DEFS] = h.stored[TAU_DEFS] = (uint32_t)(n + sizeof(t));
	chunk(o, &h, payload, n + sizeof(t));
}

/* What is left becomes FILE.live: its header and columns as they stand. */
static void live(const struct out *o, const unsigned char *p, size_t n)
{
	struct tau_live_header l = { .magic = TAU_LIVE_MAGIC, .major = TAU_VERSION_MAJOR, .header_size = sizeof(l), .seq = o->chunks,
				     .process_id = 7, .first_tick = 1000 * o->chunks };
	unsigned char *file = mem_alloc(sizeof(l) + n + 1);
	uint64_t at = 4096, left = n - 6;
	uint64_t length[TAU_COLUMNS] = { p[1] | (uint64_t)p[2] << 8, 4 * (uint64_t)p[5], 0, p[3] | (uint64_t)p[4] << 8 };

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
	place_put(1, "x.live", file, sizeof(l) + n - 6);
	free(file);
}

int LLVMFuzzerTestOneInput(const unsigned char *p, size_t n)
{
	struct tau_file_header h = { .magic = TAU_TRACE_MAGIC, .major = TAU_VERSION_MAJOR, .header_size = sizeof(h), .process_id = 7,
				     .clock = TAU_CLOCK_MONOTONIC, .ticks_hz = 1000000000 };
	struct out o = { 0 };
	struct trace *t;
	struct error e = { 0 };
	unsigned flags = n ? p[0] : 0;
	size_t at = 1;
	const char *path;

	o.p = mem_alloc(n + 65 * sizeof(struct tau_chunk_header) + sizeof(o.entry) + 1024);
	h.crc = (uint32_t)crc32_z(0, (unsigned char *)&h, offsetof(struct tau_file_header, crc));
	put(&o, &h, sizeof(h));
	if (*place_files[1])
		unlink(place_files[1]);
	while (n - at >= 6 && at < n && o.chunks < 8) {
		if (flags & 4 && o.chunks == 1) {
			live(&o, p + at, n - at);
			break;
		}
		at += event_chunk(&o, p + at, n - at, flags);
	}
	if (flags & 1)
		trailer(&o);
	path = place_put(0, "x.tau", o.p, o.n);
	if (!native_open(path, &t, &e))
		fuzz_trace(t);
	free(o.p);
	return 0;
}
