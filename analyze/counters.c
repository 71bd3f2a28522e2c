/* counters.c: events to named counters. */
#include "counters.h"

#include "calls.h"

#include <stdio.h>
#include <string.h>

#define OWNERS 64
#define CHAINS ((size_t)64 << 20) /* bytes of names of chains of more owners than that */

enum message { MESSAGE_SENT, MESSAGE_RECEIVED, MESSAGE_PUT, MESSAGE_GOT, MESSAGE_ATOMIC };

static const struct {
	const char *all, *node; /* node: with one %s */
} message_name[] = {
	[MESSAGE_SENT] = {"Message size sent to all nodes", "Message size sent to node %s"},
	[MESSAGE_RECEIVED] = {"Message size received from all nodes",
			      "Message size received from node %s"},
	[MESSAGE_PUT] = {"Bytes put", "Bytes put node %s"},
	[MESSAGE_GOT] = {"Bytes got", "Bytes got node %s"},
	[MESSAGE_ATOMIC] = {"Bytes atomic", "Bytes atomic node %s"},
};

/* What is counted of bytes read and written; keys of counters->node behind those of messages. */
enum transfer { TRANSFER_BYTES = MESSAGE_ATOMIC + 1, TRANSFER_BANDWIDTH = TRANSFER_BYTES + 2 };

static const char *const transfer_name[] = {
	[TRANSFER_BYTES + IO_READ] = "Bytes Read",
	[TRANSFER_BYTES + IO_WRITE] = "Bytes Written",
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

	for (size_t i = 0; i < sizeof(message_name) / sizeof(*message_name); i++)
		found |= begins_with(name, message_name[i].all);
	for (size_t i = 0; i < COLLS; i++)
		found |= begins_with(name, coll_name[i]);
	return found;
}

static uint32_t counter_id(struct counters *c, const char *name)
{
	return names_add(&c->names, name, strlen(name));
}

/* "VERB NAME" for each of the rows of a memtype that there are. */
static void type_counters(struct counters *c, uint32_t *to, const char *verb, char *const *name)
{
	for (size_t i = 0; i < COUNTERS_ROWS; i++) {
		char *full = name[i] ? mem_printf("%s %s", verb, name[i]) : NULL;

		to[i] = full ? counter_id(c, full) : TRACE_NONE;
		free(full);
	}
}

/* "a <= b <= c", NULL without owners. */
static char *type_chain(const struct trace *t, uint32_t type, size_t *spent)
{
	size_t length = 0, room = 2 * strlen(t->memtype[type].name) + 64;
	char *chain = t->memtype[type].owner == TRACE_NONE ? NULL : mem_alloc(room);

	/*
	 * Child first. Owners stand before what they own in the table, so that chains end. Many long
	 * ones are damage: with them all are cut.
	 */
	for (uint32_t o = t->memtype[type].owner, n = 0;
	     o != TRACE_NONE && (n < OWNERS || *spent < CHAINS); o = t->memtype[o].owner, n++) {
		size_t more = strlen(t->memtype[o].name);

		if (!length)
			length = (size_t)sprintf(chain, "%s", t->memtype[type].name);
		if (length + more + 5 > room) {
			room = 2 * (length + more + 5);
			chain = mem_resize(chain, room, 1);
		}
		memcpy(chain + length, " <= ", 4);
		memcpy(chain + length + 4, t->memtype[o].name, more + 1);
		length += more + 4;
	}
	*spent += length;
	return chain;
}

/* As TAU names what a place in the source does; NULL where the place is not known. */
static char *type_place(const struct trace_memtype *m, const char *what)
{
	return m->file && m->line ? mem_printf("%s <file=%s, line=%u>", what, m->file, m->line)
				  : NULL;
}

/* A finding has one row with everything in its name, and one in TAU's form. */
static void type_leak(struct counters *c, const struct trace_memtype *m, struct counters_type *to,
		      char *const *name)
{
	static const char *const verb[] = {"", "lost", "indirectly lost", "reachable"};
	char *place = type_place(m, "MEMORY LEAK! Heap Allocate");
	char *full[COUNTERS_ROWS] = {NULL};

	full[0] = name[2] ? name[2] : name[1] ? name[1] : name[0];
	type_counters(c, to->alloc, verb[m->leak], full);
	to->alloc[3] = counter_id(c, place ? place : "MEMORY LEAK! Heap Allocate");
	free(place);
}

/* "main [{a.c} {7}]", or the path there; NULL: not known. */
static char *type_site(struct trace *t, const struct trace_memtype *m, int paths)
{
	if (paths && m->call != TRACE_NONE && t->ops->place)
		return calls_text(t, m->call);
	return m->site ? mem_string(m->site) : NULL;
}

static void type_init(struct counters *c, struct trace *t, uint32_t type, int paths,
		      size_t *spent)
{
	const struct trace_memtype *m = &t->memtype[type];
	struct counters_type *to = &c->type[type];
	char *name[COUNTERS_ROWS] = {m->name, type_chain(t, type, spent), NULL, NULL}, *place;
	char *site = type_site(t, m, paths);

	memset(to, 0xff, sizeof(*to));
	if (site)
		name[2] = mem_printf("%s @ %s", name[1] ? name[1] : name[0], site);
	free(site);
	if (m->leak) {
		type_leak(c, m, to, name);
	} else {
		type_counters(c, to->alloc, "alloc", name);
		type_counters(c, to->free, "free", name);
		type_counters(c, to->retyped, "retyped", name);
		place = type_place(m, COUNTERS_HEAP_ALLOCATE);
		if (place)
			to->alloc[3] = counter_id(c, place);
		free(place);
		for (size_t i = 0; i < COUNTERS_ROWS; i++)
			to->level[i] = name[i] ? names_add(&c->level, name[i], strlen(name[i]))
					       : TRACE_NONE;
	}
	free(name[1]);
	free(name[2]);
}

void counters_init(struct counters *c, struct trace *t, int paths)
{
	size_t spent = 0;

	memset(c, 0, sizeof(*c));
	c->heap[0] = c->heap[1] = TRACE_NONE;
	c->event = mem_alloc(t->event_n * sizeof(*c->event));
	for (size_t i = 0; i < t->event_n; i++)
		c->event[i] = counter_id(c, t->event[i].name);
	names_add(&c->level, "(all)", 5);
	c->type = mem_alloc(t->memtype_n * sizeof(*c->type));
	for (size_t i = 0; i < t->memtype_n; i++)
		type_init(c, t, (uint32_t)i, paths, &spent);
}

void counters_release(struct counters *c)
{
	names_release(&c->names);
	names_release(&c->level);
	map_release(&c->node);
	free(c->event);
	free(c->type);
}

static void take_message(struct counters *c, struct samples *s, enum message kind, int64_t node,
			 uint64_t bytes)
{
	uint64_t key = (uint64_t)kind << 32 | (uint32_t)node;
	uint32_t id = map_get(&c->node, key);

	if (id == MAP_NONE) {
		char number[16] = "unknown", *name;

		/* Who is no member of the world, as processes that were spawned later, has no rank in it. */
		if ((int32_t)node >= 0)
			snprintf(number, sizeof(number), "%d", (int32_t)node);
		name = mem_printf(message_name[kind].node, number);
		id = counter_id(c, name);
		free(name);
		map_set(&c->node, key, id);
	}
	samples_add(s, counter_id(c, message_name[kind].all), 0, (double)bytes);
	samples_add(s, id, 0, (double)bytes);
}

/* One sample for all files and one for the file, both on the call path, too. */
static void take_transfer(struct counters *c, const struct trace *t, struct samples *s,
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
	samples_add(s, all, 0, value);
	samples_add(s, of_file, 0, value);
	if (!path)
		return;
	samples_add(s, all, path, value);
	samples_add(s, of_file, path, value);
}

/* A call that moved nothing has no bandwidth. MB/s are bytes a microsecond. */
static void take_io(struct counters *c, const struct trace *t, struct samples *s, uint32_t path,
		    const struct event_args *a)
{
	take_transfer(c, t, s, path, TRANSFER_BYTES + a->op, a->file, (double)a->bytes);
	if (a->bytes && a->tag)
		take_transfer(c, t, s, path, TRANSFER_BANDWIDTH + a->op, a->file,
			      (double)a->bytes * 1000 / (double)a->tag);
}

/* The path that counts for a type beside all paths; 0: none does. */
static uint32_t type_path(const struct trace *t, struct machine *m, uint32_t depth, uint32_t type)
{
	return t->memtype[type].context ? machine_context(m, depth) : 0;
}

/* path: 0 without context. */
static void take_type(struct samples *s, uint32_t path, const uint32_t *counter, size_t n,
		      uint64_t bytes)
{
	for (size_t i = 0; i < n; i++) {
		if (counter[i] == TRACE_NONE)
			continue;
		samples_add(s, counter[i], 0, (double)bytes);
		if (path)
			samples_add(s, counter[i], path, (double)bytes);
	}
}

/* As TAU's memory wrapper has them: context events over all types. A finding is none. */
static void take_heap(struct counters *c, const struct trace *t, struct samples *s,
		      struct machine *m, uint32_t depth, const struct event_args *a,
		      uint32_t *counter, const char *name)
{
	uint32_t path;

	if (t->memtype[a->type].leak)
		return;
	if (*counter == TRACE_NONE)
		*counter = counter_id(c, name);
	samples_add(s, *counter, 0, (double)a->bytes);
	path = machine_context(m, depth);
	if (path)
		samples_add(s, *counter, path, (double)a->bytes);
}

void counters_take(struct counters *c, const struct trace *t, struct samples *s, struct machine *m,
		   uint32_t depth, const struct event *event, const struct event_args *a)
{
	uint32_t path;

	switch (event->kind) {
	case EVENT_VALUE:
		samples_add(s, c->event[a->event], 0, a->value);
		if (!(t->event[a->event].flags & EVENT_FLAG_CONTEXT))
			break;
		path = machine_context(m, depth);
		if (path)
			samples_add(s, c->event[a->event], path, a->value);
		break;
	case EVENT_SEND:
		take_message(c, s, MESSAGE_SENT, a->peer, a->bytes);
		break;
	case EVENT_RECV:
		take_message(c, s, MESSAGE_RECEIVED, a->peer, a->bytes);
		break;
	case EVENT_COLL:
		if (coll_name[a->op])
			samples_add(s, counter_id(c, coll_name[a->op]), 0,
				    (double)(a->bytes > a->received ? a->bytes : a->received));
		break;
	case EVENT_RMA:
		take_message(c, s, MESSAGE_PUT + a->op, a->peer, a->bytes);
		break;
	case EVENT_IO:
		take_io(c, t, s, machine_context(m, depth), a);
		break;
	case EVENT_ALLOC:
		take_type(s, type_path(t, m, depth, a->type), c->type[a->type].alloc,
			  COUNTERS_ROWS, a->bytes);
		take_heap(c, t, s, m, depth, a, &c->heap[0], COUNTERS_HEAP_ALLOCATE);
		break;
	case EVENT_FREE:
		take_type(s, type_path(t, m, depth, a->type), c->type[a->type].free,
			  COUNTERS_ROWS, a->bytes);
		take_heap(c, t, s, m, depth, a, &c->heap[1], COUNTERS_HEAP_FREE);
		break;
	case EVENT_RETYPE:
		/* TAU's row is of calls, and this is none. */
		take_type(s, 0, c->type[a->type].retyped, COUNTERS_ROWS - 1, a->bytes);
		take_type(s, 0, c->type[a->to].alloc, COUNTERS_ROWS - 1, a->bytes);
		break;
	case EVENT_SAMPLE:
		if (a->received)
			samples_add(s, counter_id(c, sampling_inside), 0,
				    (double)a->received);
		if (a->peer)
			samples_add(s, counter_id(c, sampling_missed), 0,
				    (double)a->peer);
		break;
	default:
		break;
	}
}
