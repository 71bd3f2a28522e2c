/*
 * native_index_make.c: plays streams and writes their indexes: each span when it ends, the tables
 * after all spans.
 */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/base/base.h"
#include "analyze/replay/summary_build.h"
#include "analyze/summary/summary.h"
#include "analyze/trace/trace.h"
#include "convert/native/file/native_chunks.h"
#include "convert/native/file/native_columns.h"
#include "convert/native/index/native_index.h"
#include "convert/native/file/native_index_head.h"
#include "convert/native/file/native_pages.h"
#include "convert/native/native_run.h"

/*
 * The size of the spans of level 0: each covers at least SHARE times as many bytes of the trace as
 * the span before has in the index.
 */
#define SHARE     20 /* bytes of the trace for each byte of the index */
#define COVER_MIN 4096
#define COVER_MAX (1u << 22)
/* the index takes at most this fraction of the bytes of the trace, plus WHOLE_LEAST */
#define WHOLE_SHARE 5
#define FRAMES_SHARE_OF 20 /* frames take at most this fraction of the bytes of the trace, */
#define FRAMES_LEAST 4096 /* plus these bytes */
#define WHOLE_LEAST 65536 /* bytes; an index that is smaller is never too large */
#define TOGETHER 64 /* streams that are played side by side, each with two open files, at most */

struct index_level_table {
	struct index_entry *entry;
	size_t entry_n, entry_cap;
	struct summary sum;       /* of the entries since the last one of the next level */
	size_t count;             /* how many those are */
	struct index_entry first; /* what of it is known already */
};

struct maker {
	struct trace *trace;
	uint32_t stream;
	struct native_file *file;
	struct index_header head;
	struct summary_sink sink; /* by which summaries come */
	char *path; /* while it is being written */
	char *final; /* afterwards */
	FILE *out;
	uint64_t size; /* written so far */
	struct index_level_table level[INDEX_LEVELS];
	struct buffer bytes;
	struct buffer frames; /* what is kept of them */
	uint32_t *ids;        /* of regions in it */
	int levels;              /* of a process, not of a stream */
	int64_t end;             /* of the last span */
	size_t chunk;            /* the first of the next span */
	uint64_t covered, cover; /* bytes of the span's chunks so far, and the target */
	uint64_t usual;          /* bytes of a chunk */
	int crowded;             /* there is too much to keep */
	int large;               /* what is kept would be, against the trace */
	int failed;              /* it cannot be written */
};

static void write_bytes(struct maker *m, const void *p, size_t n)
{
	m->failed |= fwrite(p, 1, n, m->out) != n;
	m->size += n;
}

/* Writes a span and appends its entry to the level. */
static void level_write(struct maker *m, struct index_level_table *l, const struct summary *s,
			uint32_t chunk)
{
	struct index_entry *e = array_add(l, entry);

	m->bytes.v_n = 0;
	native_index_put_stretch(&m->bytes, s, m->trace->metric_n);
	m->failed |= m->bytes.v_n > UINT32_MAX;
	*e = (struct index_entry){.offset = m->size,
				  .length = (uint32_t)m->bytes.v_n,
				  .bytes_crc = native_crc(m->bytes.v, m->bytes.v_n),
				  .begin = s->begin,
				  .chunk = chunk};
	e->crc = native_crc(e, offsetof(struct index_entry, crc));
	write_bytes(m, m->bytes.v, m->bytes.v_n);
}

/*
 * Adds a span to the sum that becomes a span of the next level; a complete sum is written and
 * passed on.
 */
static void level_pass(struct maker *m, uint32_t level, const struct summary *s, uint32_t chunk)
{
	struct index_level_table *l = &m->level[level];

	if (level == INDEX_LEVELS)
		return;
	if (!l->count) {
		summary_clear(&l->sum);
		l->sum.begin = s->begin;
		memcpy(l->sum.value, s->value, m->trace->metric_n * sizeof(*s->value));
		l->first.chunk = chunk;
	}
	summary_append(&l->sum, s, m->trace->metric_n);
	m->crowded |= l->sum.samples.v_n > DIGEST_MOST || l->sum.stacks.v_n > DIGEST_MOST;
	if (++l->count < INDEX_FAN)
		return;
	level_write(m, l, &l->sum, l->first.chunk);
	level_pass(m, level + 1, &l->sum, l->first.chunk);
	l->count = 0;
}

static int wants(void *to, size_t k)
{
	struct maker *m = to;

	if (m->levels)
		return k * m->usual >= m->cover;
	if (k <= m->file->chunk_n)
		m->covered += native_file_chunk(m->file, k - 1)->stored;
	return m->covered >= m->cover;
}

/* Notes if the bytes written plus `more` are too many compared with the trace. */
static void large_look(struct maker *m, size_t more)
{
	m->large |= !m->levels && m->size + more > m->file->size / WHOLE_SHARE + WHOLE_LEAST;
}

static int receive_summary(void *to, const struct summary *s, size_t first, size_t end)
{
	struct maker *m = to;
	struct index_level_table *leaf = &m->level[0];

	level_write(m, leaf, s, (uint32_t)first);
	m->cover = (uint64_t)leaf->entry[leaf->entry_n - 1].length * SHARE;
	m->cover = m->cover < COVER_MIN ? COVER_MIN : m->cover > COVER_MAX ? COVER_MAX : m->cover;
	m->covered = 0;
	m->end = s->end;
	m->chunk = end;
	level_pass(m, 1, s, (uint32_t)first);
	large_look(m, 0);
	return m->crowded || m->large ? DIGEST_TOO_MUCH : m->failed;
}

/* What is known of the list of chunks, so that it need not be read as a whole. */
static void list_write(struct maker *m)
{
	size_t n = 0;
	unsigned char *list = native_list_make(m->file, &n);

	if (list && n <= UINT32_MAX) {
		m->head.list = m->size;
		m->head.list_size = (uint32_t)n;
		m->head.list_crc = native_crc(list, n);
		write_bytes(m, list, n);
	}
	free(list);
}

/* A frame in which a loop may be. They are not more than a twentieth of the trace, or not kept. */
static void keep(void *to, const struct loop_frame *f)
{
	struct maker *m = to;

	if (!m->ids)
		m->ids = native_index_ids(m->trace, m->trace->stream[m->stream].reader);
	if (m->frames.v_n <= m->file->size / FRAMES_SHARE_OF + FRAMES_LEAST)
		native_frames_put(&m->frames, f, m->ids);
}

static void frames_write(struct maker *m, const struct frames_kept *rest)
{
	struct index_header *h = &m->head;

	if (!m->ids || m->frames.v_n > m->file->size / FRAMES_SHARE_OF + FRAMES_LEAST)
		return;
	native_frames_put_rest(&m->frames, m->trace, rest, m->ids);
	if (m->frames.v_n > UINT32_MAX)
		return;
	h->frames = m->size;
	h->frames_size = (uint32_t)m->frames.v_n;
	h->frames_crc = native_crc(m->frames.v, m->frames.v_n);
	write_bytes(m, m->frames.v, m->frames.v_n);
}

/* Adds the entry that ends level 0 after the last span. */
static void end_write(struct maker *m)
{
	struct index_entry *last = array_add(&m->level[0], entry);

	*last = (struct index_entry){
		.offset = m->size, .begin = m->end, .chunk = (uint32_t)m->chunk};
	last->crc = native_crc(last, offsetof(struct index_entry, crc));
}

/* Writes what follows the spans, and the header. */
static int rest_write(struct maker *m)
{
	struct index_header *h = &m->head;

	h->dictionary = m->size;
	h->dictionary_size = m->bytes.v_n;
	h->dictionary_crc = native_crc(m->bytes.v, m->bytes.v_n);
	write_bytes(m, m->bytes.v, m->bytes.v_n);
	h->tables = m->size;
	h->entries = m->level[0].entry_n;
	while (h->levels < INDEX_LEVELS && m->level[h->levels].entry_n) {
		const struct index_level_table *l = &m->level[h->levels++];

		write_bytes(m, l->entry, l->entry_n * sizeof(*l->entry));
	}
	if (!m->levels)
		list_write(m);
	h->crc = native_crc(h, offsetof(struct index_header, crc));
	rewind(m->out);
	write_bytes(m, h, sizeof(*h));
	m->failed |= fflush(m->out) != 0;
	return m->failed;
}

static int finish(void *to, const struct summary_names *names, size_t chunks,
		  const struct frames_kept *rest)
{
	struct maker *m = to;

	if (!m->level[0].entry_n || (!m->levels && chunks != m->file->chunk_n))
		return 1;
	end_write(m);
	if (rest)
		frames_write(m, rest);
	m->bytes.v_n = 0;
	native_index_put_names(&m->bytes, m->trace, m->stream, names);
	large_look(m, m->bytes.v_n);
	return m->large ? DIGEST_TOO_MUCH : rest_write(m);
}

/* Writes an index that holds nothing, so that no later reader tries to make it again. */
static int finish_empty(struct maker *m)
{
	rewind(m->out);
	m->failed |= ftruncate(fileno(m->out), 0) != 0;
	m->size = m->chunk = m->bytes.v_n = 0;
	m->head.frames = m->head.frames_size = m->head.frames_crc = 0;
	m->end = 0;
	for (size_t l = 0; l < INDEX_LEVELS; l++)
		m->level[l].entry_n = 0;
	write_bytes(m, &m->head, sizeof(m->head));
	end_write(m);
	return rest_write(m);
}

/* Why there is too much. */
static void note_too_much(struct maker *m)
{
	struct trace_stream *s = &m->trace->stream[m->stream];

	if (m->large && !m->crowded)
		trace_late_note(m->trace, s, (struct note){.kind = NOTE_INDEX},
				"%s: no index is kept: its call paths and counters would make it "
				"larger than a fifth of the trace",
				m->file->path);
	else
		trace_late_note(m->trace, s, (struct note){.kind = NOTE_INDEX},
				"%s: no index is kept: it has more than %u different call paths",
				m->file->path, DIGEST_MOST);
}

/* ---- the file ---- */

static int maker_open(struct maker *m, const char *path)
{
	m->path = mem_printf("%s.XXXXXX", path);
	m->out = native_beside_new(m->file, m->path);
	if (!m->out)
		return -1;
	write_bytes(m, &m->head, sizeof(m->head));
	return 0;
}

static void maker_release(struct maker *m)
{
	for (size_t l = 0; l < INDEX_LEVELS; l++) {
		free(m->level[l].entry);
		summary_release(&m->level[l].sum);
	}
	free(m->bytes.v);
	free(m->frames.v);
	free(m->ids);
	free(m->path);
	free(m->final);
}

/* Begins the file at `path`, which it takes. -1: it cannot be written. */
static int maker_begin(struct maker *m, char *path)
{
	m->final = path;
	m->cover = COVER_MIN;
	m->usual = m->file->size / m->file->chunk_n;
	m->sink = (struct summary_sink){wants, receive_summary, keep, finish, m};
	for (size_t l = 0; l < INDEX_LEVELS; l++)
		summary_init(&m->level[l].sum, m->trace->metric_n);
	if (path && !maker_open(m, path))
		return 0;
	maker_release(m);
	return -1;
}

/* The streams have been played, or could not be. 1: the file is there. */
static int maker_end(struct maker *m, int code)
{
	int there = 0;

	if (code == DIGEST_TOO_MUCH) {
		note_too_much(m);
		code = m->levels ? code : finish_empty(m);
	}
	m->failed |= fclose(m->out) != 0 || code || m->trace->stream[m->stream].damaged;
	if (m->failed || rename(m->path, m->final))
		unlink(m->path);
	else
		there = 1;
	maker_release(m);
	return there;
}

/* Begins the index of a stream. -1: it exists already (*there is 1) or cannot be made. */
static int stream_begin(struct maker *m, struct trace *t, uint32_t stream, int *there)
{
	const struct native_stream *s = t->stream[stream].reader;

	*m = (struct maker){.trace = t, .stream = stream, .file = s->file};
	*there = native_index_has(t, stream);
	if (*there || native_index_expect(t, stream, &m->head) || !s->file->ordered ||
	    s->file->chunk_n < 2)
		return -1;
	return maker_begin(m, native_index_path(s->file));
}

/* The same of the memory of a process. */
static int memory_begin(struct maker *m, struct trace *t, uint32_t process, int *there)
{
	const struct native_stream *s;

	*m = (struct maker){.trace = t, .levels = 1};
	*there = native_levels_has(t, process);
	if (*there || native_levels_expect(t, process, &m->head, &m->stream))
		return -1;
	s = t->stream[m->stream].reader;
	m->file = s->file;
	return maker_begin(m, native_levels_path(s->file));
}

static int contains(const uint32_t *stream, size_t n, uint32_t number)
{
	while (n && stream[n - 1] != number)
		n--;
	return n > 0;
}

/*
 * Makes the indexes of n streams. with_memory: also that of the memory of their process, for which all
 * of its streams with memory are played. 1: all are there, 0: not all, or a negative code.
 */
static int make_together(struct trace *t, const struct trace_index *x, const uint32_t *stream,
			 size_t n, int with_memory, const struct trace_ops *ops, struct error *e)
{
	const struct trace_process *p = &t->process[x->process];
	struct maker *m = mem_alloc(p->stream_n * sizeof(*m)), of_memory;
	struct summary_job memory = {.sink = &of_memory.sink};
	struct summary_jobs jobs = {ops, mem_alloc(p->stream_n * sizeof(*jobs.v)), 0, NULL,
				    x->tick, x->tick_to};
	int code, all = 1, there;

	if (with_memory && !memory_begin(&of_memory, t, x->process, &there))
		jobs.memory = &memory;
	else if (with_memory)
		all &= there;
	for (size_t i = 0; i < p->stream_n; i++) {
		struct summary_job *job = &jobs.v[jobs.n];

		*job = (struct summary_job){.stream = p->stream[i]};
		if (contains(stream, n, job->stream)) {
			if (!stream_begin(&m[jobs.n], t, job->stream, &there))
				job->sink = &m[jobs.n].sink;
			else
				all &= there;
		}
		jobs.n += job->sink || (jobs.memory && t->stream[job->stream].has_memory);
	}
	code = jobs.n ? summary_build_all(t, x->process, &jobs, e) : 0;
	for (size_t i = 0; i < jobs.n; i++)
		if (jobs.v[i].sink)
			all &= maker_end(&m[i], code ? code : jobs.v[i].code);
	if (jobs.memory)
		all &= maker_end(&of_memory, code ? code : memory.code);
	free(jobs.v);
	free(m);
	return code == ERROR_SYSTEM ? code : all;
}

int native_index_make(struct trace *t, const struct trace_index *x, const struct trace_ops *ops,
		      struct error *e)
{
	size_t together = !x->memory ? 0 : x->n < TOGETHER ? x->n : TOGETHER;
	int code = x->memory ? make_together(t, x, x->stream, together, 1, ops, e) : 1, all = code;

	for (size_t i = together; i < x->n && code >= 0; i++) {
		code = make_together(t, x, &x->stream[i], 1, 0, ops, e);
		all &= code;
	}
	return code < 0 ? code : all;
}
