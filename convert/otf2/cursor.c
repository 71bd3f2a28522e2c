/* cursor.c: the events of one location: records of its file to batches. */
#include "analyze/base/map.h"
#include "analyze/trace/trace.h"
#include "convert/otf2/archive.h"
#include "convert/otf2/location.h"
#include "convert/otf2/record.h"

/* ---- opening ---- */

/* A cursor that reads nothing yet. */
static struct trace_cursor *cursor_new(struct trace *t, size_t location)
{
	struct trace_cursor *c = mem_alloc(sizeof(*c));

	c->trace = t;
	c->run = t->reader;
	c->location = &c->run->location[location];
	c->event_cap = ARCHIVE_BATCH * 4;
	c->batch.event = mem_resize(NULL, c->event_cap, sizeof(*c->batch.event));
	c->state.first = 1;
	c->last = INT64_MIN;
	c->stamp = OTF2_UNDEFINED_TIMESTAMP;
	c->limit = c->run->base + c->run->limit < c->run->base ? UINT64_MAX
							       : c->run->base + c->run->limit;
	c->over = mem_alloc(archive_others() * sizeof(*c->over));
	return c;
}

/* Makes the reader's events those of the cursor. 0, or -1: they cannot be read. */
static int events_open(struct trace_cursor *c, OTF2_Reader *r)
{
	OTF2_EvtReaderCallbacks *on;

	c->events = archive_reader_events(r, c->location);
	if (!c->events)
		return -1;
	on = OTF2_EvtReaderCallbacks_New();
	archive_on_stack(on);
	archive_on_events(on);
	archive_on_others(on);
	OTF2_Reader_RegisterEvtCallbacks(r, c->events, on, c);
	OTF2_EvtReaderCallbacks_Delete(on);
	return 0;
}

static int cursor_open(struct trace *t, uint32_t stream, int64_t from, struct trace_cursor **out,
		       struct error *e)
{
	struct trace_cursor *c = cursor_new(t, (uintptr_t)t->stream[stream].reader - 1);
	const struct trace_process *p = &t->process[t->stream[stream].process];

	/* Without an index by time every window needs what came before it. */
	(void)from;
	(void)e;
	c->stream = &t->stream[stream];
	c->rank = (uint64_t)(p->rank >= 0 ? p->rank : p->node);
	if (t->metric_n) {
		c->metric = mem_alloc(t->metric_n * sizeof(*c->metric));
		c->travel = mem_alloc(t->metric_n * sizeof(*c->travel));
	}
	archive_off(c, 0);
	c->ended = c->location->missing;
	if (!c->ended)
		c->reader = archive_reader_open(c->run->anchor, NULL);
	if (c->reader && (c->location->mapped || c->location->shifted))
		archive_reader_local(c->reader, c->location, NULL);
	if (c->reader && c->location->whole && events_open(c, c->reader))
		c->wrong = "the OTF2 library cannot open it";
	*out = c;
	return 0;
}

/* ---- reading ---- */

/* Leaves of regions that were not open. */
static void note_paired(struct trace_cursor *c, const char *path)
{
	if ((c->by_attribute || c->by_place) && !c->location->paired)
		trace_late_note(c->trace, c->stream,
				(struct note){.kind = NOTE_REPAIRED,
					      .number = (double)(c->by_attribute + c->by_place)},
				"%s: leaves that name another region than was entered: %llu; "
				"paired by their attributes: %llu, by their position: %llu",
				path, (unsigned long long)(c->by_attribute + c->by_place),
				(unsigned long long)c->by_attribute,
				(unsigned long long)c->by_place);
	c->location->paired |= c->by_attribute || c->by_place;
}

/* The notes on how the events end: because the file does, or because of damage. */
static void note_end(struct trace_cursor *c)
{
	const struct archive_location *l = c->location;
	char *path = archive_path(c->run, &l->id, ".evt");

	if (!c->wrong && l->cut)
		c->wrong = "the file is cut short";
	if (!c->wrong && l->events && c->read < l->events && !c->stream->damaged)
		trace_late_note(c->trace, c->stream, (struct note){.kind = NOTE_DAMAGE},
				"%s: %llu of %llu events are present", path,
				(unsigned long long)c->read, (unsigned long long)l->events);
	if (c->wrong && !c->stream->damaged)
		trace_late_note(c->trace, c->stream, (struct note){.kind = NOTE_DAMAGE},
				"%s: %s; the %llu events before are kept", path, c->wrong,
				(unsigned long long)c->read);
	if (c->fell && !l->fell)
		trace_late_note(c->trace, c->stream,
				(struct note){.kind = NOTE_TIMES, .number = (double)c->fell},
				"%s: times that decrease are replaced by the previous time: %llu",
				path,
				(unsigned long long)c->fell);
	note_paired(c, path);
	c->location->fell |= c->fell > 0;
	c->stream->damaged |= c->wrong != NULL;
	free(path);
}

static void cursor_end(struct trace_cursor *c)
{
	if (c->fresh)
		archive_settle(c);
	c->ended = 1;
	note_end(c);
	if (c->last == INT64_MIN)
		return;
	c->stream->last = c->last;
	trace_reach(c->trace, c->last);
	archive_push_args(c, EVENT_THREAD_END);
	if (c->metric)
		archive_rows(c);
}

/* Reads the next records, up to the last that is whole. 1: there are more. */
static int read_some(struct trace_cursor *c)
{
	uint64_t left = c->location->whole - c->read,
		 n = left < ARCHIVE_BATCH ? left : ARCHIVE_BATCH;
	uint64_t before = c->read, got = 0;
	OTF2_ErrorCode code;

	if (!n || !c->events)
		return 0;
	code = OTF2_Reader_ReadLocalEvents(c->reader, c->events, n, &got);
	if (code && !c->wrong)
		c->wrong = OTF2_Error_GetDescription(code);
	return !c->wrong && c->read - before == n;
}

static void fill(struct trace_cursor *c)
{
	const struct archive_location *l = c->location;
	uint64_t before = c->read;
	int more = 1;

	/* What the first batch begins with ends with its first event. */
	do
		more = read_some(c);
	while (more && c->batch.state && !c->batch.n);
	if (l->whole)
		trace_count(c->trace, c->read - before,
			    (uint64_t)((unsigned __int128)l->size * c->read / l->whole) -
				    (uint64_t)((unsigned __int128)l->size * before / l->whole));
	if (!more)
		cursor_end(c);
}

static int cursor_next(struct trace_cursor *c, struct event_batch **out, struct error *e)
{
	(void)e;
	if (c->ended && c->begun)
		return 0;
	c->batch.n = c->batch.args_n = c->batch.regions_n = c->batch.code_n = c->row_n = 0;
	c->batch.state = c->begun ? NULL : &c->state;
	c->begun = 1;
	if (!c->ended)
		fill(c);
	*out = &c->batch;
	return 1;
}

static void cursor_close(struct trace_cursor *c)
{
	for (size_t kind = 0; kind < archive_others() && c->stream; kind++)
		if (c->over[kind])
			trace_over(c->trace, c->stream, archive_other(kind), c->over[kind]);
	if (c->reader)
		OTF2_Reader_Close(c->reader);
	for (size_t i = 0; i < c->task_n; i++)
		free(c->task[i].region);
	free(c->over);
	free(c->task);
	free(c->tag);
	free(c->pending);
	free(c->open);
	free(c->metric);
	free(c->state.metric);
	free(c->state.memory);
	free(c->travel);
	free(c->batch.event);
	free(c->batch.args);
	free(c->batch.regions);
	free(c->batch.code);
	free(c->batch.metric);
	free(c);
}

int archive_times(struct trace *t, size_t location, OTF2_Reader *r, uint64_t *first, uint64_t *last)
{
	struct trace_cursor *c = cursor_new(t, location);
	uint64_t got, n = c->location->whole;
	int found = 0;

	c->limit = 0;
	if (n && !events_open(c, r)) {
		OTF2_Reader_ReadLocalEvents(r, c->events, 1, &got);
		found = c->stamp != OTF2_UNDEFINED_TIMESTAMP;
		*first = *last = c->stamp;
		if (n > 1 && !OTF2_EvtReader_Seek(c->events, n))
			OTF2_Reader_ReadLocalEvents(r, c->events, 1, &got);
		if (c->stamp > *last)
			*last = c->stamp;
		OTF2_Reader_CloseEvtReader(r, c->events);
	}
	cursor_close(c);
	return found;
}

static void run_free(struct trace *t)
{
	struct archive *run = t->reader;
	struct map *maps[] = {&run->region_far,   &run->comm_of,   &run->metric_of,
			      &run->parameter_of, &run->window_of, &run->context_of,
			      &run->handle_of,    &run->group_of};

	for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); i++)
		map_release(maps[i]);
	for (size_t i = 0; i < run->code_n; i++)
		free(run->code[i].place);
	names_release(&run->code_text);
	pthread_mutex_destroy(&run->code_lock);
	free(run->anchor);
	free(run->code);
	free(run->location);
	free(run->direct);
	for (size_t i = 0; i < run->group_n; i++)
		free(run->group[i].rank);
	free(run->group);
	free(run->comm);
	free(run->metric);
	free(run->member);
	free(run->context);
	free(run);
}

const struct trace_ops archive_ops = {
	.open = cursor_open,
	.next = cursor_next,
	.close = cursor_close,
	.code = archive_code,
	.free = run_free,
};
