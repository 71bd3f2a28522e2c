/*
 * chunk.c: the chunk that a stream is writing (a file mapping of fixed size, rewritten in place)
 * and the .tau file that it goes to when it is full.
 *
 * What makes a kill harmless: the mapping belongs to the file, so the kernel keeps it; the .tau
 * file grows by one write() a chunk; and the live header's seq is the last thing to change when a
 * chunk is begun, so a reader can tell a chunk that was stored from one that was not. Space is
 * reserved before it is mapped, so that a full disk is an error here and not a SIGBUS in the
 * program. No descriptor stays open: a program may close or run out of them.
 *
 * System calls go through syscall(), which is no cancellation point and is wrapped by nobody.
 */
#include "codes.h"
#include "core.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LIVE_HEADER 4096
#define POPULATE_WRITE 23	/* MADV_POPULATE_WRITE, of Linux 5.14; before, nothing happens */
/* A little chunk serves where the file system or a limit has no room for one of the usual size. */
static const uint32_t LITTLE_CAP[TAU_COLUMNS] = { 4096, 16384, 0, 8192 };
static const uint32_t FIRST_CAP[TAU_COLUMNS] = {16384, 131072, 0, 32768};

static int sys_open(const char *path, int flags)
{
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0666);
}

static void sys_close(int fd)
{
	syscall(SYS_close, fd);
}

static bool sys_write(int fd, const void *bytes, size_t n)
{
	const char *p = bytes;

	while (n) {
		long w = syscall(SYS_write, fd, p, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0) {
			errno = w ? errno : ENOSPC;
			return false;
		}
		p += w;
		n -= (size_t)w;
	}
	return true;
}

/* Reserves the bytes: with fallocate, or by writing zeros where the file system has none. */
static bool sys_reserve(int fd, size_t bytes)
{
	static const char zeros[4096];

	if (syscall(SYS_fallocate, fd, 0, 0L, (long)bytes) == 0)
		return true;
	if (errno != EOPNOTSUPP && errno != ENOSYS)
		return false;
	for (size_t n = 0; n < bytes; n += sizeof(zeros))
		if (!sys_write(fd, zeros, sizeof(zeros)))
			return false;
	return true;
}

void stream_path(const struct stream *s, const char *suffix, char out[4096])
{
	snprintf(out, 4096, "%s/%s.%u%s", process.directory, process.prefix, s->number, suffix);
}

/* In a directory of their own, which processes of other runs, hosts and containers may use as well,
 * names are like no others. */
void live_path(const struct stream *s, const char *suffix, char out[4096])
{
	if (process.live_directory[0])
		snprintf(out, 4096, "%s/%s.%u.%016llx%s", process.live_directory, process.prefix,
			 s->number, (unsigned long long)process.id, suffix);
	else
		stream_path(s, suffix, out);
}

bool live_link(const struct stream *s, const char *suffix)
{
	char path[4096], link[4096];

	if (!process.live_directory[0])
		return true;
	live_path(s, suffix, path);
	stream_path(s, suffix, link);
	return syscall(SYS_symlink, path, link) == 0;
}

void live_remove(const struct stream *s, const char *suffix)
{
	char path[4096];

	live_path(s, suffix, path);
	syscall(SYS_unlink, path);
	if (process.live_directory[0]) {
		stream_path(s, suffix, path);
		syscall(SYS_unlink, path);
	}
}

/*
 * Signals wait while files are written: their handlers would find the recorder busy, and SIGXFSZ
 * (a file over the program's limit) is ours to swallow.
 */
static void signals_hold(sigset_t *saved)
{
	signals_mask(NULL, saved);
}

static void swallow_xfsz(void)
{
	static const struct timespec now;
	sigset_t xfsz;

	sigemptyset(&xfsz);
	sigaddset(&xfsz, SIGXFSZ);
	sigtimedwait(&xfsz, NULL, &now);
}

static void signals_release(const sigset_t *saved, bool too_large)
{
	if (too_large)
		swallow_xfsz();
	signals_mask(saved, NULL);
}

/* Three clocks read together; of some tries the one with the least time between. */
static void clocks_read(uint64_t *tick, uint64_t *mono, uint64_t *real)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 4; i++) {
		uint64_t a = ticks(process.shift), m = clock_ns(CLOCK_MONOTONIC),
			 b = ticks(process.shift);

		if (b - a < best) {
			best = b - a;
			*tick = a + (b - a) / 2;
			*mono = m;
			*real = clock_ns(CLOCK_REALTIME);
		}
	}
}

static void column_place(struct tau_live_header *live)
{
	uint64_t at = (uint64_t)live + live->header_size;

	for (int c = 0; c < TAU_COLUMNS; c++) {
		live->base[c] = live->cur[c] = at;
		at += live->cap[c];
	}
}

void *file_map(const char *path, size_t size, bool with_pages)
{
	void *p = MAP_FAILED;
	int fd = sys_open(path, O_RDWR | O_CREAT | O_TRUNC), error;

	if (fd < 0)
		return NULL;
	if (sys_reserve(fd, size))
		p = (void *)syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
				    0L);
	error = errno;
	if (p != MAP_FAILED && with_pages)
		syscall(SYS_madvise, p, size, POPULATE_WRITE);
	sys_close(fd);
	if (p != MAP_FAILED)
		return p;
	syscall(SYS_unlink, path);
	if (error == EFBIG)
		swallow_xfsz();
	errno = error;
	return NULL;
}

/*
 * A new live mapping under `path`, with everything set but the chunk. NULL and errno on failure. Pages that come one by one
 * disturb the first chunk (2 us each, where all at once take 15); but a thousand threads need not have what they never fill.
 */
static struct tau_live_header *live_new(const struct stream *s, const char *path,
					const uint32_t cap[TAU_COLUMNS])
{
	size_t size = LIVE_HEADER;
	struct tau_live_header *live;

	for (int c = 0; c < TAU_COLUMNS; c++)
		size += cap[c];
	live = file_map(path, size, s->number == 0);
	if (!live)
		return NULL;
	live->header_size = LIVE_HEADER;
	live->map_size = size;
	memcpy(live->cap, cap, sizeof(live->cap));
	column_place(live);
	live->metrics = process.metrics;
	live->major = TAU_VERSION_MAJOR;
	live->minor = TAU_VERSION_MINOR;
	return live;
}

/* The first live mapping of a stream, under `path`. */
static struct tau_live_header *live_create(const struct stream *s, const char *path,
					   const uint32_t cap[TAU_COLUMNS])
{
	struct tau_live_header *live = live_new(s, path, cap);
	int error;

	if (!live || live_link(s, TAU_LIVE_SUFFIX))
		return live;
	error = errno;
	munmap(live, live->map_size);
	syscall(SYS_unlink, path);
	errno = error;
	return NULL;
}

/* Upper bound of the snapshot's size. */
static size_t snapshot_bound(const struct stream *s, const struct frame *top)
{
	size_t levels = s->level_cap < process.registry[REG_MEMTYPE].n + 1
				? s->level_cap
				: process.registry[REG_MEMTYPE].n + 1;

	return 64 + (size_t)(top - s->frames) * 15 + levels * 25 +
	       ((size_t)(top - s->frames) + 1) * process.metrics * 10;
}

/* varint tag, varint length (in two bytes' worth of fixed width, since it is known only
 * afterwards), bytes. */
static uint8_t *section_end(uint8_t *length_at, uint8_t *end)
{
	uint32_t n = (uint32_t)(end - length_at - 4);

	for (int i = 0; i < 4; i++)
		length_at[i] = (uint8_t)((n >> 7 * i & 0x7f) | (i < 3 ? 0x80 : 0));
	return end;
}

static uint8_t *snapshot_stack(uint8_t *p, const struct stream *s, const struct frame *top,
			       uint64_t now)
{
	uint8_t *length_at;
	uint64_t depth = 0;

	for (const struct frame *f = s->frames; f < top; f++)
		depth += frame_recorded(s, f);

	*p++ = TAU_SNAP_STACK;
	length_at = p;
	p = put_varint(p + 4, depth);
	for (const struct frame *f = s->frames; f < top; f++) {
		if (!frame_recorded(s, f))
			continue;
		p = put_varint(p, frame_region(s, f->key));
		p = put_varint(p, now > f->time ? now - f->time : 0);
	}
	return section_end(length_at, p);
}

static uint8_t *snapshot_memory(uint8_t *p, const struct stream *s)
{
	uint8_t *length_at;
	uint32_t n = 0;

	for (size_t i = 0; i < s->level_cap; i++)
		n += s->level[i].bytes || s->level[i].blocks;
	*p++ = TAU_SNAP_MEMORY;
	length_at = p;
	p = put_varint(p + 4, n);
	for (size_t i = 0; i < s->level_cap; i++) {
		if (!s->level[i].bytes && !s->level[i].blocks)
			continue;
		p = put_varint(p, i);
		p = put_zigzag(p, s->level[i].bytes);
		p = put_zigzag(p, s->level[i].blocks);
	}
	return section_end(length_at, p);
}

/* What a call costs now falls to the two sides of its times as it did when the process started. */
static uint8_t *snapshot_cost(uint8_t *p, uint64_t call_ps)
{
	uint64_t inside = process.cost.all ? call_ps * process.cost.inside / process.cost.all : 0;

	*p++ = TAU_SNAP_COST;
	p = put_varint(p, varint_size(inside) + varint_size(call_ps - inside));
	p = put_varint(p, inside);
	return put_varint(p, call_ps - inside);
}

static void snapshot(struct stream *s, const struct frame *top, uint64_t now)
{
	uint8_t *p = (uint8_t *)s->live->base[TAU_ARGS];

	p = put_varint(p, 2 + (s->tid != 0) + (process.metrics != 0) + (s->seal_tick != 0) +
				  (s->call_ps != 0));
	p = snapshot_stack(p, s, top, now);
	p = snapshot_memory(p, s);
	if (process.metrics) {
		uint8_t *length_at = p + 1;

		*p = TAU_SNAP_METRICS;
		p = section_end(length_at, metric_snapshot(length_at + 4, s, top));
	}
	if (s->seal_tick) {
		uint64_t took = now > s->seal_tick ? now - s->seal_tick : 0;

		*p++ = TAU_SNAP_SEAL;
		p = put_varint(p, varint_size(took));
		p = put_varint(p, took);
		s->seal_tick = 0;
	}
	if (s->call_ps)
		p = snapshot_cost(p, s->call_ps);
	if (s->tid) {
		*p++ = TAU_SNAP_THREAD;
		p = put_varint(p, varint_size(s->tid));
		p = put_varint(p, s->tid);
	}
	s->live->cur[TAU_ARGS] = (uint64_t)p;
}

/* Replaces the live mapping of a stream by a larger one; only before chunk_begin(). */
static bool live_resize(struct stream *s, enum tau_column column, size_t want)
{
	uint32_t cap[TAU_COLUMNS];
	char path[4096], fresh[4104];
	struct tau_live_header *live, *old = s->live;

	memcpy(cap, old->cap, sizeof(cap));
	while (cap[column] < want) {
		if (cap[column] > UINT32_MAX / 4) {
			errno = EFBIG;
			return false;
		}
		cap[column] *= 2;
	}
	live_path(s, TAU_LIVE_SUFFIX, path);
	snprintf(fresh, sizeof(fresh), "%s.new", path);
	live = live_new(s, fresh, cap);
	if (!live)
		return false;
	memcpy(live->magic, old->magic, sizeof(live->magic));
	live->process_id = old->process_id;
	live->thread = old->thread;
	live->seq = old->seq;
	live->lost = old->lost;
	live->first_tick = old->first_tick;
	live->last_tick = old->last_tick;
	if (syscall(SYS_rename, fresh, path) < 0) {
		munmap(live, live->map_size);
		return false;
	}
	s->live = live;
	munmap(old, old->map_size);
	return true;
}

/*
 * Begins chunk s->seq in the live mapping. The records are emptied first, so that from then on the
 * mapping holds no record; seq changes last, so that until then the mapping counts as a stale copy
 * of the chunk before.
 */
static bool chunk_begin(struct stream *s, const struct frame *top)
{
	struct tau_live_header *live = s->live;
	size_t bound;

	block_settle(s);
	bound = snapshot_bound(s, top) + 2 * MARGIN_ARGS;
	live->cur[TAU_TIMES] = live->base[TAU_TIMES];
	barrier();
	if (bound > live->cap[TAU_ARGS] / 2) {
		if (!live_resize(s, TAU_ARGS, bound * 4))
			return false;
		live = s->live;
	}
	live->cur[TAU_DEFS] = live->base[TAU_DEFS];
	if (!s->seq && process.metrics)
		metric_define(live);
	clocks_read(&live->sync_tick, &live->sync_mono_ns, &live->sync_real_ns);
	live->first_tick = live->last_tick = ticks(process.shift);
	snapshot(s, top, live->first_tick);
	barrier();
	live->seq = s->seq;
	return true;
}

void chunk_adopt(struct stream *s)
{
	struct tau_live_header *live = s->live;

	self.live = live;
	self.net = s->net;
	self.net_cap = s->net_cap;
	self.end = (uint8_t *)live->base[TAU_TIMES] + live->cap[TAU_TIMES] - MARGIN_RECORDS;
	self.args_end = (uint8_t *)live->base[TAU_ARGS] + live->cap[TAU_ARGS] - MARGIN_ARGS;
}

void chunk_forget(struct stream *s)
{
	if (s->live)
		munmap(s->live, s->live->map_size);
	s->live = NULL;
}

/* The .tau file of a fresh stream, with its header. The first stream of a process finds a free
 * number for it. */
static bool file_create(struct stream *s, char path[4096])
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
	size_t length = strlen(process.prefix);
	bool good;
	int fd = -1;

	for (unsigned n = 0; n < 1000000; n++) {
		if (s->number == 0)
			snprintf(process.prefix + length, sizeof(process.prefix) - length, ".%u",
				 n);
		stream_path(s, TAU_TRACE_SUFFIX, path);
		fd = sys_open(path, O_WRONLY | O_CREAT | O_EXCL);
		if (fd >= 0 || errno != EEXIST || s->number != 0)
			break;
	}
	if (fd < 0)
		return false;
	h.crc = codec_crc(&h, offsetof(struct tau_file_header, crc));
	good = sys_write(fd, &h, sizeof(h));
	sys_close(fd);
	if (good)
		s->file_size = sizeof(h);
	else
		syscall(SYS_unlink, path);
	return good;
}

bool chunk_open(struct stream *s, const struct frame *top)
{
	char path[4096] = "";
	sigset_t saved;
	bool good, too_large = false;
	int error;

	signals_hold(&saved);
	good = s->file_size || file_create(s, path);
	if (good) {
		live_path(s, TAU_LIVE_SUFFIX, path);
		s->live = live_create(s, path, FIRST_CAP);
		too_large = !s->live && errno == EFBIG;
		if (too_large || (!s->live && errno == ENOSPC))
			s->live = live_create(s, path, LITTLE_CAP);
		good = s->live != NULL;
	}
	if (good) {
		s->live->process_id = process.id;
		s->live->thread = s->number;
		s->live->lost = s->lost;
		good = chunk_begin(s, top);
		memcpy(s->live->magic, TAU_LIVE_MAGIC, sizeof(s->live->magic));
		s->closed = false;
	}
	error = errno;
	signals_release(&saved, too_large || (!good && error == EFBIG));
	if (!good) {
		process_fail(error, "cannot create", path);
		if (!s->live && s->file_size == sizeof(struct tau_file_header)) {
			stream_path(s, TAU_TRACE_SUFFIX, path);
			syscall(SYS_unlink, path);	/* it would say nothing */
		}
	}
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

/* Appends bytes to the .tau file; on failure nothing of them stays. */
static bool file_append(struct stream *s, const void *bytes, size_t n)
{
	char path[4096];
	bool good;
	int fd, error;

	stream_path(s, TAU_TRACE_SUFFIX, path);
	fd = sys_open(path, O_WRONLY | O_APPEND);
	if (fd < 0)
		return false;
	good = sys_write(fd, bytes, n);
	error = errno;
	if (good)
		s->file_size += n;
	else if (syscall(SYS_ftruncate, fd, (long)s->file_size) < 0)
		error = errno;
	sys_close(fd);
	errno = error;
	return good;
}

/* Compresses a column to `out`; returns the end of what was written. */
static uint8_t *column_store(struct codec *codec, struct tau_chunk_header *h, enum tau_column c,
			     const uint8_t *bytes, size_t n, uint8_t *out)
{
	h->raw[c] = (uint32_t)n;
	h->stored[c] = codec_deflate(codec, bytes, h->raw[c], out);
	if (!h->stored[c]) {
		memcpy(out, bytes, n);
		h->stored[c] = h->raw[c];
	}
	return out + h->stored[c];
}

/*
 * The times: their low bytes as symbols, their high bytes, mostly zeros, as repetitions; or both by
 * the codec.
 */
static uint8_t *times_store(struct codec *codec, struct tau_chunk_header *h, const uint8_t *planes,
			    size_t n, uint8_t *out)
{
	struct bits b = {.p = out};

	if (!codec_deflates() || !literals_block(&b, planes, (uint32_t)n, out + 2 * n) ||
	    !repeat_zeros(&b, planes + n, (uint32_t)n, out + 2 * n, codec_work(codec)))
		return column_store(codec, h, TAU_TIMES, planes, 2 * n, out);
	h->raw[TAU_TIMES] = (uint32_t)(2 * n);
	h->stored[TAU_TIMES] = (uint32_t)(b.p - out);
	return b.p;
}

/* The tokens, which stand behind the planes of the times; those are stored and may go. */
static uint8_t *ids_store(struct codec *codec, struct tau_chunk_header *h, uint8_t *planes,
			  size_t n, uint8_t *out)
{
	const uint8_t *tokens = planes + 2 * n;
	struct bits b = {.p = out};

	if (!codec_deflates() ||
	    !repeat_tokens(&b, tokens, (uint32_t)n, out + 2 * n, codec_work(codec))) {
		tokens_split(tokens, n, planes);
		return column_store(codec, h, TAU_IDS, planes, 2 * n, out);
	}
	h->raw[TAU_IDS] = (uint32_t)(2 * n);
	h->stored[TAU_IDS] = (uint32_t)(b.p - out);
	return b.p;
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

/* Compresses the live chunk and appends it. The live mapping is not changed. */
static bool chunk_store(struct stream *s)
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
	size_t n = h.records,
	       room = sizeof(h) + live->cap[TAU_DEFS] + live->cap[TAU_TIMES] + live->cap[TAU_ARGS];
	struct codec *codec = codec_get(room + live->cap[TAU_TIMES]);
	uint8_t *out, *p, *planes;
	bool good;

	if (!codec) {
		errno = ENOMEM;
		return false;
	}
	out = codec_out(codec);
	planes = out + room;
	planes_split((uint8_t *)live->base[TAU_TIMES], n, planes, planes + 2 * n);
	p = out + sizeof(h);
	p = column_store(codec, &h, TAU_DEFS, (uint8_t *)live->base[TAU_DEFS],
			 column_used(live, TAU_DEFS), p);
	p = times_store(codec, &h, planes, n, p);
	p = ids_store(codec, &h, planes, n, p);
	p = column_store(codec, &h, TAU_ARGS, (uint8_t *)live->base[TAU_ARGS],
			 column_used(live, TAU_ARGS), p);
	clocks_read(&h.sync_tick, &h.sync_mono_ns, &h.sync_real_ns);
	h.payload_crc = codec_crc(out + sizeof(h), (size_t)(p - out) - sizeof(h));
	h.header_crc = codec_crc(&h, offsetof(struct tau_chunk_header, header_crc));
	memcpy(out, &h, sizeof(h));
	good = index_add(s, &h, s->file_size) && file_append(s, out, (size_t)(p - out));
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

/* Asks again what a call costs: often at first, because it matters in short runs. */
static void cost_follow(struct stream *s)
{
	uint64_t ps = s->seq <= 4 || s->seq % 8 == 0 ? cost_again() : 0;

	if (ps)
		s->call_ps = ps;
}

/* Stores the chunk and begins the next, with `column` able to take `want` bytes. */
static bool chunk_turn(struct stream *s, const struct frame *top, enum tau_column column,
		       size_t want)
{
	sigset_t saved;
	char path[4096];
	bool good;
	int error;
	uint64_t cpu;

	s->seal_tick = ticks(process.shift);
	cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	signals_hold(&saved);
	good = chunk_store(s);
	if (good) {
		s->live->cur[TAU_TIMES] = s->live->base[TAU_TIMES];
		barrier();
		flight_trim(s, false);
		cost_follow(s);
		good = (want <= s->live->cap[column] || live_resize(s, column, want)) &&
		       chunk_begin(s, top);
	}
	s->stored_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
	error = errno;
	signals_release(&saved, !good && error == EFBIG);
	if (!good) {
		stream_path(s, TAU_TRACE_SUFFIX, path);
		process_fail(error, "cannot write", path);
	}
	return good;
}

/* What the calling thread's chunk must have room for. */
struct room {
	size_t defs, args;
};

static bool room_work(void *argument)
{
	const struct room *want = argument;
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

bool chunk_seal(void)
{
	int saved = errno;
	bool good = tau_gate.value != GATE_DEAD && aside(self.stream, room_work, NULL);

	errno = saved;
	return good;
}

bool chunk_room(size_t defs, size_t args)
{
	const struct tau_live_header *live = self.live;
	struct room want = {defs, args};
	int saved = errno;
	bool good = true;

	if (live->cur[TAU_DEFS] + defs > live->base[TAU_DEFS] + live->cap[TAU_DEFS] ||
	    live->cur[TAU_ARGS] + args > live->base[TAU_ARGS] + live->cap[TAU_ARGS])
		good = aside(self.stream, room_work, &want);
	errno = saved;
	return good;
}

/* The index chunk: entries, then the trailer, as format.h says. */
static bool index_write(struct stream *s)
{
	size_t n = s->index_n * sizeof(*s->index),
	       size = sizeof(struct tau_chunk_header) + n + sizeof(struct tau_trailer);
	struct tau_chunk_header h = {.magic = TAU_CHUNK_MAGIC,
				     .kind = TAU_CHUNK_INDEX,
				     .seq = s->seq,
				     .records = (uint32_t)s->index_n,
				     .lost = s->live->lost};
	struct tau_trailer t = {.index_offset = s->file_size,
				.records = s->records,
				.lost = s->live->lost,
				.chunks = (uint32_t)s->index_n};
	uint8_t *out = map_alloc(size);
	bool good;

	if (!out)
		return false;
	if (s->index_n) {
		h.first_tick = s->index[0].first_tick;
		h.last_tick = s->index[s->index_n - 1].last_tick;
	}
	memcpy(t.magic, TAU_TRAILER_MAGIC, sizeof(t.magic));
	t.crc = codec_crc(&t, offsetof(struct tau_trailer, crc));
	h.raw[TAU_DEFS] = h.stored[TAU_DEFS] = (uint32_t)(n + sizeof(t));
	clocks_read(&h.sync_tick, &h.sync_mono_ns, &h.sync_real_ns);
	memcpy(out + sizeof(h), s->index, n);
	memcpy(out + sizeof(h) + n, &t, sizeof(t));
	h.payload_crc = codec_crc(out + sizeof(h), n + sizeof(t));
	h.header_crc = codec_crc(&h, offsetof(struct tau_chunk_header, header_crc));
	memcpy(out, &h, sizeof(h));
	good = file_append(s, out, size);
	munmap(out, size);
	return good;
}

bool chunk_close(struct stream *s)
{
	char path[4096];
	sigset_t saved;
	bool good;
	int error;

	if (s->closed || !s->live)
		return true;
	signals_hold(&saved);
	good = chunk_store(s);
	if (good) {
		s->live->cur[TAU_TIMES] = s->live->base[TAU_TIMES];
		barrier();
		flight_trim(s, true);
		good = index_write(s);
	}
	error = errno;
	if (good) {
		live_remove(s, TAU_LIVE_SUFFIX);
		fold_end(s);
		s->closed = true;
		s->lost = s->live->lost;
		munmap(s->live, s->live->map_size);
		s->live = NULL;
	}
	signals_release(&saved, !good && error == EFBIG);
	if (!good) {
		stream_path(s, TAU_TRACE_SUFFIX, path);
		process_fail(error, "cannot write", path);
	}
	return good;
}
