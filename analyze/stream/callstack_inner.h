/* callstack_inner.h: functions that the files of the call stack share. */
#ifndef CALLSTACK_INNER_H
#define CALLSTACK_INNER_H

#include "analyze/stream/callstack_types.h"

/*
 * Are whole paths kept? Then everything is counted by path only, and rows are computed when an
 * account ends.
 */
static inline int whole(const struct callstack *m)
{
	return m->paths->depth == CALLSTACK_WHOLE;
}

/* Grow the arrays to include a path. */
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

/* Sets what a leave in a whole path does. */
static inline void node_link(struct callstack *m, uint32_t path)
{
	const struct callstack_path *p = &m->paths->v[path];

	m->node[path].next[0] = p->parent;
	m->node[path].region[0] = p->length > 1 ? 0 : TRACE_NONE;
}

/* An activation begins: inclusive time is the sum of the ends minus the sum of the beginnings. */
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
