/* slow_now.c: compares each instance with the ones before it. */
#include "analyze/anomalies/slow_now.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/anomalies/robust.h"
#include "analyze/trace/region_work.h"

#define LEAST_S 0.05
#define USUAL   20 /* q: only 1 instance of this number is above it */

struct slow_now_region {
	int useful;
	uint32_t *block; /* series of the threads 0 that have a block */
	size_t block_n, block_cap;
};

struct slow_now_series { /* a region in a thread */
	uint32_t region;
	int32_t node;
	uint32_t thread, active;
	uint64_t n;
	double *last; /* logarithms: a ring of SLOW_NOW_KEPT, or its first part */
	size_t last_n, last_cap;
	uint64_t judged_at;         /* n when the next four fields were computed */
	double median, usual, s, limit;
	double block, noise; /* median of the last whole block, and its standard error; NaN:
			      * there is no whole block */
	int compared; /* the block has been compared with those of other ranks */
	int late;
};

struct slow_frame {
	uint32_t series; /* MAP_NONE: not useful work, or the region is inside itself */
	int useful;
	int64_t enter;
	double outside; /* ns inside it that are not its own time */
};

struct slow_now_thread {
	struct slow_frame *frame;
	size_t frame_n, frame_cap;
};

/* ---- usual times ---- */

static struct slow_now_thread *thread_of(struct slow_now *s, int32_t node, uint32_t thread)
{
	uint64_t key = (uint64_t)(uint32_t)node << 32 | thread;
	uint32_t at = map_get(&s->thread_at, key);

	if (at == MAP_NONE) {
		at = (uint32_t)s->thread_n;
		*array_add(s, thread) = (struct slow_now_thread){0};
		map_set(&s->thread_at, key, at);
	}
	return &s->thread[at];
}

static uint32_t region_of(struct slow_now *s, const char *region, const char *groups)
{
	size_t name = names_add(&s->name, region, strlen(region));

	if (name == s->region_n)
		*array_add(s, region) = (struct slow_now_region){
			.useful = region_work_useful(region_work_of(region, groups))};
	return (uint32_t)name;
}

static uint32_t series_of(struct slow_now *s, int32_t node, uint32_t thread, uint32_t region)
{
	uint64_t key = (uint64_t)(thread_of(s, node, thread) - s->thread) << 32 | region;
	uint32_t at = map_get(&s->series_at, key);

	if (at == MAP_NONE) {
		at = (uint32_t)s->series_n;
		*array_add(s, series) = (struct slow_now_series){
			.region = region, .node = node, .thread = thread, .block = NAN};
		map_set(&s->series_at, key, at);
	}
	return at;
}

/* ---- instances ---- */

static void judge_set(struct slow_now_series *x)
{
	size_t n = x->n < SLOW_NOW_KEPT ? (size_t)x->n : SLOW_NOW_KEPT;
	double v[SLOW_NOW_KEPT];

	memcpy(v, x->last, n * sizeof(*v));
	x->median = robust_median(v, n);
	x->usual = v[n - 1 - n / USUAL];
	for (size_t i = 0; i < n; i++)
		v[i] = fabs(v[i] - x->median);
	x->s = robust_deviation(robust_median(v, n), n);
	if (x->s < LEAST_S)
		x->s = LEAST_S;
	if (n < SLOW_NOW_KEPT || x->judged_at < SLOW_NOW_KEPT)
		x->limit = robust_limit(n, SLOW_NOW_TESTS);
	x->judged_at = x->n;
}

static int is_slow(struct slow_now *s, struct slow_now_series *x, double own)
{
	if (x->n < SLOW_NOW_LEAST)
		return 0;
	if (!x->judged_at ||
	    x->n >= x->judged_at +
			    (x->judged_at < SLOW_NOW_KEPT ? x->judged_at : SLOW_NOW_KEPT) / 8)
		judge_set(x);
	s->instances++;
	return log(own) > fmax(x->median, x->usual) + x->limit * x->s &&
	       own - exp(x->median) >= s->least;
}

/* ---- ranks ---- */

static void block_end(struct slow_now *s, struct slow_now_series *x)
{
	struct slow_now_region *r = &s->region[x->region];
	double v[SLOW_NOW_BLOCK];

	if (isnan(x->block))
		*array_add(r, block) = (uint32_t)(x - s->series);
	for (size_t i = 0; i < SLOW_NOW_BLOCK; i++)
		v[i] = x->last[(x->n - 1 - i) % SLOW_NOW_KEPT];
	x->block = robust_median(v, SLOW_NOW_BLOCK);
	for (size_t i = 0; i < SLOW_NOW_BLOCK; i++)
		v[i] = fabs(v[i] - x->block);
	x->noise = robust_deviation(robust_median(v, SLOW_NOW_BLOCK), SLOW_NOW_BLOCK) * 1.2533 /
		   sqrt(SLOW_NOW_BLOCK);
	x->compared = 0;
}

/* Is the rank late now, and was not at the last comparison? */
static int becomes_late(const struct slow_now *s, struct slow_now_series *x, double typical)
{
	int was = x->late;

	x->compared = 1;
	x->late = x->block - typical >
			    fmax(log(SLOW_NOW_BEHIND),
				 robust_limit(SLOW_NOW_BLOCK, SLOW_NOW_TESTS) * x->noise) &&
		    (exp(x->block) - exp(typical)) * SLOW_NOW_BLOCK >= s->least;
	return x->late && !was;
}

/*
 * Compares the blocks of a region that have not been compared yet. Returns the number of alarms, at
 * most `most`.
 */
static int ranks_compare(struct slow_now *s, uint32_t region, int64_t begin,
			 struct slow_now_alarm *out, int most)
{
	const struct slow_now_region *r = &s->region[region];
	double *v, typical;
	int n = 0;

	if (r->block_n < 3)
		return 0;
	v = mem_alloc(r->block_n * sizeof(*v));
	for (size_t i = 0; i < r->block_n; i++)
		v[i] = s->series[r->block[i]].block;
	typical = robust_median(v, r->block_n);
	free(v);
	for (size_t i = 0; i < r->block_n && n < most; i++) {
		struct slow_now_series *x = &s->series[r->block[i]];

		if (!x->compared && becomes_late(s, x, typical))
			out[n++] = (struct slow_now_alarm){
				s->name.name[region], x->node, 1, x->n, begin, exp(x->block),
				exp(typical)};
	}
	return n;
}

/* ---- events ---- */

void slow_now_enter(struct slow_now *s, int32_t node, uint32_t thread, const char *region,
		    const char *groups, int64_t time, int open)
{
	uint32_t name = region_of(s, region, groups);
	struct slow_frame f = {MAP_NONE, s->region[name].useful, time, 0};
	struct slow_now_thread *t;

	if (f.useful && !open) {
		f.series = series_of(s, node, thread, name);
		if (s->series[f.series].active++)
			f.series = MAP_NONE;
	}
	t = thread_of(s, node, thread);
	*array_add(t, frame) = f;
}

static int instance_end(struct slow_now *s, struct slow_now_series *x, const struct slow_frame *f,
			double own, struct slow_now_alarm *out)
{
	int n = 0;

	if (own < 1)
		own = 1;
	if (is_slow(s, x, own)) {
		out[n++] = (struct slow_now_alarm){
			s->name.name[x->region], x->node, 0, x->n + 1, f->enter, own,
			exp(x->median)};
		x->judged_at = 0; /* compute again soon: a time that repeats becomes usual */
	}
	if (x->last_n < SLOW_NOW_KEPT)
		*array_add(x, last) = log(own);
	else
		x->last[x->n % SLOW_NOW_KEPT] = log(own);
	x->n++;
	if (!x->thread && x->n % SLOW_NOW_BLOCK == 0) {
		block_end(s, x);
		n += ranks_compare(s, x->region, f->enter, out + n, SLOW_NOW_ALARMS - n);
	}
	s->alarms += (uint64_t)n;
	return n;
}

int slow_now_leave(struct slow_now *s, int32_t node, uint32_t thread, int64_t time,
		   struct slow_now_alarm out[SLOW_NOW_ALARMS])
{
	struct slow_now_thread *t = thread_of(s, node, thread);
	struct slow_frame f, none = {0}, *above;
	double length, away;
	int n = 0;

	if (!t->frame_n)
		return 0;
	f = t->frame[--t->frame_n];
	above = t->frame_n ? &t->frame[t->frame_n - 1] : &none;
	length = (double)(time - f.enter);
	away = f.useful ? f.outside : length;
	if (f.series != MAP_NONE) {
		struct slow_now_series *x = &s->series[f.series];

		x->active = 0;
		n = instance_end(s, x, &f, length - f.outside, out);
		/* The enclosing instances are not slow for the same reason. */
		if (n && !out[0].rank_late)
			away += out[0].own - out[0].typical;
	}
	above->outside += away;
	return n;
}

void slow_now_release(struct slow_now *s)
{
	for (size_t i = 0; i < s->thread_n; i++)
		free(s->thread[i].frame);
	free(s->thread);
	for (size_t i = 0; i < s->series_n; i++)
		free(s->series[i].last);
	free(s->series);
	for (size_t i = 0; i < s->region_n; i++)
		free(s->region[i].block);
	free(s->region);
	names_release(&s->name);
	map_release(&s->series_at);
	map_release(&s->thread_at);
}
