/*
 * owner.c: the pointer graph between live blocks, and the owners that it shows.
 *
 * An edge is a word in a block that points into another. An untyped block belongs to class X when
 * every way to it, back to the nearest typed blocks, starts at objects of X, with objects of a
 * class taken together. Ways do not cross libraries: a step from an untyped block must stay with
 * the code that allocated both, a step from an object inside the runtime, or with that code.
 * (Otherwise every component would own memory of the loader.) A typed block belongs to X when all
 * that point to it, without its own class, are objects of X, and no global variable does of a
 * library that takes part: the runtime's, and those whose code has allocated objects of C++,
 * CPython or of rules. If several classes lead to a block, it belongs to the one that points to all
 * blocks of its type and call site (claim.c); an untyped block without such a class belongs to what
 * all ways from global variables lead through (holder.c).
 *
 * In a program with the runtime the pointers in the memory of all libraries are followed, because
 * the runtime's is held by them.
 *
 * Objects that are no block of their own count too: members of untyped blocks and global variables,
 * by the class pointer in them. (Lists and hash tables that are global variables point to the
 * tables of Open MPI.)
 */
#include <string.h>
#include "area.h"
#include "census.h"
#include "class.h"
#include "library.h"
#include "node.h"
#include "owner.h"
#include "census_read.h"

#define BLOCK_SCAN_MAX (8u << 20)	/* bytes looked at in one block */
#define TOTAL_SCAN_MAX (256u << 20)	/* and in all */
#define OBJECTS_SCAN_MAX (64u << 20)	/* bytes of a program with objects, beside the runtime's */
#define OBJECTS_MAX 500000u		/* and its blocks */
#define LIBRARY_SCAN_MAX (16u << 20)	/* bytes of any other library in a program with the runtime */
#define LIBRARY_BLOCKS_MAX 100000u	/* and its blocks */
#define REFERENCES_MAX 1000000u
#define LABEL_NONE 0u			/* nothing known yet */
#define LABEL_MANY 0xffffffffu		/* more than one class */

/* The outermost object around the word being looked at, where that is not the whole block. */
struct owner_member {
	unsigned class;
	uintptr_t end;
};
void *area_grow(void *array, size_t n, size_t *room, size_t size)
{
	size_t more = *room ? *room * 2 : 65536 / size;
	void *larger;

	if (n < *room)
		return array;
	larger = area_map(more * size);
	if (!larger)
		return NULL;
	if (array) {
		memcpy(larger, array, n * size);
		area_unmap(array, *room * size);
	}
	*room = more;
	return larger;
}

static void edge_add(struct graph *g, uint32_t from, uint32_t to, unsigned class)
{
	struct edge *e = area_grow(g->edge, g->n, &g->room, sizeof(*e));

	if (!e)
		return;
	g->edge = e;
	e[g->n++] = (struct edge){ from, to, class };
}

static void global_add(struct graph *g, uintptr_t address, uint32_t to, unsigned class)
{
	struct global *v = area_grow(g->global, g->global_n, &g->global_room, sizeof(*v));

	if (!v)
		return;
	g->global = v;
	v[g->global_n++] = (struct global){ .address = address, .to = to, .class = class };
}

/* Only what code allocated that has objects takes part: other data may be any size. */
static int has_objects(unsigned library)
{
	const struct library *l = library_get(library);

	return l->flags || l->objects;
}

static int takes_part(const struct census_block *b)
{
	const struct node *n = &nodes[b->now];

	return has_objects(b->library) || library_get(b->library)->searched ||
	       (n->kind != NODE_UNTYPED && classes[n->id].family < FAMILIES);
}

/* All of a program's objects or none: with a part of the pointers unknown, what has one owner may have more. */
static void objects_bound(struct census *c)
{
	size_t bytes = 0, blocks = 0, i;

	for (i = 0; i < c->n; i++) {
		if (library_get(c->at[i].library)->flags || !takes_part(&c->at[i]))
			continue;
		bytes += c->at[i].size;
		blocks++;
	}
	if (bytes <= OBJECTS_SCAN_MAX && blocks <= OBJECTS_MAX)
		return;
	c->bytes_unread += bytes;
	for (i = 0; i < c->n; i++)
		library_get(c->at[i].library)->objects = 0;
}

struct library_sum {
	size_t bytes, blocks;
};

/* All of a library's memory is searched or none, for the same reason. */
static void searched_bound(struct census *c)
{
	struct library_sum *sum =
		library_any_flags() ? area_map(LIBRARY_MAX * sizeof(*sum)) : NULL;
	size_t i;

	for (i = 0; sum && i < c->n; i++) {
		sum[c->at[i].library].bytes += c->at[i].size;
		sum[c->at[i].library].blocks++;
	}
	for (i = 0; sum && i < c->n; i++) {
		const struct library_sum *s = &sum[c->at[i].library];

		library_get(c->at[i].library)->searched =
			s->bytes <= LIBRARY_SCAN_MAX && s->blocks <= LIBRARY_BLOCKS_MAX;
	}
	if (sum)
		area_unmap(sum, LIBRARY_MAX * sizeof(*sum));
}

/*
 * Follows which member a walk over words is in. Nested members belong to the outer one. A class pointer alone is no object: a
 * reference count must follow. (Descriptors hold the address of their parent, and a function after it.)
 */
static void member_follow(struct graph *g, struct owner_member *m, uintptr_t at, uintptr_t limit,
			  uint64_t word)
{
	unsigned class;
	uint64_t references;
	int good = 1;

	if (at < m->end)
		return;
	m->class = 0;
	class = class_find((const void *)word);
	if (!class || at + 16 > limit)
		return;
	references = window_word(g->w, at + 8, limit, &good) & 0xffffffff;
	if (good && references >= 1 && references < REFERENCES_MAX) {
		m->class = class;
		m->end = at - family_offset[classes[class].family] + classes[class].size;
	}
}

static void block_scan(struct graph *g, uint32_t from)
{
	struct census_block *b = &g->c->at[from], *to;
	size_t bytes = b->size & ~(size_t)7, i;
	int good = 1, typed = nodes[b->now].kind != NODE_UNTYPED;
	struct owner_member m = {0};
	uint64_t word;

	if (bytes > BLOCK_SCAN_MAX) {
		g->c->bytes_unread += bytes - BLOCK_SCAN_MAX;
		bytes = BLOCK_SCAN_MAX;
	}
	for (i = 0; i < bytes && good; i += 8) {
		word = window_word(g->w, b->address + i, b->address + bytes, &good);
		if (!word)
			continue;
		if (!typed)
			member_follow(g, &m, b->address + i, b->address + bytes, word);
		if (word < g->low || word >= g->high ||
		    (word >= b->address && word < b->address + b->size))
			continue;
		to = census_block_at(g->c, word);
		if (to && takes_part(to))
			edge_add(g, from, (uint32_t)(to - g->c->at), m.class);
	}
	if (!good)
		g->c->bytes_unread += bytes - i;
	b->scanned = 1;
}

static uint32_t meet(uint32_t a, uint32_t b)
{
	if (a == LABEL_NONE || a == b)
		return b;
	return b == LABEL_NONE ? a : LABEL_MANY;
}

/* A word of a variable, in an object of a class or in none. */
static void global_word(struct graph *g, uintptr_t at, uint64_t word, unsigned class,
			unsigned library)
{
	struct census_block *to = census_block_at(g->c, word);

	if (!to || census_is_rest(to, word))
		return;
	if (takes_part(to))
		global_add(g, at, (uint32_t)(to - g->c->at), class);
	if (!has_objects(library))
		return;
	to->rooted = 1;
	if (class && !class_at(to) && takes_part(to) &&
	    (library == to->library || library_get(to->library)->flags))
		to->label = meet(to->label, class);
}

/* Which blocks do global variables point to, and from inside which objects? The recorder's own have addresses of all. */
static void globals_scan(struct graph *g)
{
	const struct library_segments *s = segments_known();
	uintptr_t at, begin, end;
	struct owner_member m = {0};
	unsigned i;
	uint64_t word;
	int good;

	for (i = 0; s && i < s->n; i++) {
		unsigned library = s->at[i].library;

		if (!s->at[i].writable || !strncmp(library_get(library)->name, "libtau", 6) ||
		    !(has_objects(library) || library_any_flags()))
			continue;
		begin = (s->at[i].begin + 7) & ~(uintptr_t)7;
		end = s->at[i].end & ~(uintptr_t)7;
		good = 1;
		m.end = 0;
		for (at = begin; at < end && good; at += 8) {
			word = window_word(g->w, at, end, &good);
			if (!word)
				continue;
			member_follow(g, &m, at, end, word);
			if (word >= g->low && word < g->high)
				global_word(g, at, word, m.class, library);
		}
	}
}

/* The label that one edge gives its target: a class, none, or many. */
static uint32_t edge_label(const struct census_block *from, const struct census_block *to,
			   unsigned member)
{
	unsigned f = member ? member : class_at(from), t = class_at(to);
	int near = from->library == to->library;

	if (t)
		return f == t ? LABEL_NONE : f ? f : near ? LABEL_MANY : LABEL_NONE;
	if (f)
		return near || library_get(to->library)->flags ? f : LABEL_NONE;
	return near ? from->label : LABEL_NONE;
}

/* Labels only ever rise from none to a class to many, so this ends; a chain of n untyped blocks takes n rounds. */
static void labels_settle(struct graph *g)
{
	struct census_block *at = g->c->at;
	int changed = 1, round;
	uint32_t label;
	size_t i;

	for (round = 0; changed && round < 64; round++) {
		changed = 0;
		for (i = 0; i < g->n; i++) {
			struct census_block *to = &at[g->edge[i].to];

			label = meet(to->label,
				     edge_label(&at[g->edge[i].from], to, g->edge[i].class));
			changed |= label != to->label;
			to->label = label;
		}
	}
}

static void owners_apply(struct census *c)
{
	size_t i;

	for (i = 0; i < c->n; i++) {
		struct census_block *b = &c->at[i];
		struct node n = nodes[b->now];
		int one = b->label != LABEL_NONE && b->label != LABEL_MANY;
		unsigned class = one ? b->label : b->claim;

		if (n.owner) {
			if (one && b->label == nodes[n.owner].id)
				c->agree++;
			else if (one)
				c->disagree++;
			continue;
		}
		if (class && (n.kind == NODE_UNTYPED || !b->rooted))
			b->now = node_change(b->now, n.kind, n.id, node_get(NODE_CLASS, class, 0));
		else if (!class && n.kind == NODE_UNTYPED && b->holder)
			b->now = node_change(b->now, n.kind, n.id, b->holder);
	}
}

static void graph_release(struct graph *g)
{
	if (g->edge)
		area_unmap(g->edge, g->room * sizeof(*g->edge));
	if (g->global)
		area_unmap(g->global, g->global_room * sizeof(*g->global));
	if (g->variable)
		area_unmap(g->variable, g->variable_room * sizeof(*g->variable));
	window_free(g->w);
}

void owner_find(struct census *c)
{
	struct graph g = { .c = c };
	size_t i, scanned = 0;

	objects_bound(c);
	searched_bound(c);
	for (i = 0; i < c->n && !takes_part(&c->at[i]); i++)
		;
	if (i == c->n)
		return;
	g.w = window_new();
	if (!g.w)
		return;
	g.low = c->at[0].address;
	g.high = c->at[c->n - 1].address + c->at[c->n - 1].size;
	for (i = 0; i < c->n; i++) {
		if (!takes_part(&c->at[i]))
			continue;
		if (scanned > TOTAL_SCAN_MAX) {
			c->bytes_unread += c->at[i].size;
			continue;
		}
		block_scan(&g, (uint32_t)i);
		scanned += c->at[i].size;
	}
	globals_scan(&g);
	labels_settle(&g);
	if (library_any_flags()) {
		variables_find(&g);
		holders_find(&g);
		claims_find(&g);
	}
	owners_apply(c);
	c->edges = g.n;
	graph_release(&g);
}
