/* native_levels.c: finds what is kept of the memory of a process: STREAM.levels beside its first stream with memory. */
#include <string.h>

#include "analyze/base/map.h"
#include "analyze/stream/counters.h"
#include "analyze/summary/summary.h"
#include "convert/native/index/native_index.h"
#include "convert/native/file/native_index_head.h"
#include "convert/native/native_run.h"

/* FNV-1a. */
/* Hash of the meaning of row numbers, and of the rows that each memtype adds to. */
static uint64_t hash_rows(struct trace *t)
{
	uint64_t h = 0xcbf29ce484222325;
	struct counters c;

	counters_init_levels(&c, t);
	for (size_t i = 0; i < c.level.names.name_n; i++)
		h = hash_bytes(h, c.level.names.name[i], c.level.names.length[i] + 1);
	for (size_t i = 0; i < t->memtype_n; i++) {
		h = hash_bytes(h, c.type[i].level, sizeof(c.type[i].level));
		h = hash_bytes(h, &t->memtype[i].leak, sizeof(t->memtype[i].leak));
	}
	counters_release(&c);
	return h;
}

/* Are two of a stream's memtypes one of the trace? What was kept of such streams once had the memory of one of them only. */
static int doubled(const struct trace *t, const struct native_ids *m)
{
	unsigned char *seen = mem_alloc(t->memtype_n + 1);
	int found = 0;

	for (size_t i = 0; i < m->v_n && !found; i++)
		if (m->v[i] != TRACE_NONE)
			found = seen[m->v[i]]++;
	free(seen);
	return found;
}

int native_levels_expect(struct trace *t, uint32_t process, struct index_header *out,
			 uint32_t *stream)
{
	const struct trace_process *p = &t->process[process];
	uint64_t all = 0xcbf29ce484222325;
	size_t n = 0;

	for (size_t i = 0; i < p->stream_n; i++) {
		const struct native_stream *s = t->stream[p->stream[i]].reader;
		struct index_header h;

		if (!t->stream[p->stream[i]].has_memory)
			continue;
		if (!s->file->ordered || !s->file->chunk_n ||
		    native_index_expect(t, p->stream[i], &h))
			return -1;
		if (!n++) {
			*out = h;
			*stream = p->stream[i];
		}
		/* The numbers of memtypes in each file, and all files as they are now. */
		all = native_index_hash(all, &h);
		if (doubled(t, &s->memtype))
			all = hash_bytes(all, "summed", 6);
	}
	if (!n)
		return -1;
	memcpy(out->magic, LEVELS_MAGIC, sizeof(out->magic));
	out->clock = all;
	out->names = hash_rows(t);
	return 0;
}

static struct native_index *levels_open(struct trace *t, uint32_t process)
{
	struct index_header want;
	const struct native_stream *s;
	uint32_t stream;

	if (native_levels_expect(t, process, &want, &stream))
		return NULL;
	s = t->stream[stream].reader;
	return native_index_open_as(t, stream, native_levels_path(s->file), &want);
}

int native_levels_has(struct trace *t, uint32_t process)
{
	struct native_index *x = levels_open(t, process);

	native_index_close(x);
	return x != NULL;
}

int native_levels_inside(struct trace *t, uint32_t process, struct summary *inside, size_t n)
{
	struct native_index *x = levels_open(t, process);

	if (!x)
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (native_index_inside(x, inside[i].begin, inside[i].end, &inside[i]))
			continue;
		summary_clear(&inside[i]);
		inside[i].end = inside[i].begin;
	}
	native_index_close(x);
	return 1;
}
