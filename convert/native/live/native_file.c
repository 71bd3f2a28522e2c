/* native_file.c: opens one stream file: its chunks by the index or by their headers, then the live chunk. */
#include "analyze/base/base.h"
#include "convert/native/file/native_chunks.h"
#include "convert/native/file/native_columns.h"
#include "convert/native/live/native_alive.h"
#include "convert/native/live/native_file.h"
#include "convert/native/live/native_live.h"
#include "convert/native/file/native_load.h"
#include "convert/native/file/native_pages.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "convert/io/regular.h"

int native_file_is(const char *path)
{
	char magic[8];
	int fd = regular_open(path, NULL), is;

	if (fd < 0)
		return 0;
	is = !native_read_at(fd, magic, sizeof(magic), 0) &&
	     (!memcmp(magic, TAU_TRACE_MAGIC, 8) || !memcmp(magic, TAU_LIVE_MAGIC, 8));
	close(fd);
	return is;
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
	if (native_header_wrong(&h, (uint32_t)k, TAU_CHUNK_EVENTS))
		return -1;
	native_sync_add(f, h.sync_tick, h.sync_mono_ns, h.sync_real_ns);
	return 0;
}

/* Takes the entries of an index chunk for granted only if they fit each other and the file. */
static int index_parse(struct native_file *f, const struct tau_trailer *t,
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
	f->left = t->closer != TAU_CLOSER_RECORDER;
	f->stopped = t->closer == TAU_CLOSER_STOPPED;
	f->stop_error = t->error;
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
	if (t.crc != native_crc(&t, offsetof(struct tau_trailer, crc)) ||
	    t.index_offset < f->head.header_size || t.index_offset > f->size - sizeof(t) ||
	    f->size - sizeof(t) - t.index_offset < sizeof(h) ||
	    native_read_at(f->fd, &h, sizeof(h), t.index_offset) ||
	    native_header_wrong(&h, h.seq, TAU_CHUNK_INDEX) || h.codec != TAU_CODEC_RAW)
		return -1;
	bytes = h.stored[TAU_DEFS];
	if (native_header_stored(&h) != f->size - t.index_offset || h.records != t.chunks ||
	    bytes != (uint64_t)t.chunks * sizeof(*entry) + sizeof(t) ||
	    native_header_stored(&h) != bytes + sizeof(h))
		return -1;
	if (native_list_open(f, &t, h.payload_crc))
		return index_use(f, &t) ? -1 : 1;
	entry = mem_alloc(bytes);
	good = !native_read_at(f->fd, entry, bytes, t.index_offset + sizeof(h)) &&
	       native_crc(entry, bytes) == h.payload_crc && !index_parse(f, &t, entry) &&
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
		return error_set(e, ERROR_INPUT, "%s: this is not a trace file", f->path);
	if (h->major != TAU_VERSION_MAJOR)
		return error_set(e, ERROR_INPUT,
				 "%s: trace version %u.%u; this program reads version %u: use the "
				 "%s programs",
				 f->path, h->major, h->minor, TAU_VERSION_MAJOR,
				 h->major > TAU_VERSION_MAJOR ? "newer" : "older");
	if (h->crc != native_crc(h, offsetof(struct tau_file_header, crc)))
		return error_set(e, ERROR_INPUT,
				 "%s: the checksum of the file header does not match", f->path);
	if (h->header_size < sizeof(*h) || h->header_size > 65536 || h->shift > 32)
		return error_set(e, ERROR_INPUT, "%s: the file header is impossible", f->path);
	return 0;
}

/* Does the file begin as a trace, as far as it goes? */
static int begins_as_trace(const struct native_file *f)
{
	char magic[sizeof(f->head.magic)];
	ssize_t n = pread(f->fd, magic, sizeof(magic), 0);

	return n > 0 && !memcmp(magic, TAU_TRACE_MAGIC, (size_t)n);
}

#define MADE_NOW 2	/* a file that had no bytes has its header by now */

/* A file of no bytes. 1: it is being made; MADE_NOW. */
static int empty(struct native_file *f, struct error *e)
{
	int made = native_alive_makes(f->fd);

	if (made < 0)
		return MADE_NOW;
	error_set(e, ERROR_INPUT,
		  made ? "%s: the file is empty, because its process has just made it"
		       : "%s: the file is empty, for example because a process was killed before "
			 "it recorded anything",
		  f->path);
	return made ? 1 : e->code;
}

static int head_read(struct native_file *f, struct error *e)
{
	struct stat st;

	f->fd = regular_open(f->path, e);
	if (f->fd < 0)
		return e->code;
	if (native_read_at(f->fd, &f->head, sizeof(f->head), 0)) {
		if (errno)
			return error_set(e, ERROR_SYSTEM, "%s: %s", f->path, strerror(errno));
		if (!fstat(f->fd, &st) && !st.st_size)
			return empty(f, e);
		return error_set(e, ERROR_INPUT,
				 begins_as_trace(f) ? "%s: the file header is cut short"
						    : "%s: this is not a trace file",
				 f->path);
	}
	return header_check(f, e);
}

static void status_copy(struct native_file *f, const struct stat *st)
{
	f->size = f->bytes_total = (uint64_t)st->st_size;
	f->mtime = (uint64_t)st->st_mtim.tv_sec * 1000000000 + (uint64_t)st->st_mtim.tv_nsec;
	f->device = (uint64_t)st->st_dev;
	f->inode = (uint64_t)st->st_ino;
}

/* The chunks from `first` on are in the order of time, too. */
static void order_find(struct native_file *f, size_t first)
{
	f->ordered = 1;
	for (size_t k = first ? first : 1; k < f->chunk_n && f->ordered && !f->pages; k++)
		f->ordered = f->chunk[k].first_tick >= f->chunk[k - 1].last_tick;
}

/* Reads the index, if there is one: *has_index, as chunks_index() returns it. */
static int ending_read(struct native_file *f, int *has_index, struct error *e)
{
	struct stat st;

	if (fstat(f->fd, &st))
		return error_set(e, ERROR_SYSTEM, "%s: %s", f->path, strerror(errno));
	status_copy(f, &st);
	if (f->size < f->head.header_size)
		return error_set(e, ERROR_INPUT, "%s: the file header is cut short", f->path);
	f->bytes_read = f->head.header_size;
	f->closed = 0;
	*has_index = chunks_index(f);
	f->indexed = *has_index > 0;
	return 0;
}

/* A file that is closed needs no live chunk, which is not searched then: a run may have hundreds of streams. */
static int file_read(struct native_file *f, struct error *e)
{
	const char *wrong = NULL;
	int has_index, code = head_read(f, e);

	if (code || ending_read(f, &has_index, e))
		return code ? code : e->code;
	if (!f->indexed) {
		wrong = native_live_open(f, NULL);
		if (ending_read(f, &has_index, e))
			return e->code;
	}
	if (!f->indexed) {
		native_chunks_walk(f);
		if (has_index < 0 && !f->damage) {
			f->nothing_lost = 1;
			native_damage(f, "%s: the index at its end is damaged; no record is lost",
				    f->path);
		}
	}
	native_live_append(f, wrong);
	order_find(f, 0);
	return 0;
}

static struct native_file *file_new(const char *path)
{
	struct native_file *f = mem_alloc(sizeof(*f));
	size_t n = strlen(path);

	f->fd = -1;
	f->path = n > 5 && !strcmp(path + n - 5, TAU_LIVE_SUFFIX) ?
		  mem_printf("%.*s%s", (int)(n - 5), path, TAU_TRACE_SUFFIX) : mem_string(path);
	return f;
}

/* Has another file taken its place since it was opened? The live chunk may follow that one. */
static int has_gone(const struct native_file *f)
{
	struct stat st;

	return !stat(f->path, &st) && (uint64_t)st.st_ino != f->inode;
}

int native_file_open(const char *path, struct native_file **out, struct error *e)
{
	for (int attempt = 0;; attempt++) {
		struct native_file *f = file_new(path);
		int code;

		code = file_read(f, e);
		if (code && code != MADE_NOW) {
			native_file_close(f);
			return code;
		}
		if (!code && (attempt == 10 || !has_gone(f))) {
			*out = f;
			return 0;
		}
		native_file_close(f);
	}
}

/* ---- opening again ---- */

/* Does a file that is longer now begin as it did? The number of its inode may be used again. */
static int begins_as(struct native_file *f, const struct native_file *was)
{
	size_t n = was->chunk_n - (was->chunk_n && was->chunk[was->chunk_n - 1].live);
	const struct native_chunk *last = n ? &was->chunk[n - 1] : NULL;
	struct tau_file_header head;
	struct tau_chunk_header h;

	if (native_file_wake(f) || native_read_at(f->fd, &head, sizeof(head), 0) ||
	    memcmp(&head, &was->head, sizeof(head)))
		return 0;
	return !last ||
	       (!native_read_at(f->fd, &h, sizeof(h), last->offset) &&
		!native_header_wrong(&h, (uint32_t)(n - 1), TAU_CHUNK_EVENTS) &&
		h.first_tick == last->first_tick && h.last_tick == last->last_tick &&
		h.records == last->records && native_header_stored(&h) == last->stored);
}

/* Is FILE.tau the file that it was? 1: it is the same; 2: it has become longer; 0: it may be another one. */
static int compare(struct native_file *f, const struct native_file *was)
{
	if (f->device != was->device || f->inode != was->inode)
		return 0;
	if (f->size == was->size)
		return f->mtime == was->mtime;
	return f->size > was->size && !was->closed && begins_as(f, was) ? 2 : 0;
}

/* Reads the chunk list of FILE.tau and its totals. */
static void chunks_keep(struct native_file *f, struct native_file *was)
{
	f->chunk = was->chunk;
	f->chunk_n = was->chunk_n;
	f->chunk_cap = was->chunk_cap;
	was->chunk = NULL;
	was->chunk_n = was->chunk_cap = 0;
	f->records = was->records;
	if (f->chunk_n && f->chunk[f->chunk_n - 1].live)
		f->records -= f->chunk[--f->chunk_n].records;
	memcpy(f->sync, was->sync, sizeof(f->sync));
	f->sync_n = was->sync_n;
	f->lost = was->lost;
	f->index_offset = was->index_offset;
	f->closed = was->closed;
	f->indexed = was->indexed;
	f->left = was->left;
}

/* 1: what was known, and what came later; 0: the file must be read anew. */
static int file_read_again(struct native_file *f, struct native_file *was)
{
	const char *wrong;
	struct stat st;
	size_t kept;
	int as;

	f->head = was->head;
	wrong = native_live_open(f, was);
	if (stat(f->path, &st) || !S_ISREG(st.st_mode))
		return 0;
	status_copy(f, &st);
	as = compare(f, was);
	if (!as || (as == 2 && chunks_index(f)))
		return 0;
	f->fd = f->fd < 0 ? was->fd : f->fd;
	was->fd = f->fd == was->fd ? -1 : was->fd;
	chunks_keep(f, was);
	if (f->closed && was->stopped) {
		f->stopped = 1;
		f->stop_error = was->stop_error;
	}
	kept = f->chunk_n;
	if (as == 2)
		native_chunks_walk(f);
	native_live_append(f, wrong);
	order_find(f, was->ordered ? kept : 0);
	return 1;
}

int native_file_open_again(const char *path, struct native_file *was, struct native_file **out,
			   struct error *e)
{
	struct native_file *f = file_new(path);
	int good = file_read_again(f, was);

	native_file_close(was);
	if (good) {
		*out = f;
		return 0;
	}
	native_file_close(f);
	return native_file_open(path, out, e);
}

void native_file_close(struct native_file *f)
{
	if (!f)
		return;
	if (f->fd >= 0)
		close(f->fd);
	native_list_close(f);
	native_columns_release(&f->live_columns);
	free(f->path);
	free(f->live_path);
	free(f->chunk);
	free(f->damage);
	free(f);
}
