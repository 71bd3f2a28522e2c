/*
 * native_index.c: finds and checks the index of a stream, and looks up spans in it.
 */
#include "analyze/base/map.h"
#include "analyze/trace/trace.h"
#include "convert/native/file/native_chunks.h"
#include "convert/native/file/native_columns.h"
#include "convert/native/index/native_index.h"
#include "convert/native/file/native_pages.h"
#include "convert/native/native_run.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define SUM_LIMIT                                                                                  \
	(UINT64_C(1) << 62) /* of the magnitudes of what is handed out, so that no sum overflows   \
			     */

struct native_index {
	struct trace *trace;
	uint32_t stream;
	char *path;
	int fd;
	uint64_t size;
	struct index_header head;
	struct summary_names names;
	struct summary summary;
	int named; /* names are there */
	int damaged;
	uint64_t at;     /* entry of level 0 that was used last */
	uint64_t sum[3]; /* of magnitudes: times, metrics, calls */
	unsigned char *bytes;
	size_t bytes_cap;
};

/* ---- what it has to be made from ---- */

/* FNV-1a. */
static uint64_t hash_number(uint64_t h, uint64_t v)
{
	return hash_bytes(h, &v, sizeof(v));
}

static uint64_t hash_text(uint64_t h, const char *s)
{
	return hash_bytes(h, s ? s : "", strlen(s ? s : "") + 1);
}

static uint64_t hash_memtype(uint64_t h, const struct trace *t, uint32_t type)
{
	const struct trace_memtype *m = &t->memtype[type];

	h = hash_text(hash_text(hash_text(h, m->name), m->site), m->file);
	return hash_number(hash_number(h, m->line), (uint64_t)m->leak);
}

static uint64_t hash_clock(const struct native_clock *c)
{
	uint64_t h = hash_number(0xcbf29ce484222325, c->kind);

	h = hash_number(hash_number(h, c->file_shift), c->base);
	h = hash_number(hash_number(h, c->mult), c->shift);
	h = hash_number(hash_number(h, (uint64_t)c->offset_ns), c->hz);
	for (int i = 0; i < 2; i++) {
		h = hash_number(hash_number(h, c->sync[i].tick), c->sync[i].mono_ns);
		h = hash_number(h, c->sync[i].real_ns);
	}
	h = hash_number(hash_number(h, (uint64_t)c->sync_n), (uint64_t)c->compared);
	return hash_text(h, c->host);
}

/* Hash of the meaning of large ids, independent of their order in the map. */
static uint64_t hash_far(const struct trace *t, const struct native_stream *s)
{
	const struct native_ids *const ids[] = {&s->region, &s->event, &s->memtype};
	uint64_t sum = 0;

	for (size_t k = 0; k < sizeof(ids) / sizeof(*ids); k++)
		for (size_t i = 0; i < ids[k]->far.slots; i++) {
			const struct map_slot *x = &ids[k]->far.slot[i];
			uint64_t h = hash_number(hash_number(0xcbf29ce484222325, k), x->key);

			if (x->value == TRACE_NONE)
				continue;
			if (ids[k] == &s->region)
				h = hash_text(h, t->region[x->value].name);
			else if (ids[k] == &s->event)
				h = hash_number(hash_text(h, t->event[x->value].name),
						t->event[x->value].flags);
			else
				h = hash_memtype(h, t, x->value);
			sum += h;
		}
	return sum;
}

/*
 * Hash of the meaning of the ids of a file: names can come from outside the trace, and may be
 * unavailable later.
 */
static uint64_t hash_names(const struct trace *t, const struct native_stream *s)
{
	uint64_t h = 0xcbf29ce484222325;

	for (size_t i = 0; i < s->region.v_n; i++)
		h = hash_text(h,
			      s->region.v[i] == TRACE_NONE ? "" : t->region[s->region.v[i]].name);
	h = hash_number(h, s->region.v_n);
	for (size_t i = 0; i < s->event.v_n; i++) {
		const struct trace_event *e =
			s->event.v[i] == TRACE_NONE ? NULL : &t->event[s->event.v[i]];

		h = hash_number(hash_text(h, e ? e->name : ""), e ? e->flags : 0);
	}
	h = hash_number(h, s->event.v_n);
	for (size_t i = 0; i < s->memtype.v_n; i++)
		for (uint32_t m = s->memtype.v[i], n = 0; m != TRACE_NONE && n < 64;
		     m = t->memtype[m].owner, n++)
			h = hash_memtype(hash_number(h, i), t, m);
	for (size_t i = 0; i < t->metric_n; i++)
		h = hash_text(h, t->metric[i].name);
	for (size_t i = 0; i < s->metric.v_n; i++)
		h = hash_number(h, s->metric.v[i]);
	return h + hash_far(t, s);
}

int native_index_expect(struct trace *t, uint32_t stream, struct index_header *out)
{
	const struct native_run *run = t->reader;
	const struct native_stream *s = t->stream[stream].reader;
	const struct native_file *f = s->file;

	/* What is being written has no end yet. */
	if (f->damage || t->stream[stream].damaged ||
	    t->process[t->stream[stream].process].running)
		return -1;
	*out = (struct index_header){.magic = INDEX_MAGIC,
				     .major = INDEX_MAJOR,
				     .minor = INDEX_MINOR,
				     .header_size = sizeof(*out),
				     .trace_size = f->size,
				     .trace_mtime = f->mtime,
				     .process_id = f->head.process_id,
				     .thread = f->head.thread,
				     .trace_crc = f->head.crc,
				     .clock = hash_clock(&run->clock[s->clock]),
				     .names = hash_names(t, s),
				     .metrics = (uint32_t)t->metric_n};
	return 0;
}

uint64_t native_index_hash(uint64_t hash, const struct index_header *h)
{
	hash = hash_bytes(hash, &h->trace_size, sizeof(h->trace_size));
	hash = hash_bytes(hash, &h->trace_mtime, sizeof(h->trace_mtime));
	hash = hash_bytes(hash, &h->thread, sizeof(h->thread));
	hash = hash_bytes(hash, &h->trace_crc, sizeof(h->trace_crc));
	hash = hash_bytes(hash, &h->clock, sizeof(h->clock));
	return hash_bytes(hash, &h->names, sizeof(h->names));
}

/* ---- opening ---- */

static int read_at(struct native_index *x, void *to, size_t n, uint64_t offset)
{
	if (native_read_at(x->fd, to, n, offset))
		return -1;
	trace_count_index(x->trace, n);
	return 0;
}

/*
 * Removes the damaged file, so that later readings of the run neither meet it nor report it again. 1: it is
 * removed; a newer index is kept.
 */
static int file_drop(const struct native_index *x)
{
	struct stat mine, now;

	if (fstat(x->fd, &mine) || !S_ISREG(mine.st_mode))
		return 0;
	if (lstat(x->path, &now) || now.st_ino != mine.st_ino || now.st_dev != mine.st_dev)
		return 1;
	return !unlink(x->path);
}

/* Notes damage, once. Always 0: nothing is available here. */
static int damaged(struct native_index *x, const char *what)
{
	if (!x->damaged)
		trace_late_note(x->trace, &x->trace->stream[x->stream],
				(struct note){.kind = NOTE_INDEX},
				"%s: %s; the trace is read instead. %s", x->path, what,
				file_drop(x) ? "The file was removed" : "This file may be deleted");
	x->damaged = 1;
	return 0;
}

static int is_same(const struct native_file *f, const struct index_header *a,
		   const struct index_header *b)
{
	return native_index_is_of(a, f) && a->clock == b->clock && a->names == b->names &&
	       a->metrics == b->metrics;
}

/* Does the header fit the file and the chunks of the trace? */
static int fits(const struct native_index *x)
{
	const struct index_header *h = &x->head;
	const struct native_stream *s = x->trace->stream[x->stream].reader;
	uint64_t all = 0;

	if (h->levels > INDEX_LEVELS || !h->entries || h->entries > UINT32_MAX ||
	    (h->magic[3] == INDEX_MAGIC[3] && h->entries > s->file->chunk_n))
		return 0;
	for (uint32_t l = 0; l < h->levels; l++)
		all += index_entries(h->entries, l);
	return h->frames <= x->size && h->frames_size <= x->size - h->frames &&
	       h->dictionary <= x->size && h->dictionary_size <= x->size - h->dictionary &&
	       h->tables <= x->size && all <= (x->size - h->tables) / sizeof(struct index_entry);
}

/*
 * 1: it can be used; 0: there is none, or it belongs to another state of the trace; -1: it is
 * damaged, *what describes how.
 */
static int header_read(struct native_index *x, const struct index_header *want, const char **what)
{
	const struct native_stream *s = x->trace->stream[x->stream].reader;
	const struct native_file *f = s->file;
	struct stat st;

	x->fd = x->path ? open(x->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	if (x->fd < 0 || !want)
		return 0;
	*what = "the index cannot be read";
	if (fstat(x->fd, &st) || !S_ISREG(st.st_mode) || read_at(x, &x->head, sizeof(x->head), 0))
		return -1;
	x->size = (uint64_t)st.st_size;
	*what = "this is no index";
	if (memcmp(x->head.magic, want->magic, sizeof(x->head.magic)))
		return -1;
	if (x->head.major != INDEX_MAJOR)
		return 0;
	*what = "the checksum of the index's header does not match";
	if (x->head.crc != native_crc(&x->head, offsetof(struct index_header, crc)))
		return -1;
	if (!is_same(f, &x->head, want))
		return 0;
	*what = "the index's header is impossible";
	return fits(x) ? 1 : -1;
}

struct native_index *native_index_open(struct trace *t, uint32_t stream)
{
	const struct native_stream *s = t->stream[stream].reader;
	struct index_header want;
	int known = !native_index_expect(t, stream, &want);

	return native_index_open_as(t, stream, native_index_path(s->file), known ? &want : NULL);
}

/* Takes the path. */
struct native_index *native_index_open_as(struct trace *t, uint32_t stream, char *path,
					  const struct index_header *want)
{
	struct native_index *x = mem_alloc(sizeof(*x));
	const char *what;
	int code;

	x->trace = t;
	x->stream = stream;
	x->fd = -1;
	x->path = path;
	summary_names_init(&x->names);
	summary_init(&x->summary, t->metric_n);
	code = header_read(x, want, &what);
	if (code > 0)
		return x;
	if (code < 0)
		damaged(x, what);
	native_index_close(x);
	return NULL;
}

void native_index_close(struct native_index *x)
{
	if (!x)
		return;
	if (x->fd >= 0)
		close(x->fd);
	summary_names_release(&x->names);
	summary_release(&x->summary);
	free(x->bytes);
	free(x->path);
	free(x);
}

int native_index_has(struct trace *t, uint32_t stream)
{
	struct native_index *x = native_index_open(t, stream);

	native_index_close(x);
	return x != NULL;
}

/* ---- looking up ---- */

static int entry_get(struct native_index *x, uint32_t level, uint64_t i, struct index_entry *out)
{
	uint64_t at = x->head.tables;

	for (uint32_t l = 0; l < level; l++)
		at += index_entries(x->head.entries, l) * sizeof(*out);
	if (read_at(x, out, sizeof(*out), at + i * sizeof(*out)) ||
	    out->crc != native_crc(out, offsetof(struct index_entry, crc)) ||
	    out->offset > x->size || out->length > x->size - out->offset) {
		damaged(x, "an entry of the index is damaged");
		return -1;
	}
	return 0;
}

/* The entry of level 0 that begins with a chunk. 1: found. */
static int leaf_find(struct native_index *x, size_t chunk, struct index_entry *out)
{
	uint64_t low = 0, high = x->head.entries;

	if (x->at < high && !entry_get(x, 0, x->at, out) && out->chunk == chunk)
		return 1;
	while (low < high && !x->damaged) {
		uint64_t middle = low + (high - low) / 2;

		if (entry_get(x, 0, middle, out))
			break;
		if (out->chunk == chunk) {
			x->at = middle;
			return 1;
		}
		if (out->chunk < chunk)
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}

static const unsigned char *bytes_get(struct native_index *x, uint64_t offset, size_t n,
				      uint32_t crc)
{
	if (x->bytes_cap < n) {
		free(x->bytes);
		x->bytes_cap = n;
		x->bytes = mem_resize(NULL, n, 1);
	}
	if (read_at(x, x->bytes, n, offset) || native_crc(x->bytes, n) != crc)
		return NULL;
	return x->bytes;
}

static int names_get(struct native_index *x)
{
	const struct index_header *h = &x->head;
	const unsigned char *p;

	if (x->named)
		return 0;
	p = bytes_get(x, h->dictionary, h->dictionary_size, h->dictionary_crc);
	if (!p ||
	    native_index_get_names(bytes_of(p, h->dictionary_size), x->trace, x->stream, &x->names))
		return -1;
	x->named = 1;
	return 0;
}

int native_index_frames(struct trace *t, uint32_t stream, struct frames_kept *out)
{
	struct native_index *x = native_index_open(t, stream);
	const struct native_stream *s = t->stream[stream].reader;
	const unsigned char *p;
	int known = 0;

	if (x && x->head.frames_size) {
		p = bytes_get(x, x->head.frames, x->head.frames_size, x->head.frames_crc);
		known = p && !native_frames_get(bytes_of(p, x->head.frames_size), t, s, out);
		if (!known)
			damaged(x, "a part of the index is damaged");
	}
	native_index_close(x);
	return known;
}

static void magnitude(uint64_t *sum, int64_t v)
{
	uint64_t m = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

	*sum = m > SUM_LIMIT - *sum ? SUM_LIMIT : *sum + m;
}

/* 1: sums returned so far cannot overflow. */
static int sums_hold(struct native_index *x)
{
	const struct summary *s = &x->summary;

	for (size_t i = 0; i < s->row_n; i++) {
		magnitude(&x->sum[0], s->row[i].excl);
		magnitude(&x->sum[2], (int64_t)s->row[i].calls);
		for (size_t k = 0; k < x->trace->metric_n; k++)
			magnitude(&x->sum[1], s->metric[i * x->trace->metric_n + k]);
	}
	for (size_t i = 0; i < s->stacks.v_n; i++)
		magnitude(&x->sum[0], s->stacks.v[i].ns);
	return x->sum[0] < SUM_LIMIT && x->sum[1] < SUM_LIMIT && x->sum[2] < SUM_LIMIT;
}

/* Reads the span of an entry, which must end at a given time. */
static int summary_get(struct native_index *x, const struct index_entry *e, int64_t end)
{
	const unsigned char *p;

	if (names_get(x))
		return -1;
	p = bytes_get(x, e->offset, e->length, e->bytes_crc);
	if (!p || native_index_get_stretch(bytes_of(p, e->length), &x->names, x->trace->metric_n,
					   &x->summary))
		return -1;
	return x->summary.begin == e->begin && x->summary.end == end && sums_hold(x) ? 0 : -1;
}

/*
 * Finds the highest level with a span that begins at entry x->at and ends before `to`. *next: the
 * entry of level 0 after the span. Returns the level; -1: not even level 0 has one.
 */
static int level_find(struct native_index *x, int64_t to, struct index_entry *next)
{
	uint64_t step = 1;
	int found = -1;

	for (uint32_t l = 0; l < x->head.levels && x->at % step == 0; l++, step *= INDEX_FAN) {
		struct index_entry e;

		if (x->at / step >= index_entries(x->head.entries, l) - !l)
			break;
		if (entry_get(x, 0, x->at + step, &e) || e.begin >= to)
			break;
		*next = e;
		found = (int)l;
	}
	return found;
}

/*
 * Reads the span from an entry to the one at `next`; its first chunk must be `chunk`. 1: its
 * summary is in x; 0: it is damaged.
 */
static int summary_parse(struct native_index *x, const struct index_entry *e,
			const struct index_entry *next, size_t chunk)
{
	const struct native_stream *s = x->trace->stream[x->stream].reader;

	if (e->chunk != chunk || next->chunk <= chunk || next->chunk >= s->file->chunk_n ||
	    next->begin < e->begin)
		return damaged(x, "entries of the index do not fit together");
	if (summary_get(x, e, next->begin))
		return damaged(x, "a part of the index is damaged");
	return 1;
}

static int64_t last_record(const struct native_index *x, size_t chunk)
{
	const struct native_run *run = x->trace->reader;
	const struct native_stream *s = x->trace->stream[x->stream].reader;

	return native_time(&run->clock[s->clock], native_file_chunk(s->file, chunk)->last_tick);
}

int native_index_skip(struct native_index *x, size_t *chunk, struct trace_skip *s)
{
	struct index_entry e, next = {0};
	int level;

	if (x->damaged || !leaf_find(x, *chunk, &e) || e.begin < s->from)
		return 0;
	for (level = level_find(x, s->to, &next); level >= 0; level--) {
		uint64_t step = 1;

		for (int l = 0; l < level; l++)
			step *= INDEX_FAN;
		if (entry_get(x, (uint32_t)level, x->at / step, &e) ||
		    (s->judge && entry_get(x, 0, x->at + step, &next)))
			return 0;
		if (!summary_parse(x, &e, &next, *chunk))
			return 0;
		if (s->judge) {
			x->summary.last = last_record(x, next.chunk - 1);
			if (!s->judge->may(s->judge->to, &x->names, &x->summary))
				continue;
		}
		x->at += step;
		*chunk = next.chunk;
		s->names = &x->names;
		s->summary = &x->summary;
		return 1;
	}
	return 0;
}

/* The first entry of level 0 that begins after a time. */
static uint64_t entry_behind(struct native_index *x, int64_t time)
{
	uint64_t low = 0, high = x->head.entries;
	struct index_entry e;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (entry_get(x, 0, middle, &e))
			return x->head.entries;
		if (e.begin > time)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

int native_index_inside(struct native_index *x, int64_t from, int64_t to, struct summary *out)
{
	struct index_entry e, next = {0};
	int level, any = 0;

	x->at = entry_behind(x, from);
	while (!x->damaged && (level = level_find(x, to, &next)) >= 0) {
		uint64_t step = 1;

		for (int l = 0; l < level; l++)
			step *= INDEX_FAN;
		if (entry_get(x, (uint32_t)level, x->at / step, &e) || next.begin <= e.begin ||
		    e.begin <= from || (any && e.begin != out->end) ||
		    summary_get(x, &e, next.begin))
			return damaged(x, "a part of the index is damaged");
		if (!any)
			out->begin = e.begin;
		summary_append(out, &x->summary, 0);
		any = 1;
		x->at += step;
	}
	return any && !x->damaged;
}
