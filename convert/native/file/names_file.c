/* names_file.c: reads and writes the file with the names of code that are stored with a run. */
#include "convert/native/file/names_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/base/base.h"
#include "convert/io/bytes.h"
#include "convert/io/deflate.h"
#include "convert/io/inflate.h"
#include "convert/native/file/native_chunks.h"
#include "convert/native/file/run_files.h"
#include "record/format.h"

#define FILE_MOST (UINT64_C(256) << 20)	/* bytes of a file that is read */
#define RATIO_MOST 100			/* names become 5 to 20 times their size */
#define RATIO_FREE (1 << 20)

/* So that a small file cannot take all memory. */
static int is_possible(uint64_t stored, uint64_t raw)
{
	return raw >= stored && (raw - stored) / RATIO_MOST <= stored + RATIO_FREE / RATIO_MOST;
}

static const uint8_t file_kind[STORED_KINDS] = {
	[STORED_FUNCTION] = TAU_NAMES_FUNCTION,
	[STORED_CODE] = TAU_NAMES_CODE,
	[STORED_INTO] = TAU_NAMES_INTO,
	[STORED_USERS] = TAU_NAMES_USERS,
};

/* ---- writing ---- */

static void put_text(struct buffer *b, uint32_t text)
{
	put_varint(b, text == STORED_NONE ? 0 : (uint64_t)text + 1);
}

static void put_module(struct buffer *b, const struct stored_names *names,
		       const struct stored_module *m)
{
	uint64_t last = 0;

	put_string(b, m->path);
	put_varint(b, m->build_id_n);
	put(b, m->build_id, m->build_id_n);
	put_zigzag(b, m->state.mtime_ns);
	put_varint(b, m->state.size);
	put_varint(b, m->row_n);
	for (size_t i = 0; i < m->row_n; i++) {
		const struct stored_row *r = &names->row[m->first + i];

		put_varint(b, file_kind[r->kind]);
		put_zigzag(b, (int64_t)(r->address - last));
		put_text(b, r->name);
		put_text(b, r->file);
		put_varint(b, r->line);
		last = r->address;
	}
}

static struct buffer body_bytes(const struct stored_names *names)
{
	struct buffer b = {0};

	put_varint(&b, names->text.name_n);
	for (size_t i = 0; i < names->text.name_n; i++) {
		put_varint(&b, names->text.length[i]);
		put(&b, names->text.name[i], names->text.length[i]);
	}
	put_varint(&b, names->module_n);
	for (size_t i = 0; i < names->module_n; i++)
		put_module(&b, names, &names->module[i]);
	return b;
}

struct buffer names_file_bytes(const struct stored_names *names)
{
	struct tau_names_header h = {.magic = TAU_NAMES_MAGIC,
				     .major = TAU_VERSION_MAJOR,
				     .minor = TAU_VERSION_MINOR,
				     .header_size = sizeof(h),
				     .flags = names->part ? TAU_NAMES_PART : 0};
	struct buffer raw = body_bytes(names), out = {0};
	struct deflater *d = deflater_new();

	put_reserve(&out, sizeof(h) + raw.v_n);
	h.raw = raw.v_n;
	h.stored = deflater_run(d, raw.v, raw.v_n, out.v + sizeof(h));
	deflater_free(d);
	if (!h.stored || !is_possible(h.stored, h.raw)) {
		memcpy(out.v + sizeof(h), raw.v, raw.v_n);
		h.stored = h.raw;
	}
	h.body_crc = native_crc(out.v + sizeof(h), h.stored);
	h.crc = native_crc(&h, offsetof(struct tau_names_header, crc));
	memcpy(out.v, &h, sizeof(h));
	out.v_n = sizeof(h) + h.stored;
	free(raw.v);
	return out;
}

/* May a file become so large? If not, writing would end this program by a signal. */
static int size_fits(uint64_t size)
{
	struct rlimit l;

	return !getrlimit(RLIMIT_FSIZE, &l) && (l.rlim_cur == RLIM_INFINITY || size <= l.rlim_cur);
}

size_t names_file_write(const char *directory, const struct stored_names *names)
{
	struct buffer b = names_file_bytes(names);
	int at = run_directory(directory), fd = -1, written = 0;
	char *hidden = mem_printf("." TAU_NAMES_FILE ".%ld", (long)getpid());

	if (at >= 0 && size_fits(b.v_n))
		fd = run_file_new(at, hidden, run_file_mode(at));
	if (fd >= 0) {
		written = !run_file_write(fd, b.v, b.v_n, 0);
		written = !close(fd) && written && !renameat(at, hidden, at, TAU_NAMES_FILE);
		if (!written)
			unlinkat(at, hidden, 0);
	}
	if (at >= 0)
		close(at);
	free(hidden);
	free(b.v);
	return written ? b.v_n : 0;
}

/* ---- reading ---- */

static int texts_get(struct stored_names *s, struct bytes *b)
{
	uint64_t n = bytes_varint(b);

	for (uint64_t i = 0; i < n && !b->bad; i++) {
		struct bytes text = bytes_string(b);

		/* A text twice would give all that follow another number. */
		if (!b->bad &&
		    names_add(&s->text, (const char *)text.p, bytes_left(&text)) != i)
			return -1;
	}
	return b->bad ? -1 : 0;
}

/* 0: unknown, or damaged. */
static uint32_t text_get(const struct stored_names *s, struct bytes *b)
{
	uint64_t n = bytes_upto(b, s->text.name_n);

	return n ? (uint32_t)(n - 1) : STORED_NONE;
}

static enum stored_kind kind_get(struct bytes *b)
{
	uint64_t kind = bytes_upto(b, TAU_NAMES_KINDS - 1);

	for (int k = 0; k < STORED_KINDS; k++)
		if (file_kind[k] == kind)
			return (enum stored_kind)k;
	b->bad = 1;
	return STORED_FUNCTION;
}

static int rows_get(struct stored_names *s, struct bytes *b)
{
	uint64_t n = bytes_varint(b), address = 0;

	for (uint64_t i = 0; i < n && !b->bad; i++) {
		struct stored_row r = {.kind = kind_get(b)};

		r.address = address += (uint64_t)bytes_zigzag(b);
		r.name = text_get(s, b);
		r.file = text_get(s, b);
		r.line = (uint32_t)bytes_upto(b, UINT32_MAX);
		if (!b->bad)
			stored_names_row(s, r);
	}
	return b->bad ? -1 : 0;
}

static int module_get(struct stored_names *s, struct bytes *b)
{
	struct bytes path = bytes_string(b), id = bytes_string(b);
	struct stored_state state;
	char *text;

	state.mtime_ns = bytes_zigzag(b);
	state.size = bytes_varint(b);
	if (b->bad)
		return -1;
	text = bytes_text(path);
	stored_names_module(s, text, id.p, bytes_left(&id), state);
	free(text);
	return rows_get(s, b);
}

static struct stored_names *body_parse(const unsigned char *p, size_t n)
{
	struct stored_names *s = stored_names_new();
	struct bytes b = bytes_of(p, n);
	int code = texts_get(s, &b);
	uint64_t modules = code ? 0 : bytes_varint(&b);

	for (uint64_t i = 0; i < modules && !code; i++)
		code = module_get(s, &b);
	if (!code && !b.bad && !bytes_left(&b))
		return s;
	stored_names_free(s);
	return NULL;
}

static struct stored_names *body_inflate(const unsigned char *p, size_t n, size_t raw_n)
{
	unsigned char *raw = mem_resize(NULL, raw_n, 1);
	struct inflater *inflater = inflater_new();
	struct stored_names *s = NULL;

	if (!inflater_run(inflater, p, n, raw, raw_n))
		s = body_parse(raw, raw_n);
	inflater_free(inflater);
	free(raw);
	return s;
}

struct stored_names *names_file_parse(const unsigned char *p, size_t n)
{
	struct tau_names_header h;
	struct stored_names *s;

	if (n < sizeof(h))
		return NULL;
	memcpy(&h, p, sizeof(h));
	if (memcmp(h.magic, TAU_NAMES_MAGIC, sizeof(h.magic)) || h.major != TAU_VERSION_MAJOR ||
	    h.crc != native_crc(&h, offsetof(struct tau_names_header, crc)) ||
	    h.header_size < sizeof(h) || h.header_size > n || h.stored > n - h.header_size ||
	    !is_possible(h.stored, h.raw))
		return NULL;
	p += h.header_size;
	if (native_crc(p, h.stored) != h.body_crc)
		return NULL;
	if (h.raw == h.stored)
		s = body_parse(p, h.stored);
	else
		s = body_inflate(p, h.stored, h.raw);
	if (s)
		s->part = h.flags & TAU_NAMES_PART;
	return s;
}

/* The directory of a run, or of one file of it. */
static int directory_open(const char *path, int is_directory)
{
	const char *slash = strrchr(path, '/');
	char *above;
	int at;

	if (is_directory)
		return run_directory(path);
	above = slash ? mem_printf("%.*s/", (int)(slash - path), path) : mem_string(".");
	at = run_directory(above);
	free(above);
	return at;
}

/* All of a regular file; n 0: it cannot be read. */
static unsigned char *file_read(int fd, size_t *n)
{
	unsigned char *p;
	struct stat st;

	*n = 0;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0 ||
	    (uint64_t)st.st_size > FILE_MOST)
		return NULL;
	p = mem_resize(NULL, (size_t)st.st_size, 1);
	if (!native_read_at(fd, p, (size_t)st.st_size, 0))
		*n = (size_t)st.st_size;
	return p;
}

struct stored_names *names_file_read(const char *path, int is_directory, char **damage)
{
	struct stored_names *s = NULL;
	int at = directory_open(path, is_directory), fd;
	unsigned char *p;
	size_t n;

	*damage = NULL;
	if (at < 0)
		return NULL;
	fd = run_file_open(at, TAU_NAMES_FILE, O_RDONLY | O_NONBLOCK);
	close(at);
	if (fd < 0)
		return NULL;
	p = file_read(fd, &n);
	close(fd);
	s = n ? names_file_parse(p, n) : NULL;
	free(p);
	if (!s)
		*damage = mem_printf("%s: its file " TAU_NAMES_FILE " is damaged; names are "
				     "looked up in the binaries",
				     path);
	return s;
}
