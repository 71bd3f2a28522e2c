/* callstack_run.c: the loops over events that enter and leave regions. */
#include "analyze/stream/callstack.h"
#include "analyze/stream/callstack_inner.h"

#define MANY_PATHS 32768 /* rows of more paths do not fit the second-level cache */
#define RUN_FAR	   256	 /* events that are followed before they are counted */
#define LOOK_RUNS  16	 /* runs after which the next events are checked again, */
#define LOOK_EVENTS 64    /* number of events that are checked, */
#define LOOK_OTHER  4 /* of which at most this number is not part of a leaf call */

/*
 * The loops that determine the speed of a replay. They end at an event that is neither enter nor
 * leave, or for which there is no memory. Most calls are leaf calls: their enter and leave are
 * counted together.
 */
static size_t run_flat(struct callstack *m, const struct event *event, size_t n)
{
	struct callstack_row *row = m->row;
	struct callstack_frame *frame = m->frame, *top = frame + m->frame_n - 1;
	const struct callstack_frame *limit = frame + m->frame_cap - 1;
	struct callstack_row *r = &row[top->region];
	const struct event *ev = event, *end = event + n;
	int64_t last = m->last;

	while (ev < end) {
		int64_t time = ev->time;

		if (ev->kind == EVENT_ENTER) {
			struct callstack_row *to = &row[ev->ref];

			if (top == limit)
				break;
			r->excl += time - last;
			r->subrs++;
			to->calls++;
			if (ev + 1 < end && ev[1].kind == EVENT_LEAVE) {
				/* a leaf call, like most */
				last = ev[1].time;
				to->excl += last - time;
				to->incl += to->active ? 0 : last - time;
				ev += 2;
				continue;
			}
			row_open(to, time);
			top++;
			top->region = ev->ref;
			r = to;
		} else if (ev->kind == EVENT_LEAVE) {
			if (top == frame)
				break;
			r->excl += time - last;
			row_close(r, time);
			top--;
			r = &row[top->region];
		} else {
			break;
		}
		last = time;
		ev++;
	}
	m->last = last;
	m->frame_n = (size_t)(top - frame) + 1;
	return (size_t)(ev - event);
}

/* The entry of a call in the node of its path. */
static inline uint32_t entry_of(uint32_t region)
{
	return 1 + region % CALLSTACK_CALLS;
}

/* A call for which the path has no entry: fills one. */
__attribute__((noinline)) static void step_find(struct callstack *m, uint32_t path, uint32_t region)
{
	uint32_t child = callstack_path_child(m->paths, path, region);

	if (node(m, child)->next[0] == TRACE_NONE)
		node_link(m, child);
	m->node[path].region[entry_of(region)] = region;
	m->node[path].next[entry_of(region)] = child;
}

/*
 * Makes the frames those of a path. Frames below the first one that is already right are right.
 */
static void frames_set(struct callstack *m, uint32_t path)
{
	const struct callstack_path *v = m->paths->v;
	size_t depth = v[path].length - 1, i = depth;

	while (m->frame_cap <= depth + 1)
		m->frame = array_grow(m->frame, &m->frame_cap, sizeof(*m->frame));
	for (; i >= m->frame_n || m->frame[i].path != path; i--) {
		m->frame[i] = (struct callstack_frame){v[path].region, path};
		path = v[path].parent;
	}
	m->frame_n = depth + 1;
}

/* Are most of the next events leaf calls? Checks some of them, and not each time. */
static int leaves_follow(struct callstack *m, const struct event *event, size_t n)
{
	size_t other = 0;

	if (m->looked++ % LOOK_RUNS)
		return m->leaves;
	for (size_t i = 2; i < n && i < LOOK_EVENTS && other <= LOOK_OTHER; i++)
		other += event[i].kind != event[i - 2].kind;
	m->leaves = n >= LOOK_EVENTS && other <= LOOK_OTHER;
	return m->leaves;
}

/* The position of a run over events of whole paths. */
struct whole_at {
	uint32_t path;
	int64_t last;
};

/*
 * A processor can hardly predict whether the next event enters or leaves, unless all calls are leaf
 * calls: so no branch depends only on that, and one load finds the path that is then innermost.
 * Ends at an event of another kind, one that enters a path that has no entry, or one that leaves
 * the root.
 */
static inline __attribute__((always_inline)) size_t whole_walk(struct callstack *m,
							       const struct event *event,
							       size_t n, struct whole_at *to,
							       const int leaves)
{
	struct callstack_node *const node = m->node, *at = &node[to->path];
	const struct event *ev = event, *const end = event + n;
	int64_t last = to->last;

	for (; ev < end; ev++) {
		const uint32_t enter = ev->kind, ref = ev->ref, way = entry_of(ref) * enter;

		if (enter > EVENT_ENTER || at->region[way] != ref)
			break;
		at->excl += ev->time - last;
		last = ev->time;
		if (leaves && enter && ev + 1 < end && ev[1].kind == EVENT_LEAVE) {
			struct callstack_node *leaf = &node[at->next[way]];

			leaf->calls++;
			leaf->excl += (++ev)->time - last;
			last = ev->time;
			continue;
		}
		at = &node[at->next[way]];
		at->calls += enter;
	}
	*to = (struct whole_at){(uint32_t)(at - node), last};
	return (size_t)(ev - event);
}

static __attribute__((noinline)) size_t whole_leaves(struct callstack *m, const struct event *event,
						     size_t n, struct whole_at *at)
{
	return whole_walk(m, event, n, at, 1);
}

static __attribute__((noinline)) size_t whole_mixed(struct callstack *m, const struct event *event,
						    size_t n, struct whole_at *at)
{
	return whole_walk(m, event, n, at, 0);
}

/* past: processes events between enters and leaves; NULL: the run ends there. */
static size_t run_whole(struct callstack *m, const struct event *event, size_t n,
			const struct callstack_past *past)
{
	const int leaves = leaves_follow(m, event, n);
	struct whole_at at = {m->frame[m->frame_n - 1].path, m->last};
	size_t i = 0;

	for (;;) {
		i += leaves ? whole_leaves(m, event + i, n - i, &at)
			    : whole_mixed(m, event + i, n - i, &at);
		if (i == n)
			break;
		if (event[i].kind == EVENT_ENTER)
			step_find(m, at.path, event[i].ref);
		else if (past && event[i].kind >= EVENT_VALUE &&
			 past->receive(past->to, &event[i], at.path))
			i++;
		else
			break;
	}
	m->last = at.last;
	frames_set(m, at.path);
	return i;
}

/* Runs events for paths of a limited depth: one of them can be open several times. */
static size_t run_limited(struct callstack *m, const struct event *event, size_t n)
{
	struct callstack_row *row = m->row;
	struct callstack_frame *frame = m->frame, *top = frame + m->frame_n - 1;
	const struct callstack_frame *limit = frame + m->frame_cap - 1;
	int64_t last = m->last;
	size_t i;

	for (i = 0; i < n; i++) {
		const struct event *ev = &event[i];
		int64_t d = ev->time - last;

		if (ev->kind == EVENT_ENTER) {
			struct callstack_row *to = &row[ev->ref], *r;
			uint32_t path;

			if (top == limit)
				break;
			row[top->region].excl += d;
			row[top->region].subrs++;
			path = callstack_path_enter(m->paths, top->path, ev->ref);
			r = path_row(m, path);
			m->path_row[top->path].excl += d;
			m->path_row[top->path].subrs++;
			row_open(r, ev->time);
			r->calls++;
			row_open(to, ev->time);
			to->calls++;
			top++;
			top->region = ev->ref;
			top->path = path;
		} else if (ev->kind == EVENT_LEAVE) {
			if (top == frame)
				break;
			row[top->region].excl += d;
			row_close(&row[top->region], ev->time);
			m->path_row[top->path].excl += d;
			row_close(&m->path_row[top->path], ev->time);
			top--;
		} else {
			break;
		}
		last = ev->time;
	}
	m->last = last;
	m->frame_n = (size_t)(top - frame) + 1;
	return i;
}

/*
 * Follows the open regions up to an event at which callstack_run() ends: open[i] is the innermost
 * frame after event i. The rows of paths are far apart in memory: they are prefetched while the
 * next events are followed.
 */
static size_t follow_far(struct callstack *m, const struct event *event, size_t n,
			 struct callstack_frame *open)
{
	struct callstack_frame *frame = m->frame, *top = frame + m->frame_n - 1;
	const struct callstack_frame *limit = frame + m->frame_cap - 1;
	size_t i;

	for (i = 0; i < n; i++) {
		const struct event *ev = &event[i];

		if (ev->kind == EVENT_ENTER) {
			uint32_t path;

			if (top == limit)
				break;
			path = callstack_path_enter(m->paths, top->path, ev->ref);
			__builtin_prefetch(path_row(m, path), 1);
			top++;
			*top = (struct callstack_frame){ev->ref, path};
		} else if (ev->kind == EVENT_LEAVE) {
			if (top == frame)
				break;
			top--;
		} else {
			break;
		}
		open[i] = *top;
	}
	m->frame_n = (size_t)(top - frame) + 1;
	return i;
}

_Static_assert(EVENT_LEAVE == 0 && EVENT_ENTER == 1, "the kind is the number of calls that begin");

/*
 * row_open() with a call, or row_close(), without a branch, because a processor can hardly predict
 * which of them is next.
 */
static inline void row_change(struct callstack_row *r, int64_t time, uint32_t enter)
{
	int64_t sign = 1 - 2 * (int64_t)enter, outermost = r->active == 1 - enter;

	r->incl += (time & -outermost) * sign;
	r->active += 2 * enter - 1;
	r->calls += enter;
}

/* Like run_limited(), for at most RUN_FAR events. */
static size_t run_far(struct callstack *m, const struct event *event, size_t n)
{
	struct callstack_frame open[RUN_FAR], in = m->frame[m->frame_n - 1];
	struct callstack_row *row = m->row, *path_row;
	int64_t last = m->last;

	n = follow_far(m, event, n < RUN_FAR ? n : RUN_FAR, open);
	path_row = m->path_row;
	for (size_t i = 0; i < n; i++) {
		const uint32_t enter = event[i].kind, keep = enter - 1;
		const int64_t time = event[i].time;
		struct callstack_row *r = &row[in.region], *p = &path_row[in.path];
		const struct callstack_frame to = open[i];
		const uint32_t region = to.region ^ ((to.region ^ in.region) & keep);
		const uint32_t path = to.path ^ ((to.path ^ in.path) & keep);

		r->excl += time - last;
		r->subrs += enter;
		p->excl += time - last;
		p->subrs += enter;
		row_change(&row[region], time, enter);
		row_change(&path_row[path], time, enter);
		in = to;
		last = time;
	}
	m->last = last;
	return n;
}

static size_t run_far_all(struct callstack *m, const struct event *event, size_t n)
{
	size_t done = 0, ran;

	do {
		ran = run_far(m, event + done, n - done);
		done += ran;
	} while (ran && done < n);
	return done;
}

/* The row of a region that is entered in a frame with this row. */
static inline uint32_t square_row(struct callstack *m, uint32_t row, uint32_t region)
{
	const uint32_t call = entry_of(region);

	if (!m->paths->depth)
		return region;
	if (whole(m) && m->node[row].region[call] == region)
		return m->node[row].next[call];
	return callstack_path_enter(m->paths, row, region);
}

/*
 * Adds the squares of events that have been run; last: the time of the event before. Most calls are
 * leaf calls: they need no frame.
 */
static void square_run(struct callstack *m, const struct event *event, size_t n, int64_t last)
{
	struct squares *s = m->squares;

	for (size_t i = 0; i < n; i++) {
		uint32_t row;

		squares_spend(s, s->frame_n - 1, event[i].time - last);
		last = event[i].time;
		if (event[i].kind == EVENT_LEAVE) {
			squares_pop(s);
			continue;
		}
		row = square_row(m, s->frame[s->frame_n - 1].row, event[i].ref);
		if (i + 1 < n && event[i + 1].kind == EVENT_LEAVE) {
			squares_add(s, row, event[++i].time - last);
			last = event[i].time;
		} else {
			squares_push(s, row);
		}
	}
}

static size_t run(struct callstack *m, const struct event *event, size_t n)
{
	if (whole(m))
		return run_whole(m, event, n, NULL);
	if (!m->paths->depth)
		return run_flat(m, event, n);
	return m->paths->v_n < MANY_PATHS ? run_limited(m, event, n) : run_far_all(m, event, n);
}

size_t callstack_run_past(struct callstack *m, const struct event *event, size_t n,
			  const struct callstack_past *past)
{
	return m->frame_n && whole(m) && !m->squares ? run_whole(m, event, n, past)
						     : callstack_run(m, event, n);
}

size_t callstack_run(struct callstack *m, const struct event *event, size_t n)
{
	int64_t last = m->last;

	/* without a root, events are rare */
	if (!m->frame_n)
		return 0;
	if (m->frame_n + 1 >= m->frame_cap)
		m->frame = array_grow(m->frame, &m->frame_cap, sizeof(*m->frame));
	if (m->watch)
		return callstack_run_watched(m, event, n);
	n = run(m, event, n);
	if (m->squares)
		square_run(m, event, n, last);
	return n;
}
