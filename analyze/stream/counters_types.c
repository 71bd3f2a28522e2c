/* counters_types.c: makes the objects and counters of types of memory. */
#include "analyze/stream/counters.h"
#include "analyze/stream/counters_inner.h"

#include "analyze/profile/memory_object.h"
#include "analyze/trace/call_text.h"

#include <string.h>

#define OWNERS 64
#define CHAINS ((size_t)64 << 20) /* limit of the bytes of names for chains of several owners */

static int is_finding(enum memory_number number)
{
	return number >= NUMBER_LOST && number <= NUMBER_REACHABLE;
}

/* The counter for a quantity of an object. */
static uint32_t memory_counter(struct counters *c, enum memory_number number, uint32_t object)
{
	const struct memory_objects *all = is_finding(number) ? &c->finding : &c->level;
	char *name = mem_join(memory_number_word(number), " ", all->names.name[object], NULL);
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
	return is_finding(m->number) ? &c->finding.v[m->object] : &c->level.v[m->object];
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
	/* Only the class-allocation functions have blocks inside each other. */
	if (m->family == MEMORY_FAMILY_PROGRAM)
		type_counters(c, to->inner, NUMBER_INNER, to->level);
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

void counters_types_init(struct counters *c, struct trace *t, enum counters_sites sites, int named)
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
	counters_types_init(c, t, COUNTERS_SITES_NAMED, 0);
}
