/* otf2_cursor.c: the events of one location: the library's callbacks fill a batch that the cursor
 * hands out. */
#include "otf2_cursor.h"

static int cursor_open(struct trace *t, uint32_t stream, int64_t from, struct trace_cursor **out,
		       struct error *e)
{
	struct trace_cursor *c = mem_alloc(sizeof(*c));
	const struct trace_process *p = &t->process[t->stream[stream].process];

	/* Without an index by time every window needs what came before it. */
	(void)from;
	(void)e;
	c->trace = t;
	c->run = t->reader;
	c->stream = &t->stream[stream];
	c->location = &c->run->location[(uintptr_t)c->stream->reader - 1];
	c->rank = (uint64_t)(p->rank >= 0 ? p->rank : p->node);
	c->event_cap = OTF2_BATCH * 4;
	c->batch.event = mem_resize(NULL, c->event_cap, sizeof(*c->batch.event));
	c->state.first = 1;
	c->last = INT64_MIN;
	if (!c->location->missing)
		c->reader = OTF2_Reader_GetEvtReader(c->run->reader, c->location->id);
	if (c->reader) {
		OTF2_Reader_RegisterEvtCallbacks(c->run->reader, c->reader, c->run->callbacks, c);
		/* Looking for tables that are not there costs the library a tenth of its time. */
		OTF2_EvtReader_ApplyMappingTables(c->reader, c->location->mapped);
		OTF2_EvtReader_ApplyClockOffsets(c->reader, c->location->shifted);
	}
	c->ended = !c->reader;
	*out = c;
	return 0;
}

/* The events end here: what is open ends with them. */
static void cursor_end(struct trace_cursor *c, OTF2_ErrorCode code)
{
	c->ended = 1;
	if (code != OTF2_SUCCESS) {
		if (!c->stream->damaged)
			trace_late_note(
				c->trace, c->stream,
				"%s: behind record %llu: %s; what follows there is left out",
				c->stream->name, (unsigned long long)c->read,
				OTF2_Error_GetDescription(code));
		c->stream->damaged = 1;
	}
	if (c->last == INT64_MIN)
		return;
	c->stream->last = c->last;
	trace_reach(c->trace, c->last);
	c->batch.event[c->batch.n++] =
		(struct event){c->last, EVENT_THREAD_END, (uint32_t)c->batch.args_n};
	array_add(&c->batch, args);
}

static int cursor_next(struct trace_cursor *c, struct event_batch **out, struct error *e)
{
	OTF2_ErrorCode code;
	uint64_t n = 0;

	(void)e;
	if (c->ended && c->begun)
		return 0;
	c->batch.n = c->batch.args_n = c->batch.regions_n = 0;
	c->batch.state = c->begun ? NULL : &c->state;
	c->begun = 1;
	if (!c->ended) {
		while (c->open_cap < c->open_n + OTF2_BATCH)
			c->open = array_grow(c->open, &c->open_cap, sizeof(*c->open));
		code = OTF2_Reader_ReadLocalEvents(c->run->reader, c->reader, OTF2_BATCH, &n);
		c->read += n;
		trace_count(c->trace, n, 0);
		if (code != OTF2_SUCCESS || n < OTF2_BATCH)
			cursor_end(c, code);
	}
	*out = &c->batch;
	return 1;
}

static int cursor_seek(struct trace_cursor *c, int64_t to, struct error *e)
{
	(void)c;
	(void)to;
	(void)e;
	return 0;
}

static void cursor_close(struct trace_cursor *c)
{
	const struct otf2_location *l = c->location;

	if (c->reader)
		OTF2_Reader_CloseEvtReader(c->run->reader, c->reader);
	trace_count(c->trace, 0,
		    c->ended || c->read >= l->events || !l->events
			    ? l->bytes
			    : (uint64_t)((double)l->bytes * (double)c->read / (double)l->events));
	for (size_t i = 0; i < c->task_n; i++)
		free(c->task[i].region);
	free(c->task);
	free(c->pending);
	free(c->open);
	free(c->batch.event);
	free(c->batch.args);
	free(c->batch.regions);
	free(c);
}

static void run_free(struct trace *t)
{
	struct otf2_run *run = t->reader;
	struct map *maps[] = {&run->region_far,   &run->comm_of,   &run->metric_of,
			      &run->parameter_of, &run->window_of, &run->context_of};

	if (run->callbacks)
		OTF2_EvtReaderCallbacks_Delete(run->callbacks);
	if (run->reader)
		OTF2_Reader_Close(run->reader);
	for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); i++)
		map_release(maps[i]);
	free(run->location);
	free(run->direct);
	free(run->comm);
	free(run->metric);
	free(run->member);
	free(run->context);
	free(run);
}

const struct trace_ops otf2_ops = {
	.open = cursor_open,
	.next = cursor_next,
	.seek = cursor_seek,
	.close = cursor_close,
	.free = run_free,
};
