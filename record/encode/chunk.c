/*
 * chunk.c: the chunk that a stream is writing (in its live mapping, rewritten in place) and the .tau
 * file that it goes to when it is full.
 *
 * A kill loses no data: the mapping belongs to the file, so the kernel keeps it; the .tau file
 * grows by one write() per chunk; and the live header's seq changes last when a chunk is begun, so
 * a reader can distinguish a chunk that was stored from one that was not.
 */
#include "record/encode/chunk.h"
#include "record/base/calls_up.h"
#include "record/base/clock.h"
#include "record/base/compiler.h"
#include "record/base/control.h"
#include "record/base/failure.h"
#include "record/base/files.h"
#include "record/base/frame.h"
#include "record/base/gate.h"
#include "record/base/live.h"
#include "record/base/lock.h"
#include "record/base/memory_map.h"
#include "record/base/own_stack.h"
#include "record/base/process.h"
#include "record/base/stream.h"
#include "record/base/thread.h"
#include "record/encode/column.h"
#include "record/encode/deflate.h"
#include "record/encode/flight.h"
#include "record/encode/live_bytes.h"
#include "record/encode/snapshot.h"
#include "record/format.h"
#include "record/own/own.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FEW_INDEX 1024	/* bytes of an index that is written together with the last chunk */

/*
 * Signals are blocked while files are written: their handlers would find the recorder busy, and we
 * must discard the SIGXFSZ that we cause (a file over the program's limit).
 */
static void signals_hold(sigset_t *saved)
{
	signals_block(saved);
}

static void signals_release(const sigset_t *saved, bool too_large)
{
	if (too_large)
		xfsz_swallow();
	signals_restore(saved);
}

/*
 * Begins chunk s->seq in the live mapping. The records are removed first, so that from then on the
 * mapping contains no record; seq changes last, so that until then the mapping counts as a stale
 * copy of the chunk before.
 */
static bool chunk_begin(struct stream *s, const struct frame *top)
{
	struct tau_live_header *live = s->live;
	size_t bound;

	block_settle(s);
	bound = snapshot_bound(s, top) + 2 * MARGIN_ARGS;
	live->cur[TAU_TIMES] = live->base[TAU_TIMES];
	publish_barrier();
	if (bound > live->cap[TAU_ARGS] / 2) {
		if (!live_resize(s, TAU_ARGS, bound * 4))
			return false;
		live = s->live;
	}
	live->cur[TAU_DEFS] = live->base[TAU_DEFS];
	if (s->device)
		live->metrics = 0;
	else if (!s->seq && process.metrics)
		calls_up.metric_define(live);
	clocks_read(process.shift, &live->sync_tick, &live->sync_mono_ns, &live->sync_real_ns);
	live->first_tick = live->last_tick = s->device ? s->device_tick : ticks(process.shift);
	snapshot_write(s, top, live->first_tick);
	s->request = 0;
	publish_barrier();
	live->seq = s->seq;
	return true;
}

static void look_later(void)
{
	uint8_t *next = (uint8_t *)self.live->cur[TAU_TIMES] + 4 * (LOOK_RECORDS - 1);

	self.end = next < self.full ? next : self.full;
}

void chunk_adopt(struct stream *s)
{
	struct tau_live_header *live = s->live;

	self.live = live;
	self.net = s->net;
	self.net_cap = s->net_cap;
	self.full = (uint8_t *)live->base[TAU_TIMES] + live->cap[TAU_TIMES] - MARGIN_RECORDS;
	look_later();
	self.args_end = (uint8_t *)live->base[TAU_ARGS] + live->cap[TAU_ARGS] - MARGIN_ARGS;
}

void chunk_forget(struct stream *s)
{
	live_forget(s);
}

/* Creates the process's first file, with the first free number, which all its files get. */
static int file_first(const struct stream *s)
{
	size_t length;
	sigset_t saved;
	int fd = -1;

	lock_acquire(&saved);
	length = strlen(process.prefix);
	for (unsigned n = 0; !process.named && n < 1000000; n++) {
		snprintf(process.prefix + length, sizeof(process.prefix) - length, ".%u", n);
		fd = stream_open(s, PLACE_RUN, TAU_TRACE_SUFFIX, O_WRONLY | O_CREAT);
		if (fd < 0 && errno == EEXIST)
			continue;
		__atomic_store_n(&process.named, fd >= 0, __ATOMIC_RELEASE);
		break;
	}
	if (fd < 0 && !process.named)
		process.prefix[length] = 0;
	lock_release(&saved);
	return fd;
}

/* Creates the .tau file of a new stream, with its header. */
static bool file_create(struct stream *s)
{
	struct tau_file_header h = {
		.magic = TAU_TRACE_MAGIC,
		.major = TAU_VERSION_MAJOR,
		.minor = TAU_VERSION_MINOR,
		.header_size = sizeof(h),
		.process_id = process.id,
		.pid = process.pid,
		.thread = s->number,
		.clock = process.clock,
		.shift = process.shift == SHIFT_MONOTONIC ? 0 : process.shift,
		.ticks_hz = process.ticks_hz,
		.start_tick = process.start_tick,
	};
	bool good;
	int fd = -1;

	if (!__atomic_load_n(&process.named, __ATOMIC_ACQUIRE))
		fd = file_first(s);
	if (fd < 0 && process.named)
		fd = stream_open(s, PLACE_RUN, TAU_TRACE_SUFFIX, O_WRONLY | O_CREAT);
	if (fd < 0)
		return false;
	h.crc = codec_crc(&h, offsetof(struct tau_file_header, crc));
	good = file_write(fd, &h, sizeof(h));
	file_close(fd);
	if (good)
		s->file_size = sizeof(h);
	else
		stream_unlink(s, PLACE_RUN, TAU_TRACE_SUFFIX);
	return good;
}

/*
 * A closed stream continues, because destructors that run after ours record. Removes its index, so that readers use the
 * live file: a file with an index is complete without one.
 */
static bool index_drop(struct stream *s)
{
	int fd = stream_open(s, PLACE_RUN, TAU_TRACE_SUFFIX, O_WRONLY);
	bool good;

	good = fd >= 0 && system_call(SYS_ftruncate, fd, (long)s->index_at) == 0;
	if (good)
		s->file_size = s->index_at;
	if (fd >= 0)
		file_close(fd);
	return good;
}

/*
 * A file that cannot be created: may it be possible later? Not on a full disk. Yes for a thread of a process that has files; for
 * the first file only if no descriptor was free.
 */
static bool may_work_later(const struct stream *s, int error)
{
	if (s->device || s->closed || error == ENOSPC || error == EDQUOT || error == EFBIG ||
	    error == EIO || error == ENOMEM)
		return false;
	return __atomic_load_n(&process.named, __ATOMIC_ACQUIRE) || error == EMFILE ||
	       error == ENFILE;
}

/* Without a live chunk the .tau file would be empty. */
static void open_failed(struct stream *s, int error, enum run_place place, const char *suffix)
{
	char path[4096];

	stream_path(s, place, suffix, path);
	if (!may_work_later(s, error))
		process_fail(error, "cannot create", path);
	else if (!__atomic_exchange_n(&process.delayed, error, __ATOMIC_RELAXED))
		message_print("a thread of process %u is not recorded: cannot create %s: %s; it is "
			      "tried again, and lost events are counted",
			      process.pid, path, strerrordesc_np(error));
	if (!s->live && s->file_size == sizeof(struct tau_file_header)) {
		stream_unlink(s, PLACE_RUN, TAU_TRACE_SUFFIX);
		s->file_size = 0;
	}
}

bool chunk_open(struct stream *s, const struct frame *top)
{
	enum run_place place = PLACE_RUN;
	const char *suffix = TAU_TRACE_SUFFIX;
	sigset_t saved;
	bool good, too_large = false;
	int error;

	signals_hold(&saved);
	good = s->file_size || file_create(s);
	if (good) {
		place = PLACE_LIVE;
		suffix = TAU_LIVE_SUFFIX;
		s->live = live_create(s, false);
		too_large = !s->live && errno == EFBIG;
		if (too_large || (!s->live && errno == ENOSPC))
			s->live = live_create(s, true);
		good = s->live != NULL && (!s->closed || index_drop(s));
	}
	if (good) {
		s->live->process_id = process.id;
		s->live->thread = s->number;
		s->live->lost = s->lost;
		good = chunk_begin(s, top);
		if (!good && may_work_later(s, errno)) {
			error = errno;
			live_end(s);
			errno = error;
		}
	}
	if (good) {
		publish_barrier();
		memcpy(s->live->magic, TAU_LIVE_MAGIC, sizeof(s->live->magic));
		s->closed = false;
		live_counts(s);
	}
	error = errno;
	signals_release(&saved, too_large || (!good && error == EFBIG));
	if (!good)
		open_failed(s, error, place, suffix);
	return good;
}

static bool index_add(struct stream *s, const struct tau_chunk_header *h, uint64_t offset)
{
	if (s->index_n == s->index_cap) {
		void *p = map_grow(s->index, &s->index_cap, sizeof(*s->index), s->index_n + 1);

		if (!p)
			return false;
		s->index = p;
	}
	s->index[s->index_n++] = (struct tau_index_entry){offset, h->first_tick, h->last_tick,
							  h->records, h->stored[TAU_DEFS]};
	return true;
}

/* Appends bytes to the .tau file; on failure removes what was written of them. */
static bool file_append(struct stream *s, const void *bytes, size_t n)
{
	uint64_t cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	int fd = stream_open(s, PLACE_RUN, TAU_TRACE_SUFFIX, O_WRONLY | O_APPEND), error;
	bool good;

	if (fd < 0)
		return false;
	good = file_write(fd, bytes, n);
	error = errno;
	if (good)
		s->file_size += n;
	else if (system_call(SYS_ftruncate, fd, (long)s->file_size) < 0)
		error = errno;
	file_close(fd);
	s->written_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
	errno = error;
	return good;
}

static size_t column_used(const struct tau_live_header *live, enum tau_column c)
{
	return live->cur[c] - live->base[c];
}

static void first_stored(size_t bytes, uint64_t records)
{
	__atomic_add_fetch(&process.first_bytes, bytes, __ATOMIC_RELAXED);
	__atomic_add_fetch(&process.first_records, records, __ATOMIC_RELAXED);
}

static size_t index_size(const struct stream *s)
{
	return sizeof(struct tau_chunk_header) + s->index_n * sizeof(*s->index) +
	       sizeof(struct tau_trailer);
}

/*
 * The index chunk: entries, then the trailer, as specified in format.h. It follows this number of chunks
 * and records, at s->index_at.
 */
static void index_put(const struct stream *s, uint32_t chunks, uint64_t records, uint8_t *out)
{
	size_t n = s->index_n * sizeof(*s->index);
	struct tau_chunk_header h = {.magic = TAU_CHUNK_MAGIC,
				     .kind = TAU_CHUNK_INDEX,
				     .seq = chunks,
				     .records = (uint32_t)s->index_n,
				     .lost = s->live->lost};
	struct tau_trailer t = {.index_offset = s->index_at,
				.records = records,
				.lost = s->live->lost,
				.chunks = (uint32_t)s->index_n};

	if (s->index_n) {
		h.first_tick = s->index[0].first_tick;
		h.last_tick = s->index[s->index_n - 1].last_tick;
	}
	memcpy(t.magic, TAU_TRAILER_MAGIC, sizeof(t.magic));
	t.crc = codec_crc(&t, offsetof(struct tau_trailer, crc));
	h.raw[TAU_DEFS] = h.stored[TAU_DEFS] = (uint32_t)(n + sizeof(t));
	clocks_read(process.shift, &h.sync_tick, &h.sync_mono_ns, &h.sync_real_ns);
	memcpy(out + sizeof(h), s->index, n);
	memcpy(out + sizeof(h) + n, &t, sizeof(t));
	h.payload_crc = codec_crc(out + sizeof(h), n + sizeof(t));
	h.header_crc = codec_crc(&h, offsetof(struct tau_chunk_header, header_crc));
	memcpy(out, &h, sizeof(h));
}

static bool index_write(struct stream *s)
{
	size_t size = index_size(s);
	uint8_t few[FEW_INDEX], *out = size <= sizeof(few) ? few : map_alloc(size);
	bool good;

	if (!out)
		return false;
	s->index_at = s->file_size;
	index_put(s, s->seq, s->records, out);
	good = file_append(s, out, size);
	if (out != few)
		map_free(out, size);
	return good;
}

/*
 * Compresses the live chunk and appends it. *last: the stream ends; it stays true if the index was
 * written as well. The live mapping is not changed.
 */
static bool chunk_store(struct stream *s, bool *last)
{
	const struct tau_live_header *live = s->live;
	struct tau_chunk_header h = {
		.magic = TAU_CHUNK_MAGIC,
		.kind = TAU_CHUNK_EVENTS,
		.codec = TAU_CODEC_DEFLATE,
		.metrics = (uint8_t)live->metrics,
		.seq = s->seq,
		.first_tick = live->first_tick,
		.last_tick = live->last_tick,
		.lost = live->lost,
		.records = (uint32_t)(column_used(live, TAU_TIMES) / 4),
	};
	size_t room = sizeof(h) + live->cap[TAU_DEFS] + live->cap[TAU_TIMES] + live->cap[TAU_ARGS],
	       n, with = 0;
	struct codec *codec = codec_get(room + FEW_INDEX + records_work(live->cap[TAU_TIMES] / 4),
					column_work_size());
	uint8_t *out, *p;
	bool good;

	if (!codec) {
		errno = ENOMEM;
		return false;
	}
	out = codec_out(codec);
	p = out + sizeof(h);
	p = column_store(codec, &h, TAU_DEFS, (uint8_t *)live->base[TAU_DEFS],
			 column_used(live, TAU_DEFS), p);
	p = records_store(codec, &h, (uint8_t *)live->base[TAU_TIMES], out + room, p);
	p = args_store(codec, &h, (uint8_t *)live->base[TAU_ARGS], column_used(live, TAU_ARGS), p);
	clocks_read(process.shift, &h.sync_tick, &h.sync_mono_ns, &h.sync_real_ns);
	h.payload_crc = codec_crc(out + sizeof(h), (size_t)(p - out) - sizeof(h));
	h.header_crc = codec_crc(&h, offsetof(struct tau_chunk_header, header_crc));
	memcpy(out, &h, sizeof(h));
	n = (size_t)(p - out);
	good = index_add(s, &h, s->file_size);
	*last = *last && good && !control.flight && index_size(s) <= FEW_INDEX;
	if (*last) {
		s->index_at = s->file_size + n;
		index_put(s, s->seq + 1, s->records + h.records, p);
		with = index_size(s);
	}
	if (good && !file_append(s, out, n + with)) {
		s->index_n--;
		good = false;
	}
	codec_put(codec);
	if (good) {
		s->records += h.records;
		if (!s->seq++)
			first_stored((size_t)(p - out) - sizeof(h) - h.stored[TAU_DEFS], h.records);
		flight_definitions(s);
		control_stored((size_t)(p - out));
	}
	return good;
}

/*
 * The chunk cannot be stored now, because no descriptor is free: its records are lost, and counted. Its definitions stay, because
 * they are not written again. False: there is no room for `want` bytes in `column` besides.
 */
static bool chunk_drop(struct stream *s, const struct frame *top, enum tau_column column,
		       size_t want)
{
	struct tau_live_header *live = s->live;
	uint64_t defs = live->cur[TAU_DEFS];

	live_lost(live, column_used(live, TAU_TIMES) / 4);
	for (size_t i = 0; s->filtered && s->frames + i < top; i++)
		s->filtered[i].seq = UINT32_MAX;	/* its ENTER is not in the chunk any more */
	if (!chunk_begin(s, top) || s->live != live)
		return false;
	live->cur[TAU_DEFS] = defs;
	return column != TAU_DEFS || defs + want <= live->base[TAU_DEFS] + live->cap[TAU_DEFS];
}

static bool chunk_next(struct stream *s, const struct frame *top, enum tau_column column,
		       size_t want)
{
	s->live->cur[TAU_TIMES] = s->live->base[TAU_TIMES];
	publish_barrier();
	flight_trim(s, false);
	calls_up.chunk_turns(s);
	return (want <= s->live->cap[column] || live_resize(s, column, want)) &&
	       chunk_begin(s, top);
}

/* Stores the chunk and begins the next, with room for `want` bytes in `column`. */
static bool chunk_turn(struct stream *s, const struct frame *top, enum tau_column column,
		       size_t want)
{
	sigset_t saved;
	char path[4096];
	bool good, last = false;
	int error;
	uint64_t cpu;

	s->seal_tick = s->device ? 0 : ticks(process.shift);
	cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	signals_hold(&saved);
	calls_up.chunk_full(s);
	good = chunk_store(s, &last);
	if (good)
		good = chunk_next(s, top, column, want);
	else if (errno == EMFILE || errno == ENFILE)
		good = chunk_drop(s, top, column, want);
	s->stored_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
	error = errno;
	signals_release(&saved, !good && error == EFBIG);
	if (!good) {
		stream_path(s, PLACE_RUN, TAU_TRACE_SUFFIX, path);
		process_fail(error, "cannot write", path);
	}
	return good;
}

/* Bytes for which the calling thread's chunk must have room. */
struct chunk_room_left {
	size_t defs, args;
};

static bool room_work(void *argument)
{
	const struct chunk_room_left *want = argument;
	struct stream *s = self.stream;
	struct tau_live_header *live = s->live;
	bool good = true;

	if (!want || live->cur[TAU_DEFS] + want->defs > live->base[TAU_DEFS] + live->cap[TAU_DEFS])
		good = chunk_turn(s, self.top, TAU_DEFS, want ? want->defs : 0);
	live = s->live;
	if (good && want &&
	    live->cur[TAU_ARGS] + want->args > live->base[TAU_ARGS] + live->cap[TAU_ARGS])
		good = chunk_turn(s, self.top, TAU_ARGS,
				  want->args + 2 * snapshot_bound(s, self.top) + 2 * MARGIN_ARGS);
	if (good)
		chunk_adopt(s);
	return good;
}

void chunk_divide(void)
{
	int saved = errno;

	if (column_used(self.live, TAU_TIMES))
		own_stack_run(self.stream, room_work, NULL);
	errno = saved;
}

bool chunk_seal(void)
{
	int saved = errno;
	bool good = tau_gate.value != GATE_DEAD && own_stack_run(self.stream, room_work, NULL);

	if (good && control.budget_ppm)
		calls_up.chunk_sealed(self.stream);
	errno = saved;
	return good;
}

void chunk_reached(void)
{
	if ((uint8_t *)self.live->cur[TAU_TIMES] > self.full) {
		chunk_seal();
	} else {
		look_later();
		calls_up.look();
	}
}

bool chunk_room(size_t defs, size_t args)
{
	const struct tau_live_header *live = self.live;
	struct chunk_room_left want = {defs, args};
	uint32_t seq = self.stream->seq;
	int saved = errno;
	bool good = true;

	if (live->cur[TAU_DEFS] + defs > live->base[TAU_DEFS] + live->cap[TAU_DEFS] ||
	    live->cur[TAU_ARGS] + args > live->base[TAU_ARGS] + live->cap[TAU_ARGS])
		good = own_stack_run(self.stream, room_work, &want);
	/* The budget limits regions here, but not if room for definitions was requested, because it may need that room itself. */
	if (unlikely(control.budget_ppm) && good && !defs && seq != self.stream->seq)
		calls_up.chunk_sealed(self.stream);
	errno = saved;
	return good;
}

bool chunk_close(struct stream *s)
{
	char path[4096];
	sigset_t saved;
	bool good, whole = true;
	int error;

	if (s->closed || !s->live)
		return true;
	signals_hold(&saved);
	good = chunk_store(s, &whole);
	if (good) {
		s->live->cur[TAU_TIMES] = s->live->base[TAU_TIMES];
		publish_barrier();
		flight_trim(s, true);
		good = whole || index_write(s);
	}
	error = errno;
	if (good) {
		s->lost = s->live->lost;
		live_end(s);
		calls_up.file_ends(s);
		s->closed = true;
	}
	signals_release(&saved, !good && error == EFBIG);
	if (!good) {
		stream_path(s, PLACE_RUN, TAU_TRACE_SUFFIX, path);
		process_fail(error, "cannot write", path);
	}
	return good;
}
