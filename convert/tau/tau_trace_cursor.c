/* tau_trace_cursor.c: the records of one stream of TAU's own traces as events. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "analyze/base/map.h"
#include "analyze/trace/trace.h"
#include "convert/io/regular.h"
#include "convert/tau/tau_runs.h"
#include "convert/tau/tau_trace.h"

#define BLOCK 2048       /* records read at a time */
#define NEAR  64         /* records of other streams that are read along, for one read fewer */
#define BATCH 512        /* records that make a batch */
#define ROOT  UINT32_MAX /* on the stack of a cursor */

struct trace_cursor {
	struct trace *trace;
	struct trc_run *run;
	struct trace_stream *to;
	struct trc_stream *stream;
	int fd;
	struct trc_walk walk;
	struct trc_run_of own; /* its records to read next; n is 0 at the end */
	int begun;
	int64_t last;
	uint64_t fell;		/* times before those of earlier records */
	struct event_state state;
	struct event_batch batch;
	size_t event_cap;
	uint32_t *open;
	size_t open_n, open_cap;
	uint32_t *times; /* by region, of ROOT after them: how often it is on the stack */
	int64_t same_event; /* the record before, for events of three */
	uint64_t same_time;
	unsigned same_n;
	size_t block_n; /* records that it has room for */
	unsigned char block[];
};

static void push(struct trace_cursor *c, const struct trc_record *r, uint32_t kind, uint32_t ref)
{
	int64_t ns = r->time > c->run->base ? (int64_t)((r->time - c->run->base) * 1000) : 0;
	struct event *ev;

	if (c->batch.n == c->event_cap)
		c->batch.event = array_grow(c->batch.event, &c->event_cap, sizeof(*c->batch.event));
	ev = &c->batch.event[c->batch.n++];
	c->fell += ns < c->last;
	c->last = ns > c->last ? ns : c->last;
	*ev = (struct event){c->last, kind, ref};
}

static struct event_args *push_args(struct trace_cursor *c, const struct trc_record *r,
				    uint32_t kind)
{
	push(c, r, kind, (uint32_t)c->batch.args_n);
	return array_add(&c->batch, args);
}

static uint32_t *times_open(struct trace_cursor *c, uint32_t region)
{
	return &c->times[region == ROOT ? c->trace->region_n : region];
}

static void enter(struct trace_cursor *c, const struct trc_record *r, uint32_t region)
{
	if (region != ROOT)
		push(c, r, EVENT_ENTER, region);
	else if (!c->open_n)
		push_args(c, r, EVENT_THREAD_BEGIN);
	*array_add(c, open) = region;
	++*times_open(c, region);
}

/*
 * A leave ends the regions inside the one that it leaves, too; a leave of a region that is not open
 * has no effect, unless nothing is open.
 */
static void leave(struct trace_cursor *c, const struct trc_record *r, uint32_t region)
{
	uint32_t inside = 0;

	if (!*times_open(c, region)) {
		if (!c->open_n && region != ROOT)
			push(c, r, EVENT_LEAVE, 0);
		return;
	}
	for (; c->open[c->open_n - 1] != region; c->open_n--) {
		inside += c->open[c->open_n - 1] != ROOT;
		--*times_open(c, c->open[c->open_n - 1]);
	}
	--*times_open(c, region);
	c->open_n--;
	if (inside)
		push(c, r, EVENT_UNWIND, inside);
	if (region != ROOT)
		push(c, r, EVENT_LEAVE, 0);
	else if (!c->open_n)
		push_args(c, r, EVENT_THREAD_END);
}

static void region(struct trace_cursor *c, const struct trc_record *r, uint32_t region)
{
	if (r->parameter == 1)
		enter(c, r, region);
	else if (r->parameter == -1)
		leave(c, r, region);
}

static void value(struct trace_cursor *c, const struct trc_record *r, uint32_t event)
{
	struct event_args *a = push_args(c, r, EVENT_VALUE);

	a->value.event = event;
	a->value.value = (double)r->parameter;
}

/* Of three records the middle one; where a writer wrote only one, that. */
static void value_of_three(struct trace_cursor *c, const struct trc_record *r, uint32_t event)
{
	int same = c->same_event == r->event && c->same_time == r->time;

	c->same_n = same ? (c->same_n + 1) % 3 : 0;
	c->same_event = r->event;
	c->same_time = r->time;
	if (c->same_n == 1 || (c->same_n == 0 && r->parameter))
		value(c, r, event);
	if (c->same_n == 0 && r->parameter)
		c->same_event = -1;
}

static void message(struct trace_cursor *c, const struct trc_record *r, uint32_t kind)
{
	struct event_args *a = push_args(c, r, kind);
	struct trc_message m = trc_message((uint64_t)r->parameter);

	a->message.bytes = m.bytes;
	a->message.tag = m.tag;
	a->message.peer = m.peer;
	a->message.comm = TRACE_NONE;
}

static void apply_record(struct trace_cursor *c, const struct trc_record *r)
{
	const struct edf *d = c->stream->file->edf;
	uint32_t at = r->event >= 0 && r->event < UINT32_MAX ? map_get(&d->at, (uint64_t)r->event)
							     : MAP_NONE;
	enum edf_kind kind = at == MAP_NONE ? EDF_OTHER : d->entry[at].kind;

	if (kind != EDF_VALUE)
		c->same_event = -1;
	switch (kind) {
	case EDF_REGION:
		region(c, r, d->entry[at].ref);
		break;
	case EDF_ROOT:
		region(c, r, ROOT);
		break;
	case EDF_VALUE:
		value_of_three(c, r, d->entry[at].ref);
		break;
	case EDF_META:
		break;
	case EDF_GROWS:
		value(c, r, d->entry[at].ref);
		break;
	case EDF_SEND:
		message(c, r, EVENT_SEND);
		break;
	case EDF_RECV:
		message(c, r, EVENT_RECV);
		break;
	default:
		if (at != MAP_NONE ||
		    (r->event >= TAU_EV_INIT && r->event < TAU_EV_INIT + TAU_EV_OWN))
			break;
		if (!c->stream->noted++)
			trace_late_note(c->trace, c->to, (struct note){.kind = NOTE_DEFINITIONS},
					"%s: undefined events beyond the first %d ids share the "
					"region \"(undefined region)\"",
					c->to->name, EDF_GUESSES);
		region(c, r, c->run->unknown);
		break;
	}
}

static int cursor_open(struct trace *t, uint32_t stream, int64_t from, struct trace_cursor **out,
		       struct error *e)
{
	struct trc_stream *s = t->stream[stream].reader;
	size_t most = s->end - s->first < BLOCK ? (size_t)(s->end - s->first) : BLOCK;
	struct trace_cursor *c = mem_alloc(sizeof(*c) + most * s->file->size);

	(void)from;
	c->trace = t;
	c->run = t->reader;
	c->to = &t->stream[stream];
	c->stream = s;
	c->block_n = most;
	trc_runs_next(&s->runs, &c->walk, &c->own);
	c->state.first = 1;
	c->times = mem_alloc((t->region_n + 1) * sizeof(*c->times));
	c->last = INT64_MIN;
	c->same_event = -1;
	c->fd = regular_open(c->stream->file->path, NULL);
	if (c->fd < 0) {
		free(c->times);
		free(c);
		return error_set(e, ERROR_SYSTEM, "%s: %s", t->stream[stream].name,
				 strerror(errno));
	}
	*out = c;
	return 0;
}

static void cursor_finish(struct trace_cursor *c)
{
	struct trc_record end = {0};

	if (c->last == INT64_MIN)
		return;
	if (c->fell && !c->stream->fell++)
		trace_late_note(c->trace, c->to,
				(struct note){.kind = NOTE_TIMES, .number = (double)c->fell},
				"%s: times that decrease are replaced by the previous time: %llu",
				c->to->name, (unsigned long long)c->fell);
	push_args(c, &end, EVENT_THREAD_END);
	c->to->last = c->last;
}

/* A time that no clock shows, or that the first record of the run comes years before, is damage. */
static int impossible(struct trace_cursor *c, const struct trc_record *r)
{
	uint64_t at = c->own.first;

	if (r->time < c->run->base + TRC_TIME_LIMIT)
		return 0;
	c->own.n = 0;
	if (!c->to->damaged)
		trace_late_note(
			c->trace, c->to, (struct note){.kind = NOTE_DAMAGE},
			"%s: offset %llu: the time of a record is impossible; later records are "
			"not included",
			c->to->name, (unsigned long long)(at * c->stream->file->size));
	c->to->damaged = 1;
	c->to->last = c->last > 0 ? c->last : 0;
	return 1;
}

/* The number of records to read at once, from its next one on. */
static uint64_t span(const struct trace_cursor *c)
{
	const uint64_t begin = c->own.first;
	uint64_t end = begin + c->own.n;
	struct trc_walk w = c->walk;
	struct trc_run_of next;

	while (end - begin < c->block_n && trc_runs_next(&c->stream->runs, &w, &next) &&
	       next.first - end <= NEAR && next.first - begin < c->block_n)
		end = next.first + next.n;
	return end - begin < c->block_n ? end - begin : c->block_n;
}

/* The record of its own that is next; others may be there if the file has changed. */
static void apply_own(struct trace_cursor *c, const unsigned char *p)
{
	struct trc_record r = trc_record(c->stream->file, p);

	if (r.node == c->stream->node && r.thread == c->stream->thread) {
		if (impossible(c, &r))
			return;
		apply_record(c, &r);
	}
	c->own.first++;
	if (!--c->own.n)
		trc_runs_next(&c->stream->runs, &c->walk, &c->own);
}

static int cursor_next(struct trace_cursor *c, struct event_batch **out, struct error *e)
{
	const struct trc_file *f = c->stream->file;
	uint64_t taken = 0, bytes = 0;

	if (!c->own.n && c->begun)
		return 0;
	c->batch.n = c->batch.args_n = 0;
	c->batch.state = c->begun ? NULL : &c->state;
	c->begun = 1;
	while (c->own.n && taken < BATCH) {
		const uint64_t begin = c->own.first;
		ssize_t n = pread(c->fd, c->block, span(c) * f->size, (off_t)(begin * f->size));

		if (n < 0)
			return error_set(e, ERROR_SYSTEM, "%s: %s", c->to->name, strerror(errno));
		if ((size_t)n < f->size)
			c->own.n = 0;
		for (; c->own.n && c->own.first < begin + (size_t)n / f->size; taken++)
			apply_own(c, c->block + (c->own.first - begin) * f->size);
		bytes += (uint64_t)n;
	}
	if (!c->own.n)
		cursor_finish(c);
	trace_count(c->trace, taken, bytes);
	*out = &c->batch;
	return 1;
}

static void cursor_close(struct trace_cursor *c)
{
	close(c->fd);
	free(c->batch.event);
	free(c->batch.args);
	free(c->open);
	free(c->times);
	free(c);
}

static void run_free(struct trace *t)
{
	struct trc_run *run = t->reader;

	for (size_t i = 0; i < run->file_n; i++) {
		free(run->file[i]->path);
		map_release(&run->file[i]->stream_of);
		free(run->file[i]);
	}
	for (size_t i = 0; i < run->edf_n; i++) {
		edf_release(run->edf[i]);
		free(run->edf[i]);
	}
	for (size_t i = 0; i < run->stream_n; i++) {
		trc_runs_release(&run->stream[i]->runs);
		free(run->stream[i]);
	}
	names_release(&run->names.region);
	names_release(&run->names.event);
	names_release(&run->names.meta);
	free(run->meta);
	free(run->file);
	free(run->edf);
	free(run->stream);
	free(run);
}

const struct trace_ops tau_trace_ops = {
	.open = cursor_open,
	.next = cursor_next,
	.close = cursor_close,
	.free = run_free,
};
