/* phases.c: adds up the time of first threads by call path, and chooses the paths that are phases. */
#include "analyze/messages/phases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/messages/awaited.h"
#include "analyze/messages/runtime_regions.h"
#include "analyze/trace/region_work.h"

/* Of all time: a function with more is above the phases. Of the row above: it is the same one. */
#define ABOVE 0.9

/* ---- during the pass ---- */

static void time_add(struct phases *x, uint32_t stream, uint32_t path, int64_t ns)
{
	if (x->m->trace->stream[stream].thread)
		return;
	if (path >= x->ns_n[stream]) {
		size_t n = (size_t)path * 2 + 32;

		x->first_threads += !x->ns[stream];
		x->ns[stream] = mem_resize(x->ns[stream], n, sizeof(**x->ns));
		memset(x->ns[stream] + x->ns_n[stream], 0,
		       (n - x->ns_n[stream]) * sizeof(**x->ns));
		x->ns_n[stream] = n;
	}
	x->ns[stream][path] += (double)ns;
}

static void on_spent(void *to, uint32_t stream, const struct message_time *t, size_t n,
		     struct message_call *call)
{
	(void)call;
	for (size_t i = 0; i < n; i++)
		time_add(to, stream, t[i].path, t[i].ns);
}

static void on_left(void *to, struct message_call *c, int inside)
{
	(void)inside;
	if (c->region != TRACE_NONE)
		time_add(to, c->stream, c->path, c->exclusive);
}

struct messages_use phases_use(struct phases *x, const struct messages *m)
{
	size_t n = m->trace->stream_n;

	*x = (struct phases){.m = m};
	x->ns = mem_alloc((n + 1) * sizeof(*x->ns));
	x->ns_n = mem_alloc((n + 1) * sizeof(*x->ns_n));
	return (struct messages_use){.spent = on_spent, .left = on_left, .to = x};
}

/* ---- the tree ---- */

static const struct callstack_path *path_of(const struct phases *x, uint32_t path)
{
	return &x->m->paths.v[path];
}

static int is_recorder(const struct phases *x, uint32_t path)
{
	const struct trace_region *r = &x->m->trace->region[path_of(x, path)->region];

	return region_is_recorder(r->name, r->groups);
}

/* Makes exclusive times inclusive, without the recorder's. A path comes after the one above it. */
static void include(const struct phases *x, double *ns, size_t n)
{
	for (size_t p = n; p-- > 1;)
		if (!is_recorder(x, (uint32_t)p))
			ns[path_of(x, (uint32_t)p)->parent] += ns[p];
}

static void sum_up(struct phases *x)
{
	size_t paths = x->m->paths.v_n;

	x->all_n = paths;
	x->all = mem_alloc((paths + 1) * sizeof(*x->all));
	for (size_t s = 0; s < x->m->trace->stream_n; s++) {
		size_t n = x->ns_n[s] < paths ? x->ns_n[s] : paths;

		if (n)
			include(x, x->ns[s], n);
		for (size_t p = 0; p < n; p++)
			x->all[p] += x->ns[s][p];
	}
	x->whole = paths ? x->all[0] : 0;
}

/* Only what the program does itself is a phase. */
static int is_phase(const struct phases *x, uint32_t path)
{
	const struct trace_region *r = &x->m->trace->region[path_of(x, path)->region];

	return !runtime_region(r) && runtime_team(r->name) == TEAM_NONE && !is_recorder(x, path);
}

/* Is the path inside of the other one, or the same? */
static int is_inside(const struct phases *x, uint32_t path, uint32_t other)
{
	while (path > other)
		path = path_of(x, path)->parent;
	return path == other;
}

/* Is the path above all phases: does it have nearly all time, and call functions? */
static int is_above(const struct phases *x, uint32_t path)
{
	uint32_t p = path + 1;

	while (p < x->all_n && (path_of(x, p)->parent != path || !is_phase(x, p)))
		p++;
	return p < x->all_n && x->all[path] >= ABOVE * x->whole;
}

/* Does the row that the path is inside of have hardly more time? */
static int is_same(const struct phases *x, uint32_t path)
{
	double ns = INFINITY;

	for (size_t i = 0; i < x->v_n; i++)
		if (is_inside(x, path, x->v[i].path) && x->v[i].ns < ns)
			ns = x->v[i].ns;
	return x->all[path] >= ABOVE * ns;
}

/* The longest path that is no row yet, but the one above it is, or is above all phases; 0: none. */
static uint32_t longest_next(const struct phases *x, const char *open)
{
	uint32_t best = 0;

	for (uint32_t p = 1; p < x->all_n; p++)
		if (!open[p] && open[path_of(x, p)->parent] &&
		    x->all[p] >= PHASES_LEAST * x->whole && is_phase(x, p) &&
		    (!best || x->all[p] > x->all[best]))
			best = p;
	return best;
}

static void row_fill(const struct phases *x, struct phase *row, uint32_t path)
{
	*row = (struct phase){.path = path, .ns = x->all[path]};
	for (uint32_t s = 0; s < x->m->trace->stream_n; s++) {
		double ns = path < x->ns_n[s] ? x->ns[s][path] : 0;

		if (!(ns > 0))
			continue;
		row->processes++;
		if (ns > row->largest) {
			row->largest = ns;
			row->largest_at = x->m->trace->stream[s].process;
		}
	}
}

static void waiting_add(struct phases *x, const struct wait_rows *waits)
{
	for (size_t i = 0; i < waits->v_n; i++)
		for (size_t k = 0; k < x->v_n; k++)
			if (wait_is_caused(waits->v[i].pattern) &&
			    is_inside(x, waits->v[i].path, x->v[k].path))
				x->v[k].waiting += waits->v[i].ns;
}

/* Rows come in the order of their times; each goes to the others that are in the same one. */
static void row_place(struct phases *x, const struct phase *row)
{
	size_t at = x->v_n, in = x->v_n;

	for (size_t i = 0; i < x->v_n; i++)
		if (is_inside(x, row->path, x->v[i].path))
			in = i;
	if (in < x->v_n)
		for (at = in + 1; at < x->v_n && x->v[at].depth > x->v[in].depth;)
			at++;
	memmove(&x->v[at + 1], &x->v[at], (x->v_n - at) * sizeof(*x->v));
	x->v[at] = *row;
	x->v[at].depth = in < x->v_n ? x->v[in].depth + 1 : 0;
	x->v_n++;
}

void phases_end(struct phases *x, const struct wait_rows *waits)
{
	char *open;
	uint32_t path;

	sum_up(x);
	open = mem_alloc(x->all_n + 1);
	open[0] = 1;
	while (x->v_n < PHASES_MOST && (path = longest_next(x, open)) != 0) {
		struct phase row;

		open[path] = 1;
		if (is_above(x, path) || is_same(x, path))
			continue;
		row_fill(x, &row, path);
		row_place(x, &row);
	}
	free(open);
	if (x->v_n < 2)
		x->v_n = 0;
	if (waits)
		waiting_add(x, waits);
}

void phases_release(struct phases *x)
{
	for (size_t s = 0; x->ns && s < x->m->trace->stream_n; s++)
		free(x->ns[s]);
	free(x->ns);
	free(x->ns_n);
	free(x->all);
	*x = (struct phases){0};
}
