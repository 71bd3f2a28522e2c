/* profile_fill.c: fills profiles with the values of streams. */
#include "analyze/replay/profile_fill.h"

#include <stdio.h>
#include <string.h>

#include "analyze/base/exact.h"
#include "analyze/profile/sampled_stacks.h"
#include "analyze/stream/counters.h"
#include "analyze/stream/heap_at_regions.h"
#include "analyze/trace/region_work.h"
#include "analyze/trace/trace.h"
#include "record/metadata.h"

#define ROOT_GROUP "TAU_UTILITY"

void profile_fill_open(struct profile_fill *s, struct player_shared *shared,
		       struct stack_places *places, const struct window *w,
		       const struct filter *only)
{
	const struct trace *t = shared->trace;
	size_t n = (t->region_n + 1) * sizeof(*s->timer);
	int64_t begin = INT64_MAX, end = INT64_MIN;

	memset(s, 0, sizeof(*s));
	s->shared = shared;
	s->places = places;
	s->profile = profile_new();
	s->profile->squares = shared->squares;
	profile_add_metric(s->profile, "TIME");
	s->column = mem_alloc((t->metric_n + 1) * sizeof(*s->column));
	for (size_t k = 0; k < t->metric_n; k++)
		if (!heap_at_regions_metric(&t->metric[k]))
			s->column[k] = profile_add_metric(s->profile, t->metric[k].name);
	if (shared->compensate) {
		s->limit = profile_add_metric(s->profile, TAU_METRIC_COMPENSATED_LEAST);
		profile_add_metric(s->profile, TAU_METRIC_COMPENSATED_MOST);
	}
	s->timer = memset(mem_alloc(n), 0xff, n);
	s->flat = memset(mem_alloc(n), 0xff, n);
	if (shared->flat && shared->paths.depth) {
		s->recorder = mem_alloc(t->region_n + 1);
		for (size_t i = 0; i < t->region_n; i++)
			s->recorder[i] = (char)region_is_recorder(t->region[i].name,
								  t->region[i].groups);
	}
	s->profile->source = 999;
	s->series = w->series;
	s->all = !w->text && (shared->all_threads || !filter_regions(only));
	s->profile->window = w->text ? mem_string(w->text) : NULL;
	for (size_t p = 0; p < t->process_n; p++) {
		const struct window_spans *x = window_spans(w, p);

		if (!x->v_n || !filter_process(only, &t->process[p]))
			continue;
		if (x->v[0].begin < begin)
			begin = x->v[0].begin;
		if (x->v[x->v_n - 1].end > end)
			end = x->v[x->v_n - 1].end;
	}
	/* The end of the trace is one ns after its last record, so that the record is inside. */
	if (end >= shared->end)
		end = shared->end - 1 > begin ? shared->end - 1 : begin;
	s->profile->begin_us = begin <= end ? (double)begin / 1000 : 0;
	s->profile->end_us = begin <= end ? (double)end / 1000 : -1;
}

void profile_fill_release(struct profile_fill *s)
{
	free(s->timer);
	free(s->flat);
	free(s->recorder);
	free(s->counter);
	free(s->level);
	free(s->column);
}

static uint32_t profile_fill_timer(struct profile_fill *s, uint32_t region)
{
	const struct trace *t = s->shared->trace;
	size_t timer_n = s->profile->timer_n;

	if (s->timer[region] != PROFILE_FLAT)
		return s->timer[region];
	if (region == t->region_n) {
		s->timer[region] = profile_add_timer(s->profile, REGION_ROOT, ROOT_GROUP, NULL, 0);
	} else {
		const struct trace_region *g = &t->region[region];

		s->timer[region] =
			profile_add_timer(s->profile, g->name, g->groups, g->file, g->line);
	}
	s->shared_timer |= s->profile->timer_n == timer_n;
	s->flat[region] = profile_add_path(s->profile, s->timer[region], PROFILE_FLAT);
	return s->timer[region];
}

/*
 * The path in the profile, if its parent is there. A parent that this stream has added has only
 * children of this stream, one for each region.
 */
static uint32_t path_add(struct profile_fill *s, uint32_t path)
{
	const struct callstack_path *v = &s->shared->paths.v[path];
	uint32_t timer = profile_fill_timer(s, v->region), parent;

	if (v->length < 2)
		return s->path[path] = s->flat[v->region];
	parent = s->path[v->parent];
	s->path[path] = parent >= s->before && !s->shared_timer
				? profile_new_path(s->profile, timer, parent)
				: profile_add_path(s->profile, timer, parent);
	return s->path[path];
}

/*
 * The path in the profile. Paths can be of any length, so there is no recursion; that of the parent
 * is usually there.
 */
static uint32_t profile_fill_path(struct profile_fill *s, uint32_t path)
{
	const struct callstack_path *v = s->shared->paths.v;
	struct {
		uint32_t *v;
		size_t v_n, v_cap;
	} below = {0};

	if (s->path[path] != PROFILE_FLAT)
		return s->path[path];
	for (uint32_t at = path; v[at].length > 1 && s->path[v[at].parent] == PROFILE_FLAT;)
		*array_add(&below, v) = at = v[at].parent;
	while (below.v_n)
		path_add(s, below.v[--below.v_n]);
	free(below.v);
	return path_add(s, path);
}

static uint32_t new_counter(struct profile_fill *s, uint32_t counter)
{
	const struct counters *c = &s->shared->counters;
	const struct memory_object *object = counters_object(c, counter);

	if (!object)
		return profile_add_counter(s->profile, c->names.name[counter], COUNTER_EVENT);
	return profile_add_memory(s->profile, c->memory[counter].number,
				  profile_add_object(s->profile, object));
}

static uint32_t profile_fill_counter(struct profile_fill *s, uint32_t counter)
{
	const struct names *names = &s->shared->counters.names;

	if (counter >= s->counter_n) {
		s->counter = mem_resize(s->counter, names->name_n, sizeof(*s->counter));
		memset(s->counter + s->counter_n, 0xff,
		       (names->name_n - s->counter_n) * sizeof(*s->counter));
		s->counter_n = names->name_n;
	}
	if (s->counter[counter] == UINT32_MAX)
		s->counter[counter] = new_counter(s, counter);
	return s->counter[counter];
}

static int row_empty(const struct callstack_row *r)
{
	return !r->calls && !r->subrs && !r->excl && !r->incl;
}

/* The values of a metric in the row of a region or path; NULL: it has none. */
static const struct callstack_row *metric_row(const struct metrics_tally *t, uint32_t i, int path)
{
	if (path)
		return i < t->path_row_n ? &t->path_row[i] : NULL;
	return &t->row[i];
}

/* Is the row of a region or path empty, for time and for all metrics? */
static int all_empty(const struct profile_fill *s, const struct callstack_row *time,
		     const struct metrics_tally *metric, uint32_t i, int path)
{
	for (size_t k = 0; k < s->shared->trace->metric_n; k++) {
		const struct callstack_row *r = metric_row(&metric[k], i, path);

		if (s->column[k] && r && (r->incl || r->excl))
			return 0;
	}
	return !time || row_empty(time);
}

static void fill_metrics(struct profile_fill *s, uint32_t thread,
			 const struct metrics_tally *metric, uint32_t i, int path)
{
	const struct trace *t = s->shared->trace;
	struct profile_thread *to = &s->profile->thread[thread];
	const struct profile_row *row = &to->row[to->row_n - 1];

	for (size_t k = 0; k < t->metric_n; k++) {
		const struct callstack_row *from = metric_row(&metric[k], i, path);

		if (!from || !s->column[k])
			continue;
		profile_incl(to, row)[s->column[k]] = (double)from->incl / t->metric[k].divide;
		profile_excl(s->profile, to, row)[s->column[k]] =
			(double)from->excl / t->metric[k].divide;
	}
}

static void fill_row(struct profile *p, uint32_t thread, uint32_t path,
		     const struct callstack_row *r)
{
	struct profile_row *row = profile_add_row(p, thread, path);

	if (!r)
		return;
	row->calls = (double)r->calls;
	row->subrs = (double)r->subrs;
	*profile_incl(&p->thread[thread], row) = (double)r->incl / 1000;
	*profile_excl(p, &p->thread[thread], row) = (double)r->excl / 1000;
}

/* A time in us without its cost in ps, and not below 0. */
static double us_without(int64_t ns, int64_t cost)
{
	__int128 ps = (__int128)ns * 1000 - cost;

	return ps > 0 ? (double)ps / 1e6 : 0;
}

/* The limits of the last row's times without the cost of recording. */
static void fill_limits(struct profile_fill *s, uint32_t thread, const struct tally *tally,
			const struct callstack_row *time, uint32_t i, int path)
{
	struct profile_thread *to = &s->profile->thread[thread];
	const struct profile_row *row = &to->row[to->row_n - 1];

	for (int k = 0; s->shared->compensate && time && k < COMPENSATOR_LIMITS; k++) {
		const struct cost_rows *c = &tally->cost[COMPENSATOR_LIMITS - 1 - k];
		const struct callstack_row *cost = !path ? c->row ? &c->row[i] : NULL
						   : i < c->path_row_n ? &c->path_row[i]
								       : NULL;

		profile_incl(to, row)[s->limit + (size_t)k] =
			us_without(time->incl, cost ? cost->incl : 0);
		profile_excl(s->profile, to, row)[s->limit + (size_t)k] =
			us_without(time->excl, cost ? cost->excl : 0);
	}
}

/*
 * By column of the profile: the sums of squares by region, or by path if paths are kept. NULL:
 * there are none.
 */
struct square_sums {
	double scale;		/* square of (profile unit / unit of the metric's values) */
	square *region;
	const struct squares_rows *path;
};

static void sums_make(const struct profile_fill *s, struct square_sums *x, double scale,
		      const struct squares_rows *rows)
{
	const struct callstack_paths *paths = &s->shared->paths;
	size_t n = s->shared->trace->region_n + 1;

	*x = (struct square_sums){scale, mem_alloc(n * sizeof(*x->region)), rows};
	/* path 0 is the empty one */
	n = paths->depth ? paths->v_n : n;
	for (size_t i = paths->depth != 0; i < rows->v_n && i < n; i++)
		square_add(&x->region[paths->depth ? paths->v[i].region : i], rows->v[i]);
}

static struct square_sums *squares_make(const struct profile_fill *s, const struct tally *tally,
					const struct metrics_tally *metric)
{
	const struct trace *t = s->shared->trace;
	struct square_sums *x;

	if (!tally->squares)
		return NULL;
	x = mem_alloc(s->profile->metric_n * sizeof(*x));
	sums_make(s, &x[0], 1e6, tally->squares);
	for (size_t k = 0; k < t->metric_n; k++)
		if (s->column[k] && !x[s->column[k]].region)
			sums_make(s, &x[s->column[k]],
				  (double)t->metric[k].divide * t->metric[k].divide,
				  metric[k].squares);
	return x;
}

static void squares_free(const struct profile_fill *s, struct square_sums *x)
{
	for (size_t i = 0; x && i < s->profile->metric_n; i++)
		free(x[i].region);
	free(x);
}

/* Adds the squares of the last row, which is that of a region or path. */
static void fill_squares(struct profile_fill *s, uint32_t thread, const struct square_sums *x,
			 uint32_t i, int path)
{
	struct profile_thread *to = &s->profile->thread[thread];

	for (size_t k = 0; x && k < s->profile->metric_n; k++) {
		const struct squares_rows *r = x[k].path;
		square v = path ? i < r->v_n ? r->v[i] : 0 : x[k].region[i];

		if (v != SQUARE_UNKNOWN)
			profile_squares(to, &to->row[to->row_n - 1])[k] = (double)v / x[k].scale;
	}
}

static void fill_sample(struct profile_fill *s, uint32_t thread, const struct sample *x)
{
	uint32_t counter = profile_fill_counter(s, x->counter);
	uint32_t path = x->path ? profile_fill_path(s, x->path) : PROFILE_FLAT;
	struct profile_sample *to = profile_add_sample(s->profile, thread, counter, path);

	to->n = (double)x->n;
	to->max = x->max;
	to->min = x->min;
	to->mean = exact_value(&x->sum) / (double)x->n;
	to->sumsq = exact_value(&x->sumsq);
}

/*
 * A profile of a window contains a thread if something happened on it in the window; a profile of
 * the whole run contains every thread, unless the trace was cut from a longer one.
 */
static int tally_empty(const struct profile_fill *s, const struct tally *t,
		       const struct metrics_tally *metric)
{
	for (uint32_t i = 0; i <= s->shared->trace->region_n; i++)
		if (!all_empty(s, &t->row[i], metric, i, 0))
			return 0;
	for (size_t i = 0; i < t->samples.v_n; i++)
		if (t->samples.v[i].n)
			return 0;
	return stacks_empty(&t->stacks);
}

/* Does the path have a row? In a flat profile, only that of a region of the recorder has one. */
static int path_counts(const struct profile_fill *s, uint32_t path)
{
	const struct callstack_path *v = &s->shared->paths.v[path];

	return v->length > 1 && (!s->recorder || s->recorder[v->region]);
}

/* Adds the rows of call paths; a path of one region is the region's own row. */
static void fill_paths(struct profile_fill *s, uint32_t thread, const struct tally *tally,
		       const struct metrics_tally *metric, const struct square_sums *squares)
{
	const size_t metric_n = s->shared->trace->metric_n;
	size_t n = tally->path_row_n;

	for (size_t k = 0; k < metric_n; k++)
		n = metric[k].path_row_n > n ? metric[k].path_row_n : n;
	for (uint32_t i = 0; i < n; i++) {
		const struct callstack_row *row =
			i < tally->path_row_n ? &tally->path_row[i] : NULL;

		if (all_empty(s, row, metric, i, 1) || !path_counts(s, i))
			continue;
		fill_row(s->profile, thread, profile_fill_path(s, i), row);
		fill_limits(s, thread, tally, row, i, 1);
		fill_metrics(s, thread, metric, i, 1);
		fill_squares(s, thread, squares, i, 1);
	}
}

/* The path of a context, for stacks_fill(). */
static uint32_t context_path(void *to, uint32_t number)
{
	struct profile_fill *s = to;

	if (s->shared->paths.depth && !s->shared->flat)
		return profile_fill_path(s, number);
	if (s->shared->paths.depth)
		number = s->shared->paths.v[number].region;
	profile_fill_timer(s, number);
	return s->flat[number];
}

static void meta_us(struct profile *p, uint32_t thread, const char *name, int64_t ps)
{
	char text[40];

	snprintf(text, sizeof(text), "%.3f", (double)ps / 1e6);
	profile_set_meta(p, thread, name, text);
}

/* No recording is in the times of samples, which are in the rows from `first` on. */
static void fill_sampled_limits(struct profile_fill *s, uint32_t thread, size_t first)
{
	struct profile_thread *to = &s->profile->thread[thread];

	for (size_t i = first; i < to->row_n; i++) {
		double *incl = profile_incl(to, &to->row[i]),
		       *excl = profile_excl(s->profile, to, &to->row[i]);

		for (size_t k = 0; k < COMPENSATOR_LIMITS; k++) {
			incl[s->limit + k] = incl[0];
			excl[s->limit + k] = excl[0];
		}
	}
}

/* The time of the thread in which it recorded. */
static void fill_recording(struct profile_fill *s, uint32_t thread, const struct tally *tally)
{
	static const char *const name[] = {TAU_META_RECORDING_LEAST_US, TAU_META_RECORDING_MOST_US};
	size_t root = s->shared->trace->region_n;

	for (int k = 0; k < COMPENSATOR_LIMITS; k++)
		if (tally->cost[k].row)
			meta_us(s->profile, thread, name[k], tally->cost[k].row[root].incl);
}

void profile_fill_stream(struct profile_fill *s, uint32_t stream, const struct tally *tally,
			 const struct metrics_tally *metric)
{
	const struct trace *t = s->shared->trace;
	const struct trace_stream *x = &t->stream[stream];
	struct square_sums *squares;
	size_t measured;
	uint32_t thread;

	if ((!s->all || tally->cut) && tally_empty(s, tally, metric))
		return;
	/* The player numbers paths anew for each group of streams. */
	s->path = mem_resize(NULL, s->shared->paths.v_n, sizeof(*s->path));
	memset(s->path, 0xff, s->shared->paths.v_n * sizeof(*s->path));
	s->before = s->profile->path_n;
	thread = profile_add_thread(s->profile, t->process[x->process].node, 0, (int32_t)x->thread);
	squares = squares_make(s, tally, metric);
	for (uint32_t i = 0; i <= t->region_n; i++) {
		if (all_empty(s, &tally->row[i], metric, i, 0))
			continue;
		profile_fill_timer(s, i);
		fill_row(s->profile, thread, s->flat[i], &tally->row[i]);
		fill_limits(s, thread, tally, &tally->row[i], i, 0);
		fill_metrics(s, thread, metric, i, 0);
		fill_squares(s, thread, squares, i, 0);
	}
	fill_paths(s, thread, tally, metric, squares);
	squares_free(s, squares);
	profile_reserve_samples(s->profile, thread, tally->samples.v_n);
	for (size_t i = 0; i < tally->samples.v_n; i++)
		if (tally->samples.v[i].n)
			fill_sample(s, thread, &tally->samples.v[i]);
	s->before = SIZE_MAX;
	measured = s->profile->thread[thread].row_n;
	stacks_fill(&tally->stacks, &s->shared->tree, s->places, s->profile, thread, context_path,
		    s);
	if (s->shared->compensate)
		fill_sampled_limits(s, thread, measured);
	free(s->path);
	s->path = NULL;
	if (s->shared->compensate)
		fill_recording(s, thread, tally);
	if (x->label)
		profile_set_meta(s->profile, thread, TAU_META_THREAD_NAME, x->label);
	if (x->device)
		profile_set_meta(s->profile, thread, TAU_META_DEVICE_QUEUE, "yes");
	if (x->values)
		profile_set_meta(s->profile, thread, TAU_META_VALUES_ONLY, "yes");
	if (t->process[x->process].no_pe)
		profile_set_meta(s->profile, thread, TAU_META_NOT_A_PE, "yes");
}

/* The counters of a row of live memory. Their names are made once, not for each process. */
static const struct fill_level *level_counters(struct profile_fill *s, size_t row)
{
	const struct memory_objects *all = &s->shared->counters.level;
	struct fill_level *c;
	uint32_t object;

	if (row >= s->level_n) {
		s->level = mem_resize(s->level, all->v_n, sizeof(*s->level));
		memset(s->level + s->level_n, 0xff, (all->v_n - s->level_n) * sizeof(*s->level));
		s->level_n = all->v_n;
	}
	c = &s->level[row];
	if (c->live != UINT32_MAX)
		return c;
	object = profile_add_object(s->profile, &all->v[row]);
	c->live = profile_add_memory(s->profile, NUMBER_LIVE, object);
	c->live_objects = profile_add_memory(s->profile, NUMBER_LIVE_OBJECTS, object);
	c->peak = profile_add_memory(s->profile, NUMBER_PEAK, object);
	c->peak_objects = profile_add_memory(s->profile, NUMBER_PEAK_OBJECTS, object);
	return c;
}

static void fill_level(struct profile_fill *s, uint32_t thread, uint32_t counter, int64_t value)
{
	struct profile_sample *x = profile_add_sample(s->profile, thread, counter, PROFILE_FLAT);

	x->n = 1;
	x->max = x->min = x->mean = (double)value;
	x->sumsq = (double)value * (double)value;
}

enum { LEVEL_NUMBERS = 4 }; /* live and peak, bytes and blocks */

static int level_is(const struct level *a, const struct level *b)
{
	return a->bytes == b->bytes && a->blocks == b->blocks;
}

void profile_fill_levels(struct profile_fill *s, size_t w, uint32_t process,
			 const struct live_memory *l)
{
	const struct level *now = &l->window_now[w * l->row_n],
			   *peak = &l->window_peak[w * l->row_n],
			   *base = &l->window_base[w * l->row_n];
	const struct fill_level *c;
	uint32_t thread = UINT32_MAX;

	for (size_t i = 0; i < l->row_n; i++) {
		if (!now[i].bytes && !now[i].blocks && !peak[i].bytes && !peak[i].blocks)
			continue;
		if (s->series && i && level_is(&now[i], &base[i]) && level_is(&peak[i], &base[i]))
			continue;
		if (thread == UINT32_MAX) {
			thread = profile_add_thread(
				s->profile, s->shared->trace->process[process].node, 0, 0);
			/* most rows of a window of a series do not change */
			profile_reserve_samples(s->profile, thread,
						s->series ? 0 : LEVEL_NUMBERS * l->row_n);
		}
		c = level_counters(s, i);
		fill_level(s, thread, c->live, now[i].bytes);
		fill_level(s, thread, c->live_objects, now[i].blocks);
		fill_level(s, thread, c->peak, peak[i].bytes);
		fill_level(s, thread, c->peak_objects, peak[i].blocks);
	}
}
