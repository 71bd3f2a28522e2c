/* callstack_path.c: call paths as a tree that grows while streams are played. */
#include "analyze/base/tree_ids.h"
#include "analyze/stream/callstack.h"

#include <string.h>

static uint32_t near_add(struct callstack_paths *p)
{
	memset(array_add(p, near), 0xff, sizeof(*p->near));
	return (uint32_t)p->near_n - 1;
}

void callstack_paths_init(struct callstack_paths *p, uint32_t depth)
{
	memset(p, 0, sizeof(*p));
	p->depth = depth;
	array_add(p, v)->region = TRACE_NONE;
	near_add(p);
}

/* Frees oversized tables, so that clearing costs no more than filling. */
void callstack_paths_clear(struct callstack_paths *p)
{
	uint32_t depth = p->depth;

	if (p->v_n < p->v_cap / 16) {
		callstack_paths_release(p);
		callstack_paths_init(p, depth);
		return;
	}
	p->v_n = 1;
	p->v[0].near = 0;
	p->near_n = 1;
	tree_ids_clear(&p->ids);
}

void callstack_paths_release(struct callstack_paths *p)
{
	free(p->v);
	free(p->near);
	tree_ids_release(&p->ids);
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
	struct callstack_path *new;
	uint32_t at, shorter = 0;

	if (p->ids.n < p->v_n)
		tree_ids_add(&p->ids, p->v, sizeof(*p->v), p->v_n);
	at = tree_ids_find(&p->ids, p->v, sizeof(*p->v), (struct tree_node){region, path});
	if (at != TREE_NONE)
		return at;
	if (path && p->depth != UINT32_MAX)
		shorter = path_look(p, p->v[path].shorter, region);
	at = (uint32_t)p->v_n;
	new = array_add(p, v);
	new->region = region;
	new->parent = path;
	new->shorter = shorter;
	new->length = p->v[path].length + 1;
	new->outermost = !path_holds(p, path, region);
	return at;
}

uint32_t callstack_path_find(struct callstack_paths *p, uint32_t path, uint32_t region)
{
	uint32_t at = path_look(p, path, region);
	struct callstack_near *near;

	if (!p->v[path].near)
		p->v[path].near = near_add(p);
	near = &p->near[p->v[path].near];
	near->region[callstack_near_entry(region)] = region;
	near->path[callstack_near_entry(region)] = at;
	return at;
}
