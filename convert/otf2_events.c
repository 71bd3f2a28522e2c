/* otf2_events.c: messages, values and I/O of an archive as events: one callback for each kind of
 * record. */
#include "otf2_cursor.h"

enum { NOTED_STRING = 1, NOTED_METRIC = 2 };

static void note_once(struct trace_cursor *c, unsigned kind, const char *what)
{
	unsigned before = __atomic_fetch_or(&c->run->noted, kind, __ATOMIC_RELAXED);

	if (!(before & kind))
		trace_late_note(c->trace, NULL, "%s: %s", c->trace->path, what);
}

static void push_value(struct trace_cursor *c, OTF2_TimeStamp time, uint32_t event, double value)
{
	struct event_args *a = otf2_push_args(c, time, EVENT_VALUE);

	a->event = event;
	a->value = value;
}

/* ---- messages ---- */

/* World rank of a rank in a communicator; remote: of the other side, where it has two. */
static int64_t peer(const struct trace_cursor *c, OTF2_CommRef ref, uint32_t rank, uint32_t *comm)
{
	uint32_t at = map_get(&c->run->comm_of, ref);
	const struct otf2_comm *x;
	const struct trace_comm *side;

	*comm = TRACE_NONE;
	if (at == MAP_NONE)
		return rank;
	x = &c->run->comm[at];
	*comm = x->comm;
	if (x->self)
		return (int64_t)c->rank;
	side = &c->trace->comm[x->comm];
	if (x->remote != TRACE_NONE)
		for (size_t i = 0; i < side->n; i++)
			if (side->rank[i] == c->rank) {
				side = &c->trace->comm[x->remote];
				break;
			}
	return rank < side->n ? side->rank[rank] : rank;
}

static void message(struct trace_cursor *c, OTF2_TimeStamp time, uint32_t kind, uint32_t rank,
		    OTF2_CommRef comm, uint32_t tag, uint64_t bytes)
{
	struct event_args *a = otf2_push_args(c, time, kind);

	a->peer = peer(c, comm, rank, &a->comm);
	a->tag = tag;
	a->bytes = bytes;
}

static OTF2_CallbackCode on_send(OTF2_ARGS, uint32_t rank, OTF2_CommRef comm, uint32_t tag,
				 uint64_t bytes)
{
	OTF2_UNUSED;
	message(to, time, EVENT_SEND, rank, comm, tag, bytes);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_isend(OTF2_ARGS, uint32_t rank, OTF2_CommRef comm, uint32_t tag,
				  uint64_t bytes, uint64_t id)
{
	OTF2_UNUSED;
	(void)id;
	message(to, time, EVENT_SEND, rank, comm, tag, bytes);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_recv(OTF2_ARGS, uint32_t rank, OTF2_CommRef comm, uint32_t tag,
				 uint64_t bytes)
{
	OTF2_UNUSED;
	message(to, time, EVENT_RECV, rank, comm, tag, bytes);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_irecv(OTF2_ARGS, uint32_t rank, OTF2_CommRef comm, uint32_t tag,
				  uint64_t bytes, uint64_t id)
{
	OTF2_UNUSED;
	(void)id;
	message(to, time, EVENT_RECV, rank, comm, tag, bytes);
	return OTF2_CALLBACK_SUCCESS;
}

static const uint8_t coll_of[] = {
	[OTF2_COLLECTIVE_OP_BARRIER] = COLL_BARRIER,
	[OTF2_COLLECTIVE_OP_BCAST] = COLL_BROADCAST,
	[OTF2_COLLECTIVE_OP_GATHER] = COLL_GATHER,
	[OTF2_COLLECTIVE_OP_GATHERV] = COLL_GATHER,
	[OTF2_COLLECTIVE_OP_SCATTER] = COLL_SCATTER,
	[OTF2_COLLECTIVE_OP_SCATTERV] = COLL_SCATTER,
	[OTF2_COLLECTIVE_OP_ALLGATHER] = COLL_ALLGATHER,
	[OTF2_COLLECTIVE_OP_ALLGATHERV] = COLL_ALLGATHER,
	[OTF2_COLLECTIVE_OP_ALLTOALL] = COLL_ALLTOALL,
	[OTF2_COLLECTIVE_OP_ALLTOALLV] = COLL_ALLTOALL,
	[OTF2_COLLECTIVE_OP_ALLTOALLW] = COLL_ALLTOALL,
	[OTF2_COLLECTIVE_OP_ALLREDUCE] = COLL_ALLREDUCE,
	[OTF2_COLLECTIVE_OP_REDUCE] = COLL_REDUCE,
	[OTF2_COLLECTIVE_OP_REDUCE_SCATTER] = COLL_REDUCE_SCATTER,
	[OTF2_COLLECTIVE_OP_SCAN] = COLL_SCAN,
	[OTF2_COLLECTIVE_OP_EXSCAN] = COLL_SCAN,
	[OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK] = COLL_REDUCE_SCATTER,
};

static void collective(struct trace_cursor *c, OTF2_TimeStamp time, OTF2_CollectiveOp op,
		       OTF2_CommRef comm, uint32_t root, uint64_t sent, uint64_t received)
{
	struct event_args *a = otf2_push_args(c, time, EVENT_COLL);

	a->op = op < sizeof(coll_of) ? coll_of[op] : COLL_OTHER;
	peer(c, comm, 0, &a->comm);
	a->peer = root < INT32_MAX ? (int64_t)root : -1;
	a->bytes = sent;
	a->received = received;
}

static OTF2_CallbackCode on_coll(OTF2_ARGS, OTF2_CollectiveOp op, OTF2_CommRef comm, uint32_t root,
				 uint64_t sent, uint64_t received)
{
	OTF2_UNUSED;
	collective(to, time, op, comm, root, sent, received);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_icoll(OTF2_ARGS, OTF2_CollectiveOp op, OTF2_CommRef comm, uint32_t root,
				  uint64_t sent, uint64_t received, uint64_t id)
{
	OTF2_UNUSED;
	(void)id;
	collective(to, time, op, comm, root, sent, received);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_rma_coll(OTF2_ARGS, OTF2_CollectiveOp op, OTF2_RmaSyncLevel level,
				     OTF2_RmaWinRef window, uint32_t root, uint64_t sent,
				     uint64_t received)
{
	struct trace_cursor *c = to;

	OTF2_UNUSED;
	(void)level;
	collective(c, time, op, map_get(&c->run->window_of, window), root, sent, received);
	return OTF2_CALLBACK_SUCCESS;
}

static void rma(struct trace_cursor *c, OTF2_TimeStamp time, uint32_t op, OTF2_RmaWinRef window,
		uint32_t remote, uint64_t bytes)
{
	struct event_args *a = otf2_push_args(c, time, EVENT_RMA);
	uint32_t comm;

	a->op = op;
	a->peer = peer(c, map_get(&c->run->window_of, window), remote, &comm);
	a->bytes = bytes;
}

static OTF2_CallbackCode on_put(OTF2_ARGS, OTF2_RmaWinRef window, uint32_t remote, uint64_t bytes,
				uint64_t id)
{
	OTF2_UNUSED;
	(void)id;
	rma(to, time, RMA_PUT, window, remote, bytes);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_get(OTF2_ARGS, OTF2_RmaWinRef window, uint32_t remote, uint64_t bytes,
				uint64_t id)
{
	OTF2_UNUSED;
	(void)id;
	rma(to, time, RMA_GET, window, remote, bytes);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_atomic(OTF2_ARGS, OTF2_RmaWinRef window, uint32_t remote,
				   OTF2_RmaAtomicType type, uint64_t sent, uint64_t received,
				   uint64_t id)
{
	OTF2_UNUSED;
	(void)type;
	(void)id;
	rma(to, time, RMA_ATOMIC, window, remote, sent > received ? sent : received);
	return OTF2_CALLBACK_SUCCESS;
}

/* ---- values ---- */

static double metric_value(OTF2_Type type, OTF2_MetricValue v)
{
	if (type == OTF2_TYPE_INT64)
		return (double)v.signed_int;
	if (type == OTF2_TYPE_UINT64)
		return (double)v.unsigned_int;
	return v.floating_point;
}

/* Memory of an archive that we wrote comes back as what it was. */
static void push_member(struct trace_cursor *c, OTF2_TimeStamp time, const struct otf2_member *m,
			double value)
{
	static const uint8_t kind[] = {[OTF2_MEMBER_ALLOC] = EVENT_ALLOC,
				       [OTF2_MEMBER_FREE] = EVENT_FREE,
				       [OTF2_MEMBER_RETYPE] = EVENT_RETYPE};
	struct event_args *a;

	if (m->kind == OTF2_MEMBER_VALUE) {
		push_value(c, time, m->event, m->scale == 1 ? value : value * m->scale);
		return;
	}
	if (!(value >= 0 && value < 0x1p62))
		return;
	a = otf2_push_args(c, time, kind[m->kind]);
	a->type = m->event;
	a->to = m->to;
	a->bytes = (uint64_t)value;
}

static OTF2_CallbackCode on_metric(OTF2_ARGS, OTF2_MetricRef metric, uint8_t n,
				   const OTF2_Type *type, const OTF2_MetricValue *value)
{
	struct trace_cursor *c = to;
	uint32_t at = map_get(&c->run->metric_of, metric);

	OTF2_UNUSED;
	if (at == MAP_NONE || c->run->metric[at].n != n) {
		note_once(c, NOTED_METRIC,
			  "values of metrics that it does not define are left out");
		return OTF2_CALLBACK_SUCCESS;
	}
	for (uint8_t i = 0; i < n; i++)
		push_member(c, time, &c->run->member[c->run->metric[at].first + i],
			    metric_value(type[i], value[i]));
	return OTF2_CALLBACK_SUCCESS;
}

static void parameter(struct trace_cursor *c, OTF2_TimeStamp time, OTF2_ParameterRef ref,
		      double value)
{
	uint32_t event = map_get(&c->run->parameter_of, ref);

	if (event != MAP_NONE)
		push_value(c, time, event, value);
}

static OTF2_CallbackCode on_int(OTF2_ARGS, OTF2_ParameterRef ref, int64_t value)
{
	OTF2_UNUSED;
	parameter(to, time, ref, (double)value);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_unsigned(OTF2_ARGS, OTF2_ParameterRef ref, uint64_t value)
{
	OTF2_UNUSED;
	parameter(to, time, ref, (double)value);
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_text(OTF2_ARGS, OTF2_ParameterRef ref, OTF2_StringRef value)
{
	OTF2_UNUSED;
	(void)time;
	(void)ref;
	(void)value;
	note_once(to, NOTED_STRING, "parameters that are texts are left out");
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_io_begin(OTF2_ARGS, OTF2_IoHandleRef handle, OTF2_IoOperationMode mode,
				     OTF2_IoOperationFlag flags, uint64_t bytes, uint64_t id)
{
	struct trace_cursor *c = to;

	OTF2_UNUSED;
	(void)flags;
	(void)bytes;
	*array_add(c, pending) = (struct pending){handle, id, mode, otf2_time(c->run, time)};
	return OTF2_CALLBACK_SUCCESS;
}

/* Takes the begin of an operation out of the list. 0: it is not there. */
static int pending_take(struct trace_cursor *c, OTF2_IoHandleRef handle, uint64_t id,
			struct pending *out)
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

static OTF2_CallbackCode on_io_end(OTF2_ARGS, OTF2_IoHandleRef handle, uint64_t bytes, uint64_t id)
{
	struct trace_cursor *c = to;
	struct pending p;
	int64_t took;

	OTF2_UNUSED;
	if (!pending_take(c, handle, id, &p) || p.mode > OTF2_IO_OPERATION_MODE_WRITE ||
	    bytes >> 63)
		return OTF2_CALLBACK_SUCCESS;
	push_value(c, time, c->run->io_event[OTF2_IO_READ_BYTES + p.mode], (double)bytes);
	took = c->last - p.begin;
	if (took > 0)
		push_value(c, time, c->run->io_event[OTF2_IO_READ_SPEED + p.mode],
			   (double)bytes / ((double)took / 1000));
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_io_cancel(OTF2_ARGS, OTF2_IoHandleRef handle, uint64_t id)
{
	struct pending p;

	OTF2_UNUSED;
	(void)time;
	pending_take(to, handle, id, &p);
	return OTF2_CALLBACK_SUCCESS;
}

void otf2_callbacks(OTF2_EvtReaderCallbacks *c)
{
	otf2_stack_callbacks(c);
	OTF2_EvtReaderCallbacks_SetMpiSendCallback(c, on_send);
	OTF2_EvtReaderCallbacks_SetMpiIsendCallback(c, on_isend);
	OTF2_EvtReaderCallbacks_SetMpiRecvCallback(c, on_recv);
	OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(c, on_irecv);
	OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(c, on_coll);
	OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(c, on_icoll);
	OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback(c, on_rma_coll);
	OTF2_EvtReaderCallbacks_SetRmaPutCallback(c, on_put);
	OTF2_EvtReaderCallbacks_SetRmaGetCallback(c, on_get);
	OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(c, on_atomic);
	OTF2_EvtReaderCallbacks_SetMetricCallback(c, on_metric);
	OTF2_EvtReaderCallbacks_SetParameterIntCallback(c, on_int);
	OTF2_EvtReaderCallbacks_SetParameterUnsignedIntCallback(c, on_unsigned);
	OTF2_EvtReaderCallbacks_SetParameterStringCallback(c, on_text);
	OTF2_EvtReaderCallbacks_SetIoOperationBeginCallback(c, on_io_begin);
	OTF2_EvtReaderCallbacks_SetIoOperationCompleteCallback(c, on_io_end);
	OTF2_EvtReaderCallbacks_SetIoOperationCancelledCallback(c, on_io_cancel);
}
