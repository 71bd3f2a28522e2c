/* callstack_path.c: call paths as a tree that grows while streams are played. */
#include "analyze/stream/callstack.h"

#include <string.h>

static struct callstack_path *path_add(struct callstack_paths *p)
{
	size_t cap = p->v_cap;
	struct callstack_path *new = array_add(p, v);

	if (p->v_cap > cap) {
		p->near = mem_resize(p->near, p->v_cap, sizeof(*p->near));
		memset(p->near + cap, 0xff, (p->v_cap - cap) * sizeof(*p->near));
	}
	return new;
}

void callstack_paths_init(struct callstack_paths *p, uint32_t depth)
{
	memset(p, 0, sizeof(*p));
	p->depth = depth;
	path_add(p)->region = TRACE_NONE;
}

/* What was much larger than needed is not kept, so that the cost of clearing stays that of filling. */
void callstack_paths_clear(struct callstack_paths *p)
{
	uint32_t depth = p->depth;

	if (p->v_n < p->v_cap / 16) {
		callstack_paths_release(p);
		callstack_paths_init(p, depth);
		return;
	}
	memset(p->near, 0xff, p->v_n * sizeof(*p->near));
	p->v_n = 1;
	map_clear(&p->child);
}

void callstack_paths_release(struct callstack_paths *p)
{
	free(p->v);
	free(p->near);
	map_release(&p->child);
}

static int path_holds(const struct callstack_paths *p, uint32_t path, uint32_t region)
{
	while (path && p->v[path].region != region)
		path = p->v[path].parent;
	return path != 0;
}

/*
 * The child of `path` for `region`. Its shorter form must exist first, so the recursion is as deep
 * as the path is long.
 */
static uint32_t path_look(struct callstack_paths *p, uint32_t path, uint32_t region)
{
	uint64_t key = (uint64_t)path << 32 | region;
	uint32_t at = map_get(&p->child, key), shorter = 0;
	struct callstack_path *new;

	if (at != MAP_NONE)
		return at;
	if (path && p->depth != UINT32_MAX)
		shorter = path_look(p, p->v[path].shorter, region);
	at = (uint32_t)p->v_n;
	new = path_add(p);
	new->region = region;
	new->parent = path;
	new->shorter = shorter;
	new->length = p->v[path].length + 1;
	new->outermost = !path_holds(p, path, region);
	map_set(&p->child, key, at);
	return at;
}

uint32_t callstack_path_find(struct callstack_paths *p, uint32_t path, uint32_t region)
{
	uint32_t at = path_look(p, path, region);

	p->near[path].region[region % CALLSTACK_CALLS] = region;
	p->near[path].path[region % CALLSTACK_CALLS] = at;
	return at;
}
