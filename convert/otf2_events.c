/* otf2_events.c: messages, values and I/O of an archive as events. */
#include "otf2_cursor.h"

enum { NOTED_METRIC = 1, NOTED_VALUE = 2, NOTED_TEXT = 4 };

#define METRIC_MOST  (INT64_C(1) << 61) /* way up and down, so that no sum overflows */
#define LIVE_MOST    (INT64_C(1) << 61)
#define PENDING_MOST 1024 /* operations under way; of more the oldest is forgotten */

static void note_once(struct trace_cursor *c, unsigned kind, const char *what)
{
	unsigned before = __atomic_fetch_or(&c->run->noted, kind, __ATOMIC_RELAXED);

	if (!(before & kind))
		trace_late_note(c->trace, NULL, "%s: %s", c->trace->path, what);
}

static void push_value(struct trace_cursor *c, uint32_t event, double value)
{
	struct event_args *a = otf2_push_args(c, EVENT_VALUE);

	a->event = event;
	a->value = value;
}

/* ---- messages ---- */

/* World rank of a rank in a communicator; remote: of the other side, where it has two. */
static int64_t peer(const struct trace_cursor *c, uint64_t ref, uint64_t rank, uint32_t *comm)
{
	uint32_t at = map_get(&c->run->comm_of, ref);
	const struct otf2_comm *x;
	const struct trace_comm *side;

	*comm = TRACE_NONE;
	if (at == MAP_NONE)
		return (int64_t)rank;
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
	return rank < side->n ? side->rank[rank] : (int64_t)rank;
}

static void take_message(struct trace_cursor *c, uint32_t kind, const uint64_t *v)
{
	struct event_args *a = otf2_push_args(c, kind);

	a->peer = peer(c, v[1], v[0], &a->comm);
	a->tag = (int64_t)v[2];
	a->bytes = v[3];
}

static const uint8_t coll_of[] = {
	COLL_BARRIER,        COLL_BROADCAST, COLL_GATHER,         COLL_GATHER,    COLL_SCATTER,
	COLL_SCATTER,        COLL_ALLGATHER, COLL_ALLGATHER,      COLL_ALLTOALL,  COLL_ALLTOALL,
	COLL_ALLTOALL,       COLL_ALLREDUCE, COLL_REDUCE,         COLL_REDUCE_SCATTER, COLL_SCAN,
	COLL_SCAN,           COLL_REDUCE_SCATTER,
};

static void take_collective(struct trace_cursor *c, uint64_t op, uint64_t comm, uint64_t root,
			    uint64_t sent, uint64_t received)
{
	struct event_args *a = otf2_push_args(c, EVENT_COLL);

	a->op = op < sizeof(coll_of) ? coll_of[op] : COLL_OTHER;
	a->peer = peer(c, comm, root < INT32_MAX ? root : 0, &a->comm);
	if (root >= INT32_MAX)
		a->peer = root == OTF2_ROOT_SELF ? (int64_t)c->rank : -1;
	a->bytes = sent;
	a->received = received;
}

static void take_rma(struct trace_cursor *c, uint32_t op, uint64_t window, uint64_t remote,
		     uint64_t bytes)
{
	struct event_args *a = otf2_push_args(c, EVENT_RMA);
	uint32_t comm;

	a->op = op;
	a->peer = peer(c, map_get(&c->run->window_of, window), remote, &comm);
	a->bytes = bytes;
}

/* ---- values ---- */

static double value_of(unsigned type, uint64_t bits)
{
	double v;

	if (type == OTF2_INT64)
		return (double)(int64_t)bits;
	if (type == OTF2_UINT64)
		return (double)bits;
	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* What the location had added to the live memory when the window began that the archive holds: before all events. */
static void take_live(struct trace_cursor *c, const struct otf2_member *m, int64_t n)
{
	struct event_memory *to;

	if (!c->batch.state || c->batch.n || c->open_n || n > LIVE_MOST || n < -LIVE_MOST)
		return;
	c->last = otf2_now(c);
	c->state.time = c->last;
	c->state.cut = 1;
	to = array_add(&c->state, memory);
	to->type = m->event;
	if (m->kind == OTF2_MEMBER_LIVE)
		to->bytes = n;
	else
		to->blocks = n;
}

/* Memory of an archive that we wrote comes back as what it was. */
static void take_member(struct trace_cursor *c, const struct otf2_member *m, unsigned type,
			uint64_t bits)
{
	static const uint8_t kind[] = {[OTF2_MEMBER_ALLOC] = EVENT_ALLOC,
				       [OTF2_MEMBER_FREE] = EVENT_FREE,
				       [OTF2_MEMBER_RETYPE] = EVENT_RETYPE};
	struct event_args *a;

	if (m->kind == OTF2_MEMBER_VALUE) {
		double value = value_of(type, bits);

		push_value(c, m->event, m->scale == 1 ? value : value * m->scale);
		return;
	}
	if (m->kind == OTF2_MEMBER_LIVE || m->kind == OTF2_MEMBER_OBJECTS) {
		take_live(c, m, (int64_t)bits);
		return;
	}
	if (type != OTF2_UINT64 || bits >> 62)
		return;
	a = otf2_push_args(c, kind[m->kind]);
	a->type = m->event;
	a->to = m->to;
	a->bytes = bits;
}

/* A value of a metric of the trace. One that cannot be is damage, and changes nothing. */
static void take_metric(struct trace_cursor *c, const struct otf2_member *m, uint64_t bits)
{
	int64_t *now = &c->metric[m->event], v, way;

	if (__builtin_mul_overflow((int64_t)bits, m->times, &v) ||
	    (m->relative && __builtin_add_overflow(v, *now, &v)) ||
	    __builtin_sub_overflow(v, *now, &way) || way == INT64_MIN ||
	    (way < 0 ? -way : way) > METRIC_MOST - c->travel[m->event]) {
		note_once(c, NOTED_VALUE, "values of metrics that cannot be are left out");
		return;
	}
	c->travel[m->event] += way < 0 ? -way : way;
	*now = v;
}

/* The row of the last event becomes what is now: of writers that put values behind the event. */
static void amend(struct trace_cursor *c)
{
	otf2_rows(c);
	c->row_n--;
	otf2_rows(c);
}

static void take_values(struct trace_cursor *c, uint64_t metric, struct otf2_fields *f)
{
	uint32_t at = map_get(&c->run->metric_of, metric);
	const struct otf2_metric *x = at == MAP_NONE ? NULL : &c->run->metric[at];
	const struct event *last = c->batch.n ? &c->batch.event[c->batch.n - 1] : NULL;

	if (!x || x->n != f->v[1]) {
		note_once(c, NOTED_METRIC,
			  "values of metrics that it does not define are left out");
		return;
	}
	for (uint32_t i = 0; i < x->n; i++) {
		const struct otf2_member *m = &c->run->member[x->first + i];
		unsigned type = (unsigned)otf2_number(&f->list, 1);
		uint64_t bits = otf2_compressed(&f->list, 8);

		if (m->kind == OTF2_MEMBER_METRIC)
			take_metric(c, m, bits);
		else
			take_member(c, m, type, bits);
	}
	if (!x->strict)
		return;
	/* The first values tell whether the writer puts them before the event or behind it. */
	if (!c->metered && last && event_has_metrics(last->kind) && last->time == otf2_now(c))
		c->behind = 1;
	c->metered = 1;
	if (c->behind && last && event_has_metrics(last->kind) && last->time == otf2_now(c))
		amend(c);
	else
		c->fresh = 1;
}

static void take_parameter(struct trace_cursor *c, uint64_t ref, double value)
{
	uint32_t event = map_get(&c->run->parameter_of, ref);

	if (event != MAP_NONE)
		push_value(c, event, value);
}

/* ---- files ---- */

static void io_begin(struct trace_cursor *c, const uint64_t *v)
{
	if (c->pending_n == PENDING_MOST)
		memmove(c->pending, c->pending + 1, --c->pending_n * sizeof(*c->pending));
	*array_add(c, pending) = (struct pending){v[0], v[4], (unsigned)v[1], otf2_now(c)};
}

/* Takes the begin of an operation out of the list. 0: it is not there. */
static int pending_take(struct trace_cursor *c, uint64_t handle, uint64_t id, struct pending *out)
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

/* What we wrote tells in the number of the operation how long it took. */
static void io_end(struct trace_cursor *c, uint64_t handle, uint64_t bytes, uint64_t id)
{
	struct event_args *a;
	struct pending p;
	uint32_t file;

	if (!pending_take(c, handle, id, &p) || p.mode > 1 || bytes >> 62)
		return;
	a = otf2_push_args(c, EVENT_IO);
	file = map_get(&c->run->handle_of, handle);
	a->op = p.mode ? IO_WRITE : IO_READ;
	a->file = file == MAP_NONE ? c->run->unknown_file : file;
	a->bytes = bytes;
	if (c->run->ours && id < INT64_MAX)
		a->tag = (int64_t)id;
	else if (c->last > p.begin)
		a->tag = c->last - p.begin;
}

void otf2_take(struct trace_cursor *c, unsigned kind, struct otf2_fields *f)
{
	const uint64_t *v = f->v;
	struct pending p;

	switch (kind) {
	case OTF2_SEND:
	case OTF2_ISEND:
		take_message(c, EVENT_SEND, v);
		break;
	case OTF2_RECV:
	case OTF2_IRECV:
		take_message(c, EVENT_RECV, v);
		break;
	case OTF2_COLL_END:
	case OTF2_ICOLL_COMPLETE:
		take_collective(c, v[0], v[1], v[2], v[3], v[4]);
		break;
	case OTF2_RMA_COLL_END:
		take_collective(c, v[0], map_get(&c->run->window_of, v[2]), v[3], v[4], v[5]);
		break;
	case OTF2_RMA_PUT:
	case OTF2_RMA_GET:
		take_rma(c, kind == OTF2_RMA_PUT ? RMA_PUT : RMA_GET, v[0], v[1], v[2]);
		break;
	case OTF2_RMA_ATOMIC:
		take_rma(c, RMA_ATOMIC, v[0], v[1], v[3] > v[4] ? v[3] : v[4]);
		break;
	case OTF2_METRIC:
		take_values(c, v[0], f);
		break;
	case OTF2_INT_PARAMETER:
		take_parameter(c, v[0], (double)(int64_t)v[1]);
		break;
	case OTF2_UINT_PARAMETER:
		take_parameter(c, v[0], (double)v[1]);
		break;
	case OTF2_TEXT_PARAMETER:
		note_once(c, NOTED_TEXT, "parameters that are texts are left out");
		break;
	case OTF2_IO_BEGIN:
		io_begin(c, v);
		break;
	case OTF2_IO_COMPLETE:
		io_end(c, v[0], v[1], v[2]);
		break;
	case OTF2_IO_CANCELLED:
		pending_take(c, v[0], v[1], &p);
		break;
	default:
		c->over[kind] += kind != OTF2_COLL_BEGIN && kind != OTF2_RMA_COLL_BEGIN;
		break;
	}
}
