/* tau_numbered.c: names with numbers <-> struct profile. */
#include "convert/tau/tau_numbered.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/profile/context.h"
#include "convert/tau/meta_share.h"
#include "convert/tau/tau_metadata.h"
#include "convert/tau/tau_names.h"
#include "convert/tau/tau_text.h"
#include "record/metadata.h"

void numbered_release(struct tau_numbered *f)
{
	free(f->function);
	for (size_t i = 0; i < f->thread_n; i++) {
		free(f->thread[i].row);
		free(f->thread[i].value);
		free(f->thread[i].sample);
		profile_attributes_free(f->thread[i].meta, f->thread[i].meta_n);
	}
	free(f->thread);
	names_release(&f->metric);
	names_release(&f->functions);
	names_release(&f->group);
	map_release(&f->function_at);
	tau_names_release(&f->names);
	names_release(&f->event);
	profile_attributes_free(f->meta, f->meta_n);
	memset(f, 0, sizeof(*f));
}

uint32_t numbered_function(struct tau_numbered *f, const char *name, const char *groups)
{
	uint32_t group = names_add(&f->group, groups, strlen(groups)), id;
	size_t n = strlen(name) + 1;
	char *copy = mem_alloc(n + sizeof(group)), *trimmed;

	memcpy(copy, name, n);
	trimmed = tau_text_trim(copy);
	n = strlen(trimmed) + 1;
	memcpy(trimmed + n, &group, sizeof(group));
	id = names_add(&f->functions, trimmed, n + sizeof(group));
	if (id == f->function_n)
		*array_add(f, function) = (struct numbered_function){
			f->functions.name[id], PROFILE_FLAT, f->group.name[group]};
	free(copy);
	return id;
}

char *numbered_function_name(const struct tau_numbered *f, size_t function)
{
	const struct numbered_function *g = &f->function[function];
	char *text, *trimmed;

	if (g->name)
		return mem_string(g->name);
	text = profile_path_text(f->of, g->path);
	trimmed = tau_text_trim(text);
	memmove(text, trimmed, strlen(trimmed) + 1);
	return text;
}

uint32_t numbered_event(struct tau_numbered *f, const char *name, int again)
{
	char *copy = mem_string(name), *key = mem_printf("%d%s", !!again, tau_text_trim(copy));
	uint32_t id = names_add(&f->event, key, strlen(key));

	free(copy);
	free(key);
	return id;
}

/* ---- from a profile ---- */

static const char *parse_groups(struct tau_numbered *f, uint32_t path)
{
	const char *own = f->of->timer[f->of->path[path].timer].groups;
	int callpath = f->of->path[path].parent != PROFILE_FLAT;
	char *groups = mem_printf("%s%s%s", callpath ? "TAU_CALLPATH" : "",
				  callpath && *own ? "|" : "", own);
	uint32_t id = names_add(&f->group, groups, strlen(groups));

	free(groups);
	return f->group.name[id];
}

static int is_function(const struct tau_numbered *f, uint32_t function, const char *name,
		       const char *groups)
{
	char *other =
		f->function[function].groups == groups ? numbered_function_name(f, function) : NULL;
	int is = other && !strcmp(other, name);

	free(other);
	return is;
}

/* Paths whose texts are the same are one function. */
static uint32_t parse_path(struct tau_numbered *f, uint32_t path)
{
	const char *groups = parse_groups(f, path);
	uint32_t id, at;
	uint64_t hash;
	char *name;

	*array_add(f, function) = (struct numbered_function){NULL, path, groups};
	id = (uint32_t)f->function_n - 1;
	name = numbered_function_name(f, id);
	hash = hash_bytes(hash_bytes(HASH_FIRST, name, strlen(name)), groups, strlen(groups));
	while ((at = map_get(&f->function_at, hash)) != MAP_NONE &&
	       !is_function(f, at, name, groups))
		hash++;
	if (at == MAP_NONE)
		map_set(&f->function_at, hash, at = id);
	else
		f->function_n--;
	free(name);
	return at;
}

/* The state of a copy: numbers + 1 of paths, and of counters over all contexts; 0: not yet. */
struct copying {
	struct tau_numbered *f;
	const struct profile *p;
	uint32_t *function, *whole;
	size_t *row, *sample; /* of this thread, by function and by event: numbers + 1 */
};

/* A counter's own name may be the text of another counter in its context: it is then that text's
 * second meaning. */
static uint32_t copy_event(struct copying *k, const struct profile_sample *s)
{
	const char *counter = k->p->counter[s->counter].name;
	char *name;
	uint32_t id;

	if (s->path == PROFILE_FLAT) {
		if (!k->whole[s->counter]) {
			name = mem_printf("0%s", counter);
			id = numbered_event(k->f, counter,
					    names_find(&k->f->event, name, strlen(name)) >= 0);
			free(name);
			k->whole[s->counter] = id + 1;
		}
		return k->whole[s->counter] - 1;
	}
	name = profile_sample_text(k->p, s);
	id = numbered_event(k->f, name, 0);
	free(name);
	return id;
}

/*
 * Order of events: an event before the same event in a context; a counter whose own name looks like
 * "E : CONTEXT" after the contexts.
 */
static int event_turn(const struct profile *p, const struct profile_sample *s)
{
	return s->path != PROFILE_FLAT ? 1 : strstr(p->counter[s->counter].name, " : ") ? 2 : 0;
}

/* Names that differ by blanks at their ends alone are one name in files, and so their rows are one row. */
static void copy_row(struct copying *k, struct numbered_thread *to, const struct profile_thread *t,
		     const struct profile_row *from)
{
	size_t metrics = k->p->metric_n;
	uint32_t function;
	struct numbered_row *r;

	if (!k->function[from->path])
		k->function[from->path] = parse_path(k->f, from->path) + 1;
	function = k->function[from->path] - 1;
	if (!k->row[function]) {
		*array_add(to, row) =
			(struct numbered_row){.function = function, .first = to->value_n};
		k->row[function] = to->row_n;
		for (size_t m = 0; m < 2 * metrics; m++)
			array_add(to, value);
	}
	r = &to->row[k->row[function] - 1];
	r->calls += from->calls;
	r->subrs += from->subrs;
	for (size_t m = 0; m < metrics; m++) {
		to->value[r->first + 2 * m] += t->values[from->first + metrics + m];
		to->value[r->first + 2 * m + 1] += t->values[from->first + m];
	}
}

static void sample_join(struct profile_sample *s, const struct numbered_sample *v)
{
	double n = s->n + v->n;

	s->max = s->n > 0 ? fmax(s->max, v->max) : v->max;
	s->min = s->n > 0 ? fmin(s->min, v->min) : v->min;
	s->mean = s->n > 0 && n > 0 ? (s->mean * s->n + v->mean * v->n) / n : v->mean;
	s->sumsq += v->sumsq;
	s->n = n;
}

static void copy_sample(struct copying *k, struct numbered_thread *to,
			const struct profile_sample *s)
{
	uint32_t event = copy_event(k, s);
	struct profile_sample sum = *s;

	if (k->sample[event]) {
		sample_join(&sum, &to->sample[k->sample[event] - 1]);
	} else {
		array_add(to, sample);
		k->sample[event] = to->sample_n;
	}
	to->sample[k->sample[event] - 1] =
		(struct numbered_sample){event, sum.n, sum.max, sum.min, sum.mean, sum.sumsq};
}

static void copy_thread(struct copying *k, const struct profile_thread *t)
{
	const struct profile *p = k->p;
	struct numbered_thread *to = array_add(k->f, thread);

	to->node = t->node;
	to->context = t->context;
	to->thread = t->thread;
	for (size_t i = 0; i < t->row_n; i++)
		copy_row(k, to, t, &t->row[i]);
	for (size_t i = 0; i < to->row_n; i++)
		k->row[to->row[i].function] = 0;
	for (int turn = 0; turn < 3; turn++)
		for (size_t i = 0; i < t->sample_n; i++)
			if (event_turn(p, &t->sample[i]) == turn)
				copy_sample(k, to, &t->sample[i]);
	for (size_t i = 0; i < to->sample_n; i++)
		k->sample[to->sample[i].event] = 0;
	for (size_t i = 0; i < t->meta_n; i++)
		numbered_meta(to, t->meta[i].name, t->meta[i].value);
}

/* The events' numbers are given in their turn over all threads. */
static void number_events(struct copying *k)
{
	const struct profile *p = k->p;

	for (int turn = 0; turn < 3; turn++)
		for (size_t t = 0; t < p->thread_n; t++)
			for (size_t i = 0; i < p->thread[t].sample_n; i++)
				if (p->thread[t].node >= 0 &&
				    event_turn(p, &p->thread[t].sample[i]) == turn)
					copy_event(k, &p->thread[t].sample[i]);
}

void numbered_copy(struct tau_numbered *f, const struct profile *p)
{
	struct copying k = {.f = f, .p = tau_names_apply(&f->names, p)};

	f->of = k.p;
	k.function = mem_alloc((p->path_n + 1) * sizeof(*k.function));
	k.whole = mem_alloc((p->counter_n + 1) * sizeof(*k.whole));
	for (size_t i = 0; i < p->metric_n; i++)
		names_add(&f->metric, p->metric[i].name, strlen(p->metric[i].name));
	number_events(&k);
	k.row = mem_alloc((p->path_n + 1) * sizeof(*k.row));
	k.sample = mem_alloc((f->event.name_n + 1) * sizeof(*k.sample));
	for (size_t i = 0; i < p->thread_n; i++)
		if (p->thread[i].node >= 0)
			copy_thread(&k, &p->thread[i]);
	for (size_t i = 0; i < p->meta_n; i++)
		numbered_meta(f, p->meta[i].name, p->meta[i].value);
	free(k.function);
	free(k.whole);
	free(k.row);
	free(k.sample);
}

void numbered_window_meta(struct tau_numbered *f, const struct profile *p)
{
	char number[40];

	if (p->window)
		numbered_meta(f, TAU_META_WINDOW, p->window);
	if (p->end_us < p->begin_us)
		return;
	snprintf(number, sizeof(number), "%.17G", p->begin_us);
	numbered_meta(f, TAU_META_WINDOW_BEGIN_US, number);
	snprintf(number, sizeof(number), "%.17G", p->end_us);
	numbered_meta(f, TAU_META_WINDOW_END_US, number);
}

/* ---- metadata that all threads share ---- */

static int before(const struct numbered_thread *a, const struct numbered_thread *b)
{
	if (a->node != b->node)
		return a->node < b->node;
	return a->context != b->context ? a->context < b->context : a->thread < b->thread;
}

const struct numbered_thread *numbered_first(const struct tau_numbered *f)
{
	size_t first = 0;

	for (size_t i = 1; i < f->thread_n; i++)
		if (before(&f->thread[i], &f->thread[first]))
			first = i;
	return f->thread_n ? &f->thread[first] : NULL;
}

void numbered_share_meta(struct tau_numbered *f)
{
	const struct numbered_thread *first = numbered_first(f);
	struct meta_share s = {0};

	if (!first)
		return;
	meta_share_begin(&s, first->meta, first->meta_n, first->node);
	for (size_t i = 0; i < f->thread_n; i++)
		if (&f->thread[i] != first)
			meta_share_look(&s, f->thread[i].meta, f->thread[i].meta_n,
					f->thread[i].node);
	for (size_t id = 0; id < s.v_n; id++)
		if (meta_share_whole(&s, id))
			numbered_meta(f, s.name.name[id], s.v[id].value);
	for (size_t i = 0; i < f->thread_n; i++) {
		struct numbered_thread *t = &f->thread[i];
		size_t kept = 0;

		for (size_t k = 0; k < t->meta_n; k++) {
			if (meta_share_everywhere(&s, t->meta[k].name)) {
				free(t->meta[k].name);
				free(t->meta[k].value);
			} else {
				t->meta[kept++] = t->meta[k];
			}
		}
		t->meta_n = kept;
	}
	meta_share_release(&s);
}

/* ---- to a profile ---- */

struct profile_maker {
	const struct tau_numbered *f;
	struct profile *p;
	const char *file;
	struct error *e;
	uint32_t *path;      /* per function */
	uint32_t *place;     /* per event: number in places */
	struct names places; /* struct numbered_place, as bytes */
	struct names events; /* names of the events */
};

static int make_path(struct profile_maker *m, size_t i)
{
	const struct numbered_function *g = &m->f->function[i];
	char *name = numbered_function_name(m->f, i), *groups = mem_string(g->groups);
	int callpath = tau_text_callpath(groups), code = 0;

	if (!*name)
		m->path[i] = PROFILE_FLAT;
	else if (callpath || (!*groups && strstr(name, " => ")))
		m->path[i] = context_add_path(m->p, name, groups);
	else
		m->path[i] = profile_add_path(m->p, context_add_timer(m->p, name, groups),
					      PROFILE_FLAT);
	if (m->path[i] == PROFILE_FLAT)
		code = error_set(m->e, ERROR_INPUT,
				 "%s: timer %zu: '%.200s' is not the name of a timer or call path",
				 m->file, i, name);
	free(groups);
	free(name);
	return code;
}

static uint32_t add_counter(struct profile *p, const char *name)
{
	return profile_read_counter(p, name);
}

static int make_place(struct profile_maker *m, size_t i)
{
	const char *name = numbered_event_name(m->f, (uint32_t)i);
	size_t base = context_base(m->p, &m->events, name);
	struct numbered_place at = {0, PROFILE_FLAT};

	if (!*name)
		return error_set(m->e, ERROR_INPUT, "%s: counter %zu has no name", m->file, i);
	if (base && *m->f->event.name[i] == '0') {
		char *event = mem_printf("%.*s", (int)base, name);

		at.path = context_add_path(m->p, strstr(name + base, " : ") + 3, NULL);
		at.counter = add_counter(m->p, event);
		free(event);
	}
	if (at.path == PROFILE_FLAT || names_find(&m->places, (const char *)&at, sizeof(at)) >= 0)
		at = (struct numbered_place){add_counter(m->p, name), PROFILE_FLAT};
	m->place[i] = names_add(&m->places, (const char *)&at, sizeof(at));
	return 0;
}

/* mark: per path 1 + the row that this thread has for it. */
static void make_rows(struct profile_maker *m, uint32_t thread, const struct numbered_thread *t,
		      size_t *mark)
{
	struct profile_thread *to = &m->p->thread[thread];
	size_t metrics = m->p->metric_n;

	for (size_t i = 0; i < t->row_n; i++) {
		const struct numbered_row *r = &t->row[i];
		uint32_t path = m->path[r->function];
		struct profile_row *row;

		if (!mark[path]) {
			profile_add_row(m->p, thread, path);
			mark[path] = to->row_n;
		}
		row = &to->row[mark[path] - 1];
		row->calls += r->calls;
		row->subrs += r->subrs;
		for (size_t k = 0; k < metrics; k++) {
			profile_excl(m->p, to, row)[k] += t->value[r->first + 2 * k];
			profile_incl(to, row)[k] += t->value[r->first + 2 * k + 1];
		}
	}
	for (size_t i = 0; i < t->row_n; i++)
		mark[m->path[t->row[i].function]] = 0;
}

/* mark: per place 1 + the sample that this thread has for it. */
static void make_samples(struct profile_maker *m, uint32_t thread, const struct numbered_thread *t,
			 size_t *mark)
{
	struct profile_thread *to = &m->p->thread[thread];

	for (size_t i = 0; i < t->sample_n; i++) {
		const struct numbered_sample *v = &t->sample[i];

		uint32_t place = m->place[v->event];

		if (!mark[place]) {
			struct numbered_place at;

			memcpy(&at, m->places.name[place], sizeof(at));
			profile_add_sample(m->p, thread, at.counter, at.path);
			mark[place] = to->sample_n;
		}
		sample_join(&to->sample[mark[place] - 1], v);
	}
	for (size_t i = 0; i < t->sample_n; i++)
		mark[m->place[t->sample[i].event]] = 0;
}

static int make_thread(struct profile_maker *m, const struct numbered_thread *t, size_t *rows,
		       size_t *samples)
{
	size_t before = m->p->thread_n;
	uint32_t id = profile_add_thread(m->p, t->node, t->context, t->thread);

	if (m->p->thread_n == before)
		return error_set(m->e, ERROR_INPUT, "%s: thread %d.%d.%d is in it twice",
				 m->file, t->node, t->context, t->thread);
	make_rows(m, id, t, rows);
	make_samples(m, id, t, samples);
	for (size_t i = 0; i < t->meta_n; i++)
		profile_set_meta(m->p, id, t->meta[i].name, t->meta[i].value);
	return 0;
}

static int make_definitions(struct profile_maker *m)
{
	const struct tau_numbered *f = m->f;
	int code = 0;

	m->path = mem_alloc((f->function_n + 1) * sizeof(*m->path));
	m->place = mem_alloc((f->event.name_n + 1) * sizeof(*m->place));
	for (size_t i = 0; i < f->metric.name_n; i++)
		profile_add_metric(m->p, f->metric.name[i]);
	for (size_t i = 0; i < f->function_n && !code; i++)
		code = make_path(m, i);
	for (uint32_t i = 0; i < f->event.name_n; i++)
		names_add(&m->events, numbered_event_name(f, i), strlen(numbered_event_name(f, i)));
	for (size_t i = 0; i < f->event.name_n && !code; i++)
		code = make_place(m, i);
	return code;
}

static void maker_release(struct profile_maker *m)
{
	free(m->path);
	free(m->place);
	names_release(&m->places);
	names_release(&m->events);
}

void numbered_trial(const struct tau_numbered *f, struct profile *p)
{
	for (size_t i = 0; i < f->meta_n; i++)
		tau_metadata_set(p, &f->meta[i]);
}

int numbered_define(const struct tau_numbered *f, const char *file, struct profile *p,
		    uint32_t *path, struct numbered_place *place, struct error *e)
{
	struct profile_maker m = {.f = f, .p = p, .file = file, .e = e};
	int code = make_definitions(&m);

	for (size_t i = 0; !code && i < f->function_n; i++)
		path[i] = m.path[i];
	for (size_t i = 0; !code && i < f->event.name_n; i++)
		memcpy(&place[i], m.places.name[m.place[i]], sizeof(*place));
	maker_release(&m);
	return code;
}

static int make_all(struct profile_maker *m)
{
	const struct tau_numbered *f = m->f;
	size_t *rows, *samples;
	int code = make_definitions(m);

	rows = mem_alloc((m->p->path_n + 1) * sizeof(*rows));
	samples = mem_alloc((f->event.name_n + 1) * sizeof(*samples));
	for (size_t i = 0; i < f->thread_n && !code; i++)
		code = make_thread(m, &f->thread[i], rows, samples);
	numbered_trial(f, m->p);
	free(rows);
	free(samples);
	return code;
}

int numbered_profile(const struct tau_numbered *f, const char *path, uint32_t source,
		     struct profile **out, struct error *e)
{
	struct profile_maker m = {.f = f, .p = profile_new(), .file = path, .e = e};
	int code;

	m.p->source = source;
	code = make_all(&m);
	maker_release(&m);
	if (code) {
		profile_free(m.p);
		return code;
	}
	profile_sort(m.p);
	*out = m.p;
	return 0;
}
