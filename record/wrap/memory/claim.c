/*
 * claim.c: the class whose objects point to all blocks of one type and call site.
 *
 * Objects that are used again, as requests are, keep pointers to what they were used for last. So some blocks of a type have
 * pointers from other classes, and by chance. The class that points to each of them is the owner; of several the one that is
 * nearest to global variables.
 *
 * A class is no owner of what other ways than through objects lead to as directly as to itself. Of two classes that point to
 * all of each other one only points back: the one to which fewer such ways lead, or that is farther.
 */
#include <string.h>
#include "area.h"
#include "census.h"
#include "class.h"
#include "library.h"
#include "owner.h"

#define CLAIMS 8

/* How many pointers at least lead from a global variable to a block; direct: the last of them is in no object. */
struct far {
	uint32_t direct, depth;
};
/* Of the blocks of a node. */
struct claim {
	struct far far;
	uint16_t class[CLAIMS];
	uint8_t n, known;
};

/* Pointers of objects by what they lead to; those of one block are first[b] ... first[b + 1] - 1. */
struct pointers {
	uint16_t *class;
	uint32_t *first;
};

/* Is it a pointer of an object of `class`, inside the runtime or one library, to another class? */
static int counts(const struct graph *g, unsigned class, unsigned library, uint32_t to)
{
	const struct census_block *b = &g->c->at[to];

	return class && class != class_at(b) &&
	       (library == b->library || library_get(b->library)->flags);
}

/* Calls f for each pointer of an object, in a block or in a global variable. */
static void pointers_each(const struct graph *g, struct pointers *p,
			  void (*f)(struct pointers *p, unsigned class, uint32_t to))
{
	size_t i;

	for (i = 0; i < g->n; i++) {
		const struct edge *e = &g->edge[i];
		const struct census_block *from = &g->c->at[e->from];
		unsigned class = e->class ? e->class : class_at(from);

		if (counts(g, class, from->library, e->to))
			f(p, class, e->to);
	}
	for (i = 0; i < g->global_n; i++) {
		const struct global *v = &g->global[i];

		if (counts(g, v->class, g->variable[v->variable].library, v->to))
			f(p, v->class, v->to);
	}
}

static void pointer_count(struct pointers *p, unsigned class, uint32_t to)
{
	(void)class;
	p->first[to + 2]++;
}

static void pointer_put(struct pointers *p, unsigned class, uint32_t to)
{
	p->class[p->first[to + 1]++] = (uint16_t)class;
}

static void pointers_sort(const struct graph *g, struct pointers *p)
{
	size_t i;

	pointers_each(g, p, pointer_count);
	for (i = 0; i < g->c->n; i++)
		p->first[i + 2] += p->first[i + 1];
	pointers_each(g, p, pointer_put);
}

/* The classes of the pointers to one block. */
static unsigned claims_of(const struct pointers *p, size_t block, uint16_t *class)
{
	unsigned found = 0, i;
	uint32_t k;

	for (k = p->first[block]; k < p->first[block + 1] && found < CLAIMS; k++) {
		for (i = 0; i < found && class[i] != p->class[k]; i++)
			;
		if (i == found)
			class[found++] = p->class[k];
	}
	return found;
}

/* Leaves those that are in both. */
static void claim_meet(struct claim *c, const uint16_t *class, unsigned n)
{
	unsigned i, k, kept = 0;

	if (!c->known) {
		memcpy(c->class, class, n * sizeof(*class));
		c->n = (uint8_t)n;
		c->known = 1;
		return;
	}
	for (i = 0; i < c->n; i++) {
		for (k = 0; k < n && class[k] != c->class[i]; k++)
			;
		if (k < n)
			c->class[kept++] = c->class[i];
	}
	c->n = (uint8_t)kept;
}

/* For all blocks: what is found of the classes and of the nodes. */
struct claims {
	struct far *far; /* by class */
	uint8_t *points; /* CLASS_MAX bits for each class: to all of which others it points */
	struct claim *claim; /* by node */
};

static int is_nearer(struct far a, struct far b)
{
	return a.direct != b.direct ? a.direct < b.direct : a.depth < b.depth;
}

static uint8_t *points_at(const struct claims *s, unsigned from, unsigned to)
{
	return &s->points[((size_t)from * CLASS_MAX + to) / 8];
}

static int points(const struct claims *s, unsigned from, unsigned to)
{
	return *points_at(s, from, to) >> to % 8 & 1;
}

/* Class 0: of untyped blocks. */
static int may_own(const struct claims *s, unsigned owner, const struct claim *c, unsigned class)
{
	if (s->far[owner].depth >= c->far.direct)
		return 0;
	return !class || !points(s, class, owner) || is_nearer(s->far[owner], s->far[class]);
}

/* 0: none, or two that are equally near. */
static unsigned claim_best(const struct claims *s, const struct claim *c, unsigned class)
{
	uint32_t least = UINT32_MAX;
	unsigned best = 0, i;

	for (i = 0; i < c->n; i++) {
		uint32_t depth = s->far[c->class[i]].depth;

		if (!may_own(s, c->class[i], c, class) || depth > least)
			continue;
		best = depth < least ? c->class[i] : 0;
		least = depth;
	}
	return best;
}

/* The least of ways in whose last pointer is in no object. */
static void directs_find(const struct graph *g, uint32_t *direct)
{
	size_t i;

	memset(direct, 0xff, g->c->n * sizeof(*direct));
	for (i = 0; i < g->n; i++) {
		const struct edge *e = &g->edge[i];
		const struct census_block *from = &g->c->at[e->from];

		if (!e->class && !class_at(from) && from->library == g->c->at[e->to].library &&
		    from->depth < direct[e->to])
			direct[e->to] = from->depth + 1;
	}
	for (i = 0; i < g->global_n; i++) {
		const struct global *v = &g->global[i];

		if (!v->class &&
		    g->variable[v->variable].library == g->c->at[v->to].library)
			direct[v->to] = 1;
	}
}

static void far_least(struct far *to, struct far f)
{
	to->direct = f.direct < to->direct ? f.direct : to->direct;
	to->depth = f.depth < to->depth ? f.depth : to->depth;
}

/* Objects in global variables are as near as they can be. */
static void claims_make(const struct graph *g, const struct pointers *p, const struct claims *s,
			const uint32_t *direct)
{
	uint16_t class[CLAIMS];
	unsigned k;
	size_t i;

	memset(s->far, 0xff, CLASS_MAX * sizeof(*s->far));
	for (i = 0; i < g->c->n; i++) {
		const struct census_block *b = &g->c->at[i];
		struct claim *c = &s->claim[b->now];
		struct far f = { direct[i], b->depth };

		far_least(&s->far[class_at(b)], f);
		if (!c->known)
			c->far = f;
		far_least(&c->far, f);
		claim_meet(c, class, claims_of(p, i, class));
	}
	for (i = 0; i < g->global_n; i++)
		s->far[g->global[i].class].depth = 0;
	for (i = 0; i < g->c->n; i++) {
		const struct census_block *b = &g->c->at[i];

		for (k = 0; k < s->claim[b->now].n; k++) {
			unsigned from = s->claim[b->now].class[k], to = class_at(b);

			*points_at(s, from, to) |= (uint8_t)(1u << to % 8);
		}
	}
}

void claims_find(struct graph *g)
{
	struct census *c = g->c;
	uint32_t nodes_most = 0, *direct;
	struct pointers p;
	struct claims s;
	size_t bytes, i;
	void *area;

	for (i = 0; i < c->n; i++)
		nodes_most = c->at[i].now > nodes_most ? c->at[i].now : nodes_most;
	bytes = CLASS_MAX * (sizeof(*s.far) + CLASS_MAX / 8) +
		(nodes_most + 1ul) * sizeof(*s.claim) + c->n * sizeof(*direct) +
		(c->n + 2) * sizeof(*p.first) + (g->n + g->global_n) * sizeof(*p.class);
	area = area_map(bytes);
	if (!area)
		return;
	s.far = area;
	s.points = (uint8_t *)(s.far + CLASS_MAX);
	s.claim = (struct claim *)(s.points + CLASS_MAX * CLASS_MAX / 8);
	direct = (uint32_t *)(s.claim + nodes_most + 1);
	p.first = direct + c->n;
	p.class = (uint16_t *)(p.first + c->n + 2);
	directs_find(g, direct);
	pointers_sort(g, &p);
	claims_make(g, &p, &s, direct);
	for (i = 0; i < c->n; i++)
		c->at[i].claim = (uint16_t)claim_best(&s, &s.claim[c->at[i].now],
						      class_at(&c->at[i]));
	area_unmap(area, bytes);
}
