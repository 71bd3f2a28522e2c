/*
 * callstack.h: the stack of open regions of one stream. Only this code repairs inconsistent traces,
 * and it counts the repairs; it adds up calls and times for regions and call paths.
 *
 * Time is added to the innermost region. callstack_begin() and callstack_end() open and close an
 * account without changing the open regions: so windows are half-open and additive.
 *
 * Repairs: a leave is ignored if no region is open; UNWIND, the end of a thread and the end of the
 * stream close open regions; if a state disagrees with the events before it, the state is used.
 */
#ifndef CALLSTACK_H
#define CALLSTACK_H

#include "analyze/base/tree_ids.h"
#include "analyze/stream/squares.h"
#include "analyze/trace/trace.h"
#include "analyze/stream/callstack_types.h"

/* Release p. */
void callstack_paths_init(struct callstack_paths *p, uint32_t depth);
/* Removes all paths but the empty one. */
void callstack_paths_clear(struct callstack_paths *p);
void callstack_paths_release(struct callstack_paths *p);
/* Like callstack_path_child(), but does not look at the children that were found last. */
uint32_t callstack_path_find(struct callstack_paths *p, uint32_t path, uint32_t region);

/* Regions that share an entry of a node, or follow each other, have different entries here. */
static inline uint32_t callstack_near_entry(uint32_t region)
{
	return (region ^ region / CALLSTACK_CALLS) % CALLSTACK_NEAR;
}

/* The child of a path for a region, of any length; adds it if necessary. */
static inline uint32_t callstack_path_child(struct callstack_paths *p, uint32_t path,
					    uint32_t region)
{
	const struct callstack_near *near = &p->near[p->v[path].near];
	const uint32_t call = callstack_near_entry(region);

	return near->region[call] == region ? near->path[call]
					    : callstack_path_find(p, path, region);
}

/* The path after `region` is entered in `path`: at most `depth` long. */
static inline uint32_t callstack_path_enter(struct callstack_paths *p, uint32_t path,
					    uint32_t region)
{
	if (p->v[path].length >= p->depth)
		path = p->v[path].shorter;
	return callstack_path_child(p, path, region);
}

static inline void callstack_watch_begin(const struct callstack_watch *w, uint32_t region,
					 size_t depth, int64_t time)
{
	if (w && (depth < w->depth || w->always[region]))
		w->begin(w->to, region, depth, time);
}

static inline void callstack_watch_end(const struct callstack_watch *w, uint32_t region,
				       size_t depth, int64_t time)
{
	if (w && (depth < w->depth || w->always[region]))
		w->end(w->to, region, depth, time);
}

/*
 * An account is open, without a time. Set watch and squares afterwards. paths is shared and must
 * stay. callstack_release() frees the memory of m.
 */
void callstack_init(struct callstack *m, uint32_t region_n, struct callstack_paths *paths);
void callstack_release(struct callstack *m);

/*
 * Open and close the account at a time in ns. Rows are complete when it is closed. O(regions +
 * paths).
 */
void callstack_begin(struct callstack *m, int64_t time);
void callstack_end(struct callstack *m, int64_t time);
/* The number of rows of paths that can have values. */
static inline size_t callstack_path_rows(const struct callstack *m)
{
	return m->path_row_n < m->paths->v_n ? m->path_row_n : m->paths->v_n;
}

/* Adds the time up to `time` to the innermost region; the account has then reached this time. */
void callstack_charge(struct callstack *m, int64_t time);
/*
 * Adds the time up to `from`, and excludes the time from there to `to`, at which recording is on.
 */
void callstack_jump(struct callstack *m, int64_t from, int64_t to);
/* Adds to the account of a whole path; only if whole paths are kept. excl: ns. */
void callstack_add(struct callstack *m, uint32_t path, uint64_t calls, int64_t excl);

/*
 * Applies a state: the stack that is valid at a time. sought: the events before were not read, so a
 * difference is not a repair.
 */
void callstack_state(struct callstack *m, const struct event_state *s, int64_t time, int sought);

/*
 * Runs events of a batch; returns the number of events that it ran. Stops at n, after an event that
 * sets watch->stop, or before an event that it cannot run: another than an enter or leave, a leave
 * without an open region, any event while no thread is in use, or, rarely, an enter. The caller
 * passes that event to callstack_other(), which runs each kind of event and ignores those that do not
 * change the stack.
 */
size_t callstack_run(struct callstack *m, const struct event *event, size_t n);
void callstack_other(struct callstack *m, const struct event_batch *b, const struct event *event);
/* Does callstack_other() change nothing? */
static inline int callstack_ignores(const struct callstack *m, const struct event *event)
{
	return m->frame_n && event->kind >= EVENT_VALUE && event->kind <= EVENT_RETYPE;
}
size_t callstack_run_past(struct callstack *m, const struct event *event, size_t n,
			  const struct callstack_past *past);

/* The same with watch functions: rows are not counted. */
size_t callstack_run_watched(struct callstack *m, const struct event *event, size_t n);

/* The stream ends at a time, not before the last event. (A metric may decrease.) */
void callstack_finish(struct callstack *m, int64_t time);

/* The path of at most `depth` innermost open regions, without the root; 0: no region is open. */
uint32_t callstack_context(struct callstack *m, uint32_t depth);
/*
 * The same for the innermost whole path, at any depth. Returns 0 if it has not been looked up so
 * far.
 */
static inline int callstack_context_known(const struct callstack *m, uint32_t path,
					  uint32_t *context)
{
	*context = m->node[path].context;
	return *context || !m->paths->v[path].parent;
}

#endif
