/* callstack_path.c: call paths as a tree that grows while streams are played. */
#include "analyze/stream/callstack.h"

#include <string.h>

void callstack_paths_init(struct callstack_paths *p, uint32_t depth)
{
	memset(p, 0, sizeof(*p));
	p->depth = depth;
	array_add(p, v)->region = TRACE_NONE;
}

void callstack_paths_release(struct callstack_paths *p)
{
	free(p->v);
	map_release(&p->child);
}

static int path_holds(const struct callstack_paths *p, uint32_t path, uint32_t region)
{
	while (path && p->v[path].region != region)
		path = p->v[path].parent;
	return path != 0;
}

/* The path `region` under `path`, one longer. Its shorter form exists first, so the recursion is as
 * deep as it is long. */
uint32_t callstack_path_child(struct callstack_paths *p, uint32_t path, uint32_t region)
{
	uint64_t key = (uint64_t)path << 32 | region;
	uint32_t at = map_get(&p->child, key), shorter = 0;
	struct callstack_path *new;

	if (at != MAP_NONE)
		return at;
	if (path && p->depth != UINT32_MAX)
		shorter = callstack_path_child(p, p->v[path].shorter, region);
	at = (uint32_t)p->v_n;
	new = array_add(p, v);
	new->region = region;
	new->parent = path;
	new->shorter = shorter;
	new->length = p->v[path].length + 1;
	new->outermost = !path_holds(p, path, region);
	map_set(&p->child, key, at);
	return at;
}

uint32_t callstack_path_enter(struct callstack_paths *p, uint32_t path, uint32_t region)
{
	if (p->v[path].length >= p->depth)
		path = p->v[path].shorter;
	return callstack_path_child(p, path, region);
}
