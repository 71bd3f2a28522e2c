/* callstack.c: runs the events of one stream over its stack of open regions. */
#include "analyze/stream/callstack_inner.h"
#include "analyze/stream/squares.h"
#include "analyze/stream/callstack.h"

#include <string.h>

/* ---- the stack ---- */

void callstack_init(struct callstack *m, uint32_t region_n, struct callstack_paths *paths)
{
	memset(m, 0, sizeof(*m));
	m->paths = paths;
	m->region_n = region_n;
	m->row = mem_alloc(((size_t)region_n + 1) * sizeof(*m->row));
	m->frame_cap = 64;
	m->frame = mem_resize(NULL, m->frame_cap, sizeof(*m->frame));
	m->last = INT64_MIN;
}

void callstack_release(struct callstack *m)
{
	free(m->row);
	free(m->path_row);
	free(m->node);
	free(m->frame);
}

/* Rows for a path, for a quarter more, and for all paths that there are. */
static size_t more(const struct callstack *m, uint32_t path)
{
	size_t n = (size_t)path + path / 4 + 64;

	return n > m->paths->v_n ? n : m->paths->v_n;
}

void callstack_grow_rows(struct callstack *m, uint32_t path)
{
	size_t n = more(m, path);

	m->path_row = mem_resize(m->path_row, n, sizeof(*m->path_row));
	memset(m->path_row + m->path_row_n, 0, (n - m->path_row_n) * sizeof(*m->path_row));
	m->path_row_n = n;
}

void callstack_grow_nodes(struct callstack *m, uint32_t path)
{
	size_t n = more(m, path);

	m->node = mem_resize(m->node, n, sizeof(*m->node));
	memset(m->node + m->node_n, 0xff, (n - m->node_n) * sizeof(*m->node));
	for (size_t i = m->node_n; i < n; i++) {
		m->node[i].excl = 0;
		m->node[i].calls = 0;
		m->node[i].context = 0;
	}
	m->node_n = n;
}

/* Adds the time since the last event to the innermost region. */
static inline void charge(struct callstack *m, int64_t time)
{
	if (m->frame_n) {
		const struct callstack_frame *top = &m->frame[m->frame_n - 1];
		int64_t d = time - m->last;

		if (m->squares)
			squares_spend(m->squares, m->frame_n - 1, d);
		if (whole(m)) {
			m->node[top->path].excl += d;
		} else {
			m->row[top->region].excl += d;
			if (m->paths->depth)
				m->path_row[top->path].excl += d;
		}
	}
	m->last = time;
}

/* Counts the activation of a region in its row and in that of its path. */
static void rows_open(struct callstack *m, uint32_t region, uint32_t path, int64_t time, int call)
{
	const struct callstack_frame *f = &m->frame[m->frame_n];
	struct callstack_row *r;

	if (m->frame_n && call)
		m->row[f[-1].region].subrs++;
	row_open(&m->row[region], time);
	m->row[region].calls += (uint64_t)call;
	if (!m->paths->depth)
		return;
	r = path_row(m, path);
	if (m->frame_n && call)
		m->path_row[f[-1].path].subrs++;
	row_open(r, time);
	r->calls += (uint64_t)call;
}

static void stack_push(struct callstack *m, uint32_t region, int64_t time, int call)
{
	struct callstack_frame *f;
	uint32_t path = 0;

	if (m->frame_n == m->frame_cap)
		m->frame = array_grow(m->frame, &m->frame_cap, sizeof(*m->frame));
	f = &m->frame[m->frame_n];
	if (m->paths->depth)
		path = callstack_path_enter(m->paths, m->frame_n ? f[-1].path : 0, region);
	if (whole(m)) {
		node(m, path)->calls += (uint64_t)call;
		node_link(m, path);
	} else {
		rows_open(m, region, path, time, call);
	}
	if (m->squares)
		squares_push(m->squares, m->paths->depth ? path : region);
	f->region = region;
	f->path = path;
	callstack_watch_begin(m->watch, region, m->frame_n, time);
	m->frame_n++;
}

static void stack_pop(struct callstack *m, int64_t time)
{
	const struct callstack_frame *f = &m->frame[--m->frame_n];

	callstack_watch_end(m->watch, f->region, m->frame_n, time);
	if (m->squares)
		squares_pop(m->squares);
	if (whole(m))
		return;
	row_close(&m->row[f->region], time);
	if (m->paths->depth)
		row_close(&m->path_row[f->path], time);
}

/*
 * Closes frames for which no end was recorded, down to `keep` frames; the root does not count as
 * repaired.
 */
static void stack_cut(struct callstack *m, size_t keep, int64_t time)
{
	charge(m, time);
	while (m->frame_n > keep) {
		if (m->frame_n > 1 && !m->off)
			m->repaired++;
		stack_pop(m, time);
	}
}

/* The thread of the stream begins: everything happens inside the root. */
static void root_open(struct callstack *m, int64_t time, int call)
{
	charge(m, time);
	stack_push(m, m->region_n, time, call);
}

/* ---- accounts ---- */

static void row_begin(struct callstack_row *r, int64_t time)
{
	r->excl = 0;
	r->incl = r->active ? -time : 0;
	r->calls = r->subrs = 0;
}

/* Afterwards the row is empty: nothing is open in it. */
static void row_end(struct callstack_row *r, int64_t time)
{
	r->incl += r->active ? time : 0;
}

void callstack_begin(struct callstack *m, int64_t time)
{
	if (whole(m)) {
		for (size_t i = 0; i < m->node_n && i < m->paths->v_n; i++) {
			m->node[i].excl = 0;
			m->node[i].calls = 0;
		}
	} else {
		for (size_t i = 0; i <= m->region_n; i++)
			row_begin(&m->row[i], time);
		for (size_t i = 0; i < callstack_path_rows(m); i++)
			row_begin(&m->path_row[i], time);
	}
	m->last = time;
}

/* Adds the values of a path to the row of its region. */
static void rows_add(struct callstack_row *to, const struct callstack_row *path, int outermost)
{
	to->excl += path->excl;
	to->incl += outermost ? path->incl : 0;
	to->calls += path->calls;
	to->subrs += path->subrs;
}

/*
 * Computes the rows of whole paths and of regions from the nodes: the row of a path includes the
 * paths below it; a path has a higher number than its parent.
 */
static void rows_of_nodes(struct callstack *m)
{
	const struct callstack_path *path = m->paths->v;
	size_t n = m->node_n < m->paths->v_n ? m->node_n : m->paths->v_n;

	if (!n)
		return;
	path_row(m, (uint32_t)n - 1);
	memset(m->row, 0, ((size_t)m->region_n + 1) * sizeof(*m->row));
	memset(m->path_row, 0, m->path_row_n * sizeof(*m->path_row));
	for (size_t i = n; i-- > 1;) {
		struct callstack_row *r = &m->path_row[i], *above = &m->path_row[path[i].parent];

		r->excl = m->node[i].excl;
		r->calls = m->node[i].calls;
		r->incl += r->excl;
		above->incl += r->incl;
		above->subrs += r->calls;
		rows_add(&m->row[path[i].region], r, path[i].outermost);
	}
	memset(&m->path_row[0], 0, sizeof(*m->path_row));
}

void callstack_end(struct callstack *m, int64_t time)
{
	charge(m, time);
	if (whole(m)) {
		rows_of_nodes(m);
		return;
	}
	for (size_t i = 0; i <= m->region_n; i++)
		row_end(&m->row[i], time);
	for (size_t i = 0; i < callstack_path_rows(m); i++)
		row_end(&m->path_row[i], time);
}

void callstack_charge(struct callstack *m, int64_t time)
{
	charge(m, time);
}

void callstack_jump(struct callstack *m, int64_t from, int64_t to)
{
	charge(m, from);
	m->last = to;
	m->off = 0;
	if (whole(m))
		return;
	for (size_t i = 0; i <= m->region_n; i++)
		m->row[i].incl -= m->row[i].active ? to - from : 0;
	for (size_t i = 0; i < callstack_path_rows(m); i++)
		m->path_row[i].incl -= m->path_row[i].active ? to - from : 0;
}

void callstack_add(struct callstack *m, uint32_t path, uint64_t calls, int64_t excl)
{
	struct callstack_node *to = node(m, path);

	to->calls += calls;
	to->excl += excl;
}

/* ---- events ---- */

void callstack_state(struct callstack *m, const struct event_state *s, int64_t time, int sought)
{
	size_t same = 0, want = s->in_use ? s->frame_n + 1 : 0;
	uint64_t repaired = m->repaired;

	while (same < m->frame_n && same < want &&
	       (same == 0 || m->frame[same].region == s->frame[same - 1].region))
		same++;
	if (same < m->frame_n)
		stack_cut(m, same, time);
	while (m->frame_n < want) {
		size_t i = m->frame_n;

		charge(m, time);
		stack_push(m, i ? s->frame[i - 1].region : m->region_n, time,
			   !i && s->first && !s->cut);
		m->repaired++;
	}
	if (!sought)
		return;
	if (m->squares)
		squares_resume(m->squares, time);
	m->repaired = repaired;
	/* Recording was off before the jump; after it, it is as at the begin of a stream. */
	m->off = 0;
}

/* Recording continues with these regions open: frames that are equal to those before stay. */
static void resume(struct callstack *m, const uint32_t *region, size_t n, int64_t time)
{
	size_t same = 1;
	uint64_t repaired = m->repaired;

	while (same < m->frame_n && same - 1 < n && m->frame[same].region == region[same - 1])
		same++;
	stack_cut(m, same, time);
	m->repaired = repaired;
	for (; m->frame_n - 1 < n; m->resumed++)
		stack_push(m, region[m->frame_n - 1], time, 0);
}

static void leave(struct callstack *m, int64_t time)
{
	if (m->frame_n == 1) {
		m->repaired++;
		return;
	}
	charge(m, time);
	stack_pop(m, time);
}

static void enter(struct callstack *m, uint32_t region, int64_t time)
{
	charge(m, time);
	stack_push(m, region, time, 1);
}

/* Is the region, or the path, open in one of the first n frames? */
static int open_below(const struct callstack *m, size_t n, uint32_t region)
{
	while (n && m->frame[n - 1].region != region)
		n--;
	return n > 0;
}

static int path_open_below(const struct callstack *m, size_t n, uint32_t path)
{
	while (n && m->frame[n - 1].path != path)
		n--;
	return n > 0;
}

/*
 * The path of folded calls: `n` regions below the path of frame `from`. under: the path of the last
 * region but one.
 */
static uint32_t fold_path(struct callstack *m, uint32_t from, const uint32_t *path, size_t n,
			  uint32_t *under)
{
	*under = from;
	for (size_t i = 0; i + 1 < n; i++)
		*under = callstack_path_enter(m->paths, *under, path[i]);
	return callstack_path_enter(m->paths, *under, path[n - 1]);
}

/*
 * Adds folded calls to their squares, and subtracts their time from those of the frame that called.
 * under: the path of the last region but one.
 */
static void fold_squares(struct callstack *m, const struct event_args *a, size_t frame, size_t n,
			 uint32_t to, uint32_t under)
{
	if (n == 1)
		squares_spend(m->squares, frame, -a->fold.ns);
	else
		squares_forget(m->squares, under);
	if (a->fold.calls == 1)
		squares_add(m->squares, to, a->fold.ns);
	else
		squares_forget(m->squares, to);
}

/*
 * Adds calls that were not recorded one by one. Their time is inclusive and exclusive time of the
 * last region of `path`, and not exclusive time of the region before it; if the region is already
 * open, its inclusive time already contains it.
 */
static void fold(struct callstack *m, const uint32_t *path, size_t n, const struct event_args *a)
{
	size_t i, frames = m->frame_n > (uint64_t)a->fold.frames
				   ? m->frame_n - (size_t)a->fold.frames
				   : 1;
	const struct callstack_frame *f = &m->frame[frames - 1];
	uint32_t from = n > 1 ? path[n - 2] : f->region, to = path[n - 1], under = f->path, at = 0;
	int inside = open_below(m, frames, to);

	m->folded++;
	if (m->paths->depth)
		at = fold_path(m, f->path, path, n, &under);
	if (m->squares)
		fold_squares(m, a, frames - 1, n, m->paths->depth ? at : to,
			     m->paths->depth ? under : from);
	if (whole(m)) {
		node(m, at)->calls += a->fold.calls;
		node(m, at)->excl += a->fold.ns;
		node(m, under)->excl -= a->fold.ns;
		return;
	}
	m->row[from].excl -= a->fold.ns;
	m->row[from].subrs += a->fold.calls;
	m->row[to].calls += a->fold.calls;
	m->row[to].excl += a->fold.ns;
	for (i = 0; i + 1 < n; i++)
		inside |= path[i] == to;
	m->row[to].incl += inside ? 0 : a->fold.ns;
	if (!m->paths->depth)
		return;
	path_row(m, at)->calls += a->fold.calls;
	path_row(m, at)->excl += a->fold.ns;
	path_row(m, under)->excl -= a->fold.ns;
	path_row(m, under)->subrs += a->fold.calls;
	inside = path_open_below(m, frames, at);
	for (i = 0, under = f->path; i + 1 < n; i++) {
		under = callstack_path_enter(m->paths, under, path[i]);
		inside |= under == at;
	}
	path_row(m, at)->incl += inside ? 0 : a->fold.ns;
}

void callstack_other(struct callstack *m, const struct event_batch *b, const struct event *ev)
{
	const struct event_args *a = ev->kind >= EVENT_VALUE ? &b->args[ev->ref] : NULL;

	if (ev->kind == EVENT_THREAD_END) {
		if (m->frame_n)
			stack_cut(m, 0, ev->time);
		m->last = ev->time;
		m->off = 0;
		return;
	}
	if (!m->frame_n)
		root_open(m, ev->time, 1);
	switch (ev->kind) {
	case EVENT_ENTER:
		enter(m, ev->ref, ev->time);
		break;
	case EVENT_LEAVE:
		leave(m, ev->time);
		break;
	case EVENT_UNWIND:
		stack_cut(m, ev->ref < m->frame_n - 1 ? m->frame_n - ev->ref : 1, ev->time);
		break;
	case EVENT_OFF:
		m->off = 1;
		break;
	case EVENT_ON:
		m->off = 0;
		resume(m, event_regions(b, a->on.open), a->on.open.n, ev->time);
		break;
	case EVENT_FOLD:
		fold(m, event_regions(b, a->fold.path), a->fold.path.n, a);
		break;
	default:
		break;
	}
}

void callstack_finish(struct callstack *m, int64_t time)
{
	uint64_t repaired = m->repaired;

	if (m->frame_n)
		stack_cut(m, 0, time);
	if (m->off)
		m->repaired = repaired;
}

/* The path of the n innermost frames without the root. Each whole path has one. */
static uint32_t context_whole(struct callstack *m, size_t n)
{
	size_t i = n;
	uint32_t path;

	while (i && !m->node[m->frame[i].path].context)
		i--;
	path = i ? m->node[m->frame[i].path].context : 0;
	for (; i < n; i++) {
		path = callstack_path_child(m->paths, path, m->frame[i + 1].region);
		m->node[m->frame[i + 1].path].context = path;
	}
	return path;
}

uint32_t callstack_context(struct callstack *m, uint32_t depth)
{
	size_t n = m->frame_n ? m->frame_n - 1 : 0, from = n > depth ? n - depth : 0;
	uint32_t path = 0;

	if (!from && n && whole(m))
		return context_whole(m, n);
	for (size_t i = from; i < n; i++)
		path = callstack_path_child(m->paths, path, m->frame[i + 1].region);
	return path;
}
