/* callstack_inner.h: what callstack.c and callstack_run.c share. */
#ifndef CALLSTACK_INNER_H
#define CALLSTACK_INNER_H

#include "analyze/stream/callstack.h"

/*
 * Are whole paths kept? Then all is counted by them alone, and the rows are made of that when an account ends.
 */
static inline int whole(const struct callstack *m)
{
	return m->paths->depth == MACHINE_WHOLE;
}

/* Make room for a path. */
void callstack_grow_rows(struct callstack *m, uint32_t path);
void callstack_grow_nodes(struct callstack *m, uint32_t path);

static inline struct callstack_row *path_row(struct callstack *m, uint32_t path)
{
	if (path >= m->path_row_n)
		callstack_grow_rows(m, path);
	return &m->path_row[path];
}

static inline struct callstack_node *node(struct callstack *m, uint32_t path)
{
	if (path >= m->node_n)
		callstack_grow_nodes(m, path);
	return &m->node[path];
}

/* An activation begins: inclusive time is the sum of its ends less that of its beginnings. */
static inline void row_open(struct callstack_row *r, int64_t time)
{
	if (r->active++ == 0)
		r->incl -= time;
}

static inline void row_close(struct callstack_row *r, int64_t time)
{
	if (--r->active == 0)
		r->incl += time;
}

#endif
