/* otf2_cursor.c: the events of one location: records of its file to batches. */
#include "otf2_cursor.h"

/* ---- values that come with events ---- */

void otf2_rows(struct trace_cursor *c)
{
	size_t width = c->trace->metric_n;

	while (c->row_n < c->batch.n) {
		if (c->row_n == c->row_cap)
			c->batch.metric = array_grow(c->batch.metric, &c->row_cap,
						     width * sizeof(*c->batch.metric));
		memcpy(c->batch.metric + c->row_n * width, c->metric, width * sizeof(*c->metric));
		c->row_n++;
	}
}

void otf2_settle(struct trace_cursor *c)
{
	c->fresh = 0;
	otf2_push_args(c, EVENT_METRICS);
	otf2_rows(c);
}

/* ---- opening ---- */

/* Regions as the location numbers them. */
static void make_direct(struct trace_cursor *c)
{
	const struct otf2_run *run = c->run;
	const struct otf2_ids *t = c->location->ids ? &c->location->ids[OTF2_OF_REGION] : NULL;
	size_t n = run->direct_n;

	c->direct = run->direct;
	c->direct_n = run->direct_n;
	if (!t || (!t->dense && !t->sparse.n))
		return;
	n = t->dense_n > n ? t->dense_n : n;
	c->direct = mem_alloc(n * sizeof(*c->direct));
	c->direct_n = (uint32_t)n;
	c->own_direct = 1;
	for (size_t i = 0; i < n; i++)
		c->direct[i] = otf2_region(run, otf2_global(t, i));
}

static int cursor_open(struct trace *t, uint32_t stream, int64_t from, struct trace_cursor **out,
		       struct error *e)
{
	struct trace_cursor *c = mem_alloc(sizeof(*c));
	const struct trace_process *p = &t->process[t->stream[stream].process];
	struct otf2_run *run = t->reader;

	/* Without an index by time every window needs what came before it. */
	(void)from;
	(void)e;
	c->trace = t;
	c->run = run;
	c->stream = &t->stream[stream];
	c->location = &run->location[(uintptr_t)c->stream->reader - 1];
	c->rank = (uint64_t)(p->rank >= 0 ? p->rank : p->node);
	c->event_cap = OTF2_BATCH * 4;
	c->batch.event = mem_resize(NULL, c->event_cap, sizeof(*c->batch.event));
	c->state.first = 1;
	c->last = INT64_MIN;
	c->limit = run->base + run->limit < run->base ? UINT64_MAX : run->base + run->limit;
	c->file.fd = -1;
	c->chunks = (struct otf2_chunks){.file = &c->file, .size = run->archive.event_chunk};
	if (t->metric_n) {
		c->metric = mem_alloc(t->metric_n * sizeof(*c->metric));
		c->travel = mem_alloc(t->metric_n * sizeof(*c->travel));
	}
	make_direct(c);
	c->ended = c->location->missing ||
		   otf2_file_open(&c->file, &run->archive, &c->location->id, ".evt") != 0;
	*out = c;
	return 0;
}

/* ---- reading ---- */

/* The events end here, because the file does, or (why not NULL) because of damage at p. */
static void cursor_end(struct trace_cursor *c, const unsigned char *p, const char *why)
{
	if (c->fresh)
		otf2_settle(c);
	c->ended = 1;
	if (!why && c->location->events && c->read < c->location->events && !c->stream->damaged)
		trace_late_note(c->trace, c->stream, "%s: %llu of %llu events are there",
				c->file.path, (unsigned long long)c->read,
				(unsigned long long)c->location->events);
	if (why && !c->stream->damaged)
		trace_late_note(c->trace, c->stream,
				"%s: offset %llu: %s; the %llu events before are kept",
				c->file.path, (unsigned long long)otf2_offset(&c->chunks, p), why,
				(unsigned long long)c->read);
	if (c->fell && !c->location->fell)
		trace_late_note(c->trace, c->stream,
				"%s: times that fall are taken as the ones before: %llu",
				c->file.path, (unsigned long long)c->fell);
	c->location->fell |= c->fell > 0;
	c->stream->damaged |= why != NULL;
	otf2_file_close(&c->file);
	if (c->last == INT64_MIN)
		return;
	c->stream->last = c->last;
	trace_reach(c->trace, c->last);
	otf2_push_args(c, EVENT_THREAD_END);
	if (c->metric)
		otf2_rows(c);
}

/* An event of a kind with a length, or one of the old kinds without. NULL, or what is wrong. */
static const char *take_record(struct trace_cursor *c, unsigned kind, struct otf2_bytes *b)
{
	const struct otf2_record *r = &otf2_event_record[kind];
	struct otf2_fields f;
	struct otf2_bytes body;

	if (kind < 10)
		return "this is no record of an event";
	body = otf2_is_single(kind) ? *b : otf2_body(b);
	if (b->bad)
		return "a record is cut short";
	if (r->name) {
		if (otf2_fields(&body, r->letters, c->location->ids, &f))
			return "a record is damaged";
		if (!otf2_take_stack(c, kind, &f))
			otf2_take(c, kind, &f);
	} else {
		c->over[kind]++;
	}
	if (otf2_is_single(kind))
		*b = body;
	return NULL;
}

/* Attributes of the next event: ours are wanted. NULL, or what is wrong. */
static const char *take_attributes(struct trace_cursor *c, struct otf2_bytes b)
{
	uint64_t n = c->run->ours ? otf2_compressed(&b, 4) : 0;

	for (; n && !b.bad; n--) {
		uint64_t attribute = otf2_compressed(&b, 4), v;

		v = otf2_value(&b, (unsigned)otf2_number(&b, 1));
		if (attribute < sizeof(c->attribute) / sizeof(*c->attribute))
			c->attribute[attribute] = v;
	}
	return b.bad ? "attributes are cut short" : NULL;
}

/* The time of the records that follow. NULL, or what is wrong. */
static inline const char *take_time(struct trace_cursor *c, struct otf2_bytes *b)
{
	uint64_t time = otf2_number(b, 8);

	if (c->fresh)
		otf2_settle(c);
	if (c->location->clock_n)
		time = otf2_corrected(c->location, time);
	c->fell += time < c->time;
	c->time = time;
	return b->bad ? "the time of a record is cut short" :
	       time >= c->limit ? "the time of a record is impossible" : NULL;
}

/* Ends the file, or goes to its next chunk. 1: there is more. */
static int next_chunk(struct trace_cursor *c)
{
	uint64_t read = c->chunks.read;
	int code = otf2_chunk_next(&c->chunks, &c->bytes);

	trace_count(c->trace, 0, c->chunks.read - read);
	if (code <= 0) {
		/* A file without any chunk is of a location where nothing happened. */
		cursor_end(c, NULL,
			   code < 0         ? c->chunks.wrong
			   : c->chunks.read ? "the file is cut short"
					    : NULL);
		return 0;
	}
	return 1;
}

static void fill(struct trace_cursor *c)
{
	uint64_t stop = c->read + OTF2_BATCH;

	/* What the first batch begins with ends with its first event. */
	while ((c->read < stop || (c->batch.state && !c->batch.n)) && !c->ended) {
		struct otf2_bytes *b = &c->bytes;
		const unsigned char *start = b->p;
		const char *wrong = NULL;
		unsigned kind;

		if (b->p == b->end) {
			if (!next_chunk(c))
				return;
			continue;
		}
		kind = *b->p++;
		if (kind == OTF2_TIME) {
			wrong = take_time(c, b);
		} else if (kind == OTF2_ENTER || kind == OTF2_LEAVE) {
			uint32_t region = (uint32_t)otf2_compressed(b, 4);

			c->read++;
			if (b->bad)
				wrong = "a record is cut short";
			else if (kind == OTF2_ENTER && __builtin_expect(c->attribute[3] != 0, 0))
				otf2_reopen(c, region);
			else if (kind == OTF2_ENTER)
				otf2_enter(c, region);
			else
				otf2_leave(c, region);
		} else if (kind == OTF2_END_CHUNK) {
			b->p = b->end;
		} else if (kind == OTF2_END_FILE) {
			cursor_end(c, b->p, NULL);
			return;
		} else if (kind == OTF2_ATTRIBUTES) {
			wrong = take_attributes(c, otf2_body(b));
		} else {
			c->read++;
			wrong = take_record(c, kind, b);
		}
		if (wrong) {
			c->read -= kind >= 10;
			cursor_end(c, start, wrong);
			return;
		}
		if (c->metric)
			otf2_rows(c);
	}
}

static int cursor_next(struct trace_cursor *c, struct event_batch **out, struct error *e)
{
	uint64_t before = c->read;

	(void)e;
	if (c->ended && c->begun)
		return 0;
	c->batch.n = c->batch.args_n = c->batch.regions_n = c->batch.code_n = c->row_n = 0;
	c->batch.state = c->begun ? NULL : &c->state;
	c->begun = 1;
	if (!c->ended) {
		fill(c);
		trace_count(c->trace, c->read - before, 0);
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
	for (size_t kind = 0; kind < 256; kind++)
		if (c->over[kind])
			trace_over(c->trace, c->stream,
				   otf2_event_record[kind].name ? otf2_event_record[kind].name
								: "unknown kinds",
				   c->over[kind]);
	for (size_t i = 0; i < c->task_n; i++)
		free(c->task[i].region);
	otf2_file_close(&c->file);
	otf2_chunks_release(&c->chunks);
	if (c->own_direct)
		free(c->direct);
	free(c->task);
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

static void location_release(struct otf2_location *l)
{
	for (size_t i = 0; l->ids && i < OTF2_TABLES; i++) {
		free(l->ids[i].dense);
		map_release(&l->ids[i].sparse);
	}
	free(l->ids);
	free(l->clock);
}

static void run_free(struct trace *t)
{
	struct otf2_run *run = t->reader;
	struct map *maps[] = {&run->region_far,   &run->comm_of,   &run->metric_of,
			      &run->parameter_of, &run->window_of, &run->context_of,
			      &run->handle_of};

	for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); i++)
		map_release(maps[i]);
	for (size_t i = 0; i < run->location_n; i++)
		location_release(&run->location[i]);
	for (size_t i = 0; i < run->code_n; i++)
		free(run->code[i].place);
	names_release(&run->code_text);
	pthread_mutex_destroy(&run->code_lock);
	otf2_archive_release(&run->archive);
	free(run->code);
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
	.place = otf2_place,
	.free = run_free,
};
