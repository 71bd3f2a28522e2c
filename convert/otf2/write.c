/*
 * write.c: writes the events of a trace of any format as an OTF2 archive, with the OTF2 library.
 *
 * Times are ns, the clock has 10^9 ticks a second and begins with the run. The life of a thread is
 * the region ".TAU application". Values are metrics of one member each. What OTF2 cannot store is
 * written as descriptions, which tables.c reads: "tau:GROUPS" of a region, "tau:context" of an
 * event, "tau:metric DIVIDE", "tau:type ..." of a type of objects, "tau:alloc TYPE", "tau:free
 * TYPE", "tau:retype FROM TO" of the metrics for memory, and, of what a location had added to it
 * when the window began, "tau:live TYPE" (bytes) and "tau:objects TYPE". The number of a transfer
 * is its duration in ns; a sample has attributes for its time and the number of missed samples.
 */
#include "analyze/base/map.h"
#include "convert/clip.h"
#include "convert/io/whole_file.h"
#include "convert/otf2/writer.h"
#include "convert/trace_write.h"

/* ---- values ---- */

/*
 * Calls the library, unless an earlier call has failed: after that its state is undefined. The
 * first error is reported at the end.
 */
#define PUT(w, call)                                                                               \
	do {                                                                                       \
		if (!(w)->failed)                                                                  \
			(w)->failed = (call);                                                      \
	} while (0)

/* A value of a metric of one member. */
static void put_metric(struct writer *w, uint64_t time, uint32_t metric, OTF2_Type type,
		       OTF2_MetricValue value)
{
	PUT(w, OTF2_EvtWriter_Metric(w->events, NULL, time, metric, 1, &type, &value));
}

static void put_number(struct writer *w, uint64_t time, uint32_t metric, OTF2_Type type,
		       uint64_t bits)
{
	put_metric(w, time, metric, type, (OTF2_MetricValue){.unsigned_int = bits});
}

/* The values of an event are written before it. */
static void put_row(struct writer *w, uint64_t time, const int64_t *row)
{
	uint8_t n = w->trace->metric_n < UINT8_MAX ? (uint8_t)w->trace->metric_n : UINT8_MAX;
	OTF2_Type type[UINT8_MAX];
	OTF2_MetricValue value[UINT8_MAX];

	for (uint8_t i = 0; i < n; i++) {
		type[i] = OTF2_TYPE_INT64;
		value[i].signed_int = row[i];
	}
	PUT(w, OTF2_EvtWriter_Metric(w->events, NULL, time, 0, n, type, value));
	w->o->loss[LOSS_METRIC] += w->trace->metric_n - n;
}

/* The metric of a fact about types; it is defined when it is used first. */
static uint32_t extra_metric(struct writer *w, enum extra_kind kind, uint32_t type, uint32_t to)
{
	uint64_t key = (uint64_t)kind << 62 | (uint64_t)type << 31 | to;
	uint32_t at = map_get(&w->extra_of, key);

	if (at == MAP_NONE) {
		at = (uint32_t)w->extra_n;
		map_set(&w->extra_of, key, at);
		*array_add(w, extra) = (struct extra){kind, type, to};
	}
	return metric_memory(w, (uint32_t)w->trace->memtype_n, 0) + at;
}

static void put_memory(struct writer *w, uint64_t time, const struct clip_event *ev)
{
	const struct event_args *a = ev->args;
	uint32_t metric = ev->event.kind == EVENT_RETYPE
				  ? extra_metric(w, EXTRA_RETYPE, a->block.type, a->block.to)
				  : metric_memory(w, a->block.type, ev->event.kind == EVENT_FREE);

	put_number(w, time, metric, OTF2_TYPE_UINT64, a->block.bytes);
	w->o->loss[LOSS_INNER] += ev->event.kind == EVENT_ALLOC && a->block.inner;
}

/* Objects that were live when the window began are written before all else. */
static void put_live(struct writer *w, const struct clip *c)
{
	for (uint32_t i = 0; c->live && i < w->trace->memtype_n; i++) {
		const struct clip_level *l = &c->level[i];

		if (!l->bytes && !l->blocks)
			continue;
		put_number(w, (uint64_t)c->begin, extra_metric(w, EXTRA_LIVE, i, 0),
			   OTF2_TYPE_INT64, (uint64_t)l->bytes);
		put_number(w, (uint64_t)c->begin, extra_metric(w, EXTRA_OBJECTS, i, 0),
			   OTF2_TYPE_INT64, (uint64_t)l->blocks);
		w->last = c->begin > w->last ? c->begin : w->last;
	}
}

/* ---- messages ---- */

static uint32_t comm_ref(const struct writer *w, uint32_t comm)
{
	return comm < w->trace->comm_n ? w->comm[comm] : REF_COMM_WORLD;
}

/* The position of a world rank in a group; SIZE_MAX: not a member. */
static size_t place_in(const struct trace_comm *c, int64_t rank)
{
	if (rank >= 0 && (size_t)rank < c->n && c->rank[rank] == rank)
		return (size_t)rank;
	for (size_t i = 0; i < c->n; i++)
		if (c->rank[i] == rank)
			return i;
	return SIZE_MAX;
}

/* The rank that a world rank has in a communicator, in the other group where there are two;
 * SIZE_MAX: none. The reader turns it back. */
static size_t local_rank(struct writer *w, uint32_t comm, int64_t rank)
{
	const struct trace_comm *c = comm < w->trace->comm_n ? &w->trace->comm[comm] : NULL;

	world_has(w, rank);
	if (!c)
		return (uint32_t)rank;
	if (c->inter && place_in(c, w->here) != SIZE_MAX)
		c = &w->trace->comm[c->inter - 1];
	return place_in(c, rank);
}

static uint64_t request_id(const struct event_args *a)
{
	return a->message.request - 1;
}

/* Whom a communicator does not hold, the world does. */
static void put_message(struct writer *w, uint64_t time, const struct clip_event *ev)
{
	const struct event_args *a = ev->args;
	size_t rank = local_rank(w, a->message.comm, a->message.peer);

	uint32_t to = rank == SIZE_MAX ? (uint32_t)a->message.peer : (uint32_t)rank;
	OTF2_CommRef comm = rank == SIZE_MAX ? REF_COMM_WORLD : comm_ref(w, a->message.comm);

	uint32_t tag = (uint32_t)a->message.tag;
	uint64_t bytes = a->message.bytes;

	if (a->message.request && ev->event.kind == EVENT_SEND)
		PUT(w, OTF2_EvtWriter_MpiIsend(w->events, NULL, time, to, comm, tag, bytes,
					       request_id(a)));
	else if (a->message.request)
		PUT(w, OTF2_EvtWriter_MpiIrecv(w->events, NULL, time, to, comm, tag, bytes,
					       request_id(a)));
	else if (ev->event.kind == EVENT_SEND)
		PUT(w, OTF2_EvtWriter_MpiSend(w->events, NULL, time, to, comm, tag, bytes));
	else
		PUT(w, OTF2_EvtWriter_MpiRecv(w->events, NULL, time, to, comm, tag, bytes));
}

/* The root as the OTF2 library has it. */
static uint32_t root_rank(struct writer *w, uint32_t comm, int64_t root)
{
	size_t rank = root < 0 ? SIZE_MAX : local_rank(w, comm, root);

	if (rank != SIZE_MAX)
		return (uint32_t)rank;
	if (root < 0 || comm >= w->trace->comm_n || !w->trace->comm[comm].inter)
		return OTF2_UNDEFINED_UINT32;
	return root == w->here ? OTF2_COLLECTIVE_ROOT_SELF : OTF2_COLLECTIVE_ROOT_THIS_GROUP;
}

static void put_collective(struct writer *w, uint64_t time, const struct event_args *a)
{
	static const OTF2_CollectiveOp operation[COLLS] = {
		[COLL_BARRIER] = OTF2_COLLECTIVE_OP_BARRIER,
		[COLL_BROADCAST] = OTF2_COLLECTIVE_OP_BCAST,
		[COLL_REDUCE] = OTF2_COLLECTIVE_OP_REDUCE,
		[COLL_ALLREDUCE] = OTF2_COLLECTIVE_OP_ALLREDUCE,
		[COLL_GATHER] = OTF2_COLLECTIVE_OP_GATHER,
		[COLL_ALLGATHER] = OTF2_COLLECTIVE_OP_ALLGATHER,
		[COLL_ALLTOALL] = OTF2_COLLECTIVE_OP_ALLTOALL,
		[COLL_SCATTER] = OTF2_COLLECTIVE_OP_SCATTER,
		[COLL_SCAN] = OTF2_COLLECTIVE_OP_SCAN,
		[COLL_REDUCE_SCATTER] = OTF2_COLLECTIVE_OP_REDUCE_SCATTER,
		[COLL_OTHER] = OTF2_COLLECTIVE_OP_CREATE_HANDLE,
	};

	PUT(w, OTF2_EvtWriter_MpiCollectiveBegin(w->events, NULL, time));
	PUT(w, OTF2_EvtWriter_MpiCollectiveEnd(
		       w->events, NULL, time, operation[a->coll.op], comm_ref(w, a->coll.comm),
		       root_rank(w, a->coll.comm, a->coll.root), a->coll.sent, a->coll.received));
}

static void put_rma(struct writer *w, uint64_t time, const struct event_args *a)
{
	uint32_t peer = (uint32_t)a->rma.peer;

	world_has(w, a->rma.peer);
	if (a->rma.op == RMA_PUT)
		PUT(w, OTF2_EvtWriter_RmaPut(w->events, NULL, time, REF_WINDOW_WORLD, peer,
					     a->rma.bytes, 0));
	else if (a->rma.op == RMA_GET)
		PUT(w, OTF2_EvtWriter_RmaGet(w->events, NULL, time, REF_WINDOW_WORLD, peer,
					     a->rma.bytes, 0));
	else
		PUT(w, OTF2_EvtWriter_RmaAtomic(w->events, NULL, time, REF_WINDOW_WORLD, peer,
						OTF2_RMA_ATOMIC_TYPE_ACCUMULATE, a->rma.bytes,
						a->rma.bytes, 0));
}

/* Members that the communicator does not have are ranks of the world. */
static void put_sync(struct writer *w, uint64_t time, const struct event_args *a)
{
	uint32_t op = a->sync.op, comm = a->sync.comm, peer = OTF2_UNDEFINED_UINT32, window;
	size_t rank = a->sync.peer < 0 ? 0 : local_rank(w, comm, a->sync.peer);

	if (a->sync.peer >= 0)
		peer = rank == SIZE_MAX ? (uint32_t)a->sync.peer : (uint32_t)rank;
	window = rank == SIZE_MAX ? REF_WINDOW_WORLD : window_ref(comm_ref(w, comm));
	if (window != REF_WINDOW_WORLD)
		w->window[comm] = 1;
	if (op == SYNC_LOCK || op == SYNC_LOCK_SHARED)
		PUT(w, OTF2_EvtWriter_RmaAcquireLock(w->events, NULL, time, window, peer, 0,
						     op == SYNC_LOCK ? OTF2_LOCK_EXCLUSIVE
								     : OTF2_LOCK_SHARED));
	else if (op == SYNC_UNLOCK)
		PUT(w, OTF2_EvtWriter_RmaReleaseLock(w->events, NULL, time, window, peer, 0));
	else
		PUT(w, OTF2_EvtWriter_RmaSync(w->events, NULL, time, window, peer,
					      op == SYNC_POST || op == SYNC_COMPLETE
						      ? OTF2_RMA_SYNC_TYPE_NOTIFY_OUT
						      : OTF2_RMA_SYNC_TYPE_NOTIFY_IN));
}

/* The begin of a transfer is written at its time, or at that of the last event if that is later. */
static void put_io(struct writer *w, uint64_t time, const struct event_args *a)
{
	uint64_t took = (uint64_t)a->io.ns, begin = took < time ? time - took : 0;
	uint64_t key = HANDLE_KEY(a->io.file, event_io_is_mpi(a->io.op));
	uint32_t at = map_get(&w->handle_of, key);
	OTF2_IoOperationMode mode = event_io_reads(a->io.op) ? OTF2_IO_OPERATION_MODE_READ
							     : OTF2_IO_OPERATION_MODE_WRITE;

	if (at == MAP_NONE) {
		at = (uint32_t)w->handle_n;
		map_set(&w->handle_of, key, at);
		*array_add(w, handle) = key;
	}
	begin = begin < w->time ? w->time : begin;
	PUT(w, OTF2_EvtWriter_IoOperationBegin(w->events, NULL, begin, at, mode,
					       OTF2_IO_OPERATION_FLAG_NONE, a->io.bytes, took));
	w->o->loss[LOSS_OFFSET] += a->io.at >= 0;
	PUT(w, OTF2_EvtWriter_IoOperationComplete(w->events, NULL, time, at, a->io.bytes, took));
}

/* ---- samples ---- */

/*
 * A function is inlined into the next, or it is the last of its place. One without a name has a
 * name nevertheless: readers take for granted that regions have one.
 */
static uint32_t function_id(struct writer *w, const struct trace_code *c, int inlined)
{
	char *about = mem_printf(ARCHIVE_OURS "%s %s", inlined ? "inline" : "code",
				 c->module ? c->module : "");
	char *name = c->name ? mem_string(c->name)
			     : mem_printf(ARCHIVE_NAMELESS "%s", c->module ? c->module : "");
	char *key = mem_printf("%s\n%s\n%s", name, c->file ? c->file : "", about);
	uint32_t id = names_add(&w->functions, key, strlen(key));

	if (id == w->function_n)
		*array_add(w, function) = (struct sample_function){
			string_id(w, name), c->file ? string_id(w, c->file) : OTF2_UNDEFINED_UINT32,
			string_id(w, about)};
	free(key);
	free(name);
	free(about);
	return id;
}

/* The calling context of a function under another. */
static uint32_t node_id(struct writer *w, uint32_t parent, const struct trace_code *c, int inlined)
{
	struct sample_node n = {function_id(w, c, inlined), parent, c->line};
	uint32_t id = names_add(&w->nodes, (const char *)&n, sizeof(n));

	if (id == w->node_n)
		*array_add(w, node) = n;
	return id;
}

static void put_sample(struct writer *w, uint64_t time, const struct clip_event *ev)
{
	const struct event_args *a = ev->args;
	uint32_t node = OTF2_UNDEFINED_UINT32;

	if (!w->trace->ops->code) {
		w->o->lost[EVENT_SAMPLE]++;
		return;
	}
	for (uint32_t i = a->sample.stack.n; i-- > 0;) {
		struct trace_place p =
			trace_place(w->trace, ev->code[a->sample.stack.first + i]);

		for (size_t k = p.n; k-- > 0;)
			node = node_id(w, node, &p.code[k], k + 1 < p.n);
	}
	w->period = w->period ? w->period : a->sample.ns;
	OTF2_AttributeList_AddUint64(w->attributes, ARCHIVE_ATTRIBUTE_NS, a->sample.ns);
	OTF2_AttributeList_AddUint64(w->attributes, ARCHIVE_ATTRIBUTE_INSIDE, a->sample.inside);
	OTF2_AttributeList_AddUint64(w->attributes, ARCHIVE_ATTRIBUTE_MISSED,
				     (uint64_t)a->sample.missed);
	PUT(w, OTF2_EvtWriter_CallingContextSample(w->events, w->attributes, time, node, 1, 0));
}

/* ---- events ---- */

/* That it was open before, and this is no call, is an attribute. */
static void put_region(struct writer *w, const struct clip_event *ev, uint64_t time, uint32_t kind,
		       uint32_t region)
{
	if (ev->open) {
		OTF2_AttributeList_AddUint64(w->attributes, ARCHIVE_ATTRIBUTE_OPEN, 1);
		w->opens = 1;
	}
	if (kind == EVENT_ENTER)
		PUT(w, OTF2_EvtWriter_Enter(w->events, w->attributes, time, region));
	else
		PUT(w, OTF2_EvtWriter_Leave(w->events, w->attributes, time, region));
}

static void put_mode(struct writer *w, uint64_t time, int on)
{
	PUT(w, OTF2_EvtWriter_MeasurementOnOff(w->events, NULL, time,
					       on ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF));
}

static void write_other(struct writer *w, uint64_t time, const struct clip_event *ev)
{
	const struct event_args *a = ev->args;

	switch (ev->event.kind) {
	case EVENT_THREAD_BEGIN:
		put_region(w, ev, time, EVENT_ENTER, (uint32_t)w->trace->region_n);
		break;
	case EVENT_THREAD_END:
		put_region(w, ev, time, EVENT_LEAVE, (uint32_t)w->trace->region_n);
		break;
	case EVENT_VALUE:
		put_metric(w, time, metric_event(w, a->value.event), OTF2_TYPE_DOUBLE,
			   (OTF2_MetricValue){.floating_point = a->value.value});
		break;
	case EVENT_MARK: /* the archive has it as a value of the same name */
		put_metric(w, time, metric_event(w, a->mark.name), OTF2_TYPE_DOUBLE,
			   (OTF2_MetricValue){.floating_point = (double)a->mark.number});
		break;
	case EVENT_SEND:
	case EVENT_RECV:
		put_message(w, time, ev);
		break;
	case EVENT_POSTED:
		PUT(w, OTF2_EvtWriter_MpiIrecvRequest(w->events, NULL, time, request_id(a)));
		break;
	case EVENT_COMPLETED:
		PUT(w, OTF2_EvtWriter_MpiIsendComplete(w->events, NULL, time, request_id(a)));
		break;
	case EVENT_COLL:
		put_collective(w, time, a);
		break;
	case EVENT_RMA:
		put_rma(w, time, a);
		break;
	case EVENT_SYNC:
		put_sync(w, time, a);
		break;
	case EVENT_IO: /* of those that move no bytes OTF2 has open handles */
		event_io_moves(a->io.op) ? put_io(w, time, a) : (void)w->o->loss[LOSS_NAMES]++;
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
	case EVENT_SAMPLE:
		put_sample(w, time, ev);
		break;
	case EVENT_METRICS: /* its values are written */
		break;
	default:
		w->o->lost[ev->event.kind]++;
		break;
	}
}

static void write_event(struct writer *w, const struct clip_event *ev)
{
	uint64_t time = (uint64_t)(ev->event.time > 0 ? ev->event.time : 0);

	if (ev->metric)
		put_row(w, time, ev->metric);
	if (ev->event.kind == EVENT_ENTER || ev->event.kind == EVENT_LEAVE)
		put_region(w, ev, time, ev->event.kind, ev->event.ref);
	else
		write_other(w, time, ev);
	w->time = time;
	w->last = ev->event.time > w->last ? ev->event.time : w->last;
}

/* Enters and leaves, which is nearly all there is. */
static void write_run(struct writer *w, const struct event *ev, size_t n)
{
	/* Which of the two it is, is hard to guess for a processor: it is guessed once. */
	OTF2_ErrorCode (*const write[])(OTF2_EvtWriter *, OTF2_AttributeList *, OTF2_TimeStamp,
					OTF2_RegionRef) = {
		[EVENT_LEAVE] = OTF2_EvtWriter_Leave, [EVENT_ENTER] = OTF2_EvtWriter_Enter};
	OTF2_ErrorCode code = w->failed;

	for (size_t i = 0; i < n && !code; i++)
		code = write[ev[i].kind](w->events, NULL, ev[i].time > 0 ? (uint64_t)ev[i].time : 0,
					 ev[i].ref);
	w->failed = code;
	w->last = ev[n - 1].time > w->last ? ev[n - 1].time : w->last;
	w->time = ev[n - 1].time > 0 ? (uint64_t)ev[n - 1].time : 0;
}

/* ---- the whole ---- */

/*
 * The memory of a file that is being written: one chunk, again and again. Left alone, the library
 * keeps all chunks of a file until its end.
 */
struct chunk {
	int used;
	unsigned char bytes[];
};

static void *on_allocate(void *to, OTF2_FileType type, OTF2_LocationRef location, void **of_file,
			 uint64_t size)
{
	struct chunk *c = *of_file ? *of_file : mem_alloc(sizeof(*c) + size);

	(void)to, (void)type, (void)location;
	*of_file = c;
	if (c->used)
		return NULL;
	c->used = 1;
	return c->bytes;
}

static void on_free(void *to, OTF2_FileType type, OTF2_LocationRef location, void **of_file,
		    bool final)
{
	struct chunk *c = *of_file;

	(void)to, (void)type, (void)location;
	if (c)
		c->used = 0;
	if (final) {
		free(c);
		*of_file = NULL;
	}
}

static OTF2_FlushType on_flush(void *to, OTF2_FileType type, OTF2_LocationRef location,
			       void *caller, bool final)
{
	(void)to, (void)type, (void)location, (void)caller, (void) final;
	return OTF2_FLUSH;
}

static int write_stream(struct writer *w, uint32_t stream, struct window_span span, struct error *e)
{
	const struct event *run;
	struct clip_event ev;
	struct clip c;
	size_t n;
	int code = clip_open(&c, w->trace, stream, span, 1, e);

	if (code >= 0 && (c.used || c.live || write_idle(w->o))) {
		w->events = OTF2_Archive_GetEvtWriter(w->archive, stream);
		if (!w->events)
			w->failed = OTF2_ERROR_FILE_CAN_NOT_OPEN;
		w->used[stream] = 1;
		w->time = 0;
		w->here = w->trace->process[w->trace->stream[stream].process].node;
		w->o->streams += c.used || c.live;
		put_live(w, &c);
		do {
			while ((n = clip_run(&c, SIZE_MAX, &run)))
				write_run(w, run, n);
			code = clip_next(&c, &ev, e);
			if (code > 0)
				write_event(w, &ev);
		} while (code > 0 && !w->failed);
		OTF2_EvtWriter_GetNumberOfEvents(w->events, &w->count[stream]);
		PUT(w, OTF2_Archive_CloseEvtWriter(w->archive, w->events));
	}
	clip_close(&c);
	return code < 0 ? code : 0;
}

static int write_streams(struct writer *w, struct error *e)
{
	int code = 0;

	PUT(w, OTF2_Archive_OpenEvtFiles(w->archive));
	for (uint32_t s = 0; s < w->trace->stream_n && !code && !w->failed; s++) {
		struct window_span span;

		if (write_span(w->trace, w->o, s, &span))
			code = write_stream(w, s, span, e);
	}
	PUT(w, OTF2_Archive_CloseEvtFiles(w->archive));
	return code;
}

static int write_all(struct writer *w, const char *to, struct error *e)
{
	static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = on_flush};
	static const OTF2_MemoryCallbacks memory = {on_allocate, on_free};
	int code;

	archive_quiet();
	w->archive = OTF2_Archive_Open(w->folder, "traces", OTF2_FILEMODE_WRITE,
				       OTF2_CHUNK_SIZE_EVENTS_DEFAULT, OTF2_UNDEFINED_UINT64,
				       OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	if (!w->archive)
		return error_set(e, ERROR_SYSTEM, "%s: the OTF2 library cannot make it", to);
	OTF2_Archive_SetFlushCallbacks(w->archive, &flush, NULL);
	OTF2_Archive_SetMemoryCallbacks(w->archive, &memory, NULL);
	OTF2_Archive_SetSerialCollectiveCallbacks(w->archive);
	OTF2_Archive_SetCreator(w->archive, ARCHIVE_CREATOR);
	code = write_streams(w, e);
	if (!code && !w->failed)
		PUT(w, write_definitions(w));
	PUT(w, OTF2_Archive_Close(w->archive));
	if (!code && w->failed)
		code = error_set(e, ERROR_SYSTEM, "%s: %s", to,
				 OTF2_Error_GetDescription(w->failed));
	if (!code && !write_whole(w))
		code = error_set(e, ERROR_SYSTEM,
				 "%s: A file is cut short: no space is left, or it is too large",
				 to);
	return code;
}

static void writer_release(struct writer *w)
{
	names_release(&w->string);
	names_release(&w->nodes);
	names_release(&w->functions);
	map_release(&w->extra_of);
	map_release(&w->handle_of);
	OTF2_AttributeList_Delete(w->attributes);
	free(w->extra);
	free(w->handle);
	free(w->node);
	free(w->function);
	free(w->comm);
	free(w->window);
	free(w->count);
	free(w->used);
}

/* Communicators of the trace follow the world, two groups that talk to each other as one. */
static uint32_t *number_comms(const struct trace *t)
{
	uint32_t *ref = mem_alloc((t->comm_n + 1) * sizeof(*ref)), next = REF_COMM_WORLD;

	for (size_t i = 0; i < t->comm_n; i++)
		ref[i] = trace_comm_second(t->comm, i) ? ref[t->comm[i].inter - 1] : ++next;
	return ref;
}

int otf2_write(struct trace *t, const char *to, struct write_options *o, struct error *e)
{
	struct writer w = {.trace = t, .o = o};
	int code;

	w.folder = whole_folder(to, e);
	if (!w.folder)
		return e->code;
	string_id(&w, "");
	w.attributes = OTF2_AttributeList_New();
	w.count = mem_alloc((t->stream_n + 1) * sizeof(*w.count));
	w.used = mem_alloc(t->stream_n + 1);
	w.comm = number_comms(t);
	w.window = mem_alloc(t->comm_n + 1);
	w.region_n = (uint32_t)t->region_n + 1;
	code = write_all(&w, to, e);
	write_paths_lost(t, o);
	if (!code)
		code = write_nothing(t, o, e);
	writer_release(&w);
	return whole_folder_close(w.folder, to, code, e) && !code ? e->code : code;
}
