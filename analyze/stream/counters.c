/* counters.c: turns events into samples of named counters. */
#include "analyze/stream/counters.h"

#include "analyze/trace/call_text.h"

#include <string.h>

#define OWNERS 64
#define CHAINS ((size_t)64 << 20) /* limit of the bytes of names for chains of several owners */

/*
 * Counters of bytes that were read and written; in the keys of counters->node they follow the kinds
 * of messages.
 */
enum transfer { TRANSFER_BYTES = MESSAGE_KINDS, TRANSFER_BANDWIDTH = TRANSFER_BYTES + 2 };

static const char *const transfer_name[] = {
	[TRANSFER_BYTES + IO_READ] = COUNTERS_BYTES_READ,
	[TRANSFER_BYTES + IO_WRITE] = COUNTERS_BYTES_WRITTEN,
	[TRANSFER_BANDWIDTH + IO_READ] = "Read Bandwidth (MB/s)",
	[TRANSFER_BANDWIDTH + IO_WRITE] = "Write Bandwidth (MB/s)",
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

static const char sampling_inside[] = "Sampling periods inside the recorder",
		  sampling_missed[] = "Sampling periods missed";

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
	return begins_with(name, COUNTERS_BYTES_READ) || begins_with(name, COUNTERS_BYTES_WRITTEN);
}

static uint32_t counter_id(struct counters *c, const char *name)
{
	return names_add(&c->names, name, strlen(name));
}

/* The counter for a quantity of an object. */
static uint32_t memory_counter(struct counters *c, enum memory_number number, uint32_t object)
{
	const struct memory_objects *all = number >= NUMBER_LOST ? &c->finding : &c->level;
	char *name = mem_printf("%s %s", memory_number_word(number), all->names.name[object]);
	uint32_t id = counter_id(c, name);

	free(name);
	while (c->memory_n <= id)
		array_add(c, memory)->number = NUMBER_NONE;
	c->memory[id] = (struct counters_memory){number, object};
	return id;
}

const struct memory_object *counters_object(const struct counters *c, uint32_t counter)
{
	const struct counters_memory *m = counter < c->memory_n ? &c->memory[counter] : NULL;

	if (!m || m->number == NUMBER_NONE)
		return NULL;
	return m->number >= NUMBER_LOST ? &c->finding.v[m->object] : &c->level.v[m->object];
}

/* Adds the counter for each row of a memtype. */
static void type_counters(struct counters *c, uint32_t *to, enum memory_number number,
			  const uint32_t *object)
{
	for (size_t i = 0; i < COUNTERS_ROWS; i++)
		to[i] = object[i] == TRACE_NONE ? TRACE_NONE
						: memory_counter(c, number, object[i]);
}

/* The owners of a type, in *owner; the caller frees the array; the texts belong to the trace. */
static size_t type_owners(const struct trace *t, uint32_t type, size_t *spent, char ***owner)
{
	size_t room = 0, n = 0;

	*owner = NULL;
	/*
	 * The child first. Owners are before their children in the table, so that chains end. Many
	 * long chains are damage: then all chains are cut.
	 */
	for (uint32_t o = t->memtype[type].owner;
	     o != TRACE_NONE && (n < OWNERS || *spent < CHAINS); o = t->memtype[o].owner) {
		if (n == room) {
			room = 2 * room + 4;
			*owner = mem_resize(*owner, room, sizeof(**owner));
		}
		(*owner)[n++] = t->memtype[o].name;
		*spent += strlen(t->memtype[o].name) + 4;
	}
	return n;
}

/* TAU's name for an operation at a source position; NULL: the position is unknown. */
static char *type_place(const struct trace_memtype *m, const char *what)
{
	return m->file && m->line ? mem_printf("%s <file=%s, line=%u>", what, m->file, m->line)
				  : NULL;
}

/* A leak has one row with all parts in its name, and one in TAU's form. */
static void type_leak(struct counters *c, const struct trace_memtype *m, struct counters_type *to,
		      const struct memory_object *object)
{
	static const enum memory_number number[] = {
		[LEAK_LOST] = NUMBER_LOST,
		[LEAK_INDIRECT] = NUMBER_INDIRECT,
		[LEAK_REACHABLE] = NUMBER_REACHABLE,
	};
	char *place = type_place(m, "MEMORY LEAK! Heap Allocate");

	to->alloc[0] = memory_counter(c, number[m->leak], memory_objects_add(&c->finding, object));
	to->alloc[3] = counter_id(c, place ? place : "MEMORY LEAK! Heap Allocate");
	free(place);
}

/* "main [{a.c} {7}]", or the call path; NULL: unknown. */
static char *type_site(struct trace *t, uint32_t type, enum counters_sites sites)
{
	const struct trace_memtype *m = &t->memtype[type];
	const char *text = m->site;

	if (sites == COUNTERS_SITES_PATHS && m->call != TRACE_NONE && t->ops->code)
		return calls_text(t, m->call);
	if (sites != COUNTERS_SITES_PLAIN)
		text = trace_memtype_site(t, type);
	return text ? mem_string(text) : NULL;
}

/*
 * Makes the rows for blocks of a type: over all owners and sites, with its owners, and with its
 * site.
 */
static void type_levels(struct counters *c, struct counters_type *to,
			const struct memory_object *object)
{
	struct memory_object part = *object;

	part.site = NULL;
	part.owner_n = 0;
	to->level[0] = memory_objects_add(&c->level, &part);
	part.owner_n = object->owner_n;
	if (object->owner_n)
		to->level[1] = memory_objects_add(&c->level, &part);
	if (object->site)
		to->level[2] = memory_objects_add(&c->level, object);
}

/* Their counters. */
static void type_blocks(struct counters *c, const struct trace_memtype *m, struct counters_type *to)
{
	char *place = type_place(m, COUNTERS_HEAP_ALLOCATE);

	type_counters(c, to->alloc, NUMBER_ALLOC, to->level);
	type_counters(c, to->free, NUMBER_FREE, to->level);
	type_counters(c, to->retyped, NUMBER_RETYPED, to->level);
	if (place)
		to->alloc[3] = counter_id(c, place);
	free(place);
}

/* named: with counters */
static void type_init(struct counters *c, struct trace *t, uint32_t type,
		      enum counters_sites sites, int named, size_t *spent)
{
	const struct trace_memtype *m = &t->memtype[type];
	struct memory_object object = {.type = m->name,
				       .kind = m->kind,
				       .family = m->family,
				       .library = m->library,
				       .site = type_site(t, type, sites)};

	memset(&c->type[type], 0xff, sizeof(c->type[type]));
	object.owner_n = type_owners(t, type, spent, &object.owner);
	if (!m->leak)
		type_levels(c, &c->type[type], &object);
	if (named && m->leak)
		type_leak(c, m, &c->type[type], &object);
	else if (named)
		type_blocks(c, m, &c->type[type]);
	free(object.owner);
	free(object.site);
}

static void types_init(struct counters *c, struct trace *t, enum counters_sites sites, int named)
{
	size_t spent = 0;

	memory_objects_add(&c->level, &(struct memory_object){.type = NULL});
	c->type = mem_alloc(t->memtype_n * sizeof(*c->type));
	for (size_t i = 0; i < t->memtype_n; i++)
		type_init(c, t, (uint32_t)i, sites, named, &spent);
}

void counters_init_levels(struct counters *c, struct trace *t)
{
	memset(c, 0, sizeof(*c));
	types_init(c, t, COUNTERS_SITES_NAMED, 0);
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
	types_init(c, t, sites, 1);
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

/* The counter of messages with a node, of all sizes or of a class. TRACE_NONE: see derived_id(). */
static uint32_t message_id(struct counters *c, enum message_kind kind, int64_t node,
			   int32_t size_class)
{
	uint64_t key = (uint64_t)(size_class + 1) << 40 | (uint64_t)kind << 32 | (uint32_t)node;
	uint32_t id = map_get(&c->node, key);
	/* a process outside of the world, such as one that was spawned later, has no rank in it */
	struct message_counter m = {kind, (int32_t)node >= 0 ? (int32_t)node : MESSAGE_PEER_UNKNOWN,
				    size_class};
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

static void take_message(struct counters *c, struct counter_stats *s, enum message_kind kind,
			 int64_t node, uint64_t bytes)
{
	uint32_t id = message_id(c, kind, node, MESSAGE_ALL_SIZES);

	add_derived(s, all_id(c, kind), (double)bytes);
	add_derived(s, id, (double)bytes);
	if (c->sizes && id != TRACE_NONE)
		add_derived(s, message_id(c, kind, node, message_size_class(bytes)), (double)bytes);
}

/* Adds one sample for all files and one for the file, both also with the call path. */
static void take_transfer(struct counters *c, const struct trace *t, struct counter_stats *s,
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
static void take_io(struct counters *c, const struct trace *t, struct counter_stats *s,
		    uint32_t path, const struct event_args *a)
{
	take_transfer(c, t, s, path, TRANSFER_BYTES + a->io.op, a->io.file, (double)a->io.bytes);
	if (a->io.bytes && a->io.ns)
		take_transfer(c, t, s, path, TRANSFER_BANDWIDTH + a->io.op, a->io.file,
			      (double)a->io.bytes * 1000 / (double)a->io.ns);
}

/* The path for which a type counts besides the row of all paths; 0: none. */
static uint32_t type_path(const struct trace *t, struct callstack *m, uint32_t depth, uint32_t type)
{
	return t->memtype[type].context ? callstack_context(m, depth) : 0;
}

/* path: 0 without context. */
static void take_type(struct counter_stats *s, uint32_t path, const uint32_t *counter, size_t n,
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
static void take_heap(struct counters *c, const struct trace *t, struct counter_stats *s,
		      struct callstack *m, uint32_t depth, const struct event_args *a, int freed)
{
	uint32_t path;

	if (t->memtype[a->block.type].leak)
		return;
	counter_stats_add(s, heap_id(c, freed), 0, (double)a->block.bytes);
	path = callstack_context(m, depth);
	if (path)
		counter_stats_add(s, heap_id(c, freed), path, (double)a->block.bytes);
}

/* Is it an allocation or deallocation that can be added to sums? */
static inline int is_summed(const struct trace *t, const struct event *event,
			    const struct event_args *a)
{
	const struct trace_memtype *type;

	if (event->kind != EVENT_ALLOC && event->kind != EVENT_FREE)
		return 0;
	type = &t->memtype[a->block.type];
	return !type->context && !type->leak && a->block.bytes <= HEAP_SIZE_MAX;
}

/* path: of the event, without the root; 0: only the root is open. */
static inline void sums_take(struct heap_sums *h, uint32_t path, const struct event *event,
			     const struct event_args *a)
{
	uint32_t freed = event->kind == EVENT_FREE, bytes = (uint32_t)a->block.bytes;

	heap_sum_add(&h->type[2 * (size_t)a->block.type + freed], bytes);
	if (path)
		heap_sum_add(heap_sums_context(h, 2 * path + freed), bytes);
	h->any = 1;
}

int counters_take_heap(const struct trace *t, struct heap_sums *h, struct callstack *m,
		       uint32_t depth, const struct event *event, const struct event_args *a)
{
	if (!is_summed(t, event, a))
		return 0;
	sums_take(h, callstack_context(m, depth), event, a);
	return 1;
}

int counters_take_heap_at(const struct trace *t, struct heap_sums *h, const struct callstack *m,
			  uint32_t path, const struct event *event, const struct event_args *a)
{
	uint32_t context;

	if (!is_summed(t, event, a) || !callstack_context_known(m, path, &context))
		return 0;
	sums_take(h, context, event, a);
	return 1;
}

static void add_heap_sum(struct counter_stats *s, uint32_t counter, uint32_t path,
			 const struct heap_sum *x)
{
	struct sample sum = {.n = x->n,
			     .max = (double)x->max,
			     .min = (double)x->min,
			     .sum.whole = (__int128)x->sum,
			     .sumsq.whole = (__int128)x->sumsq};

	if (counter != TRACE_NONE)
		counter_stats_add_sum(s, counter, path, &sum);
}

void counters_add_heap(struct counters *c, struct counter_stats *s, struct heap_sums *h)
{
	for (size_t i = 0; i < h->types && h->any; i++) {
		const struct counters_type *type = &c->type[i / 2];

		if (!h->type[i].n)
			continue;
		for (size_t k = 0; k < COUNTERS_ROWS; k++)
			add_heap_sum(s, i % 2 ? type->free[k] : type->alloc[k], 0, &h->type[i]);
		add_heap_sum(s, heap_id(c, i % 2), 0, &h->type[i]);
	}
	for (size_t i = 0; i < h->context_n; i++) {
		const struct heap_context *x = &h->context[i];

		add_heap_sum(s, heap_id(c, x->number % 2), x->number / 2, &x->sum);
	}
	heap_sums_clear(h);
}

void counters_take(struct counters *c, const struct trace *t, struct counter_stats *s,
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
		take_message(c, s, MESSAGE_SENT, a->message.peer, a->message.bytes);
		break;
	case EVENT_RECV:
		take_message(c, s, MESSAGE_RECEIVED, a->message.peer, a->message.bytes);
		break;
	case EVENT_COLL:
		if (coll_name[a->coll.op])
			add_derived(s, derived_id(c, coll_name[a->coll.op]),
				    (double)(a->coll.sent > a->coll.received ? a->coll.sent
									     : a->coll.received));
		break;
	case EVENT_RMA:
		take_message(c, s, (enum message_kind)(MESSAGE_PUT + a->rma.op), a->rma.peer,
			     a->rma.bytes);
		break;
	case EVENT_IO:
		take_io(c, t, s, callstack_context(m, depth), a);
		break;
	case EVENT_ALLOC:
		take_type(s, type_path(t, m, depth, a->block.type), c->type[a->block.type].alloc,
			  COUNTERS_ROWS, a->block.bytes);
		take_heap(c, t, s, m, depth, a, 0);
		break;
	case EVENT_FREE:
		take_type(s, type_path(t, m, depth, a->block.type), c->type[a->block.type].free,
			  COUNTERS_ROWS, a->block.bytes);
		take_heap(c, t, s, m, depth, a, 1);
		break;
	case EVENT_RETYPE:
		/* TAU's row counts calls, and this is not a call */
		take_type(s, 0, c->type[a->block.type].retyped, COUNTERS_ROWS - 1, a->block.bytes);
		take_type(s, 0, c->type[a->block.to].alloc, COUNTERS_ROWS - 1, a->block.bytes);
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
