/* loop_times.c: chooses the regions whose iterations are tested for anomalies. */
#include "analyze/anomalies/loop_times.h"

#include <math.h>
#include <string.h>

#define LEAST 10	/* instances */
#define LIKE  4.0	/* factor: longer iterations are of one kind, on a busy machine, too */
#define ALIKE 2.0	/* factor: iterations are alike */
#define RARE  0.1	/* of the time, in iterations that are longer than the others */
#define USUAL 0.1	/* of the time, in those that are not longer */
#define SPAN  0.75	/* of the useful time of the series that has most */

/*
 * Is most time in iterations that are like the others, apart from the longest ones? If the few others
 * take much of it, the program's loop is another one, which has them inside. If the longest ones take
 * nearly all of it, they are the program, which calls the region before and after.
 */
static int is_loop(const struct instance_series *s, double upper)
{
	double limit = upper + log(ALIKE), above = instance_time_above(s, limit);
	double all = (double)s->own;

	for (size_t i = 0; i < s->longest_n; i++)
		if (log((double)s->longest[i].own) >= limit) {
			above -= (double)s->longest[i].own;
			all -= (double)s->longest[i].own;
		}
	return above <= RARE * all && all >= USUAL * (double)s->own;
}

static enum loop_grade grade_of(const struct instance_series *s)
{
	double n = (double)s->n, upper, fifth, middle;

	if (!s->loop || s->n < LEAST)
		return LOOP_UNFIT;
	upper = instance_exceeded(s, fmax(1, floor(n / 20)));
	fifth = instance_exceeded(s, floor(n / 5));
	middle = instance_exceeded(s, n / 2);
	if (upper - fifth > log(LIKE) || !is_loop(s, upper))
		return LOOP_UNFIT;
	return upper - middle > log(ALIKE) ? LOOP_REGULAR : LOOP_EVEN;
}

/* What the open streams have of a region. */
struct loop_grades {
	size_t grade[LOOP_EVEN + 1];	/* number of streams */
	uint64_t n;		/* iterations in these */
};

static int is_better(const struct loop_grades *a, const struct loop_grades *b)
{
	if (a->grade[LOOP_EVEN] != b->grade[LOOP_EVEN])
		return a->grade[LOOP_EVEN] > b->grade[LOOP_EVEN];
	if (a->grade[LOOP_REGULAR] != b->grade[LOOP_REGULAR])
		return a->grade[LOOP_REGULAR] > b->grade[LOOP_REGULAR];
	return a->n > b->n;
}

/* Streams in which iterations are needed. */
static char *streams_open(const struct instance_times *x)
{
	char *open = mem_alloc(x->m->trace->stream_n + 1);

	memset(open, 1, x->m->trace->stream_n);
	for (size_t i = 0; i < x->v_n; i++)
		if (!x->v[i].loop && x->v[i].n >= LEAST)
			open[x->v[i].stream] = 0;
	return open;
}

/* The grade of each series, without those that have little of the useful time of their stream. */
static char *grades_make(const struct instance_times *x)
{
	char *grade = mem_alloc(x->v_n + 1);
	int64_t *most = mem_alloc((x->m->trace->stream_n + 1) * sizeof(*most));

	for (size_t i = 0; i < x->v_n; i++) {
		const struct instance_series *s = &x->v[i];

		grade[i] = (char)grade_of(s);
		if (grade[i] && s->own > most[s->stream])
			most[s->stream] = s->own;
	}
	for (size_t i = 0; i < x->v_n; i++)
		if ((double)x->v[i].own < SPAN * (double)most[x->v[i].stream])
			grade[i] = LOOP_UNFIT;
	free(most);
	return grade;
}

/* The best region for the open streams; TRACE_NONE: there is none. */
static uint32_t best_of(const struct instance_times *x, const char *grade, const char *open,
			struct loop_grades *c)
{
	uint32_t best = TRACE_NONE;

	memset(c, 0, x->m->trace->region_n * sizeof(*c));
	for (size_t i = 0; i < x->v_n; i++) {
		struct loop_grades *to = &c[x->v[i].region];

		if (!grade[i] || !open[x->v[i].stream])
			continue;
		to->grade[(size_t)grade[i]]++;
		to->n += x->v[i].n;
	}
	for (size_t i = 0; i < x->v_n; i++) {
		uint32_t region = x->v[i].region;

		if (grade[i] && c[region].n &&
		    (best == TRACE_NONE || is_better(&c[region], &c[best])))
			best = region;
	}
	return best;
}

void loop_times_choose(struct instance_times *x)
{
	char *open = streams_open(x), *grade = grades_make(x);
	struct loop_grades *c = mem_alloc((x->m->trace->region_n + 1) * sizeof(*c));
	uint32_t region;

	while ((region = best_of(x, grade, open, c)) != TRACE_NONE)
		for (size_t i = 0; i < x->v_n; i++) {
			struct instance_series *s = &x->v[i];

			if (s->region != region || !grade[i] || !open[s->stream])
				continue;
			s->tested = grade[i];
			open[s->stream] = 0;
		}
	free(c);
	free(grade);
	free(open);
}

double loop_times_useful(const struct instance_times *x)
{
	struct useful {
		int64_t regions, loop;
	} *of = mem_alloc((x->m->trace->stream_n + 1) * sizeof(*of));
	double all = 0;

	for (size_t i = 0; i < x->v_n; i++) {
		struct useful *u = &of[x->v[i].stream];

		u->regions += x->v[i].exclusive;
		if (x->v[i].tested && x->v[i].own > u->loop)
			u->loop = x->v[i].own;
	}
	for (size_t i = 0; i < x->m->trace->stream_n; i++)
		all += (double)(of[i].regions > of[i].loop ? of[i].regions : of[i].loop);
	free(of);
	return all;
}
