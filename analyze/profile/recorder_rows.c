/* recorder_rows.c: removes the rows of the recorder's own regions, and their time from the rows around them. */
#include "analyze/profile/recorder_rows.h"

#include <math.h>
#include <string.h>

#include "analyze/profile/derived_threads.h"
#include "analyze/profile/sampled_stacks.h"
#include "analyze/trace/region_work.h"
#include "analyze/trace/trace.h"

struct removal {
	struct profile *p;
	struct profile_thread *t; /* at hand */
	char *recorder;		  /* by timer: it is one of the recorder */
	char *own;		  /* by path: inside of a region of the recorder */
	uint32_t *row;		  /* by path: 1 + the row of the thread */
	uint32_t *flat;		  /* by timer: 1 + its row over all callers */
	char *in_path;		  /* by timer: the thread has it at the end of a call path */
	uint32_t *seen;		  /* by timer: the last chain that it was found in */
	uint32_t chains;
	size_t time;		  /* metric */
};

int recorder_rows_is(const struct profile_timer *t)
{
	const char *code = profile_timer_code(t->name);

	return (code && !strcmp(code, STACK_RECORDER)) || region_is_recorder(t->name, t->groups);
}

static int timers_find(struct removal *x)
{
	int any = 0;

	for (size_t i = 0; i < x->p->timer_n; i++)
		any |= x->recorder[i] = (char)recorder_rows_is(&x->p->timer[i]);
	return any;
}

/* Parents are before their children. */
static void paths_find(struct removal *x)
{
	for (size_t i = 0; i < x->p->path_n; i++) {
		const struct profile_path *v = &x->p->path[i];

		x->own[i] = x->recorder[v->timer] ||
			    (v->parent != PROFILE_FLAT && x->own[v->parent]);
	}
}

/* Values of our traces are whole nanoseconds, and stay so. */
static double less(double a, double b)
{
	double whole = round(a * 1000) - round(b * 1000);

	return fabs(a - b - whole / 1000) < 1e-6 ? whole / 1000 : a - b;
}

static void subtract_inclusive(struct removal *x, uint32_t row, const struct profile_row *from)
{
	for (size_t m = 0; row && m < x->p->metric_n; m++) {
		double *value = &x->t->values[x->t->row[row - 1].first + m];

		*value = less(*value, x->t->values[from->first + m]);
	}
}

static void subtract_calls(struct removal *x, uint32_t row, double calls)
{
	if (row)
		x->t->row[row - 1].subrs -= calls;
}

static int is_measured(const struct removal *x, uint32_t path)
{
	return profile_timer_kind(&x->p->timer[x->p->path[path].timer]) == TIMER_MEASURED;
}

/*
 * A region of the recorder with a call path: what encloses it has less, each row once. Samples are
 * inside of sampled callers only.
 */
static void enclosing_less(struct removal *x, const struct profile_row *from)
{
	const struct profile_path *v = x->p->path;
	uint32_t parent = v[from->path].parent;
	int measured = is_measured(x, from->path);

	x->chains++;
	for (uint32_t up = parent; up != PROFILE_FLAT; up = v[up].parent) {
		if (is_measured(x, up) != measured)
			continue;
		if (v[up].parent != PROFILE_FLAT)
			subtract_inclusive(x, x->row[up], from);
		if (x->seen[v[up].timer] == x->chains)
			continue;
		x->seen[v[up].timer] = x->chains;
		subtract_inclusive(x, x->flat[v[up].timer], from);
	}
	if (!measured)
		return;
	subtract_calls(x, x->flat[v[parent].timer], from->calls);
	if (v[parent].parent != PROFILE_FLAT)
		subtract_calls(x, x->row[parent], from->calls);
}

/* A region of the program that the recorder called: its row over all callers has less. */
static void called_less(struct removal *x, const struct profile_row *from)
{
	const struct profile_path *v = x->p->path;
	uint32_t timer = v[from->path].timer, to = x->flat[timer], above = v[from->path].parent;
	struct profile_row *row;

	if (!to)
		return;
	while (above != PROFILE_FLAT && v[above].timer != timer)
		above = v[above].parent;
	if (above == PROFILE_FLAT)
		subtract_inclusive(x, to, from);
	row = &x->t->row[to - 1];
	row->calls -= from->calls;
	row->subrs -= from->subrs;
	for (size_t m = 0; m < x->p->metric_n; m++) {
		double *value = &x->t->values[row->first + x->p->metric_n + m];

		*value = less(*value, x->t->values[from->first + x->p->metric_n + m]);
	}
}

/* Without a call path it is inside of the outermost region. */
static void root_less(struct removal *x, const struct profile_row *from)
{
	for (size_t i = 0; i < x->t->row_n; i++) {
		const struct profile_path *v = &x->p->path[x->t->row[i].path];

		if (v->parent == PROFILE_FLAT && !strcmp(x->p->timer[v->timer].name, REGION_ROOT))
			subtract_inclusive(x, (uint32_t)i + 1, from);
	}
}

static int is_sum(const struct profile_thread *t)
{
	return t->node >= 0 || t->node == STATS_TOTAL || t->node == STATS_MEAN_ALL;
}

static void rows_count(struct removal *x)
{
	for (size_t i = 0; i < x->t->row_n; i++) {
		uint32_t path = x->t->row[i].path, timer = x->p->path[path].timer;

		x->row[path] = (uint32_t)i + 1;
		if (x->p->path[path].parent == PROFILE_FLAT)
			x->flat[timer] = (uint32_t)i + 1;
		else
			x->in_path[timer] = 1;
	}
}

static void rows_forget(struct removal *x)
{
	for (size_t i = 0; i < x->t->row_n; i++) {
		uint32_t path = x->t->row[i].path, timer = x->p->path[path].timer;

		x->row[path] = x->flat[timer] = 0;
		x->in_path[timer] = 0;
	}
}

static void row_subtract(struct removal *x, const struct profile_row *from)
{
	const struct profile_path *v = &x->p->path[from->path];
	int flat = v->parent == PROFILE_FLAT;

	if (flat && is_measured(x, from->path) && x->p->metric_n)
		x->t->recorder += x->t->values[from->first + x->p->metric_n + x->time];
	if (!is_sum(x->t))
		return;
	if (!x->recorder[v->timer])
		called_less(x, from);
	else if (!flat && !x->own[v->parent])
		enclosing_less(x, from);
	else if (flat && !x->in_path[v->timer] && is_measured(x, from->path))
		root_less(x, from);
}

static void thread_remove(struct removal *x)
{
	size_t n = 0;

	x->t->recorder = 0;
	rows_count(x);
	for (size_t i = 0; i < x->t->row_n; i++)
		if (x->own[x->t->row[i].path])
			row_subtract(x, &x->t->row[i]);
	rows_forget(x);
	for (size_t i = 0; i < x->t->row_n; i++)
		if (!x->own[x->t->row[i].path])
			x->t->row[n++] = x->t->row[i];
	x->t->row_n = n;
}

void recorder_rows_remove(struct profile *p)
{
	struct removal x = {.p = p, .recorder = mem_alloc(p->timer_n + 1)};

	if (timers_find(&x)) {
		x.own = mem_alloc(p->path_n + 1);
		x.row = mem_alloc((p->path_n + 1) * sizeof(*x.row));
		x.flat = mem_alloc((p->timer_n + 1) * sizeof(*x.flat));
		x.in_path = mem_alloc(p->timer_n + 1);
		x.seen = mem_alloc((p->timer_n + 1) * sizeof(*x.seen));
		x.time = profile_time_metric(p) < p->metric_n ? profile_time_metric(p) : 0;
		paths_find(&x);
		for (size_t i = 0; i < p->thread_n; i++) {
			x.t = &p->thread[i];
			thread_remove(&x);
		}
		free(x.own);
		free(x.row);
		free(x.flat);
		free(x.in_path);
		free(x.seen);
	}
	free(x.recorder);
}

double recorder_rows_removed(const struct profile *p)
{
	double sum = 0;

	for (size_t i = 0; i < p->thread_n; i++)
		if (p->summary.pes ? p->thread[i].node == STATS_TOTAL : p->thread[i].node >= 0)
			sum += p->thread[i].recorder;
	return round(sum * 1000) / 1000;
}
