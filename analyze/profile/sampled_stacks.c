/* sampled_stacks.c: counts sampled call stacks, and makes timers from them. */
#include "analyze/profile/sampled_stacks.h"

#include <stdio.h>
#include <string.h>

#define CONTEXT_GROUP "TAU_SAMPLE_CONTEXT"
#define SAMPLE_GROUP "TAU_SAMPLE"
#define UNWIND_GROUP "TAU_UNWIND"

/* ---- the tree ---- */

void stack_tree_init(struct stack_tree *t)
{
	memset(t, 0, sizeof(*t));
	array_add(t, v);
}

void stack_tree_release(struct stack_tree *t)
{
	free(t->v);
	map_release(&t->child);
}

uint32_t stack_tree_child(struct stack_tree *t, uint32_t node, uint32_t code)
{
	uint64_t key = (uint64_t)node << 32 | code;
	uint32_t at = map_get(&t->child, key);

	if (at == MAP_NONE) {
		at = (uint32_t)t->v_n;
		*array_add(t, v) = (struct stack_node){ code, node };
		map_set(&t->child, key, at);
	}
	return at;
}

uint32_t stack_tree_add(struct stack_tree *t, const uint32_t *code, size_t n)
{
	uint32_t node = 0;

	while (n--)
		node = stack_tree_child(t, node, code[n]);
	return node;
}

/* ---- counts ---- */

void stacks_add(struct stacks *s, uint32_t context, uint32_t node, uint64_t n, int64_t ns)
{
	uint64_t key = (uint64_t)context << 32 | node;
	uint32_t at = map_get(&s->index, key);

	if (at == MAP_NONE) {
		at = (uint32_t)s->v_n;
		*array_add(s, v) = (struct stack_count){ .context = context, .node = node };
		map_set(&s->index, key, at);
	}
	s->v[at].n += n;
	s->v[at].ns += ns;
}

void stacks_merge(struct stacks *into, const struct stacks *from)
{
	for (size_t i = 0; i < from->v_n; i++)
		if (from->v[i].n)
			stacks_add(into, from->v[i].context, from->v[i].node, from->v[i].n,
				   from->v[i].ns);
}

void stacks_clear(struct stacks *s)
{
	for (size_t i = 0; i < s->v_n; i++)
		s->v[i].n = 0, s->v[i].ns = 0;
}

void stacks_release(struct stacks *s)
{
	free(s->v);
	map_release(&s->index);
	memset(s, 0, sizeof(*s));
}

int stacks_empty(const struct stacks *s)
{
	for (size_t i = 0; i < s->v_n; i++)
		if (s->v[i].n)
			return 0;
	return 1;
}

/* ---- timers ---- */

struct sampled_row {
	uint32_t path;
	uint64_t calls;
	int64_t incl, excl;
	uint64_t stamp;		/* number of the stack that was added last, because each stack
				 * counts once */
};

struct fill {
	const struct stack_tree *tree;
	struct stack_places *places;
	struct profile *profile;
	struct sampled_row *row;
	size_t row_n, row_cap;
	struct map index;	/* path of the profile -> row */
	struct map chain;	/* (path of a context, node) -> path of the profile */
	uint64_t stamp;
};

static void row_add(struct fill *f, uint32_t path, const struct stack_count *c, int leaf)
{
	uint32_t at = map_get(&f->index, path);
	struct sampled_row *r;

	if (at == MAP_NONE) {
		at = (uint32_t)f->row_n;
		array_add(f, row)->path = path;
		map_set(&f->index, path, at);
	}
	r = &f->row[at];
	if (r->stamp != f->stamp) {
		r->stamp = f->stamp;
		r->calls += c->n;
		r->incl += c->ns;
	}
	if (leaf)
		r->excl += c->ns;
}

static struct trace_place place_get(struct stack_places *p, uint32_t code)
{
	struct trace_place place = trace_place(p->trace, code);

	if (p->tick)
		p->tick(p->to);
	return place;
}

/* The timer "[SAMPLE] step [{a.c} {40}]", at the selected resolution. */
static uint32_t timer_of(struct fill *f, const char *kind, const char *groups,
			 const struct trace_code *c)
{
	enum stack_resolution fine = f->places->resolution;
	uint32_t line = fine == STACK_LINE ? c->line : 0, timer;
	char *name;

	if (fine == STACK_FILE)
		name = mem_printf("[%s] %s", kind, c->file ? c->file : c->module);
	else if (!c->name)
		name = mem_printf("[%s] UNRESOLVED %s", kind, c->module);
	else if (c->file && line)
		name = mem_printf("[%s] %s [{%s} {%u}]", kind, c->name, c->file, line);
	else if (c->file)
		name = mem_printf("[%s] %s [{%s}]", kind, c->name, c->file);
	else
		name = mem_printf("[%s] %s", kind, c->name);
	timer = profile_add_timer(f->profile, name, groups, c->file, line);
	free(name);
	return timer;
}

/*
 * The path of the callers inside one place: all functions that are inlined there, from `from` on
 * outwards.
 */
static uint32_t path_callers(struct fill *f, const struct trace_place *p, size_t from,
			     uint32_t path)
{
	for (size_t i = p->n; i-- > from;)
		path = profile_add_path(f->profile,
					timer_of(f, "UNWIND", UNWIND_GROUP, &p->code[i]), path);
	return path;
}

/* The path of a caller. No recursion, because a stack in a file can be of any length. */
static uint32_t path_node(struct fill *f, uint32_t context, uint32_t node)
{
	uint32_t path = context, known = MAP_NONE;
	struct {
		uint32_t *v;
		size_t v_n, v_cap;
	} below = {0};

	while (node && known == MAP_NONE) {
		known = map_get(&f->chain, (uint64_t)context << 32 | node);
		if (known == MAP_NONE) {
			*array_add(&below, v) = node;
			node = f->tree->v[node].parent;
		}
	}
	if (known != MAP_NONE)
		path = known;
	while (below.v_n) {
		struct trace_place place;

		node = below.v[--below.v_n];
		place = place_get(f->places, f->tree->v[node].code);
		path = path_callers(f, &place, 0, path);
		map_set(&f->chain, (uint64_t)context << 32 | node, path);
	}
	free(below.v);
	return path;
}

/* Counts a path and its parents up to the one before `end`, and each timer among them. */
static void path_count(struct fill *f, uint32_t path, uint32_t end, const struct stack_count *c)
{
	int leaf = 1;

	f->stamp++;
	for (; path != end; path = f->profile->path[path].parent, leaf = 0) {
		row_add(f, path, c, leaf);
		row_add(f, profile_add_path(f->profile, f->profile->path[path].timer, PROFILE_FLAT),
			c, leaf);
	}
}

/* libtau.so, its wrappers, and the library that only they load. */
static int is_recorder(const struct trace_place *p)
{
	const char *module = p->code[0].module, *name;

	if (!module)
		return 0;
	name = strrchr(module, '/');
	name = name ? name + 1 : module;
	return !strncmp(name, "libtau.so", 9) || !strncmp(name, "libtau-", 7) ||
	       !strncmp(name, "libisal.so", 10);
}

static void count_show(struct fill *f, uint32_t context, const struct stack_count *c)
{
	const char *name = f->profile->timer[f->profile->path[context].timer].name;
	char *full = mem_printf("[CONTEXT] %s", name);
	uint32_t timer = profile_add_timer(f->profile, full, CONTEXT_GROUP, NULL, 0), path,
		 node = c->node;
	struct trace_place place = place_get(f->places, f->tree->v[node].code);
	int recorder = is_recorder(&place);

	free(full);
	path = profile_add_path(f->profile, timer, context);
	/* The functions of the recorder that called each other are one row. */
	while (recorder && f->tree->v[node].parent) {
		struct trace_place caller =
			place_get(f->places, f->tree->v[f->tree->v[node].parent].code);

		if (!is_recorder(&caller))
			break;
		node = f->tree->v[node].parent;
	}
	path = path_node(f, path, f->tree->v[node].parent);
	if (!recorder)
		path = path_callers(f, &place, 1, path);
	timer = recorder ? profile_add_timer(f->profile, TIMER_SAMPLE_PREFIX STACK_RECORDER,
					     SAMPLE_GROUP, NULL, 0)
			 : timer_of(f, "SAMPLE", SAMPLE_GROUP, &place.code[0]);
	path = profile_add_path(f->profile, timer, path);
	path_count(f, path, context, c);
}

void stacks_fill(const struct stacks *s, const struct stack_tree *tree, struct stack_places *places,
		 struct profile *p, uint32_t thread, uint32_t (*context)(void *to, uint32_t number),
		 void *to)
{
	struct fill f = { .tree = tree, .places = places, .profile = p };

	for (size_t i = 0; i < s->v_n; i++)
		if (s->v[i].n && s->v[i].node)
			count_show(&f, context(to, s->v[i].context), &s->v[i]);
	for (size_t i = 0; i < f.row_n; i++) {
		struct profile_row *row = profile_add_row(p, thread, f.row[i].path);

		row->calls = (double)f.row[i].calls;
		*profile_incl(&p->thread[thread], row) = (double)f.row[i].incl / 1000;
		*profile_excl(p, &p->thread[thread], row) = (double)f.row[i].excl / 1000;
	}
	free(f.row);
	map_release(&f.index);
	map_release(&f.chain);
}
