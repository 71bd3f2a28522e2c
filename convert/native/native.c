/* native.c: a run directory, or one stream of it, as a struct trace: finds the files. */
#include "convert/native/native.h"
#include "analyze/base/map.h"
#include "analyze/base/quantity.h"
#include "convert/io/paths.h"
#include "convert/native/define/native_address.h"
#include "convert/native/define/native_align.h"
#include "convert/native/file/native_chunks.h"
#include "convert/native/file/native_columns.h"
#include "convert/native/define/native_define.h"
#include "convert/native/live/native_ends.h"
#include "convert/native/live/native_file.h"
#include "convert/native/live/native_kept.h"
#include "convert/native/file/native_pages.h"
#include "convert/native/define/native_rename.h"
#include "convert/native/native_run.h"
#include "convert/native/live/native_running.h"
#include "convert/native/live/native_seal.h"
#include "convert/native/file/run_files.h"
#include "convert/native/live/run_processes.h"

#include <math.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "convert/io/bytes.h"
#include "record/metadata.h"

/* ---- files ---- */

/* All files of a directory whose names end so. */
static void paths_of(const char *path, const struct listing *names, const char *suffix,
		     struct paths *out)
{
	for (size_t i = 0; i < names->entry_n; i++)
		if (path_ends_in(names->entry[i].name, suffix))
			*array_add(out, path) = mem_printf("%s/%s", path, names->entry[i].name);
}

int native_paths(struct input *in, struct paths *out, struct error *e)
{
	const struct listing *names = in->is_directory ? input_names(in) : NULL;

	if (!in->is_directory)
		*array_add(out, path) = mem_string(in->path);
	else if (!names)
		return error_set(e, ERROR_SYSTEM, "%s: %s", in->path, strerror(errno));
	else
		paths_of(in->path, names, TAU_TRACE_SUFFIX, out);
	if (!out->path_n)
		return error_set(e, ERROR_INPUT, "%s: this is not a run: it contains no %s file",
				 in->path, TAU_TRACE_SUFFIX);
	return 0;
}

int native_looks(struct input *in)
{
	const struct listing *names = input_names(in);

	for (size_t i = 0; names && i < names->entry_n; i++)
		if (path_ends_in(names->entry[i].name, TAU_TRACE_SUFFIX))
			return 1;
	return !names;
}

/* The file itself has been looked at. */
static int file_is(struct input *in, const char *path)
{
	const unsigned char *head;
	size_t n;

	if (in->is_directory || strcmp(path, in->path) != 0)
		return native_file_is(path);
	head = input_head(in, &n);
	return n >= 8 && (!memcmp(head, TAU_TRACE_MAGIC, 8) || !memcmp(head, TAU_LIVE_MAGIC, 8));
}

int native_is(struct input *in)
{
	struct paths l = {0};
	struct error none;
	int is = 0;

	if (!native_paths(in, &l, &none))
		for (size_t i = 0; i < l.path_n && !is; i++)
			is = file_is(in, l.path[i]);
	paths_release(&l);
	return is;
}

/* ---- processes ---- */

static uint32_t process_of(struct trace *t, struct native_run *run, const struct tau_file_header *h)
{
	uint32_t known = map_get(&run->process, h->process_id);
	struct trace_process *p;

	if (known != MAP_NONE)
		return known;
	map_set(&run->process, h->process_id, (uint32_t)t->process_n);
	p = array_add(t, process);
	p->id = h->process_id;
	p->pid = h->pid;
	p->rank = p->size = -1;
	return (uint32_t)t->process_n - 1;
}

static const char *meta_of(const struct trace_process *p, const char *name)
{
	for (size_t i = p->meta_n; i > 0; i--)
		if (!strcmp(p->meta[i - 1].name, name))
			return p->meta[i - 1].value;
	return NULL;
}

static int stream_open(struct trace *t, struct native_run *run, const char *path, struct error *e)
{
	struct native_file *f, *was = run->files ? native_kept_remove(run->files, path) : NULL;
	struct native_stream *s;
	int code = was ? native_file_open_again(path, was, &f, e) : native_file_open(path, &f, e);

	if (code)
		return code;
	s = mem_alloc(sizeof(*s));
	s->file = f;
	s->limit = INT64_MAX;
	s->process = process_of(t, run, &f->head);
	*array_add(run, stream) = s;
	code = native_define(t, run, s, s->process, e);
	f->replaced = !f->closed &&
		      meta_of(&t->process[s->process], TAU_META_CHUNKS_MAY_BE_REMOVED) != NULL;
	native_file_rest(f);
	return code;
}

/* ---- the whole ---- */

static int is_possible(const struct native_clock *c, uint64_t tick)
{
	uint64_t d = tick > c->base ? tick - c->base : 0;

	return (unsigned __int128)d * c->mult >> c->shift < 1ull << 60;
}

/* Cuts a stream where its times leave what 64 bits of nanoseconds can hold, so that no sum overflows. */
static void stream_bound(const struct native_clock *c, struct native_file *f)
{
	/* If the chunks are in the order of time, as in a list that is read page by page, checking the last suffices. */
	if ((f->pages || f->ordered) && f->chunk_n &&
	    is_possible(c, native_file_chunk(f, f->chunk_n - 1)->last_tick))
		return;
	for (size_t k = 0; k < f->chunk_n; k++) {
		char *why;

		if (is_possible(c, native_file_chunk(f, k)->last_tick))
			continue;
		why = mem_printf("%s: chunk %zu: its times are impossible", f->path, k);
		native_file_damage(f, k, why);
		free(why);
	}
}

static void stream_note(struct trace *t, const struct native_file *f)
{
	int lost = f->indexed || !f->nothing_lost;

	if (f->damage)
		trace_note(t, (struct note){.kind = lost ? NOTE_DAMAGE : NOTE_INDEX}, "%s%s",
			   f->damage, lost ? "; later records of this file are not included" : "");
	else if (!f->closed && !f->live_path && f->chunk_n)
		trace_note(
			t, (struct note){.kind = NOTE_UNCLOSED, .number = (double)f->chunk_n},
			"%s: the recording was not closed; records after chunk %zu may be missing",
			f->path, f->chunk_n);
	if (f->stopped)
		trace_note(t, (struct note){.kind = NOTE_STOPPED, .number = f->stop_error},
			   "%s: the recorder switched itself off: %s", f->path,
			   strerror((int)f->stop_error));
	if (f->lost)
		trace_note(t, (struct note){.kind = NOTE_LOST, .number = (double)f->lost},
			   "%s: the recorder dropped %llu events", f->path,
			   (unsigned long long)f->lost);
}

static void stream_describe(struct trace *t, struct native_run *run, struct native_stream *s)
{
	const struct native_clock *c = &run->clock[s->clock];
	struct native_file *f = s->file;
	struct trace_process *p = &t->process[s->process];
	struct trace_stream *to;

	stream_bound(c, f);
	stream_note(t, f);
	to = array_add(t, stream);
	to->process = s->process;
	to->thread = f->head.thread;
	to->name = mem_string(f->path);
	to->label = s->label ? mem_string(s->label) : NULL;
	to->device = s->device;
	to->values = s->values;
	to->lost = f->lost;
	to->has_memory = s->has_memory;
	to->damaged = f->damage != NULL;
	to->reader = s;
	p->start = native_time(c, f->head.start_tick);
	to->first = f->chunk_n ? native_time(c, native_file_chunk(f, 0)->first_tick) : p->start;
	to->chunks = f->chunk_n;
	to->last = f->chunk_n ? native_time(c, native_file_chunk(f, f->chunk_n - 1)->last_tick)
			      : p->start;
	for (size_t k = 0; k < f->chunk_n && f->damage; k++)
		to->records += native_file_chunk(f, k)->records;
	if (!f->damage)
		to->records = f->records;
	if (to->last > p->end)
		p->end = to->last;
	if (to->last + 1 > t->end)
		t->end = to->last + 1;
	t->bytes_total += f->bytes_total;
	t->bytes_read += f->bytes_read;
	t->index_read += f->index_read;
}

/* Metrics that a program was to bring and never did are 0 throughout. */
static void metrics_note(struct trace *t, const struct trace_process *p)
{
	for (size_t i = 0; i < p->meta_n; i++)
		if (!strcmp(p->meta[i].name, TAU_META_METRICS_NOT_PROVIDED))
			trace_note(
				t,
				(struct note){.kind = NOTE_METRICS,
					      .process = (size_t)(p - t->process) + 1},
				"process %u did not register these selected metrics: %s",
				p->pid, p->meta[i].value);
}

/* Events that no stream has counted. */
/* When the process that began last did, in seconds of real time; 0: unknown. */
static int64_t last_begin(const struct trace *t)
{
	int64_t last = 0;

	for (size_t i = 0; i < t->process_n; i++) {
		double us = trace_process_meta_number(&t->process[i], TAU_META_STARTING_TIMESTAMP);
		int64_t begin = us > 0 && us < 9e18 ? (int64_t)us / 1000000 : 0;

		last = begin > last ? begin : last;
	}
	return last;
}

static void lost_note(struct trace *t, struct trace_process *p)
{
	double lost = trace_process_meta_number(p, TAU_META_LOST_EVENTS_OUTSIDE);

	p->lost = lost > 0 && lost < 9e18 ? (uint64_t)lost : 0;
	if (p->lost)
		trace_note(t,
			   (struct note){.kind = NOTE_LOST_ENDING,
					 .process = (size_t)(p - t->process) + 1,
					 .number = (double)p->lost},
			   "process %u: the recorder dropped %llu events from before it began "
			   "or of threads that were ending",
			   p->pid, (unsigned long long)p->lost);
}

/* Blocks that were allocated while a command excluded memory. */
static void untracked_note(struct trace *t)
{
	double blocks = 0, bytes = 0;
	size_t n = 0;

	for (size_t i = 0; i < t->process_n; i++) {
		const struct trace_process *p = &t->process[i];
		double b = trace_process_meta_number(p, TAU_META_MEMORY_BLOCKS_NOT_RECORDED);
		double s = trace_process_meta_number(p, TAU_META_MEMORY_BYTES_NOT_RECORDED);

		if (isnan(b) || isnan(s) || meta_of(&t->process[i], TAU_META_MEMORY_STOPPED_US))
			continue;
		n++;
		blocks += b;
		bytes += s;
	}
	if (n)
		trace_note(t,
			   (struct note){.kind = NOTE_UNTRACKED, .number = blocks},
			   "%.0f blocks of %.0f bytes, allocated in %zu of %zu process%s while "
			   "memory tracking was off, are not included",
			   blocks, bytes, n, t->process_n, t->process_n == 1 ? "" : "es");
}

/* Work of devices that CUPTI did not deliver. */
static void devices_note(struct trace *t, const struct trace_process *p)
{
	double lost = trace_process_meta_number(p, TAU_META_CUDA_RECORDS_LOST);
	const char *why = meta_of(p, TAU_META_CUDA_NOT_RECORDED);
	struct note n = {.kind = NOTE_DEVICES,
			 .process = (size_t)(p - t->process) + 1,
			 .number = isnan(lost) ? 0 : lost};

	if (why)
		trace_note(t, n, "process %u: CUDA is not recorded: %s", p->pid, why);
	else if (n.number > 0)
		trace_note(t, n, "process %u: %.0f kernels, copies or waits of CUDA are lost",
			   p->pid, n.number);
}

/* Blocks that are not recorded because of the memory budget. */
static void memory_note(struct trace *t)
{
	double least = INFINITY, blocks = 0, bytes = 0;
	char text[2][QUANTITY_TEXT];
	size_t stopped = 0, uncounted = 0;

	for (size_t i = 0; i < t->process_n; i++) {
		const struct trace_process *p = &t->process[i];
		double at = trace_process_meta_number(p, TAU_META_MEMORY_STOPPED_US);
		double n = trace_process_meta_number(p, TAU_META_MEMORY_BLOCKS_NOT_RECORDED);
		double b = trace_process_meta_number(p, TAU_META_MEMORY_BYTES_NOT_RECORDED);

		if (isnan(at))
			continue;
		stopped++;
		least = fmin(least, at / 1e6);
		uncounted += isnan(n) || isnan(b);
		blocks += isnan(n) ? 0 : n;
		bytes += isnan(b) ? 0 : b;
	}
	if (stopped)
		trace_note(t,
			   (struct note){.kind = NOTE_BUDGET,
					 .number = (double)stopped,
					 .seconds = least},
			   "--budget stopped recording memory in %zu of %zu process%s, first after "
			   "%s: earlier blocks are recorded until they are freed; %.0f blocks "
			   "of %s that were allocated later are not included%s",
			   stopped, t->process_n, t->process_n == 1 ? "" : "es",
			   quantity_moment_text(1e9 * least, text[0]), blocks,
			   quantity_size_text(bytes, text[1]),
			   uncounted ? ", and an unknown number of others" : "");
}

/* Regions that a budget has dropped. */
static void dropped_note(struct trace *t)
{
	size_t processes = 0, regions = 0;

	for (size_t i = 0; i < t->process_n; i++) {
		size_t before = regions;

		for (size_t k = 0; k < t->process[i].meta_n; k++)
			regions += !strncmp(t->process[i].meta[k].name, TAU_META_DROPPED,
					    sizeof(TAU_META_DROPPED) - 1);
		processes += regions > before;
	}
	if (regions)
		trace_note(t, (struct note){.kind = NOTE_BUDGET, .number = (double)processes},
			   "--budget dropped regions in %zu of %zu process%s after some calls (see "
			   "metadata TAU Dropped): later calls and their events are not included",
			   processes, t->process_n, t->process_n == 1 ? "" : "es");
}

/* Later versions may record more. */
static void newer_note(struct trace *t, const struct native_run *run)
{
	unsigned minor = TAU_VERSION_MINOR;

	for (size_t i = 0; i < run->stream_n; i++)
		if (run->stream[i]->file->head.minor > minor)
			minor = run->stream[i]->file->head.minor;
	if (minor > TAU_VERSION_MINOR)
		trace_note(t, (struct note){.kind = NOTE_NEWER, .number = minor},
			   "a later version recorded the run (trace version %u.%u; this program "
			   "reads %u.%u): what is new since is not included",
			   TAU_VERSION_MAJOR, minor, TAU_VERSION_MAJOR, TAU_VERSION_MINOR);
}

static void run_finish(struct trace *t, struct native_run *run)
{
	struct run_processes table;

	native_table_open(t, &table);
	native_define_addresses(t, run, last_begin(t));
	native_limits_name(t, run);
	native_events_rename(run);
	native_threads_rename(run);
	native_align(t, run);
	for (size_t i = 0; i < run->stream_n; i++)
		stream_describe(t, run, run->stream[i]);
	native_running(t, run);
	native_ends_ranks(t, &table);
	trace_number(t);
	for (size_t p = 0; p < t->process_n; p++) {
		metrics_note(t, &t->process[p]);
		lost_note(t, &t->process[p]);
		devices_note(t, &t->process[p]);
	}
	newer_note(t, run);
	memory_note(t);
	untracked_note(t);
	dropped_note(t);
	native_ends(t, &table, !run->bare);
	run_processes_close(&table);
}

/* A process that is killed before it records anything leaves a file of no bytes. */
static int is_empty(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !st.st_size;
}

/*
 * Opens every file; one that cannot be used is noted, unless the user named only that file. One that has just been made has no
 * records yet: nothing of it is missing.
 */
static int run_open(struct trace *t, struct native_run *run, const struct paths *l,
		    int single, struct error *e)
{
	struct error first = {0}, made = {0};

	for (size_t i = 0; i < l->path_n; i++) {
		int code = stream_open(t, run, l->path[i], e);

		if (!code)
			continue;
		if (single)
			return e->code;
		if (code > 0) {
			made = *e;
			continue;
		}
		if (!first.code)
			first = *e;
		trace_note(t,
			   (struct note){.kind = is_empty(l->path[i]) ? NOTE_EMPTY : NOTE_DAMAGE},
			   "%s; the file is not included", e->text);
	}
	*e = run->stream_n || first.code ? first : made;
	return run->stream_n ? 0 : e->code;
}

static size_t dots_of(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += *s == '.';
	return n;
}

/* Keeps those whose names begin with `files` and a dot, and have that many dots after it; dots 0: any. */
static void paths_keep(struct paths *l, const char *files, size_t dots)
{
	size_t kept = 0, n = strlen(files);

	for (size_t i = 0; i < l->path_n; i++) {
		const char *name = strrchr(l->path[i], '/') + 1;

		if (!strncmp(name, files, n) && name[n] == '.' &&
		    (!dots || dots_of(name + n) == dots))
			l->path[kept++] = l->path[i];
		else
			free(l->path[i]);
	}
	l->path_n = kept;
}

/* What is opened of a run directory; all zero: everything. */
struct opened_part {
	const char *files; /* those whose names begin with this */
	size_t dots;	   /* and have this number of dots after it */
	int bare, named;
	int own_debug; /* separate debug files are not read */
	struct symbols_kept *kept;
	struct native_kept *again;
};

static int open_any(struct input *in, const struct opened_part *part, struct trace **out,
		    struct error *e)
{
	const char *path = in->path;
	struct trace *t = trace_new(path, &native_ops);
	struct native_run *run = mem_alloc(sizeof(*run));
	struct paths l = {0};
	int single = !in->is_directory, code;

	t->reader = run;
	run->bare = part->bare;
	run->look = part->named || !part->bare;
	run->own_debug = part->own_debug;
	run->files = part->again;
	run->kept = part->kept || !part->again ? part->kept : native_kept_symbols(part->again);
	if (!part->bare && !part->files)
		native_seal(in);
	native_running_begin(run);
	pthread_mutex_init(&run->code_lock, NULL);
	pthread_mutex_init(&run->site_lock, NULL);
	code = native_paths(in, &l, e);
	if (!code && !single)
		paths_of(path, input_names(in), TAU_LIVE_SUFFIX, &run->live);
	if (!code && part->files && !single)
		paths_keep(&l, part->files, part->dots);
	if (!code && !l.path_n)
		code = error_set(e, ERROR_INPUT, "%s: it has no files %s.*", path, part->files);
	if (!code)
		code = run_open(t, run, &l, single, e);
	paths_release(&l);
	if (code) {
		trace_free(t);
		return code;
	}
	run_finish(t, run);
	*out = t;
	return 0;
}

/* An input for one trace. */
static int open_path(const char *path, const struct opened_part *part, struct trace **out,
		     struct error *e)
{
	struct input *in = input_new(path);
	int code = open_any(in, part, out, e);

	input_free(in);
	return code;
}

struct native_kept *native_files(struct input *in)
{
	if (!in->files && in->outlives) {
		in->files = native_kept_new();
		in->free_files = native_kept_free;
	}
	return in->files;
}

int native_open(const char *path, struct trace **out, struct error *e)
{
	return open_path(path, &(struct opened_part){0}, out, e);
}

int native_open_input(struct input *in, struct symbols_kept *kept, struct trace **out,
		      struct error *e)
{
	struct opened_part part = {.kept = kept, .again = native_files(in)};

	return open_any(in, &part, out, e);
}

int native_open_bare(struct input *in, struct trace **out, struct error *e)
{
	return open_any(in, &(struct opened_part){.bare = 1, .again = native_files(in)}, out, e);
}

int native_open_named(struct input *in, uint64_t budget_ns, struct trace **out, struct error *e)
{
	struct opened_part part = {.bare = 1,
				   .named = 1,
				   .own_debug = budget_ns < DEBUG_FILES_NS,
				   .again = native_files(in)};

	return open_any(in, &part, out, e);
}

int native_open_process(const char *path, const char *files, struct trace **out, struct error *e)
{
	return open_path(path, &(struct opened_part){.files = files}, out, e);
}

int native_open_again(const char *path, const char *host, struct native_kept *kept,
		      struct trace **out, struct error *e)
{
	char *files = host ? run_file_host(host) : NULL;
	struct opened_part part = {.files = files, .dots = 4, .again = kept};
	int code = open_path(path, &part, out, e);

	free(files);
	return code;
}

int64_t native_moment(const struct trace *t, uint64_t tick)
{
	const struct native_run *run = t->reader;
	const struct native_stream *s = t->stream[0].reader;

	return native_time(&run->clock[s->clock], tick);
}
