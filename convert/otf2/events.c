/* events.c: messages, values and I/O of an archive as events. */
#include "analyze/trace/trace.h"
#include "convert/otf2/location.h"
#include "convert/otf2/record.h"

enum { NOTED_METRIC = 1, NOTED_VALUE = 2, NOTED_TEXT = 4 };

#define METRIC_MOST  (INT64_C(1) << 61) /* way up and down, so that no sum overflows */
#define LIVE_MOST    (INT64_C(1) << 61)
#define PENDING_MOST 1024 /* operations under way; of more the oldest is forgotten */

static void note_once(struct trace_cursor *c, unsigned kind, const char *what)
{
	unsigned before = __atomic_fetch_or(&c->run->noted, kind, __ATOMIC_RELAXED);

	if (!(before & kind))
		trace_late_note(c->trace, NULL, (struct note){.kind = NOTE_LEFT_OUT}, "%s: %s",
				c->trace->path, what);
}

static void push_value(struct trace_cursor *c, uint32_t event, double value)
{
	struct event_args *a = archive_push_args(c, EVENT_VALUE);

	a->value.event = event;
	a->value.value = value;
}

/* ---- messages ---- */

/*
 * Requests of the archive may begin at 0. Those of a process that are open at the same time differ in the
 * lower 32 bits, because they are counted.
 */
static uint32_t request_of(uint64_t request)
{
	return (uint32_t)request + 1;
}

static void read_message(struct trace_cursor *c, uint32_t kind, uint32_t rank, OTF2_CommRef comm,
			 uint32_t tag, uint64_t bytes, uint32_t request)
{
	struct event_args *a = archive_push_args(c, kind);

	a->message.peer = archive_peer(c, comm, rank, &a->message.comm);
	a->message.tag = tag;
	a->message.bytes = bytes;
	a->message.request = request;
}

static const uint8_t coll_of[] = {
	COLL_BARRIER,  COLL_BROADCAST,      COLL_GATHER,    COLL_GATHER,         COLL_SCATTER,
	COLL_SCATTER,  COLL_ALLGATHER,      COLL_ALLGATHER, COLL_ALLTOALL,       COLL_ALLTOALL,
	COLL_ALLTOALL, COLL_ALLREDUCE,      COLL_REDUCE,    COLL_REDUCE_SCATTER, COLL_SCAN,
	COLL_SCAN,     COLL_REDUCE_SCATTER,
};

static void read_collective(struct trace_cursor *c, uint64_t op, uint64_t comm, uint64_t root,
			    uint64_t sent, uint64_t received)
{
	struct event_args *a = archive_push_args(c, EVENT_COLL);

	a->coll.op = op < sizeof(coll_of) ? coll_of[op] : COLL_OTHER;
	a->coll.root = archive_peer(c, comm, root < INT32_MAX ? root : 0, &a->coll.comm);
	if (root >= INT32_MAX)
		a->coll.root = root == OTF2_COLLECTIVE_ROOT_SELF ? (int64_t)c->rank : -1;
	a->coll.sent = sent;
	a->coll.received = received;
}

static void read_rma(struct trace_cursor *c, uint32_t op, uint64_t window, uint64_t remote,
		     uint64_t bytes)
{
	struct event_args *a = archive_push_args(c, EVENT_RMA);
	uint32_t comm;

	a->rma.op = op;
	a->rma.peer = archive_peer(c, map_get(&c->run->window_of, window), remote, &comm);
	a->rma.bytes = bytes;
}

/* ---- values ---- */

static double value_of(unsigned type, uint64_t bits)
{
	double v;

	if (type == OTF2_TYPE_INT64)
		return (double)(int64_t)bits;
	if (type == OTF2_TYPE_UINT64)
		return (double)bits;
	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* What the location had added to the live memory when the window began that the archive holds:
 * before all events. */
static void read_live(struct trace_cursor *c, const struct archive_member *m, int64_t n)
{
	struct event_memory *to;

	if (!c->batch.state || c->batch.n || c->open_n || n > LIVE_MOST || n < -LIVE_MOST)
		return;
	c->last = archive_now(c);
	c->state.time = c->last;
	c->state.cut = 1;
	to = array_add(&c->state, memory);
	to->type = m->event;
	if (m->kind == ARCHIVE_MEMBER_LIVE)
		to->bytes = n;
	else
		to->blocks = n;
}

/* Memory events of our own archives are restored exactly. */
static void read_member(struct trace_cursor *c, const struct archive_member *m, unsigned type,
			uint64_t bits)
{
	static const uint8_t kind[] = {[ARCHIVE_MEMBER_ALLOC] = EVENT_ALLOC,
				       [ARCHIVE_MEMBER_FREE] = EVENT_FREE,
				       [ARCHIVE_MEMBER_RETYPE] = EVENT_RETYPE};
	struct event_args *a;

	if (m->kind == ARCHIVE_MEMBER_VALUE) {
		double value = value_of(type, bits);

		push_value(c, m->event, m->scale == 1 ? value : value * m->scale);
		return;
	}
	if (m->kind == ARCHIVE_MEMBER_LIVE || m->kind == ARCHIVE_MEMBER_OBJECTS) {
		read_live(c, m, (int64_t)bits);
		return;
	}
	if (type != OTF2_TYPE_UINT64 || bits >> 62)
		return;
	a = archive_push_args(c, kind[m->kind]);
	a->block.type = m->event;
	a->block.to = m->to;
	a->block.bytes = bits;
	a->block.inner = 0;
}

/* A value of a metric of the trace. One that cannot be is damage, and changes nothing. */
static void read_metric(struct trace_cursor *c, const struct archive_member *m, uint64_t bits)
{
	int64_t *now = &c->metric[m->event], v, way;

	if (__builtin_mul_overflow((int64_t)bits, m->times, &v) ||
	    (m->relative && __builtin_add_overflow(v, *now, &v)) ||
	    __builtin_sub_overflow(v, *now, &way) || way == INT64_MIN ||
	    (way < 0 ? -way : way) > METRIC_MOST - c->travel[m->event]) {
		note_once(c, NOTED_VALUE, "impossible values of metrics are not included");
		return;
	}
	c->travel[m->event] += way < 0 ? -way : way;
	*now = v;
}

/*
 * Replaces the row of the last event by the current values: for writers that put values after the
 * event.
 */
static void amend(struct trace_cursor *c)
{
	archive_rows(c);
	c->row_n--;
	archive_rows(c);
}

static void read_values(struct trace_cursor *c, OTF2_MetricRef metric, uint8_t n,
			const OTF2_Type *type, const OTF2_MetricValue *value)
{
	uint32_t at = map_get(&c->run->metric_of, metric);
	const struct archive_metric *x = at == MAP_NONE ? NULL : &c->run->metric[at];
	const struct event *last = c->batch.n ? &c->batch.event[c->batch.n - 1] : NULL;

	if (!x || x->n != n) {
		note_once(c, NOTED_METRIC,
			  "values of undefined metrics are not included");
		return;
	}
	for (uint32_t i = 0; i < x->n; i++) {
		const struct archive_member *m = &c->run->member[x->first + i];

		if (m->kind == ARCHIVE_MEMBER_METRIC)
			read_metric(c, m, value[i].unsigned_int);
		else
			read_member(c, m, type[i], value[i].unsigned_int);
	}
	if (!x->strict)
		return;
	/* The first values show whether the writer puts them before the event or after it. */
	if (!c->metered && last && event_has_metrics(last->kind) && last->time == archive_now(c))
		c->behind = 1;
	c->metered = 1;
	if (c->behind && last && event_has_metrics(last->kind) && last->time == archive_now(c))
		amend(c);
	else
		c->fresh = 1;
}

static void read_parameter(struct trace_cursor *c, uint64_t ref, double value)
{
	uint32_t event = map_get(&c->run->parameter_of, ref);

	if (event != MAP_NONE)
		push_value(c, event, value);
}

/* ---- files ---- */

static void io_begin(struct trace_cursor *c, OTF2_IoHandleRef handle, unsigned mode, uint64_t id)
{
	if (c->pending_n == PENDING_MOST)
		memmove(c->pending, c->pending + 1, --c->pending_n * sizeof(*c->pending));
	*array_add(c, pending) = (struct otf2_pending){handle, id, mode, archive_now(c)};
}

/* Takes the begin of an operation out of the list. 0: it is not there. */
static int pending_remove(struct trace_cursor *c, uint64_t handle, uint64_t id,
			  struct otf2_pending *out)
{
	for (size_t i = c->pending_n; i-- > 0;) {
		if (c->pending[i].handle != handle || c->pending[i].id != id)
			continue;
		*out = c->pending[i];
		c->pending[i] = c->pending[--c->pending_n];
		return 1;
	}
	return 0;
}

/* In our own archives the number of the operation is its duration in ns. */
static void io_end(struct trace_cursor *c, uint64_t handle, uint64_t bytes, uint64_t id)
{
	struct event_args *a;
	struct otf2_pending p;
	uint32_t file;

	if (!pending_remove(c, handle, id, &p) || p.mode > 1 || bytes >> 62)
		return;
	a = archive_push_args(c, EVENT_IO);
	file = map_get(&c->run->handle_of, handle);
	a->io.op = p.mode ? IO_WRITE : IO_READ;
	if (file != MAP_NONE && file & 1)
		a->io.op += IO_MPI_READ;
	a->io.file = file == MAP_NONE ? c->run->unknown_file : file >> 1;
	a->io.bytes = bytes;
	a->io.at = -1;
	if (c->run->ours && id < INT64_MAX)
		a->io.ns = (int64_t)id;
	else if (c->last > p.begin)
		a->io.ns = c->last - p.begin;
}

/* ---- callbacks ---- */

static OTF2_CallbackCode message(struct trace_cursor *c, OTF2_TimeStamp time,
				 OTF2_AttributeList *attributes, enum event_kind kind,
				 uint32_t rank, OTF2_CommRef comm, uint32_t tag, uint64_t bytes,
				 uint32_t request)
{
	if (!archive_begin(c, time, attributes))
		return OTF2_CALLBACK_INTERRUPT;
	read_message(c, kind, rank, comm, tag, bytes, request);
	return archive_end(c);
}

static OTF2_CallbackCode on_send(ARCHIVE_EVENT, uint32_t rank, OTF2_CommRef comm, uint32_t tag,
				 uint64_t bytes)
{
	(void)location, (void)at;
	return message(to, time, attributes, EVENT_SEND, rank, comm, tag, bytes, 0);
}

static OTF2_CallbackCode on_isend(ARCHIVE_EVENT, uint32_t rank, OTF2_CommRef comm, uint32_t tag,
				  uint64_t bytes, uint64_t request)
{
	(void)location, (void)at;
	return message(to, time, attributes, EVENT_SEND, rank, comm, tag, bytes,
		       request_of(request));
}

static OTF2_CallbackCode on_recv(ARCHIVE_EVENT, uint32_t rank, OTF2_CommRef comm, uint32_t tag,
				 uint64_t bytes)
{
	(void)location, (void)at;
	return message(to, time, attributes, EVENT_RECV, rank, comm, tag, bytes, 0);
}

static OTF2_CallbackCode on_irecv(ARCHIVE_EVENT, uint32_t rank, OTF2_CommRef comm, uint32_t tag,
				  uint64_t bytes, uint64_t request)
{
	(void)location, (void)at;
	return message(to, time, attributes, EVENT_RECV, rank, comm, tag, bytes,
		       request_of(request));
}

static OTF2_CallbackCode request_event(struct trace_cursor *c, OTF2_TimeStamp time,
				       OTF2_AttributeList *attributes, enum event_kind kind,
				       uint64_t request)
{
	if (!archive_begin(c, time, attributes))
		return OTF2_CALLBACK_INTERRUPT;
	archive_push_args(c, kind)->message.request = request_of(request);
	return archive_end(c);
}

static OTF2_CallbackCode on_irecv_request(ARCHIVE_EVENT, uint64_t request)
{
	(void)location, (void)at;
	return request_event(to, time, attributes, EVENT_POSTED, request);
}

static OTF2_CallbackCode on_isend_complete(ARCHIVE_EVENT, uint64_t request)
{
	(void)location, (void)at;
	return request_event(to, time, attributes, EVENT_COMPLETED, request);
}

static OTF2_CallbackCode on_collective(ARCHIVE_EVENT, OTF2_CollectiveOp op, OTF2_CommRef comm,
				       uint32_t root, uint64_t sent, uint64_t received)
{
	struct trace_cursor *c = to;

	(void)location, (void)at;
	if (!archive_begin(c, time, attributes))
		return OTF2_CALLBACK_INTERRUPT;
	read_collective(c, op, comm, root, sent, received);
	return archive_end(c);
}

static OTF2_CallbackCode on_icollective(ARCHIVE_EVENT, OTF2_CollectiveOp op, OTF2_CommRef comm,
					uint32_t root, uint64_t sent, uint64_t received,
					uint64_t request)
{
	(void)request;
	return on_collective(location, time, at, to, attributes, op, comm, root, sent, received);
}

static OTF2_CallbackCode on_rma_collective(ARCHIVE_EVENT, OTF2_CollectiveOp op,
					   OTF2_RmaSyncLevel level, OTF2_RmaWinRef window,
					   uint32_t root, uint64_t sent, uint64_t received)
{
	struct trace_cursor *c = to;

	(void)location, (void)at, (void)level;
	if (!archive_begin(c, time, attributes))
		return OTF2_CALLBACK_INTERRUPT;
	read_collective(c, op, map_get(&c->run->window_of, window), root, sent, received);
	return archive_end(c);
}

static OTF2_CallbackCode one_sided(struct trace_cursor *c, OTF2_TimeStamp time,
				   OTF2_AttributeList *attributes, enum event_rma op,
				   OTF2_RmaWinRef window, uint32_t remote, uint64_t bytes)
{
	if (!archive_begin(c, time, attributes))
		return OTF2_CALLBACK_INTERRUPT;
	read_rma(c, op, window, remote, bytes);
	return archive_end(c);
}

static OTF2_CallbackCode on_put(ARCHIVE_EVENT, OTF2_RmaWinRef window, uint32_t remote,
				uint64_t bytes, uint64_t id)
{
	(void)location, (void)at, (void)id;
	return one_sided(to, time, attributes, RMA_PUT, window, remote, bytes);
}

static OTF2_CallbackCode on_get(ARCHIVE_EVENT, OTF2_RmaWinRef window, uint32_t remote,
				uint64_t bytes, uint64_t id)
{
	(void)location, (void)at, (void)id;
	return one_sided(to, time, attributes, RMA_GET, window, remote, bytes);
}

static OTF2_CallbackCode on_atomic(ARCHIVE_EVENT, OTF2_RmaWinRef window, uint32_t remote,
				   OTF2_RmaAtomicType type, uint64_t sent, uint64_t received,
				   uint64_t id)
{
	(void)location, (void)at, (void)type, (void)id;
	return one_sided(to, time, attributes, RMA_ATOMIC, window, remote,
			 sent > received ? sent : received);
}

static OTF2_CallbackCode on_metric(ARCHIVE_EVENT, OTF2_MetricRef metric, uint8_t n,
				   const OTF2_Type *type, const OTF2_MetricValue *value)
{
	struct trace_cursor *c = to;

	(void)location, (void)at;
	if (!archive_begin(c, time, attributes))
		return OTF2_CALLBACK_INTERRUPT;
	read_values(c, metric, n, type, value);
	return archive_end(c);
}

static OTF2_CallbackCode parameter_value(struct trace_cursor *c, OTF2_TimeStamp time,
					 OTF2_AttributeList *attributes,
					 OTF2_ParameterRef parameter, double value)
{
	if (!archive_begin(c, time, attributes))
		return OTF2_CALLBACK_INTERRUPT;
	read_parameter(c, parameter, value);
	return archive_end(c);
}

static OTF2_CallbackCode on_int(ARCHIVE_EVENT, OTF2_ParameterRef parameter, int64_t value)
{
	(void)location, (void)at;
	return parameter_value(to, time, attributes, parameter, (double)value);
}

static OTF2_CallbackCode on_unsigned(ARCHIVE_EVENT, OTF2_ParameterRef parameter, uint64_t value)
{
	(void)location, (void)at;
	return parameter_value(to, time, attributes, parameter, (double)value);
}

static OTF2_CallbackCode on_text(ARCHIVE_EVENT, OTF2_ParameterRef parameter, OTF2_StringRef text)
{
	struct trace_cursor *c = to;

	(void)location, (void)at, (void)parameter, (void)text;
	if (!archive_begin(c, time, attributes))
		return OTF2_CALLBACK_INTERRUPT;
	note_once(c, NOTED_TEXT, "text parameters are not included");
	return archive_end(c);
}

static OTF2_CallbackCode on_io_begin(ARCHIVE_EVENT, OTF2_IoHandleRef handle,
				     OTF2_IoOperationMode mode, OTF2_IoOperationFlag flags,
				     uint64_t bytes, uint64_t id)
{
	struct trace_cursor *c = to;

	(void)location, (void)at, (void)flags, (void)bytes;
	if (!archive_begin(c, time, attributes))
		return OTF2_CALLBACK_INTERRUPT;
	io_begin(c, handle, mode, id);
	return archive_end(c);
}

static OTF2_CallbackCode on_io_end(ARCHIVE_EVENT, OTF2_IoHandleRef handle, uint64_t bytes,
				   uint64_t id)
{
	struct trace_cursor *c = to;

	(void)location, (void)at;
	if (!archive_begin(c, time, attributes))
		return OTF2_CALLBACK_INTERRUPT;
	io_end(c, handle, bytes, id);
	return archive_end(c);
}

static OTF2_CallbackCode on_io_cancelled(ARCHIVE_EVENT, OTF2_IoHandleRef handle, uint64_t id)
{
	struct trace_cursor *c = to;
	struct otf2_pending p;

	(void)location, (void)at;
	if (!archive_begin(c, time, attributes))
		return OTF2_CALLBACK_INTERRUPT;
	pending_remove(c, handle, id, &p);
	return archive_end(c);
}

/* Nothing to record: the events that follow have all data. */
static OTF2_CallbackCode on_begin(ARCHIVE_EVENT)
{
	struct trace_cursor *c = to;

	(void)location, (void)at;
	if (!archive_begin(c, time, attributes))
		return OTF2_CALLBACK_INTERRUPT;
	return archive_end(c);
}

void archive_on_events(OTF2_EvtReaderCallbacks *to)
{
	OTF2_EvtReaderCallbacks_SetMpiSendCallback(to, on_send);
	OTF2_EvtReaderCallbacks_SetMpiIsendCallback(to, on_isend);
	OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(to, on_isend_complete);
	OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(to, on_irecv_request);
	OTF2_EvtReaderCallbacks_SetMpiRecvCallback(to, on_recv);
	OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(to, on_irecv);
	OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(to, on_begin);
	OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(to, on_collective);
	OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(to, on_icollective);
	OTF2_EvtReaderCallbacks_SetRmaCollectiveBeginCallback(to, on_begin);
	OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback(to, on_rma_collective);
	OTF2_EvtReaderCallbacks_SetRmaPutCallback(to, on_put);
	OTF2_EvtReaderCallbacks_SetRmaGetCallback(to, on_get);
	OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(to, on_atomic);
	OTF2_EvtReaderCallbacks_SetMetricCallback(to, on_metric);
	OTF2_EvtReaderCallbacks_SetParameterIntCallback(to, on_int);
	OTF2_EvtReaderCallbacks_SetParameterUnsignedIntCallback(to, on_unsigned);
	OTF2_EvtReaderCallbacks_SetParameterStringCallback(to, on_text);
	OTF2_EvtReaderCallbacks_SetIoOperationBeginCallback(to, on_io_begin);
	OTF2_EvtReaderCallbacks_SetIoOperationCompleteCallback(to, on_io_end);
	OTF2_EvtReaderCallbacks_SetIoOperationCancelledCallback(to, on_io_cancelled);
}
