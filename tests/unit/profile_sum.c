/* profile_sum.c: profiles of consecutive windows, added up: computed by hand. */
#include <string.h>

#include "analyze/profile/profile_sum.h"
#include "tap.h"

static void row(struct profile *p, const char *name, double calls, double subrs, double incl, double excl)
{
	uint32_t thread = profile_add_thread(p, 0, 0, 0);
	uint32_t path = profile_add_path(p, profile_add_timer(p, name, "G", NULL, 0), PROFILE_FLAT);
	struct profile_row *r = profile_add_row(p, thread, path);

	r->calls = calls;
	r->subrs = subrs;
	p->thread[thread].values[r->first] = incl;
	p->thread[thread].values[r->first + 1] = excl;
}

static void sample(struct profile *p, const char *name, uint32_t kind, double n, double max, double min, double mean, double sumsq)
{
	uint32_t counter = profile_add_counter(p, name, kind);
	struct profile_sample *s = profile_add_sample(p, profile_add_thread(p, 0, 0, 0), counter, PROFILE_FLAT);

	s->n = n;
	s->max = max;
	s->min = min;
	s->mean = mean;
	s->sumsq = sumsq;
}

static const struct profile_row *row_of(const struct profile *p, const char *name)
{
	for (size_t i = 0; i < p->thread[0].row_n; i++)
		if (!strcmp(p->timer[p->path[p->thread[0].row[i].path].timer].name, name))
			return &p->thread[0].row[i];
	return NULL;
}

static const struct profile_sample *sample_of(const struct profile *p, const char *name)
{
	for (size_t i = 0; i < p->thread[0].sample_n; i++)
		if (!strcmp(p->counter[p->thread[0].sample[i].counter].name, name))
			return &p->thread[0].sample[i];
	return NULL;
}

/* main runs from 0 to 10, foo from 3 to 8; the windows meet at 5. The second knows foo first, and bar. */
static struct profile *first(void)
{
	struct profile *p = profile_new();

	profile_add_metric(p, "TIME");
	p->begin_us = 0;
	p->end_us = 5;
	row(p, "main", 1, 1, 5, 3);
	row(p, "foo", 1, 0, 2, 2);
	sample(p, "size", COUNTER_EVENT, 2, 4, 2, 3, 20);
	sample(p, "live", COUNTER_LEVEL, 1, 100, 100, 100, 10000);
	sample(p, "peak", COUNTER_PEAK, 1, 300, 300, 300, 90000);
	sample(p, "kept", COUNTER_LEVEL, 1, 7, 7, 7, 49);
	profile_sort(p);
	return p;
}

static struct profile *second(void)
{
	struct profile *p = profile_new();

	profile_add_metric(p, "TIME");
	p->begin_us = 5;
	p->end_us = 10;
	row(p, "foo", 0, 1, 3, 2);
	row(p, "bar", 1, 0, 1, 1);
	row(p, "main", 0, 0, 5, 2);
	sample(p, "live", COUNTER_LEVEL, 1, 50, 50, 50, 2500);
	sample(p, "size", COUNTER_EVENT, 1, 9, 9, 9, 81);
	sample(p, "peak", COUNTER_PEAK, 1, 200, 200, 200, 40000);
	profile_sort(p);
	return p;
}

static void check_rows(const struct profile *p)
{
	const struct profile_row *r = row_of(p, "main");

	ok(r && r->calls == 1 && r->subrs == 1 && p->thread[0].values[r->first] == 10 && p->thread[0].values[r->first + 1] == 5,
	   "main: 10 and 5");
	r = row_of(p, "foo");
	ok(r && r->calls == 1 && r->subrs == 1 && p->thread[0].values[r->first] == 5 && p->thread[0].values[r->first + 1] == 4,
	   "foo: 5 and 4");
	r = row_of(p, "bar");
	ok(r && r->calls == 1 && p->thread[0].values[r->first] == 1 && p->thread[0].row_n == 3, "bar is new: three rows");
}

static void check_samples(const struct profile *p)
{
	const struct profile_sample *s = sample_of(p, "size");

	ok(s && s->n == 3 && s->max == 9 && s->min == 2 && s->mean == 5 && s->sumsq == 101, "events add up");
	s = sample_of(p, "live");
	ok(s && s->n == 1 && s->mean == 50, "a level has its later value");
	s = sample_of(p, "peak");
	ok(s && s->mean == 300, "a peak is the larger one");
	s = sample_of(p, "kept");
	ok(s && s->mean == 7 && p->thread[0].sample_n == 4, "a level that the later window does not name stays");
}

int main(void)
{
	struct profile *sum = profile_new(), *a = first(), *b = second();

	profile_add_window(sum, a);
	ok(sum->thread_n == 1 && sum->thread[0].row_n == 2 && sum->metric_n == 1, "an empty profile takes the first window");
	profile_add_window(sum, b);
	ok(sum->begin_us == 0 && sum->end_us == 10, "from the begin of the first to the end of the second");
	check_rows(sum);
	check_samples(sum);
	for (int i = 0; i < 1000; i++)
		profile_add_window(sum, b);
	ok(sum->thread[0].values_cap < 100, "a thousand windows later a thread has as many values as it has rows");
	profile_free(a);
	profile_free(b);
	profile_free(sum);
	return tap_end();
}
