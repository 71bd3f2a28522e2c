/* profiles.h: profiles for tests: random ones, and their contents as sorted text for comparison. */
#ifndef TESTS_PROFILES_H
#define TESTS_PROFILES_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analyze/profile/profile.h"

/* One call of a region on a thread, with the same value in all metrics. */
__attribute__((unused)) static void profiles_put(struct profile *p, uint32_t thread, const char *name, const char *groups, double excl)
{
	uint32_t path = profile_add_path(p, profile_add_timer(p, name, groups, NULL, 0), PROFILE_FLAT);
	struct profile_row *r = profile_add_row(p, thread, path);

	r->calls = 1;
	for (size_t i = 0; i < 2 * p->metric_n; i++)
		p->thread[thread].values[r->first + i] = excl;
}

/* A row of a path on the first thread; incl, excl: us of the first metric. */
__attribute__((unused)) static void profiles_row(struct profile *p, uint32_t path, double calls, double subrs, double incl, double excl)
{
	struct profile_row *r = profile_add_row(p, 0, path);

	r->calls = calls;
	r->subrs = subrs;
	p->thread[0].values[r->first] = incl;
	p->thread[0].values[r->first + 1] = excl;
}

struct profiles_lines {
	char **v;
	size_t v_n, v_cap;
};

__attribute__((format(printf, 2, 3), unused)) static void profiles_line(struct profiles_lines *l, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (vasprintf(array_add(l, v), format, args) < 0)
		abort();
	va_end(args);
}

__attribute__((unused)) static void profiles_thread(struct profiles_lines *l, const struct profile *p,
						    const struct profile_thread *t)
{
	char at[64], name[4096] = "";

	snprintf(at, sizeof(at), "%d.%d.%d", t->node, t->context, t->thread);
	profiles_line(l, "%s", at);
	for (size_t i = 0; i < t->meta_n; i++)
		profiles_line(l, "%s meta '%s' '%s'", at, t->meta[i].name, t->meta[i].value);
	for (size_t i = 0; i < t->row_n; i++) {
		const struct profile_row *r = &t->row[i];
		const struct profile_timer *timer = &p->timer[p->path[r->path].timer];

		profile_path_name(p, r->path, name, sizeof(name));
		profiles_line(l, "%s row '%s' groups '%s' file %s:%u calls %.17g subrs %.17g", at, name, timer->groups,
			      timer->file ? timer->file : "", timer->line, r->calls, r->subrs);
		for (size_t m = 0; m < p->metric_n; m++)
			profiles_line(l, "%s row '%s' %s incl %.17g excl %.17g", at, name, p->metric[m].name,
				      t->values[r->first + m], t->values[r->first + p->metric_n + m]);
	}
	for (size_t i = 0; i < t->sample_n; i++) {
		const struct profile_sample *s = &t->sample[i];

		*name = 0;
		if (s->path != PROFILE_FLAT)
			profile_path_name(p, s->path, name, sizeof(name));
		profiles_line(l, "%s event '%s' kind %u in '%s' n %.17g max %.17g min %.17g mean %.17g sumsq %.17g", at,
			      p->counter[s->counter].name, p->counter[s->counter].kind, name, s->n, s->max, s->min, s->mean,
			      s->sumsq);
	}
}

__attribute__((unused)) static int profiles_order(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All contents of p as text, independent of the order of its parts, without its name. The caller frees it. */
__attribute__((unused)) static char *profiles_text(const struct profile *p)
{
	struct profiles_lines l = { 0 };
	size_t size = 1;
	char *text, *end;

	profiles_line(&l, "window '%s' %.17g %.17g source %u", p->window ? p->window : "", p->begin_us, p->end_us, p->source);
	for (size_t i = 0; i < p->meta_n; i++)
		profiles_line(&l, "meta '%s' '%s'", p->meta[i].name, p->meta[i].value);
	for (size_t i = 0; i < p->metric_n; i++)
		profiles_line(&l, "metric %s", p->metric[i].name);
	for (size_t i = 0; i < p->thread_n; i++)
		profiles_thread(&l, p, &p->thread[i]);
	qsort(l.v, l.v_n, sizeof(*l.v), profiles_order);
	for (size_t i = 0; i < l.v_n; i++)
		size += strlen(l.v[i]) + 1;
	text = end = mem_alloc(size);
	for (size_t i = 0; i < l.v_n; i++) {
		end += sprintf(end, "%s\n", l.v[i]);
		free(l.v[i]);
	}
	free(l.v);
	return text;
}

/* 1 when a and b have the same contents; otherwise prints the first lines that differ. */
__attribute__((unused)) static int profiles_same(const struct profile *a, const struct profile *b)
{
	char *x = profiles_text(a), *y = profiles_text(b), *p = x, *q = y;
	int same = !strcmp(x, y);

	while (!same && *p && *q && !strncmp(p, q, strcspn(p, "\n") + 1)) {
		p += strcspn(p, "\n") + 1;
		q += strcspn(q, "\n") + 1;
	}
	if (!same)
		printf("# first difference:\n#   %.*s\n#   %.*s\n", (int)strcspn(p, "\n"), p, (int)strcspn(q, "\n"), q);
	free(x);
	free(y);
	return same;
}

/* xorshift64*; state must not be 0. */
__attribute__((unused)) static uint64_t profiles_random(uint64_t *state, uint64_t below)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (*state * 0x2545f4914f6cdd1du >> 16) % below;
}

/* Doubles of many sizes: whole numbers, nanoseconds as microseconds, and any bits after the point. */
__attribute__((unused)) static double profiles_value(uint64_t *s)
{
	switch (profiles_random(s, 4)) {
	case 0: return (double)profiles_random(s, 1000);
	case 1: return (double)profiles_random(s, 1000000000000) / 1000;
	case 2: return (double)profiles_random(s, 1u << 30) / 7.0 * (profiles_random(s, 2) ? 1e-9 : 1e12);
	default: return 0;
	}
}

/* Timers, call paths, counters with and without context, all added to p. */
__attribute__((unused)) static void profiles_define(struct profile *p, uint64_t *s)
{
	static const char *const names[] = { "main", "MPI_Send()", "std::map<a, b>::find(\"x\") [{m.cpp} {12,3}-{40,1}]",
					     "foo [ <i> = <3> ]", "a\"b", "[SAMPLE] f [{/src/f.c} {7}]", "operator<<", "x : y" };
	static const char *const files[] = { [2] = "m.cpp", [5] = "/src/f.c", [7] = NULL };
	static const uint32_t lines[] = { [2] = 12, [5] = 7, [7] = 0 };
	static const char *const groups[] = { "TAU_USER", "MPI", "MPI|TAU_USER" };
	static const char *const counters[] = { "Message size for broadcast", "alloc b <= a", "live b", "peak objects b" };

	profile_add_metric(p, "TIME");
	if (profiles_random(s, 2))
		profile_add_metric(p, "PAPI_TOT_INS");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		profile_add_path(p, profile_add_timer(p, names[i], groups[profiles_random(s, 3)], files[i], lines[i]),
				 PROFILE_FLAT);
	for (size_t i = 0; i < 20; i++)
		profile_add_path(p, (uint32_t)profiles_random(s, p->timer_n), (uint32_t)profiles_random(s, p->path_n));
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		profile_read_counter(p, counters[i]);
}

__attribute__((unused)) static void profiles_fill(struct profile *p, uint32_t thread, uint64_t *s)
{
	for (uint32_t path = 0; path < p->path_n; path++) {
		struct profile_row *r;

		if (profiles_random(s, 3) == 0)
			continue;
		r = profile_add_row(p, thread, path);
		r->calls = (double)profiles_random(s, 5);
		r->subrs = (double)profiles_random(s, 100000);
		for (size_t m = 0; m < 2 * p->metric_n; m++)
			p->thread[thread].values[r->first + m] = profiles_value(s);
	}
	for (uint32_t c = 0; c < p->counter_n; c++)
		for (uint32_t path = PROFILE_FLAT; profiles_random(s, 4); path = (uint32_t)profiles_random(s, p->path_n)) {
			struct profile_sample *v;
			int known = 0;

			for (size_t i = 0; i < p->thread[thread].sample_n; i++)
				known |= p->thread[thread].sample[i].counter == c && p->thread[thread].sample[i].path == path;
			if (known)
				continue;
			v = profile_add_sample(p, thread, c, path);
			v->n = 1 + (double)profiles_random(s, 1000);
			v->max = profiles_value(s);
			v->min = profiles_value(s);
			v->mean = profiles_value(s);
			v->sumsq = profiles_value(s);
		}
}

/* A random profile of up to five threads. Those of one kind (not 0) define the same, as windows of a run do. */
__attribute__((unused)) static struct profile *profiles_make(uint64_t *s, uint64_t kind)
{
	struct profile *p = profile_new();
	int32_t n = 1 + (int32_t)profiles_random(&kind, 5);

	p->source = 1;
	p->name = mem_string("random");
	profiles_define(p, &kind);
	for (int32_t i = 0; i < n; i++) {
		uint32_t t = profile_add_thread(p, i / 2, 0, i % 2);
		char rank[16];

		snprintf(rank, sizeof(rank), "%d", i);
		profiles_fill(p, t, s);
		if (n > 1)
			profile_set_meta(p, t, "Rank", rank);
	}
	profile_set_meta(p, UINT32_MAX, "Command Line", "./a.out <in> & \"x\"");
	profile_set_meta(p, UINT32_MAX, "Note", "two\nlines ]]> & more");
	profile_set_meta(p, UINT32_MAX, "Ending Timestamp", "1499888973850911");
	if (profiles_random(s, 2)) {
		p->window = mem_string("10%:250ms");
		p->begin_us = 1000.001;
		p->end_us = 250000;
	}
	profile_sort(p);
	return p;
}

#endif
