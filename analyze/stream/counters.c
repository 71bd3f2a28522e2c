/* counters.c: turns events into samples of named counters. */
#include "analyze/stream/counters.h"

#include "analyze/stream/counters_inner.h"
#include "record/metadata.h"

#include <string.h>

/*
 * Counters of bytes that were read and written; in the keys of counters->node they follow the kinds
 * of messages.
 */
enum transfer { TRANSFER_BYTES = MESSAGE_KINDS, TRANSFER_BANDWIDTH = TRANSFER_BYTES + IO_MOVES };

static const char *const transfer_name[] = {
	[TRANSFER_BYTES + IO_READ] = COUNTERS_BYTES_READ,
	[TRANSFER_BYTES + IO_WRITE] = COUNTERS_BYTES_WRITTEN,
	[TRANSFER_BYTES + IO_MPI_READ] = COUNTERS_MPI_BYTES_READ,
	[TRANSFER_BYTES + IO_MPI_WRITE] = COUNTERS_MPI_BYTES_WRITTEN,
	[TRANSFER_BANDWIDTH + IO_READ] = "Read Bandwidth (MB/s)",
	[TRANSFER_BANDWIDTH + IO_WRITE] = "Write Bandwidth (MB/s)",
	[TRANSFER_BANDWIDTH + IO_MPI_READ] = "MPI-IO Read Bandwidth (MB/s)",
	[TRANSFER_BANDWIDTH + IO_MPI_WRITE] = "MPI-IO Write Bandwidth (MB/s)",
};

static const char *const coll_name[COLLS] = {
	[COLL_BROADCAST] = "Message size for broadcast",
	[COLL_REDUCE] = "Message size for reduce",
	[COLL_ALLREDUCE] = "Message size for all-reduce",
	[COLL_GATHER] = "Message size for gather",
	[COLL_ALLGATHER] = "Message size for all-gather",
	[COLL_ALLTOALL] = "Message size for all-to-all",
	[COLL_SCATTER] = "Message size for scatter",
	[COLL_SCAN] = "Message size for scan",
	[COLL_REDUCE_SCATTER] = "Message size for reduce-scatter",
};

static const char sampling_inside[] = TAU_COUNTER_SAMPLES_INSIDE,
		  sampling_missed[] = TAU_COUNTER_SAMPLES_MISSED;

static int begins_with(const char *name, const char *with)
{
	return with && !strncmp(name, with, strlen(with));
}

int counters_pathless(const char *name)
{
	int found = begins_with(name, sampling_inside) || begins_with(name, sampling_missed) ||
		    begins_with(name, "Message size ");

	for (unsigned i = 0; i < MESSAGE_KINDS; i++)
		found |= begins_with(name, message_counter_all((enum message_kind)i));
	for (size_t i = 0; i < COLLS; i++)
		found |= begins_with(name, coll_name[i]);
	return found;
}

int counters_collective(const char *name)
{
	return begins_with(name, "Message size for ");
}

int counters_transfer(const char *name)
{
	return begins_with(name, COUNTERS_BYTES_READ) ||
	       begins_with(name, COUNTERS_BYTES_WRITTEN) ||
	       begins_with(name, COUNTERS_MPI_BYTES_READ) ||
	       begins_with(name, COUNTERS_MPI_BYTES_WRITTEN);
}

void counters_init(struct counters *c, struct trace *t, enum counters_sites sites)
{
	memset(c, 0, sizeof(*c));
	c->heap[0] = c->heap[1] = TRACE_NONE;
	c->event = mem_alloc(t->event_n * sizeof(*c->event));
	for (size_t i = 0; i < t->event_n; i++) {
		const char *name = t->event[i].name;

		c->event[i] = counter_id(c, name);
		if (counters_pathless(name) && !(t->event[i].flags & EVENT_FLAG_UNUSED))
			names_add(&c->own, name, strlen(name));
	}
	counters_types_init(c, t, sites, 1);
}

void counters_release(struct counters *c)
{
	names_release(&c->names);
	names_release(&c->own);
	memory_objects_release(&c->level);
	memory_objects_release(&c->finding);
	free(c->memory);
	map_release(&c->node);
	free(c->event);
	free(c->type);
}

/*
 * The counter for messages and collective operations. TRACE_NONE: the measured library recorded an
 * event with that name itself, as TAU's library does: adding both would count twice.
 */
static uint32_t derived_id(struct counters *c, const char *name)
{
	return names_find(&c->own, name, strlen(name)) >= 0 ? TRACE_NONE : counter_id(c, name);
}

static void add_derived(struct counter_stats *s, uint32_t counter, double value)
{
	if (counter != TRACE_NONE)
		counter_stats_add(s, counter, 0, value);
}

/* A kind of message, the node, and the size class, or MESSAGE_ALL_SIZES, in a number; and back. */
static uint64_t message_key(enum message_kind kind, int64_t node, int32_t size_class)
{
	return (uint64_t)(size_class + 1) << 40 | (uint64_t)kind << 32 | (uint32_t)node;
}

static struct message_counter key_message(uint64_t key)
{
	int32_t node = (int32_t)(uint32_t)key;

	/* a process outside of the world, such as one that was spawned later, has no rank in it */
	return (struct message_counter){(enum message_kind)(key >> 32 & 0xff),
					node >= 0 ? node : MESSAGE_PEER_UNKNOWN,
					(int32_t)(key >> 40) - 1};
}

/* The counter of the messages with a key. TRACE_NONE: see derived_id(). */
static uint32_t message_id(struct counters *c, uint64_t key)
{
	uint32_t id = map_get(&c->node, key);
	struct message_counter m = key_message(key);
	char *name;

	if (id != MAP_NONE)
		return id;
	name = message_counter_name(&m);
	id = derived_id(c, name);
	free(name);
	if (id != TRACE_NONE)
		map_set(&c->node, key, id);
	return id;
}

static uint32_t all_id(struct counters *c, enum message_kind kind)
{
	if (!c->all[kind].known) {
		c->all[kind].counter = derived_id(c, message_counter_all(kind));
		c->all[kind].known = 1;
	}
	return c->all[kind].counter;
}

/* The counters of a message: of all of its kind, of those with its node, and those of its size; TRACE_NONE: none. */
static void message_counters(struct counters *c, enum message_kind kind, int64_t node,
			     int32_t size_class, uint32_t counter[3])
{
	counter[0] = all_id(c, kind);
	counter[1] = message_id(c, message_key(kind, node, MESSAGE_ALL_SIZES));
	counter[2] = size_class == MESSAGE_ALL_SIZES || counter[1] == TRACE_NONE
			     ? TRACE_NONE
			     : message_id(c, message_key(kind, node, size_class));
}

static int32_t size_class(const struct counters *c, uint64_t bytes)
{
	return c->sizes ? message_size_class(bytes) : MESSAGE_ALL_SIZES;
}

static void count_message(struct counters *c, struct counter_stats *s, enum message_kind kind,
			  int64_t node, uint64_t bytes)
{
	uint32_t counter[3];

	message_counters(c, kind, node, size_class(c, bytes), counter);
	for (size_t i = 0; i < 3; i++)
		add_derived(s, counter[i], (double)bytes);
}

/* Adds one sample for all files and one for the file, both also with the call path. */
static void count_transfer(struct counters *c, const struct trace *t, struct counter_stats *s,
			   uint32_t path, unsigned kind, uint32_t file, double value)
{
	uint64_t key = (uint64_t)kind << 32 | file;
	uint32_t of_file = map_get(&c->node, key), all = counter_id(c, transfer_name[kind]);

	if (of_file == MAP_NONE) {
		char *name =
			mem_printf("%s <file=\"%s\">", transfer_name[kind], t->event[file].name);

		of_file = counter_id(c, name);
		free(name);
		map_set(&c->node, key, of_file);
	}
	counter_stats_add(s, all, 0, value);
	counter_stats_add(s, of_file, 0, value);
	if (!path)
		return;
	counter_stats_add(s, all, path, value);
	counter_stats_add(s, of_file, path, value);
}

/* A call that transferred nothing has no bandwidth. MB/s are bytes per microsecond. */
static void count_io(struct counters *c, const struct trace *t, struct counter_stats *s,
		     uint32_t path, const struct event_args *a)
{
	if (!event_io_moves(a->io.op))
		return;
	count_transfer(c, t, s, path, TRANSFER_BYTES + a->io.op, a->io.file, (double)a->io.bytes);
	if (a->io.bytes && a->io.ns)
		count_transfer(c, t, s, path, TRANSFER_BANDWIDTH + a->io.op, a->io.file,
			       (double)a->io.bytes * 1000 / (double)a->io.ns);
}

/* The path for which a type counts besides the row of all paths; 0: none. */
static uint32_t type_path(const struct trace *t, struct callstack *m, uint32_t depth, uint32_t type)
{
	return t->memtype[type].context ? callstack_context(m, depth) : 0;
}

/* path: 0 without context. */
static void count_type(struct counter_stats *s, uint32_t path, const uint32_t *counter, size_t n,
		       uint64_t bytes)
{
	for (size_t i = 0; i < n; i++) {
		if (counter[i] == TRACE_NONE)
			continue;
		counter_stats_add(s, counter[i], 0, (double)bytes);
		if (path)
			counter_stats_add(s, counter[i], path, (double)bytes);
	}
}

static const char *const heap_name[] = {COUNTERS_HEAP_ALLOCATE, COUNTERS_HEAP_FREE};

static uint32_t heap_id(struct counters *c, int freed)
{
	if (c->heap[freed] == TRACE_NONE)
		c->heap[freed] = counter_id(c, heap_name[freed]);
	return c->heap[freed];
}

/*
 * Adds TAU's context events of the heap, which are sums over all types. A leak that was found does
 * not count.
 */
static void count_heap(struct counters *c, const struct trace *t, struct counter_stats *s,
		       struct callstack *m, uint32_t depth, const struct event_args *a, int freed)
{
	double bytes = (double)(a->block.bytes - (freed ? 0 : a->block.inner));
	uint32_t path;

	if (t->memtype[a->block.type].leak)
		return;
	counter_stats_add(s, heap_id(c, freed), 0, bytes);
	path = callstack_context(m, depth);
	if (path)
		counter_stats_add(s, heap_id(c, freed), path, bytes);
}

/* Does the event change memory, so that it can be added to sums? */
static inline int is_summed(const struct trace *t, const struct event *event,
			    const struct event_args *a)
{
	if (event->kind < EVENT_ALLOC || event->kind > EVENT_RETYPE ||
	    (event->kind == EVENT_ALLOC && a->block.inner))
		return 0;
	return !t->memtype[a->block.type].leak && a->block.bytes <= SIZE_SUM_MAX;
}

/* path: of the event, without the root; 0: only the root is open. */
static inline void sums_add(const struct trace *t, struct size_sums *h, uint32_t path,
			    const struct event *event, const struct event_args *a)
{
	uint32_t freed = event->kind == EVENT_FREE, bytes = (uint32_t)a->block.bytes;
	uint32_t number = SIZE_USES * a->block.type + (freed ? SIZE_FREED : SIZE_ALLOCATED);

	size_sum_add(size_table_number(&h->type, number), bytes);
	if (!path)
		return;
	size_sum_add(size_table_number(&h->context, 2 * path + freed), bytes);
	if (t->memtype[a->block.type].context)
		size_sum_add(size_table_key(&h->typed, (uint64_t)path << 32 | number), bytes);
}

static void sums_retype(struct size_sums *h, const struct event_args *a)
{
	uint32_t bytes = (uint32_t)a->block.bytes;

	size_sum_add(size_table_number(&h->type, SIZE_USES * a->block.type + SIZE_RETYPED), bytes);
	size_sum_add(size_table_number(&h->type, SIZE_USES * a->block.to + SIZE_MADE), bytes);
}

static inline int sums_count_message(const struct counters *c, struct size_sums *h,
				     enum message_kind kind, int64_t node, uint64_t bytes)
{
	if (bytes > SIZE_SUM_MAX)
		return 0;
	size_sum_add(size_table_key(&h->message, message_key(kind, node, size_class(c, bytes))),
		     (uint32_t)bytes);
	return 1;
}

int counters_count_size(const struct counters *c, const struct trace *t, struct size_sums *h,
			struct callstack *m, uint32_t depth, const struct event *event,
			const struct event_args *a)
{
	switch (event->kind) {
	case EVENT_SEND:
		return sums_count_message(c, h, MESSAGE_SENT, a->message.peer, a->message.bytes);
	case EVENT_RECV:
		return sums_count_message(c, h, MESSAGE_RECEIVED, a->message.peer,
					  a->message.bytes);
	case EVENT_RMA:
		return sums_count_message(c, h, (enum message_kind)(MESSAGE_PUT + a->rma.op),
					  a->rma.peer, a->rma.bytes);
	default:
		if (!is_summed(t, event, a))
			return 0;
		if (event->kind == EVENT_RETYPE)
			sums_retype(h, a);
		else
			sums_add(t, h, callstack_context(m, depth), event, a);
		return 1;
	}
}

int counters_count_size_at(const struct trace *t, struct size_sums *h, const struct callstack *m,
			   uint32_t path, const struct event *event, const struct event_args *a)
{
	uint32_t context;

	if (!is_summed(t, event, a) || !callstack_context_known(m, path, &context))
		return 0;
	if (event->kind == EVENT_RETYPE)
		sums_retype(h, a);
	else
		sums_add(t, h, context, event, a);
	return 1;
}

static void add_size_sum(struct counter_stats *s, uint32_t counter, uint32_t path,
			 const struct size_sum *x)
{
	struct sample sum = {.n = x->n,
			     .max = (double)x->max,
			     .min = (double)x->min,
			     .sum.whole = (__int128)x->sum,
			     .sumsq.whole = (__int128)x->sumsq};

	if (counter != TRACE_NONE)
		counter_stats_add_sum(s, counter, path, &sum);
}

/* Adds to the rows of a type, by its number in size_sums. */
static void add_type_sum(const struct counters *c, struct counter_stats *s, uint32_t number,
			 uint32_t path, const struct size_sum *x)
{
	const struct counters_type *type = &c->type[number / SIZE_USES];
	const uint32_t *const counter[SIZE_USES] = {[SIZE_ALLOCATED] = type->alloc,
						    [SIZE_FREED] = type->free,
						    [SIZE_RETYPED] = type->retyped,
						    [SIZE_MADE] = type->alloc};
	enum size_use use = number % SIZE_USES;
	/* TAU's row counts calls, and retyping is not a call */
	size_t rows = use == SIZE_RETYPED || use == SIZE_MADE ? COUNTERS_ROWS - 1 : COUNTERS_ROWS;

	for (size_t k = 0; k < rows; k++)
		add_size_sum(s, counter[use][k], path, x);
}

static void add_message_sum(struct counters *c, struct counter_stats *s, const struct size_keyed *x)
{
	const struct message_counter m = key_message(x->key);
	uint32_t counter[3];

	message_counters(c, m.kind, (int32_t)(uint32_t)x->key, m.size_class, counter);
	for (size_t i = 0; i < 3; i++)
		add_size_sum(s, counter[i], 0, &x->sum);
}

void counters_add_sizes(struct counters *c, struct counter_stats *s, struct size_sums *h)
{
	for (size_t i = 0; i < h->type.v_n; i++) {
		const struct size_keyed *x = &h->type.v[i];
		uint32_t use = x->key % SIZE_USES;

		add_type_sum(c, s, (uint32_t)x->key, 0, &x->sum);
		if (use == SIZE_ALLOCATED || use == SIZE_FREED)
			add_size_sum(s, heap_id(c, use == SIZE_FREED), 0, &x->sum);
	}
	for (size_t i = 0; i < h->context.v_n; i++) {
		const struct size_keyed *x = &h->context.v[i];

		add_size_sum(s, heap_id(c, x->key % 2), (uint32_t)(x->key / 2), &x->sum);
	}
	for (size_t i = 0; i < h->typed.v_n; i++)
		add_type_sum(c, s, (uint32_t)h->typed.v[i].key,
			     (uint32_t)(h->typed.v[i].key >> 32), &h->typed.v[i].sum);
	for (size_t i = 0; i < h->message.v_n; i++)
		add_message_sum(c, s, &h->message.v[i]);
	size_sums_clear(h);
}

void counters_add(struct counters *c, const struct trace *t, struct counter_stats *s,
		  struct callstack *m, uint32_t depth, const struct event *event,
		  const struct event_args *a)
{
	uint32_t path;

	switch (event->kind) {
	case EVENT_VALUE:
		if (t->event[a->value.event].lock) /* its values are numbers of threads */
			break;
		counter_stats_add(s, c->event[a->value.event], 0, a->value.value);
		if (!(t->event[a->value.event].flags & EVENT_FLAG_CONTEXT))
			break;
		path = callstack_context(m, depth);
		if (path)
			counter_stats_add(s, c->event[a->value.event], path, a->value.value);
		break;
	case EVENT_SEND:
		count_message(c, s, MESSAGE_SENT, a->message.peer, a->message.bytes);
		break;
	case EVENT_RECV:
		count_message(c, s, MESSAGE_RECEIVED, a->message.peer, a->message.bytes);
		break;
	case EVENT_COLL:
		if (coll_name[a->coll.op])
			add_derived(s, derived_id(c, coll_name[a->coll.op]),
				    (double)(a->coll.sent > a->coll.received ? a->coll.sent
									     : a->coll.received));
		break;
	case EVENT_RMA:
		count_message(c, s, (enum message_kind)(MESSAGE_PUT + a->rma.op), a->rma.peer,
			      a->rma.bytes);
		break;
	case EVENT_IO:
		count_io(c, t, s, callstack_context(m, depth), a);
		break;
	case EVENT_ALLOC:
		count_type(s, type_path(t, m, depth, a->block.type), c->type[a->block.type].alloc,
			   COUNTERS_ROWS, a->block.bytes);
		if (a->block.inner)
			count_type(s, 0, c->type[a->block.type].inner, COUNTERS_ROWS - 1,
				   a->block.inner);
		count_heap(c, t, s, m, depth, a, 0);
		break;
	case EVENT_FREE:
		count_type(s, type_path(t, m, depth, a->block.type), c->type[a->block.type].free,
			   COUNTERS_ROWS, a->block.bytes);
		count_heap(c, t, s, m, depth, a, 1);
		break;
	case EVENT_RETYPE:
		/* TAU's row counts calls, and this is not a call */
		count_type(s, 0, c->type[a->block.type].retyped, COUNTERS_ROWS - 1, a->block.bytes);
		count_type(s, 0, c->type[a->block.to].alloc, COUNTERS_ROWS - 1, a->block.bytes);
		break;
	case EVENT_SAMPLE:
		if (a->sample.inside)
			counter_stats_add(s, counter_id(c, sampling_inside), 0,
					  (double)a->sample.inside);
		if (a->sample.missed)
			counter_stats_add(s, counter_id(c, sampling_missed), 0,
					  (double)a->sample.missed);
		break;
	default:
		break;
	}
}
