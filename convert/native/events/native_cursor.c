/* native_cursor.c: the chunks of one stream on their way to batches of events. */
#include <string.h>

#include "analyze/base/map.h"
#include "analyze/trace/trace.h"
#include "convert/io/paths.h"
#include "convert/native/file/native_chunks.h"
#include "convert/native/define/native_code.h"
#include "convert/native/file/native_columns.h"
#include "convert/native/events/native_cursor.h"
#include "convert/native/live/native_file.h"
#include "convert/native/index/native_cells.h"
#include "convert/native/index/native_numbers.h"
#include "convert/native/index/native_index.h"
#include "convert/native/live/native_kept.h"
#include "convert/native/file/native_load.h"
#include "convert/native/define/native_module.h"
#include "convert/native/file/native_pages.h"
#include "convert/native/native_run.h"
#include "convert/native/define/native_site.h"
#include "convert/native/events/native_snapshot.h"

/* The stream ends here: what follows is damaged. A torn record at the end of a live chunk is no
 * damage. */
static void cursor_cut(struct trace_cursor *c, const char *sentence)
{
	c->next = c->stream->file->chunk_n;
	c->open = 0;
	if (c->to->damaged)
		return;
	c->to->damaged = 1;
	c->to->last = c->last_ns > c->to->first ? c->last_ns : c->to->first;
	trace_late_note(c->trace, c->to, (struct note){.kind = NOTE_DAMAGE},
			"%s; later records of this file are not included", sentence);
}

/* Makes room for a batch of the chunk, which most often is the first. */
static void batch_reserve(struct trace_cursor *c)
{
	size_t n = c->columns.head.records, width = c->trace->metric_n;

	n = n < NATIVE_BATCH ? n + !n : NATIVE_BATCH;
	if (n <= c->event_cap)
		return;
	free(c->event);
	free(c->metric_row);
	c->event = mem_resize(NULL, 2 * n, sizeof(*c->event));
	c->metric_row = width ? mem_resize(NULL, 2 * n * width, sizeof(*c->metric_row)) : NULL;
	c->event_cap = n;
	c->batch.event = c->event;
}

/* Loads the next chunk: 1, 0 at the end, or an error of the system. */
static int cursor_load(struct trace_cursor *c, struct error *e)
{
	struct native_file *f = c->stream->file;
	const unsigned mask = 1 << TAU_TIMES | 1 << TAU_IDS | 1 << TAU_ARGS;
	size_t k = c->next;
	struct error why;
	int code;

	if (k >= f->chunk_n)
		return 0;
	c->next++;
	/* Damage is no error: what comes before it is there. */
	code = native_file_load(f, k, mask, &c->columns, &why);
	if (code == ERROR_SYSTEM) {
		*e = why;
		return code;
	}
	c->state.metric = !code && c->columns.head.metrics ? c->metric_first : NULL;
	if (!code && (native_snapshot(c->stream, c->clock, &c->columns, &c->state, &c->args) ||
		      (c->state.metric && native_decode_state(c))))
		code = error_set(&why, ERROR_INPUT,
				 "%s: offset %llu: the snapshot of chunk %zu is damaged", f->path,
				 (unsigned long long)native_file_chunk(f, k)->offset, k);
	if (code) {
		cursor_cut(c, why.text);
		return 0;
	}
	batch_reserve(c);
	c->at = 0;
	c->tick = c->columns.head.first_tick;
	c->request = 0;
	c->state.lost = c->columns.head.lost;
	if (c->state.time < c->last_ns)
		c->state.time = c->last_ns;
	/* Nothing happened between the limit and a chunk that begins later. */
	if (c->state.time > c->stream->limit)
		c->state.time = c->stream->limit;
	c->batch.state = c->past.reached ? NULL : &c->state;
	c->open = 1;
	return 1;
}

/* Follows the number of frames after the limit. */
static void past_follow(struct native_past *p, const struct event *ev)
{
	switch (ev->kind) {
	case EVENT_ENTER:
		p->depth++;
		break;
	case EVENT_LEAVE:
		p->depth--;
		break;
	case EVENT_UNWIND:
		p->depth -= ev->ref;
		break;
	case EVENT_OFF:
	case EVENT_ON:
	case EVENT_THREAD_BEGIN:
	case EVENT_THREAD_END:
		p->unknown = 1;
		break;
	default:
		break;
	}
	p->lowest = p->depth < p->lowest ? p->depth : p->lowest;
}

/* Do folded calls belong to a frame that is open at the limit, or to the thread as a whole? Counts `frames` from there. */
static int past_keep(const struct native_past *p, struct event_args *a)
{
	int64_t frames = a->fold.frames - p->depth;

	if (a->fold.frames >= UINT32_MAX)
		return 1;
	if (p->unknown || frames < -p->lowest)
		return 0;
	a->fold.frames = frames;
	return 1;
}

/* Calls at different depths are inside each other; those at the same depth follow one another. */
static size_t past_level(const struct event_args *a)
{
	const size_t half = NATIVE_PAST_LEVELS / 2;
	int64_t level = (int64_t)a->fold.path.n;

	if (a->fold.frames < UINT32_MAX)
		level += (int64_t)half / 2 - a->fold.frames;
	level = level < 0 ? 0 : level < (int64_t)half ? level : (int64_t)half - 1;
	return (size_t)level + (a->fold.frames < UINT32_MAX ? half : 0);
}

/*
 * Folded calls took part of the time after the limit, how much is unknown: they get less by all of it, so that no region has more
 * time inside of it than it was open.
 */
static void past_shorten(struct trace_cursor *c, size_t from, size_t to)
{
	const int64_t limit = c->stream->limit;
	double sum[NATIVE_PAST_LEVELS] = {0}, late[NATIVE_PAST_LEVELS] = {0}, most;

	for (size_t i = from; i < to; i++) {
		const struct event_args *a = &c->batch.args[c->event[i].ref];
		size_t level;

		if (c->event[i].kind != EVENT_FOLD)
			continue;
		level = past_level(a);
		sum[level] += (double)a->fold.ns;
		late[level] = (double)(c->event[i].time - limit);
		c->event[i].time = limit;
	}
	for (size_t k = 0; k < NATIVE_PAST_LEVELS; k++) {
		late[k] = late[k] > c->past.cut[k] ? late[k] - c->past.cut[k] : 0;
		late[k] = late[k] < sum[k] ? late[k] : sum[k];
	}
	for (size_t k = 0; k < NATIVE_PAST_LEVELS; k++) {
		/* Calls inside of others get no smaller part less, unless most of them are inside of calls that are not folded. */
		if (k % (NATIVE_PAST_LEVELS / 2) && sum[k] > 0 && sum[k] <= 2 * sum[k - 1]) {
			most = late[k - 1] / sum[k - 1] * sum[k];
			late[k] = late[k] > most ? late[k] : most;
		}
		c->past.cut[k] += late[k];
	}
	for (size_t i = from; i < to; i++) {
		struct event_args *a = &c->batch.args[c->event[i].ref];
		size_t level;

		if (c->event[i].kind != EVENT_FOLD)
			continue;
		level = past_level(a);
		if (sum[level] > 0)
			a->fold.ns -= (int64_t)((double)a->fold.ns * (late[level] / sum[level]));
	}
}

/*
 * Drops what is later than the stream's limit, but folded calls, and what a call waits for that was entered before: a sample can be
 * between. Without folded calls the stream ends there.
 */
static void batch_limit(struct trace_cursor *c)
{
	const int64_t limit = c->stream->limit;
	size_t n = c->batch.n, kept = n, within;
	int same = 1; /* the innermost call is the one at the limit */

	if (!n || c->event[n - 1].time <= limit)
		return;
	while (kept && c->event[kept - 1].time > limit)
		kept--;
	within = kept;
	for (size_t i = kept; i < n; i++) {
		struct event ev = c->event[i];

		past_follow(&c->past, &ev);
		same &= ev.kind == EVENT_SAMPLE || event_is_wait(ev.kind);
		if (event_is_wait(ev.kind))
			ev.time = limit;
		if ((event_is_wait(ev.kind) && same) ||
		    (ev.kind == EVENT_FOLD && past_keep(&c->past, &c->batch.args[ev.ref])))
			c->event[kept++] = ev;
	}
	past_shorten(c, within, kept);
	c->batch.n = kept;
	c->past.reached = 1;
	if (c->stream->file->folded)
		return;
	c->next = c->stream->file->chunk_n;
	c->open = 0;
}

/* Adds the bytes read of the file since the last call to the count of the trace. */
static void count_read(struct trace_cursor *c)
{
	const struct native_file *f = c->stream->file;

	trace_count(c->trace, 0, f->bytes_read - c->read);
	c->read = f->bytes_read;
}

static int cursor_next(struct trace_cursor *c, struct event_batch **out, struct error *e)
{
	struct native_file *f = c->stream->file;
	const char *wrong;
	int code;

	c->batch.n = c->batch.regions_n = c->batch.code_n = 0;
	c->batch.args_n = c->args_kept;
	c->batch.state = NULL;
	if (!c->open) {
		code = cursor_load(c, e);
		count_read(c);
		if (code <= 0)
			return code;
	}
	wrong = native_decode(c);
	if (wrong) {
		size_t k = c->next - 1;
		struct error why;

		error_set(&why, ERROR_INPUT, "%s: chunk %zu: record %llu: %s", f->path, k,
			  (unsigned long long)c->at, wrong);
		if (native_file_chunk(f, k)->live)
			c->open = 0;
		else
			cursor_cut(c, why.text);
	}
	batch_limit(c);
	trace_count(c->trace, c->batch.n, 0);
	*out = &c->batch;
	return 1;
}

static int64_t chunk_ends(struct trace_cursor *c, size_t k)
{
	return native_time(c->clock, native_file_chunk(c->stream->file, k)->last_tick);
}

/*
 * The chunk to start with, so that what holds at `from` is known (see trace.h): the first that ends
 * then or later. When it begins later, nothing happened in between and its snapshot held at `from`
 * already.
 */
static size_t chunk_at(struct trace_cursor *c, int64_t from)
{
	const struct native_file *f = c->stream->file;
	size_t k = f->chunk_n, low = 0;

	while (f->ordered && low < k) {
		size_t middle = low + (k - low) / 2;

		if (chunk_ends(c, middle) < from)
			low = middle + 1;
		else
			k = middle;
	}
	while (!f->ordered && k > 0 && chunk_ends(c, k - 1) >= from)
		k--;
	return k > 0 && k == f->chunk_n ? k - 1 : k;
}

static int cursor_open(struct trace *t, uint32_t stream, int64_t from, struct trace_cursor **out,
		       struct error *e)
{
	struct trace_cursor *c = mem_alloc(sizeof(*c));
	struct native_run *run = t->reader;

	(void)e;
	c->trace = t;
	c->to = &t->stream[stream];
	c->stream = c->to->reader;
	c->clock = &run->clock[c->stream->clock];
	c->last_ns = INT64_MIN;
	native_decode_init(c);
	c->read = c->stream->file->bytes_read;
	c->state.metric_n = t->metric_n;
	c->next = chunk_at(c, from);
	for (uint32_t i = 0; i < TAU_METRICS; i++)
		c->metric[i] = native_id(&c->stream->metric, i);
	if (t->metric_n) {
		c->metric_now = mem_alloc(t->metric_n * sizeof(*c->metric_now));
		c->metric_first = mem_alloc(t->metric_n * sizeof(*c->metric_first));
	}
	*out = c;
	return 0;
}

static int skip_to(struct trace_cursor *c, int64_t to)
{
	size_t k = chunk_at(c, to);

	if (k < c->next || k >= c->stream->file->chunk_n)
		return 0;
	c->next = k;
	c->open = 0;
	return 1;
}

static int skip_chunks(struct trace_cursor *c, size_t n)
{
	size_t left = c->stream->file->chunk_n - c->next;

	c->next += n < left ? n : left;
	c->open = 0;
	return n > 0;
}

/* Which regions a chunk can have follows from where they are defined. */
static int skip_undefined(struct trace_cursor *c, const char *wanted)
{
	const struct native_stream *s = c->stream;
	size_t first = s->file->chunk_n;

	for (size_t i = 0; i < s->region_at_n && first == s->file->chunk_n; i++) {
		uint32_t region = native_id(&s->region, s->region_at[i].id);

		if (region < c->trace->region_n && wanted[region])
			first = s->region_at[i].chunk;
	}
	return first > c->next ? skip_chunks(c, first - c->next) : 0;
}

static struct native_index *index_get(struct trace_cursor *c)
{
	/* What is being recorded has none. */
	if (!c->index_known && (c->stream->file->closed || c->stream->limit == INT64_MAX))
		c->index = native_index_open(c->trace, (uint32_t)(c->to - c->trace->stream));
	c->index_known = 1;
	return c->index;
}

static int cursor_skip(struct trace_cursor *c, struct trace_skip *s, struct error *e)
{
	int any = 0;

	(void)e;
	if (s->kind == TRACE_SKIP_TO)
		return skip_to(c, s->to);
	if (s->kind == TRACE_SKIP_CHUNKS)
		return skip_chunks(c, s->chunks);
	if (s->kind == TRACE_SKIP_UNDEFINED)
		return skip_undefined(c, s->regions);
	if (c->open || (s->cold && c->next) || !index_get(c))
		return 0;
	if (s->kind == TRACE_SKIP_KNOWN) {
		any = native_index_skip(c->index, &c->next, s);
	} else {
		struct trace_skip all = {.from = INT64_MIN, .to = INT64_MAX, .judge = s->judge};

		while (native_index_skip(c->index, &c->next, &all))
			any = 1;
	}
	if (any)
		c->metered = 0;
	return any;
}

static int run_index(struct trace *t, struct trace_index *x, struct error *e)
{
	if (x->kind == TRACE_INDEX_FRAMES)
		return native_index_frames(t, x->stream[0], x->frames);
	if (x->kind == TRACE_INDEX_MEMORY)
		return native_levels_inside(t, x->process, x->inside, x->inside_n);
	if (x->kind == TRACE_INDEX_CELLS)
		return native_cells_get(t, x->stream[0], x->cells);
	if (x->kind == TRACE_INDEX_CELLS_KEEP)
		return native_cells_keep(t, x);
	if (x->kind == TRACE_INDEX_NUMBERS)
		return native_numbers_get(t, x);
	if (x->kind == TRACE_INDEX_NUMBERS_KEEP)
		return native_numbers_keep(t, x);
	return native_index_make(t, x, &native_ops, e);
}

static void cursor_close(struct trace_cursor *c)
{
	native_file_rest(c->stream->file);
	native_columns_release(&c->columns);
	native_decode_release(c);
	native_index_close(c->index);
	free(c->state.frame);
	free(c->state.memory);
	free(c->state.entered);
	free(c->event);
	free(c->batch.args);
	free(c->batch.regions);
	free(c->batch.code);
	free(c->metric_now);
	free(c->metric_first);
	free(c->metric_row);
	free(c);
}

static void ids_release(struct native_ids *m)
{
	free(m->v);
	map_release(&m->far);
}

static void run_free(struct trace *t)
{
	struct native_run *run = t->reader;

	paths_release(&run->live);
	for (size_t i = 0; i < run->stream_n; i++) {
		struct native_stream *s = run->stream[i];

		native_kept_put(run->files, s->file);
		ids_release(&s->region);
		ids_release(&s->event);
		ids_release(&s->comm);
		ids_release(&s->memtype);
		ids_release(&s->call);
		ids_release(&s->metric);
		native_modules_release(s);
		map_release(&s->code);
		map_release(&s->named);
		free(s->block);
		free(s->region_at);
		free(s->label);
		free(s);
	}
	for (size_t i = 0; i < run->clock_n; i++)
		free(run->clock[i].host);
	map_release(&run->process);
	names_release(&run->region);
	names_release(&run->event);
	names_release(&run->comm);
	map_release(&run->comm_of);
	names_release(&run->meta);
	free(run->meta_at);
	names_release(&run->memtype);
	names_release(&run->memtype_text);
	names_release(&run->region_fields);
	free(run->region_of);
	names_release(&run->memtype_fields);
	free(run->memtype_shown);
	names_release(&run->metric);
	native_site_release(run);
	native_code_release(run);
	free(run->clock);
	free(run->stream);
	free(run);
}

const struct trace_ops native_ops = {
	.knows = TRACE_KNOWS_CHUNKS | TRACE_KNOWS_CALLS | TRACE_KNOWS_MEMORY |
		 TRACE_KNOWS_REGIONS | TRACE_KNOWS_CELLS | TRACE_KNOWS_NUMBERS,
	.open = cursor_open,
	.next = cursor_next,
	.skip = cursor_skip,
	.close = cursor_close,
	.index = run_index,
	.code = native_code_of,
	.site = native_site_users,
	.free = run_free,
};
