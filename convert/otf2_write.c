/*
 * otf2_write.c: writes the events of a trace of any format as an OTF2 archive (otf2_format.h).
 *
 * Times are ns, the clock has 10^9 ticks a second and begins with the run. The life of a thread is the region
 * ".TAU application". Values are metrics of one member each; what OTF2 has no place for stands in descriptions, from which
 * otf2_define.c takes it back: "tau:GROUPS" of a region, "tau:context" of an event, "tau:metric DIVIDE", "tau:type ..." of a
 * type of objects, "tau:alloc TYPE", "tau:free TYPE", "tau:retype FROM TO" of the metrics that stand for memory, and, of what a
 * location had added to it when the window began, "tau:live TYPE" (bytes) and "tau:objects TYPE". A transfer
 * has the time that it took as its number; a sample has what it stands for as attributes.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "otf2_writer.h"

/* ---- values ---- */

/* A value of a metric of one member. */
static void put_metric(struct otf2_writer *w, uint64_t time, uint32_t metric, unsigned type,
		       uint64_t bits)
{
	otf2_field(&w->f, 'u', metric);
	otf2_field(&w->f, 'b', 1);
	otf2_field(&w->f, 'b', type);
	otf2_field(&w->f, 'U', bits);
	otf2_put_event(&w->out, time, OTF2_METRIC, &w->f);
}

static void put_value(struct otf2_writer *w, uint64_t time, const struct event_args *a)
{
	uint64_t bits;

	memcpy(&bits, &a->value, sizeof(bits));
	put_metric(w, time, otf2_metric_event(w, a->event), OTF2_DOUBLE, bits);
}

/* The values that an event has stand before it. */
static void put_row(struct otf2_writer *w, uint64_t time, const int64_t *row)
{
	size_t n = w->trace->metric_n < UINT8_MAX ? w->trace->metric_n : UINT8_MAX;

	otf2_field(&w->f, 'u', 0);
	otf2_field(&w->f, 'b', n);
	for (size_t i = 0; i < n; i++) {
		otf2_field(&w->f, 'b', OTF2_INT64);
		otf2_field(&w->f, 'U', (uint64_t)row[i]);
	}
	otf2_put_event(&w->out, time, OTF2_METRIC, &w->f);
	w->o->loss[LOSS_METRIC] += w->trace->metric_n - n;
}

/* The metric of something that is said of types; it is defined because of that. */
static uint32_t extra_metric(struct otf2_writer *w, enum otf2_extra_kind kind, uint32_t type,
			     uint32_t to)
{
	uint64_t key = (uint64_t)kind << 62 | (uint64_t)type << 31 | to;
	uint32_t at = map_get(&w->extra_of, key);

	if (at == MAP_NONE) {
		at = (uint32_t)w->extra_n;
		map_set(&w->extra_of, key, at);
		*array_add(w, extra) = (struct otf2_extra){kind, type, to};
	}
	return otf2_metric_memory(w, (uint32_t)w->trace->memtype_n, 0) + at;
}

static void put_memory(struct otf2_writer *w, uint64_t time, const struct clip_event *ev)
{
	const struct event_args *a = ev->args;
	uint32_t metric = ev->event.kind == EVENT_RETYPE
				  ? extra_metric(w, OTF2_EXTRA_RETYPE, a->type, a->to)
				  : otf2_metric_memory(w, a->type, ev->event.kind == EVENT_FREE);

	put_metric(w, time, metric, OTF2_UINT64, a->bytes);
}

/* What was live when the window began stands before all else. */
static void put_live(struct otf2_writer *w, const struct clip *c)
{
	for (uint32_t i = 0; c->live && i < w->trace->memtype_n; i++) {
		const struct clip_level *l = &c->level[i];

		if (!l->bytes && !l->blocks)
			continue;
		put_metric(w, (uint64_t)c->begin, extra_metric(w, OTF2_EXTRA_LIVE, i, 0),
			   OTF2_INT64, (uint64_t)l->bytes);
		put_metric(w, (uint64_t)c->begin, extra_metric(w, OTF2_EXTRA_OBJECTS, i, 0),
			   OTF2_INT64, (uint64_t)l->blocks);
		w->last = c->begin > w->last ? c->begin : w->last;
	}
}

/* ---- messages ---- */

static uint32_t comm_ref(const struct otf2_writer *w, uint32_t comm)
{
	return comm < w->trace->comm_n ? w->comm[comm] : OTF2_COMM_WORLD;
}

/* Where a world rank stands in a group; SIZE_MAX: nowhere. */
static size_t place_in(const struct trace_comm *c, int64_t rank)
{
	if (rank >= 0 && (size_t)rank < c->n && c->rank[rank] == rank)
		return (size_t)rank;
	for (size_t i = 0; i < c->n; i++)
		if (c->rank[i] == rank)
			return i;
	return SIZE_MAX;
}

/* The rank that a world rank has in a communicator, in the other group where there are two; SIZE_MAX:
 * none. The reader turns it back. */
static size_t local_rank(struct otf2_writer *w, uint32_t comm, int64_t rank)
{
	const struct trace_comm *c = comm < w->trace->comm_n ? &w->trace->comm[comm] : NULL;

	otf2_world_has(w, rank);
	if (!c)
		return (uint32_t)rank;
	if (c->inter && place_in(c, w->here) != SIZE_MAX)
		c = &w->trace->comm[c->inter - 1];
	return place_in(c, rank);
}

/* Whom a communicator does not hold, the world does. */
static void put_message(struct otf2_writer *w, uint64_t time, const struct clip_event *ev)
{
	const struct event_args *a = ev->args;
	size_t rank = local_rank(w, a->comm, a->peer);

	otf2_field(&w->f, 'u', rank == SIZE_MAX ? (uint32_t)a->peer : rank);
	otf2_field(&w->f, 'u', rank == SIZE_MAX ? OTF2_COMM_WORLD : comm_ref(w, a->comm));
	otf2_field(&w->f, 'u', (uint64_t)a->tag);
	otf2_field(&w->f, 'U', a->bytes);
	otf2_put_event(&w->out, time, ev->event.kind == EVENT_SEND ? OTF2_SEND : OTF2_RECV, &w->f);
}

/* The root as the OTF2 library has it. */
static uint32_t root_rank(struct otf2_writer *w, uint32_t comm, int64_t root)
{
	size_t rank = root < 0 ? SIZE_MAX : local_rank(w, comm, root);

	if (rank != SIZE_MAX)
		return (uint32_t)rank;
	if (root < 0 || comm >= w->trace->comm_n || !w->trace->comm[comm].inter)
		return OTF2_UNDEFINED32;
	return root == w->here ? OTF2_ROOT_SELF : OTF2_ROOT_HERE;
}

static void put_collective(struct otf2_writer *w, uint64_t time, const struct event_args *a)
{
	static const uint8_t operation[COLLS] = {
		[COLL_BARRIER] = 0,    [COLL_BROADCAST] = 1, [COLL_REDUCE] = 12,
		[COLL_ALLREDUCE] = 11, [COLL_GATHER] = 2,    [COLL_ALLGATHER] = 6,
		[COLL_ALLTOALL] = 8,   [COLL_SCATTER] = 4,   [COLL_SCAN] = 14,
		[COLL_REDUCE_SCATTER] = 13, [COLL_OTHER] = 17,
	};

	otf2_put_event(&w->out, time, OTF2_COLL_BEGIN, &w->f);
	otf2_field(&w->f, 'b', operation[a->op]);
	otf2_field(&w->f, 'u', comm_ref(w, a->comm));
	otf2_field(&w->f, 'u', root_rank(w, a->comm, a->peer));
	otf2_field(&w->f, 'U', a->bytes);
	otf2_field(&w->f, 'U', a->received);
	otf2_put_event(&w->out, time, OTF2_COLL_END, &w->f);
}

static void put_rma(struct otf2_writer *w, uint64_t time, const struct event_args *a)
{
	int atomic = a->op != RMA_PUT && a->op != RMA_GET;

	otf2_world_has(w, a->peer);
	otf2_field(&w->f, 'u', OTF2_WINDOW_WORLD);
	otf2_field(&w->f, 'u', (uint64_t)a->peer);
	if (atomic)
		otf2_field(&w->f, 'b', 0);
	otf2_field(&w->f, 'U', a->bytes);
	if (atomic)
		otf2_field(&w->f, 'U', a->bytes);
	otf2_field(&w->f, 'U', 0);
	otf2_put_event(&w->out, time,
		       atomic              ? OTF2_RMA_ATOMIC
		       : a->op == RMA_PUT ? OTF2_RMA_PUT
					   : OTF2_RMA_GET,
		       &w->f);
}

/* The begin of a transfer stands where it began, or where the last event was. */
static void put_io(struct otf2_writer *w, uint64_t time, const struct event_args *a)
{
	uint64_t took = (uint64_t)a->tag, begin = took < time ? time - took : 0;
	uint32_t at = map_get(&w->handle_of, a->file);

	if (at == MAP_NONE) {
		at = (uint32_t)w->handle_n;
		map_set(&w->handle_of, a->file, at);
		*array_add(w, handle) = a->file;
	}
	if (w->out.timed && begin < w->out.time)
		begin = w->out.time;
	otf2_field(&w->f, 'u', at);
	otf2_field(&w->f, 'b', a->op == IO_READ ? 0 : 1);
	otf2_field(&w->f, 'u', 0);
	otf2_field(&w->f, 'U', a->bytes);
	otf2_field(&w->f, 'U', took);
	otf2_put_event(&w->out, begin, OTF2_IO_BEGIN, &w->f);
	otf2_field(&w->f, 'u', at);
	otf2_field(&w->f, 'U', a->bytes);
	otf2_field(&w->f, 'U', took);
	otf2_put_event(&w->out, time, OTF2_IO_COMPLETE, &w->f);
}

/* ---- samples ---- */

/*
 * A function is inlined into the next, or it is the last of its place. One without a name has a name nevertheless: readers take
 * for granted that regions have one.
 */
static uint32_t function_id(struct otf2_writer *w, const struct trace_code *c, int inlined)
{
	char *about = mem_printf(OTF2_OURS "%s %s", inlined ? "inline" : "code",
				 c->module ? c->module : "");
	char *name = c->name ? mem_string(c->name)
			     : mem_printf(OTF2_NAMELESS "%s", c->module ? c->module : "");
	char *key = mem_printf("%s\n%s\n%s", name, c->file ? c->file : "", about);
	uint32_t id = names_add(&w->functions, key, strlen(key));

	if (id == w->function_n)
		*array_add(w, function) = (struct otf2_function){
			otf2_string_id(w, name),
			c->file ? otf2_string_id(w, c->file) : OTF2_UNDEFINED32,
			otf2_string_id(w, about)};
	free(key);
	free(name);
	free(about);
	return id;
}

/* The calling context of a function under another. */
static uint32_t node_id(struct otf2_writer *w, uint32_t parent, const struct trace_code *c,
			int inlined)
{
	struct otf2_node n = {function_id(w, c, inlined), parent, c->line};
	uint32_t id = names_add(&w->nodes, (const char *)&n, sizeof(n));

	if (id == w->node_n)
		*array_add(w, node) = n;
	return id;
}

static void put_attribute(struct otf2_writer *w, uint32_t attribute, uint64_t v)
{
	otf2_field(&w->f, 'u', attribute);
	otf2_field(&w->f, 'b', OTF2_UINT64);
	otf2_field(&w->f, 'U', v);
}

static void put_sample(struct otf2_writer *w, uint64_t time, const struct clip_event *ev)
{
	const struct event_args *a = ev->args;
	uint32_t node = OTF2_UNDEFINED32;

	if (!w->trace->ops->place) {
		w->o->loss[LOSS_SAMPLE]++;
		return;
	}
	for (uint32_t i = a->n; i-- > 0;) {
		struct trace_place p = w->trace->ops->place(w->trace, ev->code[a->first + i]);

		for (size_t k = p.n; k-- > 0;)
			node = node_id(w, node, &p.code[k], k + 1 < p.n);
	}
	w->period = w->period ? w->period : a->bytes;
	otf2_field(&w->f, 'u', 3);
	put_attribute(w, OTF2_ATTRIBUTE_NS, a->bytes);
	put_attribute(w, OTF2_ATTRIBUTE_INSIDE, a->received);
	put_attribute(w, OTF2_ATTRIBUTE_MISSED, (uint64_t)a->peer);
	otf2_put_attributes(&w->out, time, &w->f);
	otf2_field(&w->f, 'u', node);
	otf2_field(&w->f, 'u', 1);
	otf2_field(&w->f, 'u', 0);
	otf2_put_event(&w->out, time, OTF2_CONTEXT_SAMPLE, &w->f);
}

/* ---- events ---- */

/* That it was open before, and this is no call, is an attribute. */
static void put_region(struct otf2_writer *w, const struct clip_event *ev, uint32_t kind,
		       uint32_t region)
{
	struct event one = {ev->event.time, kind, region};

	if (ev->open) {
		otf2_field(&w->f, 'u', 1);
		put_attribute(w, OTF2_ATTRIBUTE_OPEN, 1);
		otf2_put_attributes(&w->out, (uint64_t)(one.time > 0 ? one.time : 0), &w->f);
		w->opens = 1;
	}
	otf2_put_regions(&w->out, &one, 1);
}

static void put_mode(struct otf2_writer *w, uint64_t time, int on)
{
	otf2_field(&w->f, 'b', on ? OTF2_ON : OTF2_OFF);
	otf2_put_event(&w->out, time, OTF2_ON_OFF, &w->f);
}

static void take_other(struct otf2_writer *w, uint64_t time, const struct clip_event *ev)
{
	const struct event_args *a = ev->args;

	switch (ev->event.kind) {
	case EVENT_THREAD_BEGIN:
		put_region(w, ev, EVENT_ENTER, (uint32_t)w->trace->region_n);
		break;
	case EVENT_THREAD_END:
		put_region(w, ev, EVENT_LEAVE, (uint32_t)w->trace->region_n);
		break;
	case EVENT_VALUE:
		put_value(w, time, a);
		break;
	case EVENT_SEND:
	case EVENT_RECV:
		put_message(w, time, ev);
		break;
	case EVENT_COLL:
		put_collective(w, time, a);
		break;
	case EVENT_RMA:
		put_rma(w, time, a);
		break;
	case EVENT_IO:
		put_io(w, time, a);
		break;
	case EVENT_ALLOC:
	case EVENT_FREE:
	case EVENT_RETYPE:
		put_memory(w, time, ev);
		break;
	case EVENT_OFF:
	case EVENT_ON:
		put_mode(w, time, ev->event.kind == EVENT_ON);
		break;
	case EVENT_FOLD:
		w->o->loss[LOSS_FOLD]++;
		break;
	case EVENT_SAMPLE:
		put_sample(w, time, ev);
		break;
	default:
		break;
	}
}

static void take(struct otf2_writer *w, const struct clip_event *ev)
{
	uint64_t time = (uint64_t)(ev->event.time > 0 ? ev->event.time : 0);

	if (ev->metric)
		put_row(w, time, ev->metric);
	if (ev->event.kind == EVENT_ENTER || ev->event.kind == EVENT_LEAVE)
		put_region(w, ev, ev->event.kind, ev->event.ref);
	else
		take_other(w, time, ev);
	w->last = ev->event.time > w->last ? ev->event.time : w->last;
}

/* Enters and leaves, which is nearly all there is. */
static void take_run(struct otf2_writer *w, const struct event *ev, size_t n)
{
	otf2_put_regions(&w->out, ev, n);
	w->last = ev[n - 1].time > w->last ? ev[n - 1].time : w->last;
}

/* ---- the whole ---- */

/* A system error about a file, whose name is freed. */
static int fail(struct error *e, char *path)
{
	error_set(e, ERROR_SYSTEM, "%s: %s", path, strerror(errno));
	free(path);
	return e->code;
}

static int write_stream(struct otf2_writer *w, uint32_t stream, struct window_span span,
			struct error *e)
{
	char *path = mem_printf("%s/traces/%u.evt", w->folder, stream);
	const struct event *run;
	struct clip_event ev;
	struct clip c;
	size_t n;
	int code = clip_open(&c, w->trace, stream, span, 1, e);

	if (code >= 0 && (c.used || c.live || write_idle(w->o))) {
		if (otf2_out_open(&w->out, path, OTF2_EVENT_CHUNK)) {
			clip_close(&c);
			return fail(e, path);
		}
		w->used[stream] = 1;
		w->here = w->trace->process[w->trace->stream[stream].process].node;
		w->o->streams += c.used || c.live;
		put_live(w, &c);
		do {
			while ((n = clip_run(&c, SIZE_MAX, &run)))
				take_run(w, run, n);
			code = clip_next(&c, &ev, e);
			if (code > 0)
				take(w, &ev);
		} while (code > 0);
		w->events[stream] = w->out.events;
		if (otf2_out_close(&w->out) && code >= 0)
			code = fail(e, mem_string(path));
	}
	free(path);
	clip_close(&c);
	return code < 0 ? code : 0;
}

static int write_all(struct otf2_writer *w, struct error *e)
{
	char *path = mem_printf("%s/traces", w->folder);
	int code = 0;

	if (mkdir(path, 0777))
		return fail(e, path);
	free(path);
	for (uint32_t s = 0; s < w->trace->stream_n && !code; s++) {
		struct window_span span;

		if (write_span(w->trace, w->o, s, &span))
			code = write_stream(w, s, span, e);
	}
	if (!code && otf2_write_definitions(w, &path))
		code = fail(e, path);
	return code;
}

static void writer_release(struct otf2_writer *w)
{
	names_release(&w->string);
	names_release(&w->nodes);
	names_release(&w->functions);
	map_release(&w->extra_of);
	map_release(&w->handle_of);
	free(w->f.v);
	free(w->extra);
	free(w->handle);
	free(w->node);
	free(w->function);
	free(w->comm);
	free(w->events);
	free(w->used);
}

/* Communicators of the trace follow the world, two groups that talk to each other as one. */
static uint32_t *number_comms(const struct trace *t)
{
	uint32_t *ref = mem_alloc((t->comm_n + 1) * sizeof(*ref)), next = OTF2_COMM_WORLD;

	for (size_t i = 0; i < t->comm_n; i++)
		ref[i] = trace_comm_second(t->comm, i) ? ref[t->comm[i].inter - 1] : ++next;
	return ref;
}

int otf2_write(struct trace *t, const char *to, struct write_options *o, struct error *e)
{
	struct otf2_writer w = {.trace = t, .o = o};
	int code;

	w.folder = whole_folder(to, e);
	if (!w.folder)
		return e->code;
	otf2_string_id(&w, "");
	w.events = mem_alloc((t->stream_n + 1) * sizeof(*w.events));
	w.used = mem_alloc(t->stream_n + 1);
	w.comm = number_comms(t);
	w.region_n = (uint32_t)t->region_n + 1;
	code = write_all(&w, e);
	write_paths_lost(t, o);
	if (!code)
		code = write_nothing(t, o, e);
	writer_release(&w);
	return whole_folder_close(w.folder, to, code, e) && !code ? e->code : code;
}
