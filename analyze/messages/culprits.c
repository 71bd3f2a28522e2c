/* culprits.c: sums the causes of waits by thread and call path, and chooses the paths that are named. */
#include "analyze/messages/culprits.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/messages/messages.h"
#include "analyze/messages/runtime_regions.h"
#include "analyze/trace/region_work.h"

#define WORTH 0.1  /* of a path's time that one below it must have to be named in its place, */
#define SMALL 0.05 /* of a culprit: that a part has for its waiting ranks to be named */
#define REST  0.25 /* and that must remain for it to be named beside these */

void culprit_few_add(struct culprit_few *f, uint32_t value)
{
	for (uint32_t i = 0; i < f->n && i < CULPRIT_FEW; i++)
		if (f->v[i] == value)
			return;
	if (f->n < CULPRIT_FEW)
		f->v[f->n++] = value;
	else
		f->n = CULPRIT_FEW + 1;
}

/* ---- during the pass ---- */

/* Numbers of streams, processes and paths have fewer bits. */
#define BEFORE 0x80000000u

/* Time outside of all regions is known by the call that follows. */
static uint32_t origin_of(struct culprits *c, const struct message_call *a, uint32_t path,
			  enum wait_pattern p)
{
	uint32_t before = path || p == WAIT_TEAM ? 0 : a->path;
	uint64_t key = (uint64_t)a->stream << 32 | (before ? BEFORE | before : path);
	uint32_t at = map_get(&c->origin_at, key);

	if (at != MAP_NONE)
		return at;
	at = (uint32_t)c->origin_n;
	map_set(&c->origin_at, key, at);
	*array_add(c, origin) = (struct culprit_origin){a->stream, a->process, path, before,
								0,	   0};
	return at;
}

static void part_add(struct culprits *c, uint32_t origin, enum wait_pattern p, double ns,
		     uint32_t waiting)
{
	uint64_t key = (uint64_t)origin << 5 | p;
	uint32_t at = map_get(&c->part_at, key);

	if (at == MAP_NONE) {
		at = (uint32_t)c->part_n;
		map_set(&c->part_at, key, at);
		*array_add(c, part) = (struct culprit_part){.origin = origin, .pattern = p};
	}
	c->part[at].ns += ns;
	if (waiting != c->origin[origin].process)
		culprit_few_add(&c->part[at].waiting, waiting);
}

/* An earlier wait of the late stream, which explains a part of this one. */
static void sum_add(void *to, uint32_t origin, int64_t wait)
{
	struct culprits *c = to;
	struct culprit_origin *o = &c->origin[origin];

	if (o->turn != c->turn) {
		o->turn = c->turn;
		o->sum = 0;
		*array_add(c, touched) = origin;
	}
	o->sum += (double)wait;
}

uint32_t culprits_cause(struct culprits *c, struct delays *d, const struct delay_found *f,
			const struct message_call *a, const struct message_call *b,
			enum wait_pattern p)
{
	uint32_t most = TRACE_NONE;
	double largest = 0, passed = 0;

	if (!(f->k > 0))
		return TRACE_NONE;
	c->turn++;
	c->touched_n = 0;
	for (size_t i = 0; i < d->touched_n; i++) {
		double ns = f->k * (double)d->excess[d->touched[i]].ns;
		uint32_t origin = origin_of(c, a, d->touched[i], p);

		part_add(c, origin, p, ns, b->process);
		most = ns > largest ? origin : most;
		largest = ns > largest ? ns : largest;
	}
	if (f->indirect > 0)
		delays_origins(d, a, sum_add, c);
	for (size_t i = 0; i < c->touched_n; i++) {
		double ns = f->k * c->origin[c->touched[i]].sum;

		part_add(c, c->touched[i], p, ns, b->process);
		passed += ns;
		most = ns > largest ? c->touched[i] : most;
		largest = ns > largest ? ns : largest;
	}
	c->unknown += f->indirect > passed ? f->indirect - passed : 0;
	return most;
}

/* ---- the tree of each process ---- */

struct culprit_node {
	uint32_t process, path, before;
	uint32_t parent, child, next; /* numbers of nodes; 0: none */
	uint32_t culprit;	      /* 1 + its number; 0: it is not named */
	double ns;		      /* of it and all below it */
};

struct tree {
	const struct messages *m;
	struct culprit_node *node; /* node[0] is not used */
	size_t node_n, node_cap;
	struct map at;
	uint32_t *caller;      /* by region: the only region that calls it; TRACE_NONE: none, */
	unsigned char *called; /* and whether there are several */
	uint32_t *root;	       /* nodes with path 0 */
	size_t root_n, root_cap;
	uint32_t *up; /* paths that have no node yet */
	size_t up_n, up_cap;
};

static uint32_t region_at(const struct tree *t, uint32_t path)
{
	return t->m->paths.v[path].region;
}

/* Who calls each region, in any process. */
static void callers_find(struct tree *t)
{
	size_t n = t->m->trace->region_n;

	t->caller = mem_alloc((n + 1) * sizeof(*t->caller));
	t->called = mem_alloc(n + 1);
	for (size_t i = 0; i < n; i++)
		t->caller[i] = TRACE_NONE;
	for (uint32_t p = 1; p < t->m->paths.v_n; p++) {
		uint32_t region = region_at(t, p), parent = t->m->paths.v[p].parent, caller;

		if (!parent || (caller = region_at(t, parent)) == region)
			continue;
		if (t->caller[region] == TRACE_NONE)
			t->caller[region] = caller;
		t->called[region] |= t->caller[region] != caller;
	}
}

static uint64_t node_key(uint32_t process, uint32_t path, uint32_t before)
{
	return (uint64_t)process << 32 | (before ? BEFORE | before : path);
}

static uint32_t node_add(struct tree *t, uint32_t process, uint32_t path, uint32_t before,
			 uint32_t parent)
{
	uint32_t at = (uint32_t)t->node_n;

	map_set(&t->at, node_key(process, path, before), at);
	*array_add(t, node) = (struct culprit_node){
		.process = process, .path = path, .before = before, .parent = parent};
	if (parent) {
		t->node[at].next = t->node[parent].child;
		t->node[parent].child = at;
	} else {
		*array_add(t, root) = at;
	}
	return at;
}

/* Paths can be too long for a recursion. */
static uint32_t node_of(struct tree *t, const struct culprit_origin *o)
{
	uint32_t at, path = o->path, before;

	t->up_n = 0;
	while ((at = map_get(&t->at, node_key(o->process, path, 0))) == MAP_NONE && path) {
		*array_add(t, up) = path;
		path = t->m->paths.v[path].parent;
	}
	if (at == MAP_NONE)
		at = node_add(t, o->process, path, 0, 0);
	while (t->up_n)
		at = node_add(t, o->process, t->up[--t->up_n], 0, at);
	if (!o->before)
		return at;
	before = map_get(&t->at, node_key(o->process, 0, o->before));
	return before != MAP_NONE ? before : node_add(t, o->process, 0, o->before, at);
}

/* Start, end and the recorder make ranks late as well; these are conditions of a run, and no work of the program. */
static int is_condition(const struct tree *t, uint32_t path)
{
	const struct trace_region *r;

	if (!path)
		return 0;
	r = &t->m->trace->region[region_at(t, path)];
	return region_sets_up(r->name) || region_is_recorder(r->name, r->groups);
}

static void tree_fill(struct tree *t, const struct culprits *c)
{
	array_add(t, node);
	for (size_t i = 0; i < c->part_n; i++) {
		const struct culprit_origin *o = &c->origin[c->part[i].origin];

		if (is_condition(t, o->path))
			continue;
		for (uint32_t n = node_of(t, o); n; n = t->node[n].parent)
			t->node[n].ns += c->part[i].ns;
	}
}

/*
 * May a path be named in place of the one above it? Below the first two, no function that several
 * others call; and a barrier where a thread waits itself is no cause.
 */
static int is_cause(const struct tree *t, uint32_t n)
{
	uint32_t region, above = t->node[n].parent;
	const struct trace_region *r;
	enum team_role role;

	if (t->node[n].before)
		return 1;
	region = region_at(t, t->node[n].path);
	r = &t->m->trace->region[region];
	role = runtime_team(r->name);
	if (role == TEAM_BARRIER || role == TEAM_IDLE)
		return 0;
	return !t->called[region] || runtime_region(r) || !t->node[above].parent ||
	       !t->node[t->node[above].parent].parent;
}

struct choice {
	double least;
	uint32_t (*in_team)(void *of, uint32_t path);
	void *of;
	struct map at; /* by path inside of a team or call that follows: the culprit's number */
};

static void name(struct culprits *c, struct tree *t, struct choice *x, uint32_t n)
{
	uint32_t path = t->node[n].path, before = t->node[n].before, at;
	uint64_t same = node_key(0, x->in_team(x->of, path), before);

	at = map_get(&x->at, same);
	if (at == MAP_NONE) {
		at = (uint32_t)c->v_n;
		map_set(&x->at, same, at);
		*array_add(c, v) = (struct culprit){.path = path, .before = before};
	}
	/* The longest one has what is above the team, too. */
	if (t->m->paths.v[path].length > t->m->paths.v[c->v[at].path].length)
		c->v[at].path = path;
	t->node[n].culprit = at + 1;
}

static void choose(struct culprits *c, struct tree *t, struct choice *x)
{
	struct {
		uint32_t *v;
		size_t v_n, v_cap;
	} open = {0};

	for (size_t i = 0; i < t->root_n; i++)
		if (t->node[t->root[i]].ns >= x->least)
			*array_add(&open, v) = t->root[i];
	while (open.v_n) {
		uint32_t n = open.v[--open.v_n];
		double all = t->node[n].ns, rest = all;

		for (uint32_t k = t->node[n].child; k; k = t->node[k].next) {
			double ns = t->node[k].ns;

			if (ns < x->least || ns < WORTH * all || !is_cause(t, k))
				continue;
			*array_add(&open, v) = k;
			rest -= ns;
		}
		if (rest >= x->least && rest >= REST * all)
			name(c, t, x, n);
	}
	free(open.v);
}

/* ---- what belongs to each culprit ---- */

/* 1 + the number of the culprit to which a path of a process belongs; 0: none. */
static uint32_t culprit_at(const struct tree *t, const struct culprit_origin *o)
{
	uint32_t n = map_get(&t->at, node_key(o->process, o->path, o->before));

	while (n && !t->node[n].culprit)
		n = t->node[n].parent;
	return t->node[n].culprit;
}

static void collect(struct culprits *c, const struct tree *t)
{
	struct map at = {0};

	for (size_t i = 0; i < c->part_n; i++) {
		const struct culprit_part *p = &c->part[i];
		const struct culprit_origin *o = &c->origin[p->origin];
		uint32_t k = is_condition(t, o->path) ? 0 : culprit_at(t, o), w;
		struct culprit *v;

		if (!k)
			continue;
		v = &c->v[k - 1];
		v->ns += p->ns;
		v->pattern_ns[p->pattern] += p->ns;
		w = map_get(&at, (uint64_t)k << 32 | o->stream);
		if (w == MAP_NONE) {
			w = (uint32_t)c->who_n;
			map_set(&at, (uint64_t)k << 32 | o->stream, w);
			*array_add(c, who) = (struct culprit_who){k - 1, o->stream, 0};
		}
		c->who[w].ns += p->ns;
	}
	map_release(&at);
}

/* Who waits for a culprit, without those for whom a small part of it is the cause. */
static void collect_waiting(struct culprits *c, const struct tree *t)
{
	for (size_t i = 0; i < c->part_n; i++) {
		const struct culprit_part *p = &c->part[i];
		const struct culprit_origin *o = &c->origin[p->origin];
		uint32_t k = is_condition(t, o->path) ? 0 : culprit_at(t, o);
		struct culprit *v = k ? &c->v[k - 1] : NULL;

		if (!v || p->ns < SMALL * v->ns)
			continue;
		for (uint32_t j = 0; j < p->waiting.n && j < CULPRIT_FEW; j++)
			culprit_few_add(&v->waiting, p->waiting.v[j]);
		if (p->waiting.n > CULPRIT_FEW)
			v->waiting.n = CULPRIT_FEW + 1;
	}
}

static int by_culprit(const void *va, const void *vb)
{
	const struct culprit_who *a = va, *b = vb;

	if (a->culprit != b->culprit)
		return a->culprit < b->culprit ? -1 : 1;
	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return (a->stream > b->stream) - (a->stream < b->stream);
}

static int most_first(const void *va, const void *vb)
{
	const struct culprit *a = va, *b = vb;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return (a->path > b->path) - (a->path < b->path);
}

static void sort(struct culprits *c)
{
	if (c->who_n)
		qsort(c->who, c->who_n, sizeof(*c->who), by_culprit);
	for (size_t i = c->who_n; i--;) {
		c->v[c->who[i].culprit].who = i;
		c->v[c->who[i].culprit].who_n++;
	}
	if (c->v_n)
		qsort(c->v, c->v_n, sizeof(*c->v), most_first);
}

void culprits_end(struct culprits *c, struct messages *m, double least,
		  uint32_t (*in_team)(void *of, uint32_t path), void *of)
{
	struct tree t = {.m = m};
	struct choice x = {.least = least > 0 ? least : 1, .in_team = in_team, .of = of};

	callers_find(&t);
	tree_fill(&t, c);
	choose(c, &t, &x);
	collect(c, &t);
	collect_waiting(c, &t);
	sort(c);
	map_release(&x.at);
	map_release(&t.at);
	free(t.node);
	free(t.root);
	free(t.up);
	free(t.caller);
	free(t.called);
}

void culprits_release(struct culprits *c)
{
	map_release(&c->origin_at);
	map_release(&c->part_at);
	free(c->origin);
	free(c->part);
	free(c->touched);
	map_release(&c->function_at);
	map_release(&c->name_of);
	names_release(&c->names);
	free(c->function);
	free(c->v);
	free(c->who);
	*c = (struct culprits){0};
}
