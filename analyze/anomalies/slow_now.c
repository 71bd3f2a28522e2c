/* slow_now.c: compares each instance with those before it. */
#include "analyze/anomalies/slow_now.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/anomalies/robust.h"
#include "analyze/trace/region_work.h"

#define LEAST_S 0.05
#define USUAL   20 /* 1 of so many is above q */

struct slow_now_series { /* a region in a thread */
	uint32_t region;
	int32_t node;
	uint32_t thread, active;
	uint64_t n;
	double last[SLOW_NOW_KEPT]; /* logs; a ring */
	uint64_t judged_at;         /* n when the next four were computed */
	double median, usual, s, limit;
	double block; /* median of the last whole block; NaN: there is none */
	int behind;
};

struct frame {
	uint32_t series; /* MAP_NONE: no useful work, or inside itself */
	int useful;
	int64_t enter;
	double outside; /* ns of it that are not its own */
};

struct slow_now_thread {
	struct frame *frame;
	size_t frame_n, frame_cap;
};

/* ---- what is known ---- */

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

static uint32_t series_of(struct slow_now *s, int32_t node, uint32_t thread, const char *region)
{
	size_t name = names_add(&s->region, region, strlen(region));
	/* Numbers of threads and ranks that do not fit share a series. */
	uint64_t key = (uint64_t)name << 40 | ((uint64_t)(uint32_t)node & 0xffffff) << 16 |
		       (thread & 0xffff);
	uint32_t at = map_get(&s->series_at, key);

	if (at == MAP_NONE) {
		at = (uint32_t)s->series_n;
		*array_add(s, series) = (struct slow_now_series){
			.region = (uint32_t)name, .node = node, .thread = thread, .block = NAN};
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

/* Median of the blocks of this region over all ranks, as a log; NaN: there are too few. */
static double blocks_median(const struct slow_now *s, uint32_t region)
{
	double *v = mem_alloc((s->series_n + 1) * sizeof(*v)), median = NAN;
	size_t n = 0;

	for (size_t i = 0; i < s->series_n; i++)
		if (s->series[i].region == region && !s->series[i].thread &&
		    !isnan(s->series[i].block))
			v[n++] = s->series[i].block;
	if (n >= 3)
		median = robust_median(v, n);
	free(v);
	return median;
}

/* A block is complete. 1: the rank has fallen behind. */
static int is_behind(struct slow_now *s, struct slow_now_series *x, double *typical)
{
	double v[SLOW_NOW_BLOCK], noise;
	int was = x->behind;

	for (size_t i = 0; i < SLOW_NOW_BLOCK; i++)
		v[i] = x->last[(x->n - 1 - i) % SLOW_NOW_KEPT];
	x->block = robust_median(v, SLOW_NOW_BLOCK);
	for (size_t i = 0; i < SLOW_NOW_BLOCK; i++)
		v[i] = fabs(v[i] - x->block);
	noise = robust_deviation(robust_median(v, SLOW_NOW_BLOCK), SLOW_NOW_BLOCK) * 1.2533 /
		sqrt(SLOW_NOW_BLOCK);
	*typical = blocks_median(s, x->region);
	x->behind =
		x->block - *typical > fmax(log(SLOW_NOW_BEHIND),
					   robust_limit(SLOW_NOW_BLOCK, SLOW_NOW_TESTS) * noise) &&
		(exp(x->block) - exp(*typical)) * SLOW_NOW_BLOCK >= s->least;
	return x->behind && !was;
}

/* ---- events ---- */

void slow_now_enter(struct slow_now *s, int32_t node, uint32_t thread, const char *region,
		    const char *groups, int64_t time)
{
	struct slow_now_thread *t = thread_of(s, node, thread);
	struct frame f = {MAP_NONE, region_work_useful(region_work_of(region, groups)), time, 0};

	if (f.useful) {
		f.series = series_of(s, node, thread, region);
		if (s->series[f.series].active++)
			f.series = MAP_NONE;
	}
	*array_add(t, frame) = f;
}

static int instance_end(struct slow_now *s, struct slow_now_series *x, const struct frame *f,
			double own, struct slow_now_alarm *out)
{
	double typical;
	int n = 0;

	if (own < 1)
		own = 1;
	if (is_slow(s, x, own)) {
		out[n++] = (struct slow_now_alarm){
			s->region.name[x->region], 0, x->n + 1, f->enter, own, exp(x->median)};
		x->judged_at = 0; /* soon it is usual, if it happens again and again */
	}
	x->last[x->n++ % SLOW_NOW_KEPT] = log(own);
	if (!x->thread && x->n % SLOW_NOW_BLOCK == 0 && is_behind(s, x, &typical))
		out[n++] = (struct slow_now_alarm){
			s->region.name[x->region], 1, x->n, f->enter, exp(x->block), exp(typical)};
	s->alarms += (uint64_t)n;
	return n;
}

int slow_now_leave(struct slow_now *s, int32_t node, uint32_t thread, int64_t time,
		   struct slow_now_alarm out[2])
{
	struct slow_now_thread *t = thread_of(s, node, thread);
	struct frame f, none = {0}, *above;
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
		/* What is around it is not slow for the same reason. */
		if (n && !out[0].behind)
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
	free(s->series);
	names_release(&s->region);
	map_release(&s->series_at);
	map_release(&s->thread_at);
}
