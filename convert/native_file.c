/* native_file.c: finds, verifies and inflates the chunks of one stream file, the live chunk included. */
#include "native_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "inflate.h"

#define COLUMN_LIMIT (256u << 20)	/* bytes of one inflated column: far above any recorder's buffer */
#define DEFLATE_MOST 1032	/* bytes that one byte of deflate can stand for */
#define CHUNK_LIMIT (1u << 24)		/* chunks of one file */

static uint32_t checksum(const void *p, size_t n)
{
	return (uint32_t)crc32_z(0, p, n);
}

/* Reads exactly n bytes at offset; 0, or -1 with errno (0: the file is shorter). */
int native_read_at(int fd, void *to, size_t n, uint64_t offset)
{
	unsigned char *p = to;

	while (n) {
		ssize_t got = pread(fd, p, n, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			errno = got ? errno : 0;
			return -1;
		}
		p += got;
		n -= (size_t)got;
		offset += (uint64_t)got;
	}
	return 0;
}

int native_file_is(const char *path)
{
	char magic[8];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), is;

	if (fd < 0)
		return 0;
	is = !native_read_at(fd, magic, sizeof(magic), 0) &&
	     (!memcmp(magic, TAU_TRACE_MAGIC, 8) || !memcmp(magic, TAU_LIVE_MAGIC, 8));
	close(fd);
	return is;
}

void native_file_damage(struct native_file *f, size_t k, const char *why)
{
	if (k < f->chunk_n)
		f->chunk_n = k;
	if (!f->damage)
		f->damage = mem_string(why);
}

/* Notes damage behind the chunks found so far. Always 0: the file is usable up to here. */
int native_damage(struct native_file *f, const char *format, ...)
{
	struct error text;
	va_list args;

	va_start(args, format);
	vsnprintf(text.text, sizeof(text.text), format, args);
	va_end(args);
	native_file_damage(f, f->chunk_n, text.text);
	return 0;
}

void native_sync_add(struct native_file *f, uint64_t tick, uint64_t mono_ns, uint64_t real_ns)
{
	struct native_sync s = { tick, mono_ns, real_ns };

	if (!tick && !mono_ns)
		return;
	if (!f->sync_n || tick < f->sync[0].tick)
		f->sync[0] = s;
	if (!f->sync_n || tick > f->sync[1].tick)
		f->sync[1] = s;
	f->sync_n = 1;
}

/* Is IDS as long as the layout says? Behind numbers stand three planes of a list of 1 to 256 tokens. */
static int ids_fit(const struct tau_chunk_header *h)
{
	uint64_t n = h->records, ids = h->raw[TAU_IDS];

	if (h->layout == TAU_LAYOUT_PLANES)
		return ids == 2 * n;
	return ids >= n + 3 && ids <= n + 3 * 256 && (ids - n) % 3 == 0;
}

/* Is this a whole, plausible header of an event or index chunk? NULL, or what is wrong with it. */
static const char *chunk_header_check(const struct tau_chunk_header *h, uint32_t seq, uint8_t kind)
{
	if (h->magic != TAU_CHUNK_MAGIC)
		return "there is no chunk here";
	if (h->header_crc != checksum(h, offsetof(struct tau_chunk_header, header_crc)))
		return "the checksum of the chunk header does not match";
	if (h->kind != kind)
		return "the chunk is of another kind than expected";
	if (h->seq != seq)
		return "the chunk has another number than expected";
	if (h->codec != TAU_CODEC_RAW && h->codec != TAU_CODEC_DEFLATE)
		return "the chunk's codec is unknown";
	if (h->last_tick < h->first_tick || h->last_tick >> 63)
		return "the chunk's times are impossible";
	if (h->metrics > TAU_METRICS)
		return "the chunk has more metrics than there can be";
	for (int c = 0; c < TAU_COLUMNS; c++)
		if (h->raw[c] > COLUMN_LIMIT || h->stored[c] > COLUMN_LIMIT ||
		    h->raw[c] / DEFLATE_MOST > h->stored[c] ||
		    (h->codec == TAU_CODEC_RAW && h->stored[c] != h->raw[c]))
			return "a column's length is impossible";
	if (h->layout > TAU_LAYOUT_NUMBERS)
		return "the chunk's layout is unknown";
	if (kind == TAU_CHUNK_EVENTS &&
	    (h->raw[TAU_TIMES] != 2 * (uint64_t)h->records || !ids_fit(h)))
		return "the number of records does not fit the columns";
	return NULL;
}

static uint64_t chunk_stored(const struct tau_chunk_header *h)
{
	uint64_t n = sizeof(*h);

	for (int c = 0; c < TAU_COLUMNS; c++)
		n += h->stored[c];
	return n;
}

int native_chunks_walk(struct native_file *f)
{
	uint64_t offset = f->head.header_size;

	for (;;) {
		struct tau_chunk_header h;
		struct native_chunk *c;
		const char *wrong;

		if (offset == f->size)
			return 0;
		if (f->size - offset < sizeof(h) || native_read_at(f->fd, &h, sizeof(h), offset))
			return native_damage(f,
					   "%s: offset %llu: the file ends inside a chunk header",
					   f->path, (unsigned long long)offset);
		f->bytes_read += sizeof(h);
		if (h.magic == TAU_CHUNK_MAGIC && h.kind == TAU_CHUNK_INDEX &&
		    !chunk_header_check(&h, h.seq, TAU_CHUNK_INDEX)) {
			if (chunk_stored(&h) > f->size - offset)
				return native_damage(f,
						   "%s: offset %llu: the index is cut short by the "
						   "end of the file; "
						   "no record is lost",
						   f->path, (unsigned long long)offset);
			f->index_offset = offset;
			offset += chunk_stored(&h);
			continue;
		}
		wrong = chunk_header_check(&h, (uint32_t)f->chunk_n, TAU_CHUNK_EVENTS);
		if (wrong)
			return native_damage(f, "%s: offset %llu: %s", f->path,
					   (unsigned long long)offset, wrong);
		if (chunk_stored(&h) > f->size - offset)
			return native_damage(
				f, "%s: offset %llu: chunk %u is cut short by the end of the file",
				f->path, (unsigned long long)offset, h.seq);
		if (f->chunk_n == CHUNK_LIMIT)
			return native_damage(f, "%s: more than %u chunks", f->path, CHUNK_LIMIT);
		c = array_add(f, chunk);
		c->offset = offset;
		c->first_tick = h.first_tick;
		c->last_tick = h.last_tick;
		c->records = h.records;
		c->defs_stored = h.stored[TAU_DEFS];
		c->stored = chunk_stored(&h);
		c->counted = NATIVE_HEADER_READ;
		f->records += h.records;
		f->lost = h.lost;
		native_sync_add(f, h.sync_tick, h.sync_mono_ns, h.sync_real_ns);
		offset += c->stored;
	}
}

/* Header and clock triple of chunk k, for the two ends of an indexed file. */
static int chunk_peek(struct native_file *f, size_t k)
{
	struct native_chunk *c = native_file_chunk(f, k);
	struct tau_chunk_header h;

	if (native_read_at(f->fd, &h, sizeof(h), c->offset))
		return -1;
	if (!c->counted)
		f->bytes_read += sizeof(h);
	c->counted |= NATIVE_HEADER_READ;
	if (chunk_header_check(&h, (uint32_t)k, TAU_CHUNK_EVENTS))
		return -1;
	native_sync_add(f, h.sync_tick, h.sync_mono_ns, h.sync_real_ns);
	return 0;
}

/* Takes the entries of an index chunk for granted only if they fit each other and the file. */
static int index_take(struct native_file *f, const struct tau_trailer *t,
		      const struct tau_index_entry *entry)
{
	uint64_t records = 0, offset = f->head.header_size;

	for (uint32_t k = 0; k < t->chunks; k++) {
		const struct tau_index_entry *i = &entry[k];

		if (i->offset < offset || i->offset > t->index_offset ||
		    t->index_offset - i->offset < sizeof(struct tau_chunk_header) ||
		    i->last_tick < i->first_tick || i->last_tick >> 63)
			return -1;
		offset = i->offset + sizeof(struct tau_chunk_header);
		records += i->records;
	}
	if (records != t->records)
		return -1;
	for (uint32_t k = 0; k < t->chunks; k++) {
		struct native_chunk *c = array_add(f, chunk);

		c->offset = entry[k].offset;
		c->first_tick = entry[k].first_tick;
		c->last_tick = entry[k].last_tick;
		c->records = entry[k].records;
		c->defs_stored = entry[k].defs_stored;
		c->stored = (k + 1 < t->chunks ? entry[k + 1].offset : t->index_offset) - c->offset;
	}
	return 0;
}

/* The list has been read, or can be page by page. */
static int index_use(struct native_file *f, const struct tau_trailer *t)
{
	f->lost = t->lost;
	f->records = t->records;
	f->index_offset = t->index_offset;
	if (f->chunk_n && (chunk_peek(f, 0) || chunk_peek(f, f->chunk_n - 1))) {
		native_list_close(f);
		f->chunk_n = f->records = 0;
		return -1;
	}
	return 0;
}

/* 1: the chunk list comes from the index; 0: there is none; -1: it is damaged. */
static int chunks_index(struct native_file *f)
{
	struct tau_trailer t;
	struct tau_chunk_header h;
	struct tau_index_entry *entry;
	uint64_t bytes;
	int good;

	if (f->size < f->head.header_size + sizeof(t) ||
	    native_read_at(f->fd, &t, sizeof(t), f->size - sizeof(t)))
		return 0;
	if (memcmp(t.magic, TAU_TRAILER_MAGIC, 8))
		return 0;
	f->closed = 1;
	if (t.crc != checksum(&t, offsetof(struct tau_trailer, crc)) ||
	    t.index_offset < f->head.header_size || t.index_offset > f->size - sizeof(t) ||
	    f->size - sizeof(t) - t.index_offset < sizeof(h) ||
	    native_read_at(f->fd, &h, sizeof(h), t.index_offset) ||
	    chunk_header_check(&h, h.seq, TAU_CHUNK_INDEX) || h.codec != TAU_CODEC_RAW)
		return -1;
	bytes = h.stored[TAU_DEFS];
	if (chunk_stored(&h) != f->size - t.index_offset || h.records != t.chunks ||
	    bytes != (uint64_t)t.chunks * sizeof(*entry) + sizeof(t) ||
	    chunk_stored(&h) != bytes + sizeof(h))
		return -1;
	if (native_list_open(f, &t, h.payload_crc))
		return index_use(f, &t) ? -1 : 1;
	entry = mem_alloc(bytes);
	good = !native_read_at(f->fd, entry, bytes, t.index_offset + sizeof(h)) &&
	       checksum(entry, bytes) == h.payload_crc && !index_take(f, &t, entry) &&
	       !index_use(f, &t);
	f->bytes_read += sizeof(h) + bytes;
	free(entry);
	return good ? 1 : -1;
}

/* ---- opening ---- */

static int header_check(const struct native_file *f, struct error *e)
{
	const struct tau_file_header *h = &f->head;

	if (memcmp(h->magic, TAU_TRACE_MAGIC, 8))
		return error_set(e, ERROR_INPUT, "%s: this is no trace file", f->path);
	if (h->major != TAU_VERSION_MAJOR)
		return error_set(e, ERROR_INPUT,
				 "%s: trace version %u.%u; this program reads version %u", f->path,
				 h->major, h->minor, TAU_VERSION_MAJOR);
	if (h->crc != checksum(h, offsetof(struct tau_file_header, crc)))
		return error_set(e, ERROR_INPUT,
				 "%s: the checksum of the file header does not match", f->path);
	if (h->header_size < sizeof(*h) || h->header_size > 65536 || h->shift > 32)
		return error_set(e, ERROR_INPUT, "%s: the file header is impossible", f->path);
	return 0;
}

static int file_read(struct native_file *f, struct error *e)
{
	const char *wrong;
	struct stat st;
	int has_index;

	f->fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (f->fd < 0)
		return error_set(e, ERROR_SYSTEM, "%s: %s", f->path, strerror(errno));
	if (native_read_at(f->fd, &f->head, sizeof(f->head), 0)) {
		if (errno)
			return error_set(e, ERROR_SYSTEM, "%s: %s", f->path, strerror(errno));
		if (!fstat(f->fd, &st) && !st.st_size)
			return error_set(e, ERROR_INPUT,
					 "%s: the file is empty, as where a process is killed "
					 "before it records anything",
					 f->path);
		return error_set(e, ERROR_INPUT, "%s: the file header is cut short", f->path);
	}
	if (header_check(f, e))
		return e->code;
	wrong = native_live_open(f);
	if (fstat(f->fd, &st))
		return error_set(e, ERROR_SYSTEM, "%s: %s", f->path, strerror(errno));
	f->size = (uint64_t)st.st_size;
	f->mtime = (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec;
	if (f->size < f->head.header_size)
		return error_set(e, ERROR_INPUT, "%s: the file header is cut short", f->path);
	f->bytes_total = f->size;
	f->bytes_read = f->head.header_size;
	has_index = chunks_index(f);
	f->indexed = has_index > 0;
	if (!f->indexed) {
		native_chunks_walk(f);
		if (has_index < 0 && !f->damage)
			native_damage(f, "%s: the index at its end is damaged; no record is lost",
				    f->path);
	}
	native_live_take(f, wrong);
	f->ordered = 1;
	for (size_t k = 1; k < f->chunk_n && f->ordered && !f->pages; k++)
		f->ordered = f->chunk[k].first_tick >= f->chunk[k - 1].last_tick;
	return 0;
}

int native_file_open(const char *path, struct native_file **out, struct error *e)
{
	struct native_file *f = mem_alloc(sizeof(*f));
	size_t n = strlen(path);

	f->fd = -1;
	f->path = n > 5 && !strcmp(path + n - 5, TAU_LIVE_SUFFIX) ?
		  mem_printf("%.*s%s", (int)(n - 5), path, TAU_TRACE_SUFFIX) : mem_string(path);
	if (file_read(f, e)) {
		native_file_close(f);
		return e->code;
	}
	*out = f;
	return 0;
}

int native_file_wake(struct native_file *f)
{
	if (f->fd < 0)
		f->fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return f->fd < 0 ? -1 : 0;
}

void native_file_rest(struct native_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

void native_file_close(struct native_file *f)
{
	if (!f)
		return;
	native_file_rest(f);
	native_list_close(f);
	native_columns_release(&f->live_columns);
	free(f->path);
	free(f->live_path);
	free(f->chunk);
	free(f->damage);
	free(f);
}

/* ---- loading ---- */

void native_column_reserve(struct native_columns *c, int i, size_t n)
{
	if (c->cap[i] < n + NATIVE_PAD) {
		c->cap[i] = n + NATIVE_PAD;
		free(c->data[i]);
		c->data[i] = mem_resize(NULL, c->cap[i], 1);
	}
	c->length[i] = n;
	memset(c->data[i] + n, 0, NATIVE_PAD);
}

static int column_inflate(struct native_columns *c, int i, const unsigned char *from, size_t stored)
{
	if (stored == c->length[i]) {
		memcpy(c->data[i], from, stored);
		return 0;
	}
	if (!c->inflater)
		c->inflater = inflater_new();
	return inflater_run(c->inflater, from, stored, c->data[i], c->length[i]);
}

static int load_sealed(struct native_file *f, size_t k, unsigned mask, struct native_columns *c,
		       struct error *e)
{
	static const char *const column_name[TAU_COLUMNS] = {"definitions", "times", "ids",
							     "arguments"};
	struct native_chunk *chunk = native_file_chunk(f, k);
	unsigned long long at = chunk->offset;
	const unsigned char *from;
	const char *wrong;
	size_t payload;

	if (c->packed_cap < chunk->stored) {
		free(c->packed);
		c->packed_cap = chunk->stored;
		c->packed = mem_resize(NULL, c->packed_cap, 1);
	}
	if (chunk->stored < sizeof(c->head) ||
	    native_read_at(f->fd, c->packed, chunk->stored, chunk->offset))
		return error_set(e, ERROR_INPUT, "%s: offset %llu: chunk %zu cannot be read: %s",
				 f->path, at, k,
				 errno ? strerror(errno) : "the file has become shorter");
	memcpy(&c->head, c->packed, sizeof(c->head));
	wrong = chunk_header_check(&c->head, (uint32_t)k, TAU_CHUNK_EVENTS);
	/* Where a process went on after its end, an index chunk stands between two chunks. */
	if (!wrong &&
	    (chunk_stored(&c->head) > chunk->stored || c->head.first_tick != chunk->first_tick ||
	     c->head.last_tick != chunk->last_tick || c->head.records != chunk->records))
		wrong = "the chunk header disagrees with the index";
	if (wrong)
		return error_set(e, ERROR_INPUT, "%s: offset %llu: %s", f->path, at, wrong);
	payload = chunk_stored(&c->head) - sizeof(c->head);
	if (!(chunk->counted & NATIVE_HEADER_READ))
		f->bytes_read += sizeof(c->head);
	if (!(chunk->counted & NATIVE_PAYLOAD_READ))
		f->bytes_read += payload;
	chunk->counted = NATIVE_HEADER_READ | NATIVE_PAYLOAD_READ;
	if (checksum(c->packed + sizeof(c->head), payload) != c->head.payload_crc)
		return error_set(e, ERROR_INPUT,
				 "%s: offset %llu: the checksum of chunk %zu does not match",
				 f->path, at, k);
	from = c->packed + sizeof(c->head);
	if (mask & (1 << TAU_TIMES | 1 << TAU_IDS))	/* the one explains the other */
		mask |= 1 << TAU_TIMES | 1 << TAU_IDS;
	for (int i = 0; i < TAU_COLUMNS; from += c->head.stored[i++]) {
		if (!(mask >> i & 1))
			continue;
		native_column_reserve(c, i, c->head.raw[i]);
		if (column_inflate(c, i, from, c->head.stored[i]))
			return error_set(e, ERROR_INPUT,
					 "%s: offset %llu: chunk %zu: the %s cannot be inflated",
					 f->path, at, k, column_name[i]);
	}
	c->listed = 0;
	if (mask >> TAU_IDS & 1 && c->head.layout == TAU_LAYOUT_NUMBERS && native_numbers_take(c))
		return error_set(e, ERROR_INPUT,
				 "%s: offset %llu: chunk %zu: the list of its ids is damaged",
				 f->path, at, k);
	return 0;
}

int native_file_load(struct native_file *f, size_t k, unsigned mask, struct native_columns *c,
		     struct error *e)
{
	if (native_file_chunk(f, k)->live) {
		c->head = f->live_columns.head;
		c->listed = 0;
		for (int i = 0; i < TAU_COLUMNS; i++) {
			native_column_reserve(c, i, f->live_columns.length[i]);
			memcpy(c->data[i], f->live_columns.data[i], f->live_columns.length[i]);
		}
		return 0;
	}
	if (native_file_wake(f))
		return error_set(e, ERROR_SYSTEM, "%s: %s", f->path, strerror(errno));
	return load_sealed(f, k, mask, c, e);
}

void native_columns_release(struct native_columns *c)
{
	for (int i = 0; i < TAU_COLUMNS; i++)
		free(c->data[i]);
	free(c->packed);
	free(c->times);
	inflater_free(c->inflater);
	memset(c, 0, sizeof(*c));
}
