/* overview_choose.c: which findings an overview shows, and in which order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/report/overview/overview.h"

#define FINDINGS  5
#define CULPRITS  3   /* these have causes of their own, and so count like different topics */
#define UNUSUAL   0.1  /* per cent of the time that an anomaly must cost: it passed a test */
#define EXPLAINED 0.1 /* of the weight that a finding has if waits for processors explain it */
#define REST      10.0 /* below it, what waits do not explain comes later */

/* By weight, the largest first; what has none comes after all that has one. */
static int dearest(const void *va, const void *vb)
{
	const struct overview_fact *a = va, *b = vb;

	if ((a->topic == TOPIC_HANG) != (b->topic == TOPIC_HANG))
		return a->topic == TOPIC_HANG ? -1 : 1;
	if (isnan(a->weight) != isnan(b->weight))
		return isnan(a->weight) ? 1 : -1;
	if (!isnan(a->weight) && a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	if ((a->unit == UNIT_TIME) != (b->unit == UNIT_TIME))
		return a->unit == UNIT_TIME ? -1 : 1;
	if (a->value != b->value)
		return a->value > b->value ? -1 : 1;
	return strcmp(a->item, b->item);
}

static int is_due(const struct overview_fact *f)
{
	return f->unit != UNIT_TIME ||
	       f->share >= (f->topic >= TOPIC_ANOMALY ? UNUSUAL : OVERVIEW_LEAST);
}

/* Is it what waits do not explain of messages or of threads, or what culprits do not? */
static int is_rest(const struct overview_fact *f)
{
	return f->topic == TOPIC_WAIT_REST || f->topic == TOPIC_WORK + WORK_MESSAGES ||
	       f->topic == TOPIC_WORK + WORK_THREADS;
}

/*
 * 0: shown in any case, as is memory; otherwise 1 and how many findings of the same topic cost more,
 * and one more for a small rest. Those without a topic come after all that have one.
 */
static size_t place_of(const struct overview *x, size_t at)
{
	size_t n = 1 + (is_rest(&x->finding[at]) && x->finding[at].share < REST), same = 0;

	if (x->finding[at].unit != UNIT_TIME)
		return 0;
	if (x->finding[at].topic <= TOPIC_CONDITION)
		return SIZE_MAX;
	for (size_t i = 0; i < at; i++)
		same += x->finding[i].topic == x->finding[at].topic;
	if (x->finding[at].topic == TOPIC_CULPRIT)
		same = same < CULPRITS ? 0 : same + 1 - CULPRITS;
	return n + same;
}

/* The most expensive finding, if it has no topic: it is shown beside the others. */
static int is_above(const struct overview *x, size_t at)
{
	return at == 0 && x->finding[0].topic <= TOPIC_CONDITION && x->finding[0].unit == UNIT_TIME;
}

/* Is a finding among those that are shown? The most expensive of each topic is shown first. */
static int is_chosen(const struct overview *x, const size_t *place, size_t at)
{
	size_t before = 0;

	for (size_t i = 0; i < x->finding_n; i++)
		before += is_due(&x->finding[i]) && !is_above(x, i) &&
			  (place[i] < place[at] || (place[i] == place[at] && i < at));
	return is_due(&x->finding[at]) && (is_above(x, at) || before < FINDINGS);
}

static int is_condition(const struct overview_fact *f)
{
	return f->topic == TOPIC_CONDITION && is_due(f) && !(f->share < OVERVIEW_LEAST);
}

static int has_topic(const struct overview *x)
{
	int has = 0;

	for (size_t i = 0; i < x->finding_n && !has; i++)
		has = x->finding[i].topic > TOPIC_ASLEEP && is_due(&x->finding[i]) &&
		      !(x->finding[i].share < OVERVIEW_LEAST);
	return has;
}

/*
 * Beside findings about the program, conditions of the run are facts: they make findings more
 * expensive, and explain none of them.
 */
static void conditions_apart(struct overview *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->finding_n; i++) {
		struct overview_fact f = x->finding[i];

		if (!is_condition(&f)) {
			x->finding[n++] = f;
			continue;
		}
		f.section = SECTION_CONDITIONS;
		f.nth = x->fact_n;
		*array_add(x, fact) = f;
	}
	x->finding_n = n;
}

/*
 * Threads that wait for a processor are late, by turns, and slow in calls that exchange messages: waits for processors that took
 * as long explain most of such findings.
 */
static void explain(struct overview *x)
{
	for (size_t i = 0; i < x->finding_n; i++) {
		struct overview_fact *f = &x->finding[i];
		char *detail = f->detail;

		if ((!is_rest(f) && f->topic != TOPIC_MUTUAL) || f->value > x->processors)
			continue;
		f->weight *= EXPLAINED;
		f->detail = mem_printf("%s%swaiting for processors can explain it",
				       detail ? detail : "", detail ? "; " : "");
		free(detail);
	}
}

/* Which findings are shown: those that cost enough, and memory in any case. */
void overview_choose(struct overview *x)
{
	size_t *place, n = 0;
	char *chosen;

	explain(x);
	if (x->finding_n)
		qsort(x->finding, x->finding_n, sizeof(*x->finding), dearest);
	if (has_topic(x))
		conditions_apart(x);
	else
		overview_most(x);
	place = mem_alloc((x->finding_n + 1) * sizeof(*place));
	chosen = mem_alloc(x->finding_n + 1);
	if (x->finding_n)
		qsort(x->finding, x->finding_n, sizeof(*x->finding), dearest);
	for (size_t i = 0; i < x->finding_n; i++)
		place[i] = place_of(x, i);
	for (size_t i = 0; i < x->finding_n; i++)
		chosen[i] = (char)is_chosen(x, place, i);
	for (size_t i = 0; i < x->finding_n; i++) {
		struct overview_fact f = x->finding[i];

		if (chosen[i]) {
			x->finding[n++] = f;
			continue;
		}
		free(f.item);
		free(f.detail);
		free(f.command);
	}
	x->finding_n = n;
	free(place);
	free(chosen);
}
