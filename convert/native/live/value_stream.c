/*
 * value_stream.c: writes a stream of values into a run while it is recorded, as the recorder does: chunks
 * in FILE.tau, and the one that is being written in FILE.live, which is mapped.
 */
#include "convert/native/live/value_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "convert/io/deflate.h"
#include "convert/native/file/native_chunks.h"
#include "convert/native/file/native_put.h"
#include "record/counter.h"

/* Bytes of the columns in FILE.live. */
static const uint32_t caps[TAU_COLUMNS] = {
	[TAU_DEFS] = 16384, [TAU_TIMES] = 4096, [TAU_ARGS] = 32768};
#define LIVE_SIZE (sizeof(struct tau_live_header) + 16384 + 4096 + 32768)

struct value_stream {
	int fd;
	char *path, *live_path;
	struct tau_live_header *live;
	uint8_t clock, shift;
	struct names event; /* "KIND NAME", in all chunks */
	struct deflater *deflater;
	struct buffer index, out;
	uint64_t offset; /* of the next chunk in the file */
	uint64_t total;
	uint32_t seq;
	int begun;  /* a chunk was */
	int failed; /* with this errno */
};

/* ---- the clock ---- */

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#if defined(TAU_COUNTER_SHIFT)
static uint64_t counter(void)
{
	return tau_counter();
}
#else
static uint64_t counter(void)
{
	return 0;	/* no recorder uses it */
}
#endif

uint64_t value_stream_now(const struct value_stream *s)
{
	return (s->clock == TAU_CLOCK_TSC ? counter() : clock_ns(CLOCK_MONOTONIC)) >> s->shift;
}

/* Three clocks at one moment; of some tries the one that took the least time. */
static void clocks_read(const struct value_stream *s, uint64_t *tick, uint64_t *mono,
			uint64_t *real)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 4; i++) {
		uint64_t a = value_stream_now(s), m = clock_ns(CLOCK_MONOTONIC),
			 b = value_stream_now(s);

		if (b - a >= best)
			continue;
		best = b - a;
		*tick = a + (b - a) / 2;
		*mono = m;
		*real = clock_ns(CLOCK_REALTIME);
	}
}

/* ---- the chunk that is being written ---- */

static size_t used(const struct value_stream *s, enum tau_column c)
{
	return s->live->cur[c] - s->live->base[c];
}

/* What is written before is seen before. */
static void column_set(struct value_stream *s, enum tau_column c, uint64_t end)
{
	__atomic_store_n(&s->live->cur[c], end, __ATOMIC_RELEASE);
}

static void column_put(struct value_stream *s, enum tau_column c, const void *bytes, size_t n)
{
	memcpy((void *)(uintptr_t)s->live->cur[c], bytes, n);
	column_set(s, c, s->live->cur[c] + n);
}

static void chunk_begin(struct value_stream *s, uint64_t tick)
{
	static const unsigned char snapshot[] = {2, TAU_SNAP_STACK, 1, 0, TAU_SNAP_MEMORY, 1, 0};
	struct tau_live_header *h = s->live;

	column_set(s, TAU_TIMES, h->base[TAU_TIMES]);
	column_set(s, TAU_ARGS, h->base[TAU_ARGS]);
	if (s->begun)
		column_set(s, TAU_DEFS, h->base[TAU_DEFS]);
	clocks_read(s, &h->sync_tick, &h->sync_mono_ns, &h->sync_real_ns);
	h->first_tick = h->last_tick = tick;
	column_put(s, TAU_ARGS, snapshot, sizeof(snapshot));
	__atomic_store_n(&h->seq, s->seq, __ATOMIC_RELEASE);
	s->begun = 1;
}

/* ---- chunks in the file ---- */

static int append(struct value_stream *s)
{
	for (size_t n = 0; n < s->out.v_n;) {
		ssize_t w = pwrite(s->fd, s->out.v + n, s->out.v_n - n, (off_t)(s->offset + n));

		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0)
			return w ? errno : ENOSPC;
		n += (size_t)w;
	}
	s->offset += s->out.v_n;
	s->out.v_n = 0;
	return 0;
}

/* Records have two numbers of 16 bits: the low bytes of all, then the high ones. */
static void planes_put(struct buffer *to, const uint32_t *record, size_t n, int shift)
{
	for (int high = 0; high <= 8; high += 8)
		for (size_t i = 0; i < n; i++)
			put_byte(to, record[i] >> (shift + high) & 255);
}

/* The next chunk begins at `tick`. */
static void chunk_store(struct value_stream *s, uint64_t tick)
{
	const struct tau_live_header *live = s->live;
	size_t n = used(s, TAU_TIMES) / sizeof(uint32_t);
	const uint32_t *record = (const uint32_t *)(uintptr_t)live->base[TAU_TIMES];
	struct tau_chunk_header h = {.magic = TAU_CHUNK_MAGIC,
				     .kind = TAU_CHUNK_EVENTS,
				     .codec = TAU_CODEC_DEFLATE,
				     .seq = s->seq,
				     .records = (uint32_t)n,
				     .first_tick = live->first_tick,
				     .last_tick = live->last_tick};
	struct tau_index_entry entry = {.offset = s->offset,
					.first_tick = h.first_tick,
					.last_tick = h.last_tick,
					.records = h.records};
	struct buffer column[TAU_COLUMNS] = {{0}};

	clocks_read(s, &h.sync_tick, &h.sync_mono_ns, &h.sync_real_ns);
	put(&column[TAU_DEFS], (void *)(uintptr_t)live->base[TAU_DEFS], used(s, TAU_DEFS));
	planes_put(&column[TAU_TIMES], record, n, 0);
	planes_put(&column[TAU_IDS], record, n, 16);
	put(&column[TAU_ARGS], (void *)(uintptr_t)live->base[TAU_ARGS], used(s, TAU_ARGS));
	native_put_chunk(&s->out, s->deflater, &h, column);
	for (int i = 0; i < TAU_COLUMNS; i++)
		free(column[i].v);
	entry.defs_stored = h.stored[TAU_DEFS];
	put(&s->index, &entry, sizeof(entry));
	s->failed = append(s);
	s->total += n;
	s->seq++;
	if (!s->failed)
		chunk_begin(s, tick);
}

/* ---- records ---- */

/* Room for the fields of a definition or a record, and for what is around them. */
static int room(struct value_stream *s, enum tau_column c, size_t n)
{
	const size_t more = 32;

	if (s->failed || n + more > caps[c] / 2)
		return 0;
	if (used(s, c) + n + more > caps[c] || used(s, TAU_TIMES) + 8 > caps[TAU_TIMES])
		chunk_store(s, s->live->last_tick);
	return !s->failed;
}

static void define(struct value_stream *s, unsigned kind, struct buffer *fields)
{
	struct buffer b = {0};

	put_varint(&b, kind);
	put_part(&b, fields);
	if (room(s, TAU_DEFS, b.v_n))
		column_put(s, TAU_DEFS, b.v, b.v_n);
	free(b.v);
}

static uint32_t event_of(struct value_stream *s, enum value_kind kind, const char *name)
{
	char *key = mem_printf("%d %s", kind, name);
	size_t known = s->event.name_n;
	uint32_t event = names_add(&s->event, key, strlen(key));
	struct buffer f = {0};

	free(key);
	if (s->event.name_n == known)
		return event;
	put_varint(&f, event);
	put_varint(&f, kind);
	put_string(&f, name);
	define(s, TAU_DEF_EVENT, &f);
	return event;
}

static void record(struct value_stream *s, uint64_t tick, unsigned kind, struct buffer *fields)
{
	uint64_t last = s->live->last_tick, delta = tick > last ? tick - last : 0;
	uint32_t time = delta < TAU_TIME_LONG ? (uint32_t)delta : TAU_TIME_LONG,
		 word = time | kind << 16;
	struct buffer b = {0};

	put_part(&b, fields);
	if (time == TAU_TIME_LONG)
		put_varint(&b, delta);
	column_put(s, TAU_ARGS, b.v, b.v_n);
	s->live->last_tick += delta;
	column_put(s, TAU_TIMES, &word, sizeof(word));
	free(b.v);
}

void value_stream_put(struct value_stream *s, uint64_t tick, enum value_kind kind, const char *name,
		      double value)
{
	int whole = value >= -0x1p62 && value <= 0x1p62 && value == (double)(int64_t)value;
	struct buffer f = {0};
	uint32_t event;

	event = event_of(s, kind, name);
	put_varint(&f, event);
	if (whole)
		put_zigzag(&f, (int64_t)value);
	else
		put(&f, &value, sizeof(value));
	if (room(s, TAU_ARGS, f.v_n))
		record(s, tick, whole ? TAU_REC_VALUE : TAU_REC_VALUE_F64, &f);
	free(f.v);
}

void value_stream_meta(struct value_stream *s, const char *name, const char *value)
{
	struct buffer f = {0};

	put_string(&f, name);
	put_string(&f, value);
	define(s, TAU_DEF_META, &f);
}

int value_stream_failed(const struct value_stream *s, struct error *e)
{
	return s->failed ? error_set(e, ERROR_SYSTEM, "%s: %s", s->path, strerror(s->failed)) : 0;
}

/* ---- files ---- */

static int header_write(int fd, const struct value_stream_of *of)
{
	struct tau_file_header h = {.magic = TAU_TRACE_MAGIC,
				    .major = TAU_VERSION_MAJOR,
				    .minor = TAU_VERSION_MINOR,
				    .header_size = sizeof(h),
				    .process_id = of->process_id,
				    .pid = of->pid,
				    .thread = of->stream,
				    .clock = of->clock,
				    .shift = of->shift,
				    .ticks_hz = of->ticks_hz,
				    .start_tick = of->start_tick};

	h.crc = native_crc(&h, offsetof(struct tau_file_header, crc));
	return pwrite(fd, &h, sizeof(h), 0) == sizeof(h) ? 0 : errno;
}

/* FILE.live with room for a chunk, mapped. NULL and errno. */
static struct tau_live_header *live_create(const char *path, const struct value_stream_of *of)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, of->mode), error;
	struct tau_live_header *h = MAP_FAILED;
	uint64_t at;

	if (fd < 0)
		return NULL;
	error = posix_fallocate(fd, 0, LIVE_SIZE);
	if (!error)
		h = mmap(NULL, LIVE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	error = error ? error : errno;
	close(fd);
	if (h == MAP_FAILED) {
		unlink(path);
		errno = error;
		return NULL;
	}
	h->major = TAU_VERSION_MAJOR;
	h->minor = TAU_VERSION_MINOR;
	h->header_size = sizeof(*h);
	h->process_id = of->process_id;
	h->thread = of->stream;
	h->map_size = LIVE_SIZE;
	at = (uintptr_t)(h + 1);
	for (int i = 0; i < TAU_COLUMNS; i++) {
		h->base[i] = h->cur[i] = at;
		h->cap[i] = caps[i];
		at += caps[i];
	}
	return h;
}

static void files_release(struct value_stream *s)
{
	if (s->fd >= 0)
		close(s->fd);
	if (s->live)
		munmap(s->live, LIVE_SIZE);
	names_release(&s->event);
	deflater_free(s->deflater);
	free(s->index.v);
	free(s->out.v);
	free(s->live_path);
	free(s->path);
	free(s);
}

static int files_create(struct value_stream *s, const struct value_stream_of *of)
{
	int error;

	s->fd = open(s->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, of->mode);
	if (s->fd < 0)
		return errno;
	error = header_write(s->fd, of);
	if (!error && !(s->live = live_create(s->live_path, of)))
		error = errno;
	if (error)
		unlink(s->path);
	return error;
}

struct value_stream *value_stream_new(const struct value_stream_of *of, uint64_t tick,
				      struct error *e)
{
	struct value_stream *s = mem_alloc(sizeof(*s));
	struct buffer f = {0};
	int error;

	s->path = mem_printf("%s/%s.%u%s", of->directory, of->files, of->stream, TAU_TRACE_SUFFIX);
	s->live_path =
		mem_printf("%s/%s.%u%s", of->directory, of->files, of->stream, TAU_LIVE_SUFFIX);
	s->clock = of->clock;
	s->shift = of->shift;
	s->offset = sizeof(struct tau_file_header);
	s->deflater = deflater_new();
	error = files_create(s, of);
	if (error) {
		error_set(e, ERROR_SYSTEM, "%s: %s", s->path, strerror(error));
		files_release(s);
		return NULL;
	}
	chunk_begin(s, tick);
	put_varint(&f, 0);
	put_string(&f, of->label);
	put_varint(&f, TAU_THREAD_VALUES);
	define(s, TAU_DEF_THREAD, &f);
	memcpy(s->live->magic, TAU_LIVE_MAGIC, sizeof(s->live->magic));
	return s;
}

int value_stream_close(struct value_stream *s, struct error *e)
{
	int code;

	if (!s)
		return 0;
	if (!s->failed)
		chunk_store(s, s->live->last_tick);
	native_put_index(&s->out, &s->index,
			 (struct tau_trailer){.index_offset = s->offset,
					      .records = s->total,
					      .chunks = s->seq});
	if (!s->failed)
		s->failed = append(s);
	if (close(s->fd) < 0 && !s->failed)
		s->failed = errno;
	s->fd = -1;
	code = value_stream_failed(s, e);
	if (!code)
		unlink(s->live_path);
	files_release(s);
	return code;
}
