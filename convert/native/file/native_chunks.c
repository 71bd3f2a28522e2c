/*
 * native_chunks.c: reads FILE.tau by its chunk headers: where each chunk is, how far the file is
 * intact.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#include "analyze/base/base.h"
#include "convert/native/file/native_chunks.h"
#include "convert/native/file/native_columns.h"

#define COLUMN_LIMIT (256u << 20)	/* bytes of one inflated column: far above any recorder's buffer */
#define DEFLATE_MOST 1032	/* bytes that one byte of deflate can produce */
#define CHUNK_LIMIT (1u << 24)		/* chunks of one file */
#define OPEN_MOST 512	/* descriptors, of 1,024 that a process often may have */

uint32_t native_crc(const void *p, size_t n)
{
	return (uint32_t)crc32_z(0, p, n);
}

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
	/* The file may be the mapping of a running process, which stores in order. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return 0;
}

void native_file_damage(struct native_file *f, size_t k, const char *why)
{
	if (k < f->chunk_n)
		f->chunk_n = k;
	if (!f->damage)
		f->damage = mem_string(why);
}

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

/*
 * Has IDS the length that the layout requires? Numbers are followed by three planes of a list of 1
 * to 256 tokens.
 */
static int ids_fit(const struct tau_chunk_header *h)
{
	uint64_t n = h->records, ids = h->raw[TAU_IDS];

	if (h->layout == TAU_LAYOUT_PLANES)
		return ids == 2 * n;
	return ids >= n + 3 && ids <= n + 3 * 256 && (ids - n) % 3 == 0;
}

const char *native_header_wrong(const struct tau_chunk_header *h, uint32_t seq, uint8_t kind)
{
	if (h->magic != TAU_CHUNK_MAGIC)
		return "there is no chunk here";
	if (h->header_crc != native_crc(h, offsetof(struct tau_chunk_header, header_crc)))
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

uint64_t native_header_stored(const struct tau_chunk_header *h)
{
	uint64_t n = sizeof(*h);

	for (int c = 0; c < TAU_COLUMNS; c++)
		n += h->stored[c];
	return n;
}

int native_chunks_walk(struct native_file *f)
{
	const struct native_chunk *last = f->chunk_n ? &f->chunk[f->chunk_n - 1] : NULL;
	uint64_t offset = last ? last->offset + last->stored : f->head.header_size;

	for (;;) {
		struct tau_chunk_header h;
		struct native_chunk *c;
		const char *wrong;

		if (offset == f->size)
			return 0;
		if (f->size - offset < sizeof(h) || native_read_at(f->fd, &h, sizeof(h), offset)) {
			f->torn = 1;
			return native_damage(f,
					   "%s: offset %llu: the file ends inside a chunk header",
					   f->path, (unsigned long long)offset);
		}
		f->bytes_read += sizeof(h);
		if (h.magic == TAU_CHUNK_MAGIC && h.kind == TAU_CHUNK_INDEX &&
		    !native_header_wrong(&h, h.seq, TAU_CHUNK_INDEX)) {
			if (native_header_stored(&h) > f->size - offset) {
				f->nothing_lost = !f->damage;
				return native_damage(f,
						   "%s: offset %llu: the index is cut short by the "
						   "end of the file; "
						   "no record is lost",
						   f->path, (unsigned long long)offset);
			}
			f->index_offset = offset;
			offset += native_header_stored(&h);
			continue;
		}
		wrong = native_header_wrong(&h, (uint32_t)f->chunk_n, TAU_CHUNK_EVENTS);
		if (wrong)
			return native_damage(f, "%s: offset %llu: %s", f->path,
					   (unsigned long long)offset, wrong);
		if (native_header_stored(&h) > f->size - offset)
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
		c->stored = native_header_stored(&h);
		c->counted = NATIVE_HEADER_READ;
		f->records += h.records;
		f->lost = h.lost;
		native_sync_add(f, h.sync_tick, h.sync_mono_ns, h.sync_real_ns);
		offset += c->stored;
	}
}

int native_file_wake(struct native_file *f)
{
	if (f->fd < 0)
		f->fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return f->fd < 0 ? -1 : 0;
}

/* Half of what the process may have open is for files that stay open. */
static int open_most(void)
{
	struct rlimit l;

	return !getrlimit(RLIMIT_NOFILE, &l) && l.rlim_cur / 2 < OPEN_MOST ? (int)(l.rlim_cur / 2)
									    : OPEN_MOST;
}

void native_file_rest(struct native_file *f)
{
	if (f->fd < open_most())
		return;
	close(f->fd);
	f->fd = -1;
}

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

void native_column_append(struct native_columns *c, int i, size_t at, const void *bytes, size_t n)
{
	if (c->cap[i] < at + n + NATIVE_PAD) {
		c->cap[i] = at + n + NATIVE_PAD;
		c->data[i] = mem_resize(c->data[i], c->cap[i], 1);
	}
	if (n)
		memcpy(c->data[i] + at, bytes, n);
	c->length[i] = at + n;
	memset(c->data[i] + at + n, 0, NATIVE_PAD);
}
