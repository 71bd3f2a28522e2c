/* otf2_file.c: the anchor of an OTF2 archive, its files, their chunks. */
#include "otf2_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define ANCHOR_LIMIT (1 << 20)	/* an anchor is as long as its texts; more than that is none */
#define CHUNK_LEAST 256		/* bytes; the writers' least is 256 KiB */

/* ---- files ---- */

static int part_open(struct otf2_file *f, const struct otf2_archive *a, const char *name)
{
	for (size_t i = 0; i < a->part_n; i++) {
		if (strcmp(a->part[i].name, name))
			continue;
		f->p = a->part[i].p;
		f->size = a->part[i].n;
		return 0;
	}
	return -1;
}

static int file_open(struct otf2_file *f)
{
	struct stat st;

	f->fd = open(f->path, O_RDONLY | O_CLOEXEC);
	if (f->fd >= 0 && !fstat(f->fd, &st) && S_ISREG(st.st_mode)) {
		f->size = (uint64_t)st.st_size;
		return 0;
	}
	if (f->fd >= 0) {
		close(f->fd);
		errno = EISDIR;
	}
	return -1;
}

/* Opens what stands beside the anchor under its name and this ending. */
static int open_named(struct otf2_file *f, const struct otf2_archive *a, const char *name)
{
	size_t n = strlen(a->path), stem = n > 5 && !strcmp(a->path + n - 5, ".otf2") ? n - 5 : n;
	int code;

	*f = (struct otf2_file){.fd = -1};
	f->path = mem_printf("%.*s%s", (int)stem, a->path, name);
	code = a->part ? part_open(f, a, name) : file_open(f);
	if (code) {
		free(f->path);
		f->path = NULL;
	}
	return code;
}

int otf2_file_open(struct otf2_file *f, const struct otf2_archive *a, const uint64_t *location,
		   const char *suffix)
{
	char *name = location ? mem_printf("/%llu%s", (unsigned long long)*location, suffix)
			      : mem_string(suffix);
	int code = open_named(f, a, name);

	free(name);
	return code;
}

void otf2_file_close(struct otf2_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	free(f->path);
	*f = (struct otf2_file){.fd = -1};
}

/* Exactly n bytes, which the file has. 0, or -1 with errno. */
static int file_read(const struct otf2_file *f, unsigned char *to, size_t n, uint64_t offset)
{
	while (n) {
		ssize_t got = pread(f->fd, to, n, (off_t)offset);

		if (got <= 0) {
			errno = got ? errno : EIO;
			return -1;
		}
		to += got;
		n -= (size_t)got;
		offset += (uint64_t)got;
	}
	return 0;
}

/* ---- chunks ---- */

int otf2_chunk_next(struct otf2_chunks *c, struct otf2_bytes *out)
{
	uint64_t left = c->next < c->file->size ? c->file->size - c->next : 0;
	size_t n = (size_t)(left < c->size ? left : c->size);
	struct otf2_bytes b;

	if (!left)
		return 0;
	c->at = c->next;
	c->next += n;
	c->start = NULL;
	if (c->file->fd < 0) {
		c->start = c->file->p + c->at;
	} else {
		if (n > c->buffer_n) {
			c->buffer = mem_resize(c->buffer, n, 1);
			c->buffer_n = n;
		}
		if (file_read(c->file, c->buffer, n, c->at)) {
			c->wrong = "it cannot be read";
			return -1;
		}
		c->start = c->buffer;
	}
	c->read += n;
	b = (struct otf2_bytes){.p = c->start, .end = c->start + n};
	c->wrong = "this is no head of a chunk";
	if (n < OTF2_CHUNK_HEAD || b.p[0] != OTF2_CHUNK || (b.p[1] != '#' && b.p[1] != 'B'))
		return -1;
	b.big = b.p[1] == '#';
	b.p += 2;
	c->first = otf2_number(&b, 8);
	c->last = otf2_number(&b, 8);
	*out = b;
	return 1;
}

void otf2_chunks_release(struct otf2_chunks *c)
{
	free(c->buffer);
}

/* ---- the anchor ---- */

static int anchor_bad(const struct otf2_archive *a, const unsigned char *start,
		      const struct otf2_bytes *b, const char *what, struct error *e)
{
	return error_set(e, ERROR_INPUT, "%s: offset %zu: %s", a->path, (size_t)(b->p - start),
			 what);
}

static int anchor_parse(struct otf2_archive *a, const unsigned char *p, size_t n, struct error *e)
{
	struct otf2_bytes b = {.p = p, .end = p + n};
	unsigned substrate, compression;

	if (n < 8 || p[0] != OTF2_CHUNK || (p[1] != '#' && p[1] != 'B') || memcmp(p + 2, "OTF2", 5))
		return anchor_bad(a, p, &b, "this is no anchor of an OTF2 archive", e);
	b.big = p[1] == '#';
	b.p += 7 + 1 + 1 + 3;
	b.bad = n < 12;
	a->event_chunk = otf2_number(&b, 8);
	a->definition_chunk = otf2_number(&b, 8);
	substrate = (unsigned)otf2_number(&b, 1);
	compression = (unsigned)otf2_number(&b, 1);
	a->locations = otf2_number(&b, 8);
	a->definitions = otf2_number(&b, 8);
	otf2_string(&b);
	a->creator = mem_string(otf2_string(&b));
	if (b.bad)
		return anchor_bad(a, p, &b, "the anchor is cut short", e);
	b.p = p + 12;
	if (a->event_chunk < CHUNK_LEAST || a->definition_chunk < CHUNK_LEAST)
		return anchor_bad(a, p, &b, "the sizes of chunks cannot be", e);
	b.p += 16;
	if (substrate != 1)
		return anchor_bad(a, p, &b, "its files are not files of their own (SIONlib)", e);
	b.p++;
	if (compression > 1)
		return anchor_bad(a, p, &b, "its files are compressed", e);
	return 0;
}

int otf2_archive_open(struct otf2_archive *a, const char *path, const struct otf2_part *part,
		      size_t part_n, struct error *e)
{
	unsigned char *p;
	struct otf2_file f;
	int code;

	*a = (struct otf2_archive){.path = mem_string(path), .part = part, .part_n = part_n};
	if (part)
		code = open_named(&f, a, ".otf2");
	else {
		f = (struct otf2_file){.fd = -1, .path = mem_string(path)};
		code = file_open(&f);
		if (code)
			free(f.path);
	}
	if (code)
		return error_set(e, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	if (f.size > ANCHOR_LIMIT)
		f.size = ANCHOR_LIMIT;
	p = mem_alloc((size_t)f.size + 1);
	if (part && f.size)
		memcpy(p, f.p, (size_t)f.size);
	else if (!part && file_read(&f, p, (size_t)f.size, 0))
		code = error_set(e, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	if (!code)
		code = anchor_parse(a, p, (size_t)f.size, e);
	free(p);
	otf2_file_close(&f);
	return code;
}

void otf2_archive_release(struct otf2_archive *a)
{
	free(a->path);
	free(a->creator);
}
