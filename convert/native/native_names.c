/*
 * native_names.c: stores the names of a run's code with the run.
 *
 * Opening the run looks up all code that its definitions name. Samples are in the chunks, among
 * records of other kinds: these are not decoded for events, but only searched for samples. That ends
 * when all samples that a process counted were found, or when it takes too long. So chunks that likely
 * have many come first: those with the most bytes of arguments per record, because records of regions
 * have none, and with the most time per record, because samples follow time.
 */
#include "convert/native/native_names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyze/base/map.h"
#include "analyze/trace/trace.h"
#include "convert/code/stored_names.h"
#include "convert/code/symbols.h"
#include "convert/io/bytes.h"
#include "convert/native/define/native_code.h"
#include "convert/native/define/native_made.h"
#include "convert/native/define/native_site.h"
#include "convert/native/file/names_file.h"
#include "convert/native/file/native_chunks.h"
#include "convert/native/file/native_columns.h"
#include "convert/native/file/native_load.h"
#include "convert/native/file/native_pages.h"
#include "convert/native/native.h"
#include "convert/native/native_run.h"
#include "record/metadata.h"

/* One chunk of one stream. */
struct names_part {
	struct native_stream *stream;
	size_t chunk;
	double weight;	/* bytes of arguments per record, times ticks per record */
	size_t process;
};

struct names_search {
	struct trace *trace;
	uint64_t end_ns;	/* CPU time of this thread at which it stops */
	int late;		/* it did */
	struct names_part *part;
	size_t part_n, part_cap;
	struct native_columns columns;
	size_t named;		/* code before this has been looked up */
	double *rest;		/* samples of each process that were not found yet */
};

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static int is_late(struct names_search *s)
{
	return s->late = s->late || cpu_ns() > s->end_ns;
}

/* ---- which chunks ---- */

static double weight_of(struct native_file *f, const struct native_chunk *c)
{
	struct tau_chunk_header h;

	/* Of a short stream all is read anyway. */
	if (f->chunk_n == 1 || c->live || native_file_wake(f) ||
	    native_read_at(f->fd, &h, sizeof(h), c->offset))
		return 1e9;
	return h.records ? (double)h.raw[TAU_ARGS] / h.records *
				   (double)(c->last_tick - c->first_tick + 1) / h.records
			 : 0;
}

static int part_compare(const void *va, const void *vb)
{
	const struct names_part *a = va, *b = vb;

	return (a->weight < b->weight) - (a->weight > b->weight);
}

/*
 * How many samples a process has at most: it records their number at its end, and again each time
 * that it went on after that. A killed process has no number, and so no limit.
 */
static double samples_most(const struct trace_process *p)
{
	double n = trace_process_meta_sum(p, TAU_META_SAMPLES);

	return isnan(n) ? INFINITY : n;
}

static void parts_list(struct names_search *s)
{
	s->rest = mem_alloc((s->trace->process_n + 1) * sizeof(*s->rest));
	for (size_t i = 0; i < s->trace->process_n; i++)
		s->rest[i] = samples_most(&s->trace->process[i]);
	for (size_t i = 0; i < s->trace->stream_n && !is_late(s); i++) {
		struct native_stream *stream = s->trace->stream[i].reader;
		struct native_file *f = stream->file;

		if (s->rest[s->trace->stream[i].process] <= 0)
			continue;
		for (size_t k = 0; k < f->chunk_n; k++)
			*array_add(s, part) = (struct names_part){
				stream, k, weight_of(f, native_file_chunk(f, k)),
				s->trace->stream[i].process};
		native_file_rest(f);
	}
	if (s->part_n)
		qsort(s->part, s->part_n, sizeof(*s->part), part_compare);
}

/* ---- samples of a chunk ---- */

/* Does any record have this token? */
static int has_token(const struct native_columns *c, uint32_t token)
{
	const unsigned char *low = c->data[TAU_IDS], *at = low, *end = low + c->head.records;

	for (uint32_t i = 0; i < c->listed; i++)
		if (c->token[i] == token)
			return 1;
	if (c->listed)
		return 0;
	for (; (at = memchr(at, (int)token, (size_t)(end - at))); at++)
		if (!at[c->head.records])
			return 1;
	return 0;
}

static void sample_read(const struct names_part *p, struct trace *t, struct bytes f)
{
	uint64_t n, at = 0;

	bytes_varint(&f);	/* ns, inside, missed */
	bytes_varint(&f);
	bytes_varint(&f);
	n = bytes_varint(&f);
	for (uint64_t i = 0; i < n && !f.bad; i++) {
		at += (uint64_t)bytes_zigzag(&f);
		if (!f.bad)
			native_code(t, p->stream, at + (i == 0), p->chunk);
	}
}

static void metrics_skip(struct bytes *args, uint32_t n)
{
	while (n--)
		bytes_varint(args);
}

/* As native_walk_next(), but for samples only. Damage ends it. */
static void samples_read(struct names_search *s, const struct names_part *p)
{
	const struct native_columns *c = &s->columns;
	const unsigned char *low = c->data[TAU_TIMES], *high = low + c->head.records;
	struct bytes args = bytes_of(c->data[TAU_ARGS], c->length[TAU_ARGS]);
	uint64_t sections = bytes_varint(&args);

	for (; sections && !args.bad; sections--) {
		bytes_varint(&args);
		bytes_string(&args);
	}
	for (size_t i = 0; i < c->head.records && !args.bad; i++) {
		uint32_t token = native_token(c, i);

		if (token == TAU_REC_SAMPLE) {
			sample_read(p, s->trace, bytes_string(&args));
			s->rest[p->process]--;
		} else if (token && token < TAU_TOKEN_REGION)
			bytes_string(&args);
		else if (token == TAU_TOKEN_FAR)
			bytes_varint(&args);
		if (!token || TAU_TOKEN_IS_REGION(token))
			metrics_skip(&args, c->head.metrics);
		if (low[i] == 255 && high[i] == 255)
			bytes_varint(&args);
	}
}

/* ---- names ---- */

/* Symbol tables take little time, so each function at least has a name. */
static void code_name(struct names_search *s)
{
	struct native_run *run = s->trace->reader;
	struct trace_place place;

	for (; s->named < s->trace->code_n; s->named++) {
		if (is_late(s))
			symbols_brief(run->symbols);
		native_code_of(s->trace, (uint32_t)s->named, &place, NULL);
	}
}

static void samples_name(struct names_search *s)
{
	const struct native_stream *last = NULL;
	struct error e;

	parts_list(s);
	for (size_t i = 0; i < s->part_n && !is_late(s); i++) {
		const struct names_part *p = &s->part[i];

		if (s->rest[p->process] <= 0)
			continue;
		if (last && last != p->stream)
			native_file_rest(last->file);
		last = p->stream;
		/* Most chunks have no sample, and their other columns need not be unpacked. */
		if (!native_file_load(p->stream->file, p->chunk, NATIVE_TOKENS, &s->columns, &e) &&
		    has_token(&s->columns, TAU_REC_SAMPLE) &&
		    !native_file_load_rest(p->stream->file, p->chunk, &s->columns, &e))
			samples_read(s, p);
		code_name(s);
	}
	if (last)
		native_file_rest(last->file);
	code_name(s);
}

/* What uses functions without a name, which needs the code of their binaries. */
static void users_name(struct names_search *s)
{
	for (size_t i = 0; i < s->trace->memtype_n && !is_late(s); i++)
		if (s->trace->memtype[i].vague)
			native_site_users(s->trace, (uint32_t)i);
}

uint64_t native_names_store(struct trace *t, const char *directory, uint64_t budget_ns)
{
	struct names_search s = {.trace = t, .end_ns = cpu_ns() + budget_ns};
	struct native_run *run = t->reader;
	struct stored_names *names;
	uint64_t size = 0;

	native_made_search(run);
	samples_name(&s);
	users_name(&s);
	names = stored_names_new();
	symbols_store(run->symbols, names);
	native_made_store(run, names);
	names->part = s.late;
	if (names->row_n)
		size = names_file_write(directory, names);
	stored_names_free(names);
	native_columns_release(&s.columns);
	free(s.part);
	free(s.rest);
	return size;
}
