/*
 * flight.c: the flight recorder: a stream's file keeps its last chunks only.
 *
 * The file grows to twice the size to keep; then a new file with the later half replaces it, by one
 * rename. So it is a complete trace at every moment, also after a kill, and no more bytes are copied
 * than were written since the last time. The first chunk that is kept gets all definitions of the
 * stream, and chunks are numbered anew. Meanwhile the live chunk, which is empty, counts as a stale
 * copy of chunk 0.
 */
#include "record/encode/flight.h"
#include "record/base/compiler.h"
#include "record/base/control.h"
#include "record/base/failure.h"
#include "record/base/files.h"
#include "record/base/memory_map.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/encode/deflate.h"
#include "record/format.h"
#include "record/own/own.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BLOCK_SIZE   65536
#define FRESH_SUFFIX TAU_TRACE_SUFFIX ".new"

void flight_definitions(struct stream *s)
{
	const struct tau_live_header *live = s->live;
	size_t n = live->cur[TAU_DEFS] - live->base[TAU_DEFS];
	void *p;

	if (!control.flight || !n)
		return;
	if (s->defs_n + n > s->defs_cap) {
		p = map_grow(s->defs, &s->defs_cap, 1, s->defs_n + n);
		if (!p)
			return;
		s->defs = p;
	}
	memcpy(s->defs + s->defs_n, (const void *)live->base[TAU_DEFS], n);
	s->defs_n += n;
}

/* The first chunk to keep for the requested size and time; `slack`: the file may exceed them by this
 * factor. */
static size_t first_kept(const struct stream *s, unsigned slack)
{
	uint64_t now = s->index[s->index_n - 1].last_tick;
	size_t k = s->index_n - 1;

	if (control.flight_ticks) {
		if (now - s->index[0].last_tick < slack * control.flight_ticks)
			return 0;
		while (k && now - s->index[k].first_tick < control.flight_ticks)
			k--;
		return k;
	}
	if (s->file_size < slack * control.flight_size)
		return 0;
	while (k && s->file_size - s->index[k].offset < control.flight_size)
		k--;
	return k;
}

static bool all_read(int fd, void *bytes, size_t n, uint64_t at)
{
	long got = system_call(SYS_pread64, fd, bytes, n, at);

	if (got > 0)
		self.own_read += got;
	return got == (long)n;
}

/* Copies n bytes. */
static bool copy(int from, int to, uint64_t at, size_t n, uint8_t *block)
{
	while (n) {
		size_t part = n < BLOCK_SIZE ? n : BLOCK_SIZE;

		if (!all_read(from, block, part, at) || !file_write(to, block, part))
			return false;
		at += part;
		n -= part;
	}
	return true;
}

/* Writes the first chunk, with all definitions. Its columns are read whole: they have at most the size
 * of one chunk. */
static bool write_first(struct stream *s, int from, int to, uint64_t at, struct tau_chunk_header *h)
{
	size_t rest = (size_t)h->stored[TAU_TIMES] + h->stored[TAU_IDS] + h->stored[TAU_ARGS];
	size_t size = sizeof(*h) + s->defs_n + rest;
	uint8_t *out = map_alloc(size);
	bool good;

	if (!out)
		return false;
	memcpy(out + sizeof(*h), s->defs, s->defs_n);
	good = all_read(from, out + sizeof(*h) + s->defs_n, rest,
			at + sizeof(*h) + h->stored[TAU_DEFS]);
	h->raw[TAU_DEFS] = h->stored[TAU_DEFS] = (uint32_t)s->defs_n;
	h->payload_crc = codec_crc(out + sizeof(*h), s->defs_n + rest);
	h->header_crc = codec_crc(h, offsetof(struct tau_chunk_header, header_crc));
	memcpy(out, h, sizeof(*h));
	good = good && file_write(to, out, size);
	map_free(out, size);
	return good;
}

/* Writes the file header and the chunks from k on; their entries go to `index`. */
static bool write_kept(struct stream *s, size_t k, int from, int to, struct tau_index_entry *index,
		       uint8_t *block)
{
	struct tau_file_header head;
	struct tau_chunk_header h;
	uint64_t offset = sizeof(head);

	if (!all_read(from, &head, sizeof(head), 0) || !file_write(to, &head, sizeof(head)))
		return false;
	for (size_t i = k; i < s->index_n; i++) {
		uint64_t at = s->index[i].offset;
		size_t payload = 0;

		if (!all_read(from, &h, sizeof(h), at))
			return false;
		h.seq = (uint32_t)(i - k);
		index[i - k] = s->index[i];
		index[i - k].offset = offset;
		if (i == k) {
			if (!write_first(s, from, to, at, &h))
				return false;
			index[0].defs_stored = h.stored[TAU_DEFS];
		}
		for (int c = 0; c < TAU_COLUMNS; c++)
			payload += h.stored[c];
		offset += sizeof(h) + payload;
		if (i == k)
			continue;
		h.header_crc = codec_crc(&h, offsetof(struct tau_chunk_header, header_crc));
		if (!file_write(to, &h, sizeof(h)) ||
		    !copy(from, to, at + sizeof(h), payload, block))
			return false;
	}
	return true;
}

static bool replace(struct stream *s, size_t k)
{
	size_t n = s->index_n - k, bytes = n * sizeof(*s->index) + BLOCK_SIZE;
	struct tau_index_entry *index = map_alloc(bytes);
	int from = stream_open(s, PLACE_RUN, TAU_TRACE_SUFFIX, O_RDONLY);
	int to = stream_replace(s, PLACE_RUN, FRESH_SUFFIX, O_WRONLY);
	bool good = index && from >= 0 && to >= 0 &&
		    write_kept(s, k, from, to, index, (uint8_t *)(index + n));
	uint64_t dropped = 0;
	long size = to >= 0 ? system_call(SYS_lseek, to, 0L, SEEK_CUR) : 0;

	if (from >= 0)
		system_call(SYS_close, from);
	if (to >= 0)
		system_call(SYS_close, to);
	if (good) {
		s->live->seq = 0;
		publish_barrier();
		good = stream_rename(s, PLACE_RUN, FRESH_SUFFIX, TAU_TRACE_SUFFIX);
	}
	if (good) {
		for (size_t i = 0; i < k; i++)
			dropped += s->index[i].records;
		s->flown += dropped;
		s->records -= dropped;
		memcpy(s->index, index, n * sizeof(*index));
		s->index_n = n;
		s->seq = (uint32_t)n;
		control_stored((size_t)size - s->file_size);
		s->file_size = (uint64_t)size;
	} else {
		stream_unlink(s, PLACE_RUN, FRESH_SUFFIX);
	}
	if (index)
		map_free(index, bytes);
	return good;
}

/* The live chunk has just been stored and is empty. On failure the file stays as it is, and grows.
 */
void flight_trim(struct stream *s, bool last)
{
	char path[4096];
	size_t k;

	if (!control.flight || !s->index_n)
		return;
	k = first_kept(s, last ? 1 : 2);
	if (!k)
		return;
	if (replace(s, k) || __atomic_exchange_n(&control.flight_failed, true, __ATOMIC_RELAXED))
		return;
	stream_path(s, PLACE_RUN, TAU_TRACE_SUFFIX, path);
	message_print("%s cannot be shortened: %s; it grows", path, strerrordesc_np(errno));
}
