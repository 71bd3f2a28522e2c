/* call_tree.c: builds the tree of call paths of a profile. */
#include "analyze/profile/call_tree.h"

#include <math.h>
#include <string.h>

#include "analyze/base/map.h"
#include "analyze/profile/profile.h"
#include "analyze/trace/call_text.h"
#include "analyze/trace/timer_name.h"

#define CONTEXT  "[CONTEXT] "
#define UNWIND   "[UNWIND] "
#define ARROW    (sizeof(CALLS_ARROW) - 1)
#define ROUNDING 1e-9 /* share of a flat row: a smaller rest is a rounding error of sums of
		       * doubles */

struct build {
	struct call_tree *t;
	const struct profile *p;
	const struct region_row **row; /* by path; NULL: no thread has the path */
	uint32_t *node;                /* by path: CALL_NONE until the node is made */
	struct map child;              /* (parent + 1, name) */
};

/* ---- nodes ---- */

static uint32_t child_of(struct build *b, uint32_t parent, const char *name, size_t n)
{
	uint32_t id = names_add(&b->t->names, name, n), at;
	uint64_t key = (uint64_t)(parent + 1) << 32 | id;

	at = map_get(&b->child, key);
	if (at != MAP_NONE)
		return at;
	at = (uint32_t)b->t->v_n;
	*array_add(b->t, v) = (struct call_node){
		.name = id, .parent = parent, .first = CALL_NONE, .next = CALL_NONE};
	map_set(&b->child, key, at);
	return at;
}

static enum profile_timer_kind kind_of(const struct profile *p, uint32_t path)
{
	return profile_timer_kind(&p->timer[p->path[path].timer]);
}

/* The function in a name: "solve" of "[UNWIND] solve [{a.c} {17}]". */
static const char *function_of(const char *name, size_t *n)
{
	const char *end = *name == '[' ? strstr(name, "] ") : NULL;

	name = end ? end + 2 : name;
	*n = name_short(name);
	return name;
}

/* ---- paths ---- */

static int is_kind(const struct profile *p, uint32_t path, const char *prefix)
{
	return !strncmp(p->timer[p->path[path].timer].name, prefix, strlen(prefix));
}

/* The parent of a path's node, as a path; PROFILE_FLAT: none. Unwound stacks are roots. */
static uint32_t above(const struct profile *p, uint32_t path)
{
	uint32_t up = p->path[path].parent;

	if (is_kind(p, path, UNWIND) && up != PROFILE_FLAT && !is_kind(p, up, UNWIND))
		return PROFILE_FLAT;
	while (up != PROFILE_FLAT && is_kind(p, up, CONTEXT))
		up = p->path[up].parent;
	return up;
}

/* Makes the nodes of the marked paths, and of their parents. */
static void nodes_make(struct build *b, char *marked)
{
	const struct profile *p = b->p;

	for (size_t i = p->path_n; i-- > 0;) {
		uint32_t up = marked[i] ? above(p, (uint32_t)i) : PROFILE_FLAT;

		if (up != PROFILE_FLAT)
			marked[up] = 1;
	}
	for (uint32_t i = 0; i < p->path_n; i++) {
		const char *name = p->timer[p->path[i].timer].name;
		size_t n = strlen(name);
		uint32_t up;

		if (!marked[i])
			continue;
		up = above(p, i);
		if (kind_of(p, i) != TIMER_MEASURED)
			name = function_of(name, &n);
		b->node[i] = child_of(b, up == PROFILE_FLAT ? CALL_NONE : b->node[up], name, n);
	}
}

/* ---- regions ---- */

/* The rest of a flat row after its paths; 0 if it is only a rounding error. */
static double left_of(double flat, double paths)
{
	double left = flat - paths;

	return fabs(left) <= ROUNDING * fabs(flat) ? 0 : left;
}

/* The sums over the paths that end in a region. */
struct ends {
	size_t paths;
	double calls, excl;
	double incl; /* of paths that contain the region once, as in the flat row */
};

static void ends_add(struct ends *end, const struct profile *p, uint32_t path,
		     const struct region_row *r)
{
	uint32_t up = p->path[path].parent;

	while (up != PROFILE_FLAT && p->path[up].timer != p->path[path].timer)
		up = p->path[up].parent;
	end->paths++;
	end->calls += r->calls;
	end->excl += r->excl;
	end->incl += up == PROFILE_FLAT ? r->incl : 0;
}

/*
 * The part of a region's flat row that the paths that end in the region do not cover; whether it is
 * anything. Its inclusive value counts in profiles without calls only: there a root may have no
 * other value.
 */
static int root_of(const struct build *b, uint32_t path, const struct ends *ends,
		   struct call_node *out)
{
	const struct region_row *r = b->row[path];
	const struct ends *end = &ends[b->p->path[path].timer];

	out->calls = left_of(r->calls, end->calls);
	out->excl = left_of(r->excl, end->excl);
	return out->calls > 0 || out->excl > 0 || !end->paths ||
	       (!r->calls && left_of(r->incl, end->incl) > 0);
}

static void regions_make(struct build *b)
{
	const struct profile *p = b->p;
	struct ends *ends = mem_alloc((p->timer_n + 1) * sizeof(*ends));
	struct call_node root = {0};
	char *marked = mem_alloc(p->path_n + 1);

	for (uint32_t i = 0; i < p->path_n; i++) {
		const struct region_row *r = b->row[i];

		if (!r || p->path[i].parent == PROFILE_FLAT || kind_of(p, i) != TIMER_MEASURED)
			continue;
		marked[i] = 1;
		ends_add(&ends[p->path[i].timer], p, i, r);
		b->t->paths++;
	}
	for (uint32_t i = 0; i < p->path_n; i++)
		if (b->row[i] && p->path[i].parent == PROFILE_FLAT &&
		    kind_of(p, i) == TIMER_MEASURED)
			marked[i] |= (char)root_of(b, i, ends, &root);
	nodes_make(b, marked);
	for (uint32_t i = 0; i < p->path_n; i++) {
		const struct region_row *r = b->row[i];
		struct call_node *n = b->node[i] == CALL_NONE ? NULL : &b->t->v[b->node[i]];

		if (!n)
			continue;
		n->open = p->path[i].parent == PROFILE_FLAT && !r;
		if (!r)
			continue;
		n->calls = r->calls;
		n->excl = r->excl;
		n->incl = r->incl;
		if (p->path[i].parent == PROFILE_FLAT) {
			n->open = !root_of(b, i, ends, &root);
			n->calls = root.calls;
			n->excl = root.excl;
			n->incl = b->t->paths ? NAN : r->incl;
		}
	}
	free(ends);
	free(marked);
}

/* ---- samples ---- */

static void samples_make(struct build *b)
{
	const struct profile *p = b->p;
	char *marked = mem_alloc(p->path_n + 1);

	for (uint32_t i = 0; i < p->path_n; i++)
		marked[i] = b->row[i] && p->path[i].parent != PROFILE_FLAT &&
			    kind_of(p, i) == TIMER_SAMPLE;
	b->t->paths = b->p->path_n ? 1 : 0;
	nodes_make(b, marked);
	for (uint32_t i = 0; i < p->path_n; i++) {
		struct call_node *n = b->node[i] == CALL_NONE ? NULL : &b->t->v[b->node[i]];

		if (!n || kind_of(p, i) != TIMER_SAMPLE || !b->row[i])
			continue;
		n->calls += b->row[i]->calls;
		n->excl += b->row[i]->excl;
	}
	for (size_t i = 0; i < b->t->v_n; i++)
		b->t->v[i].incl = NAN;
	free(marked);
}

/* ---- order ---- */

static int node_order(const void *va, const void *vb, void *arg)
{
	const struct call_tree *t = arg;
	const struct call_node *a = &t->v[*(const uint32_t *)va], *b = &t->v[*(const uint32_t *)vb];

	if (a->open != b->open)
		return a->open - b->open;
	if (a->incl != b->incl)
		return a->incl > b->incl ? -1 : 1;
	return strcmp(t->names.name[a->name], t->names.name[b->name]);
}

/*
 * Computes inclusive values that are unknown so far, from the leaves up; sorts children and roots.
 */
static void finish(struct call_tree *t)
{
	double *below = mem_alloc((t->v_n + 1) * sizeof(*below));
	uint32_t *order = mem_alloc((t->v_n + 1) * sizeof(*order));

	for (size_t i = t->v_n; i-- > 0;) {
		struct call_node *n = &t->v[i];

		if (isnan(n->incl))
			n->incl = n->excl + below[i];
		n->open &= below[i] > 0;
		t->open += (size_t)n->open;
		if (n->parent != CALL_NONE)
			below[n->parent] += n->incl;
		t->whole += n->excl;
		order[i] = (uint32_t)i;
	}
	if (t->v_n)
		qsort_r(order, t->v_n, sizeof(*order), node_order, t);
	t->first = CALL_NONE;
	for (size_t i = t->v_n; i-- > 0;) {
		struct call_node *n = &t->v[order[i]];
		uint32_t *first = n->parent == CALL_NONE ? &t->first : &t->v[n->parent].first;

		n->next = *first;
		*first = order[i];
	}
	free(below);
	free(order);
}

void call_tree_make(struct call_tree *t, const struct profile *p, const struct waiting *waiting,
		    size_t metric, enum profile_timer_kind kind)
{
	struct build b = {t,
			  p,
			  mem_alloc((p->path_n + 1) * sizeof(*b.row)),
			  mem_alloc((p->path_n + 1) * sizeof(*b.node)),
			  {0}};
	struct region_rows rows;

	*t = (struct call_tree){0};
	memset(b.node, 0xff, (p->path_n + 1) * sizeof(*b.node));
	region_rows_make(&rows, p, waiting, metric, ROWS_UNSORTED);
	for (size_t i = 0; i < rows.v_n; i++)
		b.row[rows.v[i].path] = &rows.v[i];
	t->threads = rows.threads;
	t->waiting = rows.waiting;
	if (kind == TIMER_SAMPLE)
		samples_make(&b);
	else
		regions_make(&b);
	finish(t);
	region_rows_release(&rows);
	map_release(&b.child);
	free(b.row);
	free(b.node);
}

void call_tree_release(struct call_tree *t)
{
	free(t->v);
	names_release(&t->names);
	memset(t, 0, sizeof(*t));
}

/* ---- walking ---- */

uint32_t call_tree_skip(const struct call_tree *t, uint32_t node, int *depth)
{
	while (node != CALL_NONE && t->v[node].next == CALL_NONE) {
		node = t->v[node].parent;
		--*depth;
	}
	return node == CALL_NONE ? CALL_NONE : t->v[node].next;
}

uint32_t call_tree_next(const struct call_tree *t, uint32_t node, int *depth)
{
	if (node == CALL_NONE) {
		*depth = 0;
		return t->first;
	}
	if (t->v[node].first != CALL_NONE) {
		++*depth;
		return t->v[node].first;
	}
	return call_tree_skip(t, node, depth);
}

char *call_tree_path(const struct call_tree *t, uint32_t node)
{
	size_t n = 0;
	char *path, *at;

	for (uint32_t i = node; i != CALL_NONE; i = t->v[i].parent)
		n += strlen(call_tree_name(t, i)) + ARROW;
	if (n < ARROW)
		return mem_string("");
	path = mem_alloc(n + 1);
	at = path + n - ARROW; /* the end of what is still to be filled */
	*at = 0;
	for (; node != CALL_NONE; node = t->v[node].parent) {
		const char *name = call_tree_name(t, node);

		at -= strlen(name);
		memcpy(at, name, strlen(name));
		if (at == path)
			break;
		at -= ARROW;
		memcpy(at, CALLS_ARROW, ARROW);
	}
	return path;
}

/* ---- callers and callees ---- */

static int edge_order(const void *va, const void *vb, void *arg)
{
	const struct call_edge *a = va, *b = vb;
	const struct names *names = arg;

	if (a->incl != b->incl)
		return a->incl > b->incl ? -1 : 1;
	if (a->name == CALL_NONE || b->name == CALL_NONE)
		return (a->name == CALL_NONE) - (b->name == CALL_NONE);
	return strcmp(names->name[a->name], names->name[b->name]);
}

/* By name of a caller or callee: its edge, and how many calls along it contain the node that is visited. */
struct edge_at {
	uint32_t edge; /* its index + 1; 0: none so far */
	uint32_t open;
};

/* A visit of all nodes, callers before callees. */
struct edge_walk {
	struct call_edges *x;
	const struct call_tree *t;
	uint32_t name, *v;              /* of the region; the nodes that contain the visited one */
	size_t v_n, v_cap;
	uint32_t open;                  /* how many of them are calls of the region */
	struct edge_at *caller, *callee; /* [names.name_n] is no caller */
};

static void edge_add(struct call_edge *e, const struct call_node *n, uint32_t open)
{
	e->calls += n->calls;
	e->excl += n->excl;
	e->incl += open ? 0 : n->incl;
}

static uint32_t caller_name(const struct call_tree *t, const struct call_node *n)
{
	return n->parent == CALL_NONE ? CALL_NONE : t->v[n->parent].name;
}

static struct edge_at *caller_at(struct edge_walk *w, const struct call_node *n)
{
	uint32_t caller = caller_name(w->t, n);

	return &w->caller[caller == CALL_NONE ? w->t->names.name_n : caller];
}

static void edges_enter(struct edge_walk *w, const struct call_node *n)
{
	struct call_edges *x = w->x;
	struct edge_at *at = &w->callee[n->name];

	if (caller_name(w->t, n) == w->name) {
		if (!at->edge) {
			array_add(x, callee)->name = n->name;
			at->edge = (uint32_t)x->callee_n;
		}
		edge_add(&x->callee[at->edge - 1], n, at->open++);
	}
	if (n->name != w->name)
		return;
	if (!n->open) {
		at = caller_at(w, n);
		if (!at->edge) {
			array_add(x, caller)->name = caller_name(w->t, n);
			at->edge = (uint32_t)x->caller_n;
		}
		edge_add(&x->caller[at->edge - 1], n, at->open++);
		x->calls += n->calls;
		x->excl += n->excl;
		x->incl += w->open ? 0 : n->incl;
	}
	w->open++;
}

static void edges_leave(struct edge_walk *w, const struct call_node *n)
{
	if (caller_name(w->t, n) == w->name)
		w->callee[n->name].open--;
	if (n->name != w->name)
		return;
	if (!n->open)
		caller_at(w, n)->open--;
	w->open--;
}

void call_edges_make(struct call_edges *x, const struct call_tree *t, uint32_t name)
{
	size_t n = t->names.name_n + 1;
	struct edge_walk w = {.x = x, .t = t, .name = name};
	int depth;

	*x = (struct call_edges){0};
	w.caller = mem_alloc(n * sizeof(*w.caller));
	w.callee = mem_alloc(n * sizeof(*w.callee));
	for (uint32_t i = call_tree_next(t, CALL_NONE, &depth); i != CALL_NONE;
	     i = call_tree_next(t, i, &depth)) {
		while (w.v_n > (size_t)depth)
			edges_leave(&w, &t->v[w.v[--w.v_n]]);
		*array_add(&w, v) = i;
		edges_enter(&w, &t->v[i]);
	}
	free(w.v);
	free(w.caller);
	free(w.callee);
	if (x->caller_n)
		qsort_r(x->caller, x->caller_n, sizeof(*x->caller), edge_order, (void *)&t->names);
	if (x->callee_n)
		qsort_r(x->callee, x->callee_n, sizeof(*x->callee), edge_order, (void *)&t->names);
}

void call_edges_release(struct call_edges *x)
{
	free(x->caller);
	free(x->callee);
	memset(x, 0, sizeof(*x));
}
