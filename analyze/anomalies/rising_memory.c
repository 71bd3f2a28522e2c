/* rising_memory.c: adds up the allocations of each process by slices of time, and tests whether live memory rises until the end. */
#include "analyze/anomalies/rising_memory.h"

#include <math.h>
#include <string.h>

#include "analyze/messages/runtime_regions.h"
#include "analyze/trace/region_work.h"
#include "record/metadata.h"

#define FEWEST	    16		    /* slices */
#define LEAST_SHARE 0.01	    /* of the last level */
#define LEAST_BYTES (256.0 * 1024)
#define LEAST_STEP  0.1 	    /* of the largest step */
#define HALF	    (RISING_PARTS / 2)

enum role { ROLE_NONE, ROLE_SETS_UP, ROLE_FINISHES };

static enum role role_of(const char *name)
{
	if (runtime_finalizes(name) || !strcmp(name, TAU_REGION_CENSUS))
		return ROLE_FINISHES;
	return region_sets_up(name) ? ROLE_SETS_UP : ROLE_NONE;
}

static struct rising_process *process_of(struct rising_memory *x, uint32_t process)
{
	const struct trace_process *p = &x->m->trace->process[process];
	struct rising_process *r = &x->process[process];

	if (r->begin < r->end)
		return r;
	r->begin = p->start;
	r->end = p->end > p->start ? p->end : p->start + 1;
	if (x->m->span) {
		struct window_span w = messages_span(x->m, process);

		r->begin = w.begin > r->begin ? w.begin : r->begin;
		r->end = w.end < r->end ? w.end : r->end;
		r->end = r->end > r->begin ? r->end : r->begin + 1;
	}
	return r;
}

/* The slice of a time. */
static size_t slice_of(const struct rising_process *r, int64_t time)
{
	double at = (double)(time - r->begin) / (double)(r->end - r->begin) * RISING_SLICES;

	return at < 0 ? 0 : at < RISING_SLICES ? (size_t)at : RISING_SLICES - 1;
}

/* A path comes after the one that contains it. */
static int inside_set_up(struct rising_memory *x, uint32_t path)
{
	const struct callstack_path *v = x->m->paths.v;

	while (x->set_up_n <= path) {
		const struct callstack_path *p = &v[x->set_up_n];
		int sets_up = p->region != TRACE_NONE && x->role[p->region] == ROLE_SETS_UP;

		sets_up |= x->set_up_n && x->set_up[p->parent];
		*array_add(x, set_up) = (char)sets_up;
	}
	return x->set_up[path];
}

static void on_block(void *to, uint32_t stream, uint32_t path, const struct event *ev,
		     const struct event_args *a)
{
	struct rising_memory *x = to;
	const struct trace *t = x->m->trace;
	struct rising_process *r;
	double bytes = (double)a->block.bytes;

	if (t->memtype[a->block.type].leak || ev->kind == EVENT_RETYPE)
		return;
	if (ev->kind == EVENT_ALLOC)
		bytes -= (double)a->block.inner;
	r = process_of(x, t->stream[stream].process);
	if (ev->time >= r->end)
		return;
	r->change[slice_of(r, ev->time)] += ev->kind == EVENT_FREE ? -bytes : bytes;
	if (inside_set_up(x, path) && ev->time > r->set_up)
		r->set_up = ev->time;
}

static inline void finish(struct rising_memory *x, uint32_t stream, int64_t time)
{
	struct rising_process *r = &x->process[x->m->trace->stream[stream].process];

	r->finish = time < r->finish ? time : r->finish;
}

static void on_ran(void *to, uint32_t stream, const struct event *event, size_t n)
{
	struct rising_memory *x = to;

	for (size_t i = 0; i < n; i++)
		if (event[i].kind == EVENT_ENTER && x->role[event[i].ref] == ROLE_FINISHES)
			finish(x, stream, event[i].time);
}

static void on_begins(void *to, uint32_t stream, uint32_t path, int64_t time)
{
	struct rising_memory *x = to;
	uint32_t region = x->m->paths.v[path].region;

	if (region != TRACE_NONE && x->role[region] == ROLE_FINISHES)
		finish(x, stream, time);
}

struct messages_use rising_memory_use(struct rising_memory *x, const struct messages *m)
{
	const struct trace *t = m->trace;

	*x = (struct rising_memory){.m = m, .most = TRACE_NONE, .cause = TRACE_NONE};
	x->process = mem_alloc((t->process_n + 1) * sizeof(*x->process));
	x->role = mem_alloc(t->region_n + 1);
	for (size_t i = 0; i < t->process_n; i++) {
		x->process[i].set_up = INT64_MIN;
		x->process[i].finish = INT64_MAX;
	}
	for (size_t i = 0; i < t->region_n; i++)
		x->role[i] = (char)role_of(t->region[i].name);
	return (struct messages_use){
		.block = on_block, .begins = on_begins, .ran = on_ran, .to = x};
}

/* The slices of a process's time. 0: they are too few. */
static int slices_of(const struct rising_process *r, size_t *first, size_t *end)
{
	if (r->begin >= r->end)
		return 0;
	*first = r->set_up > r->begin ? slice_of(r, r->set_up) : 0;
	*end = r->finish < r->end ? slice_of(r, r->finish) : RISING_SLICES;
	return *end >= *first + FEWEST;
}

/* The slice with which part i begins. */
static size_t part_begin(size_t first, size_t end, size_t i)
{
	return first + (end - first) * i / RISING_PARTS;
}

#define LEVELS (RISING_PARTS + 1) /* the last one: at the end */

/* The least sum of changes up to the end of a slice, in each part; and the sum of all. */
static void levels(const double *change, size_t first, size_t end, double level[LEVELS])
{
	double sum = 0;
	size_t at = 0;

	while (at < first)
		sum += change[at++];
	for (size_t i = 0; i < RISING_PARTS; i++) {
		level[i] = INFINITY;
		for (; at < part_begin(first, end, i + 1); at++) {
			sum += change[at];
			level[i] = fmin(level[i], sum);
		}
	}
	level[RISING_PARTS] = sum;
}

/* Number of steps to the levels from `first` on that are at least so large; *last: the last one that is not. */
static size_t steps(const double level[LEVELS], size_t first, size_t end, double least,
		    size_t *last)
{
	size_t n = 0;

	for (size_t i = first; i < end; i++)
		if (level[i] - level[i - 1] >= least)
			n++;
		else
			*last = i;
	return n;
}

static int rises(const double level[LEVELS])
{
	double first = level[HALF - 1], last = level[RISING_PARTS - 1], largest = 0, least;
	size_t pause = 0, before, n;

	for (size_t i = HALF; i < RISING_PARTS; i++)
		largest = fmax(largest, level[i] - level[i - 1]);
	least = LEAST_STEP * largest;
	n = steps(level, HALF, RISING_PARTS, least, &pause);
	if (n < RISING_PARTS - HALF - 1)
		return 0;
	if (pause && (level[pause] - level[pause - 1] < -least ||
		      !(level[pause + 1] - level[pause] >= least) ||
		      steps(level, 1, HALF, least, &before) < HALF - 2))
		return 0;
	return last - first >= LEAST_BYTES && last - first >= LEAST_SHARE * last;
}

/* ---- the type whose memory rises: from the events of one process, which are read again ---- */

struct types {
	const struct trace *trace;
	const struct rising_process *process;
	double **change; /* by memtype: bytes allocated - freed in each slice; NULL: no block */
};

static void type_add(struct types *x, uint32_t type, int64_t time, double bytes)
{
	if (x->trace->memtype[type].leak)
		return;
	if (!x->change[type])
		x->change[type] = mem_alloc(RISING_SLICES * sizeof(**x->change));
	x->change[type][slice_of(x->process, time)] += bytes;
}

static void batch_add(struct types *x, const struct event_batch *b)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct event *ev = &b->event[i];
		const struct event_args *a;
		double bytes;

		if (ev->time >= x->process->end ||
		    (ev->kind != EVENT_ALLOC && ev->kind != EVENT_FREE && ev->kind != EVENT_RETYPE))
			continue;
		a = &b->args[ev->ref];
		bytes = (double)a->block.bytes;
		if (ev->kind == EVENT_ALLOC)
			bytes -= (double)a->block.inner;
		type_add(x, a->block.type, ev->time, ev->kind == EVENT_ALLOC ? bytes : -bytes);
		if (ev->kind == EVENT_RETYPE)
			type_add(x, a->block.to, ev->time, bytes);
	}
}

static void stream_add(struct types *x, struct trace *t, uint32_t stream)
{
	struct trace_cursor *c;
	struct event_batch *b;
	struct error e = {0};

	if (t->ops->open(t, stream, INT64_MIN, &c, &e))
		return;
	while (t->ops->next(c, &b, &e) > 0)
		batch_add(x, b);
	t->ops->close(c);
}

/* The type whose memory rose most in the last half of the slices. */
static uint32_t cause_of(const struct types *x, size_t first, size_t end)
{
	double most = 0, level[LEVELS];
	uint32_t cause = TRACE_NONE;

	for (uint32_t i = 0; i < x->trace->memtype_n; i++) {
		if (!x->change[i])
			continue;
		levels(x->change[i], first, end, level);
		if (level[RISING_PARTS - 1] - level[HALF - 1] > most) {
			most = level[RISING_PARTS - 1] - level[HALF - 1];
			cause = i;
		}
	}
	return cause;
}

static uint32_t cause_in(const struct rising_memory *x, uint32_t process)
{
	struct trace *t = x->m->trace;
	struct types types = {.trace = t, .process = &x->process[process]};
	uint32_t cause = TRACE_NONE;
	size_t first, end;

	types.change = mem_alloc((t->memtype_n + 1) * sizeof(*types.change));
	for (size_t i = 0; i < t->process[process].stream_n; i++)
		stream_add(&types, t, t->process[process].stream[i]);
	if (slices_of(types.process, &first, &end))
		cause = cause_of(&types, first, end);
	for (size_t i = 0; i < t->memtype_n; i++)
		free(types.change[i]);
	free(types.change);
	return cause;
}

void rising_memory_end(struct rising_memory *x)
{
	size_t first, end;

	for (uint32_t i = 0; i < x->m->trace->process_n; i++) {
		double level[LEVELS], rise;

		if (!slices_of(&x->process[i], &first, &end))
			continue;
		levels(x->process[i].change, first, end, level);
		if (!rises(level))
			continue;
		rise = level[RISING_PARTS - 1] - level[HALF - 1];
		x->risen++;
		x->all += rise;
		if (rise > x->to - x->from) {
			x->most = i;
			x->from = level[HALF - 1];
			x->to = level[RISING_PARTS - 1];
		}
	}
	if (x->most != TRACE_NONE)
		x->cause = cause_in(x, x->most);
}

void rising_memory_release(struct rising_memory *x)
{
	free(x->process);
	free(x->role);
	free(x->set_up);
	*x = (struct rising_memory){0};
}
