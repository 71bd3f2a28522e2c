/* profile.c: the profile type: building, look-up and sorting. */
#include "analyze/profile/profile.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "record/metadata.h"

#define META_FEW 64 /* attributes that are looked up without a table */

struct profile *profile_new(void)
{
	struct profile *p = mem_alloc(sizeof(*p));

	p->end_us = -1;
	p->source = 999;
	return p;
}

void profile_whole(struct profile *p)
{
	if (!p->window || strcmp(p->window, ":") != 0)
		return;
	free(p->window);
	p->window = NULL;
}

int profile_is_time(const struct profile *p, size_t metric)
{
	return metric >= p->metric_n || strcasestr(p->metric[metric].name, "time") != NULL;
}

size_t profile_time_metric(const struct profile *p)
{
	size_t i = 0;

	while (i < p->metric_n && !profile_is_time(p, i))
		i++;
	return i;
}

void profile_attributes_free(struct profile_attribute *a, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(a[i].name);
		free(a[i].value);
	}
	free(a);
}

static void meta_names_free(struct names *n)
{
	if (n)
		names_release(n);
	free(n);
}

void profile_thread_release(struct profile_thread *t)
{
	free(t->row);
	free(t->values);
	free(t->squares);
	free(t->sample);
	profile_attributes_free(t->meta, t->meta_n);
	meta_names_free(t->meta_names);
}

void profile_drop_threads(struct profile *p)
{
	for (size_t i = 0; i < p->thread_n; i++)
		profile_thread_release(&p->thread[i]);
	p->thread_n = 0;
	names_release(&p->thread_names);
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->metric_n; i++)
		free(p->metric[i].name);
	for (size_t i = 0; i < p->timer_n; i++) {
		free(p->timer[i].name);
		free(p->timer[i].groups);
		free(p->timer[i].file);
	}
	for (size_t i = 0; i < p->counter_n; i++)
		free(p->counter[i].name);
	memory_objects_release(&p->object);
	profile_drop_threads(p);
	profile_attributes_free(p->meta, p->meta_n);
	meta_names_free(p->meta_names);
	free(p->metric);
	free(p->timer);
	free(p->path);
	free(p->counter);
	free(p->thread);
	names_release(&p->timer_names);
	names_release(&p->counter_names);
	tree_ids_release(&p->path_ids);
	free(p->name);
	free(p->window);
	free(p);
}

/* The name, or "(no name)" for an empty one, because profile files require names. */
static const char *named(const char *name)
{
	return name[strspn(name, " \t\r\n")] ? name : "(no name)";
}

uint32_t profile_add_metric(struct profile *p, const char *name)
{
	name = named(name);
	for (size_t i = 0; i < p->metric_n; i++)
		if (!strcmp(p->metric[i].name, name))
			return (uint32_t)i;
	for (size_t i = 0; i < p->thread_n; i++)
		assert(!p->thread[i].row_n); /* rows are 2 * metric_n values wide */
	array_add(p, metric)->name = mem_string(name);
	return (uint32_t)p->metric_n - 1;
}

uint32_t profile_add_timer(struct profile *p, const char *name, const char *groups,
			   const char *file, uint32_t line)
{
	struct profile_timer *t;
	uint32_t id;

	name = named(name);
	id = names_add(&p->timer_names, name, strlen(name));

	if (id == p->timer_n) {
		t = array_add(p, timer);
		t->name = mem_string(name);
		t->groups = mem_string("");
	}
	t = &p->timer[id];
	if (groups && *groups && !*t->groups) {
		free(t->groups);
		t->groups = mem_string(groups);
	}
	if (file && !t->file) {
		t->file = mem_string(file);
		t->line = line;
	}
	return id;
}

uint32_t profile_add_path(struct profile *p, uint32_t timer, uint32_t parent)
{
	uint32_t id;

	assert(timer < p->timer_n && (parent == PROFILE_FLAT || parent < p->path_n));
	tree_ids_add(&p->path_ids, p->path, sizeof(*p->path), p->path_n);
	id = tree_ids_find(&p->path_ids, p->path, sizeof(*p->path),
			   (struct tree_node){timer, parent});
	if (id != TREE_NONE)
		return id;
	*array_add(p, path) = (struct profile_path){ timer, parent };
	return (uint32_t)p->path_n - 1;
}

uint32_t profile_new_path(struct profile *p, uint32_t timer, uint32_t parent)
{
	assert(timer < p->timer_n && parent < p->path_n);
	*array_add(p, path) = (struct profile_path){ timer, parent };
	return (uint32_t)p->path_n - 1;
}

uint32_t profile_add_counter(struct profile *p, const char *name, uint32_t kind)
{
	uint32_t id;

	name = named(name);
	id = names_add(&p->counter_names, name, strlen(name));
	if (id == p->counter_n) {
		struct profile_counter *c = array_add(p, counter);

		c->name = mem_string(name);
		c->kind = kind;
		c->message = message_counter_read(name);
	}
	return id;
}

static uint32_t kind_of(enum memory_number n)
{
	return n == NUMBER_LIVE || n == NUMBER_LIVE_OBJECTS   ? COUNTER_LEVEL
	       : n == NUMBER_PEAK || n == NUMBER_PEAK_OBJECTS ? COUNTER_PEAK
							      : COUNTER_EVENT;
}

uint32_t profile_add_object(struct profile *p, const struct memory_object *o)
{
	return memory_objects_add(&p->object, o);
}

uint32_t profile_add_memory(struct profile *p, enum memory_number number, uint32_t object)
{
	char *name = mem_join(memory_number_word(number), " ", p->object.names.name[object], NULL);
	uint32_t id = profile_add_counter(p, name, kind_of(number));

	free(name);
	p->counter[id].number = number;
	p->counter[id].object = object;
	return id;
}

uint32_t profile_read_counter(struct profile *p, const char *name)
{
	const char *text;
	enum memory_number number = memory_number_read(name, &text);
	struct memory_object o;
	uint32_t object;

	if (number == NUMBER_NONE)
		return profile_add_counter(p, name, COUNTER_EVENT);
	memory_object_read(&o, text);
	object = profile_add_object(p, &o);
	memory_object_release(&o);
	return profile_add_memory(p, number, object);
}

uint32_t profile_copy_counter(struct profile *p, const struct profile *from, uint32_t counter)
{
	const struct profile_counter *c = &from->counter[counter];
	uint32_t id = profile_add_counter(p, c->name, c->kind);

	if (c->number != NUMBER_NONE) {
		p->counter[id].number = c->number;
		p->counter[id].object = profile_add_object(p, &from->object.v[c->object]);
	}
	return id;
}

uint32_t profile_add_thread(struct profile *p, int32_t node, int32_t context, int32_t thread)
{
	int32_t key[3] = { node, context, thread };
	uint32_t id = names_add(&p->thread_names, (const char *)key, sizeof(key));

	if (id == p->thread_n) {
		struct profile_thread *t = array_add(p, thread);

		t->node = node;
		t->context = context;
		t->thread = thread;
	}
	return id;
}

struct profile_row *profile_add_row(struct profile *p, uint32_t thread, uint32_t path)
{
	struct profile_thread *t = &p->thread[thread];
	struct profile_row *r = array_add(t, row);

	assert(path < p->path_n);
	r->path = path;
	r->first = t->values_n;
	for (size_t i = 0; i < 2 * p->metric_n; i++)
		*array_add(t, values) = 0;
	for (size_t i = 0; p->squares && i < p->metric_n; i++)
		*array_add(t, squares) = NAN;
	return r;
}

double profile_squared(const struct profile *p, const struct profile_thread *t,
		       const struct profile_row *r, size_t metric)
{
	double exclusive = t->values[r->first + p->metric_n + metric];

	if (t->squares_n && !isnan(t->squares[r->first / 2 + metric]))
		return t->squares[r->first / 2 + metric];
	if (t->node < 0)
		return NAN;
	if (exclusive == 0)
		return 0;
	return r->calls == 1 && !p->window ? exclusive * exclusive : NAN;
}

void profile_reserve_samples(struct profile *p, uint32_t thread, size_t n)
{
	struct profile_thread *t = &p->thread[thread];

	if (t->sample_cap - t->sample_n >= n)
		return;
	t->sample_cap = t->sample_n + n;
	t->sample = mem_resize(t->sample, t->sample_cap, sizeof(*t->sample));
}

struct profile_sample *profile_add_sample(struct profile *p, uint32_t thread, uint32_t counter,
					  uint32_t path)
{
	struct profile_thread *t = &p->thread[thread];
	struct profile_sample *s = array_add(t, sample);

	assert(counter < p->counter_n && (path == PROFILE_FLAT || path < p->path_n));
	s->counter = counter;
	s->path = path;
	return s;
}

/*
 * Where the attribute is among n; n: it is not there. Few are compared one by one; for more, *names
 * is made, and has those that were added since the last call put in.
 */
static size_t meta_find(const struct profile_attribute *a, size_t n, struct names **names,
			const char *name)
{
	int64_t at;

	if (n <= META_FEW) {
		for (size_t i = 0; i < n; i++)
			if (!strcmp(a[i].name, name))
				return i;
		return n;
	}
	if (!*names)
		*names = mem_alloc(sizeof(**names));
	for (size_t i = (*names)->name_n; i < n; i++)
		names_add(*names, a[i].name, strlen(a[i].name));
	at = names_find(*names, name, strlen(name));
	return at < 0 ? n : (size_t)at;
}

void profile_set_meta(struct profile *p, uint32_t thread, const char *name, const char *value)
{
	struct profile_thread *t = thread == UINT32_MAX ? NULL : &p->thread[thread];
	struct profile_attribute *a = t ? t->meta : p->meta;
	size_t n = t ? t->meta_n : p->meta_n;
	size_t at = meta_find(a, n, t ? &t->meta_names : &p->meta_names, name);

	if (at < n) {
		char *old = a[at].value;

		a[at].value = mem_string(value);
		free(old);
		return;
	}
	a = t ? array_add(t, meta) : array_add(p, meta);
	a->name = mem_string(name);
	a->value = mem_string(value);
}

const char *profile_meta(const struct profile *p, uint32_t thread, const char *name)
{
	const struct profile_thread *t = thread == UINT32_MAX ? NULL : &p->thread[thread];
	const struct profile_attribute *a = t ? t->meta : p->meta;
	size_t n = t ? t->meta_n : p->meta_n;

	for (size_t i = 0; i < n; i++)
		if (!strcmp(a[i].name, name))
			return a[i].value;
	return NULL;
}

const char *profile_meta_of(const struct profile *p, uint32_t thread, const char *name)
{
	const char *value = profile_meta(p, thread, name);

	return value ? value : profile_meta(p, UINT32_MAX, name);
}

static double number_of(const char *value)
{
	return value ? strtod(value, NULL) : NAN;
}

double profile_meta_number(const struct profile *p, uint32_t thread, const char *name)
{
	return number_of(profile_meta(p, thread, name));
}

double profile_meta_number_of(const struct profile *p, uint32_t thread, const char *name)
{
	return number_of(profile_meta_of(p, thread, name));
}

double profile_meta_sum(const struct profile *p, const char *name)
{
	double sum = NAN;

	for (uint32_t i = 0; i < p->thread_n; i++) {
		double own = p->thread[i].node >= 0 ? profile_meta_number(p, i, name) : NAN;

		if (!isnan(own))
			sum = isnan(sum) ? own : sum + own;
	}
	return isnan(sum) ? profile_meta_number(p, UINT32_MAX, name) : sum;
}

const struct profile_thread *profile_first_thread(const struct profile *p)
{
	for (size_t i = 0; i < p->thread_n; i++)
		if (p->thread[i].node >= 0)
			return &p->thread[i];
	return NULL;
}

/* The new numbers of one profile's parts in another profile. */
struct new_numbers {
	uint32_t *timer, *path, *counter;
};

static void join_thread(struct profile *into, const struct profile *from,
			const struct profile_thread *t, const struct new_numbers *as)
{
	uint32_t to = profile_add_thread(into, t->node, t->context, t->thread);
	size_t width = 2 * from->metric_n * sizeof(*t->values);

	for (size_t i = 0; i < t->row_n; i++) {
		const struct profile_row *r = &t->row[i];
		struct profile_row *x = profile_add_row(into, to, as->path[r->path]);

		x->calls = r->calls;
		x->subrs = r->subrs;
		memcpy(&into->thread[to].values[x->first], &t->values[r->first], width);
		if (into->squares && t->squares_n)
			memcpy(&into->thread[to].squares[x->first / 2],
			       &t->squares[r->first / 2], width / 2);
	}
	for (size_t i = 0; i < t->sample_n; i++) {
		const struct profile_sample *s = &t->sample[i];
		uint32_t path = s->path == PROFILE_FLAT ? PROFILE_FLAT : as->path[s->path],
			 counter = as->counter[s->counter];
		struct profile_sample *x = profile_add_sample(into, to, counter, path);

		*x = *s;
		x->counter = counter;
		x->path = path;
	}
	for (size_t i = 0; i < t->meta_n; i++)
		profile_set_meta(into, to, t->meta[i].name, t->meta[i].value);
}

void profile_join(struct profile *into, const struct profile *from)
{
	struct new_numbers as = {mem_alloc((from->timer_n + 1) * sizeof(*as.timer)),
			     mem_alloc((from->path_n + 1) * sizeof(*as.path)),
			     mem_alloc((from->counter_n + 1) * sizeof(*as.counter))};

	assert(into->metric_n == from->metric_n);
	into->repaired += from->repaired;
	for (size_t i = 0; i < from->timer_n; i++) {
		const struct profile_timer *t = &from->timer[i];

		as.timer[i] = profile_add_timer(into, t->name, t->groups, t->file, t->line);
	}
	for (size_t i = 0; i < from->path_n; i++) {
		uint32_t parent = from->path[i].parent;

		as.path[i] = profile_add_path(into, as.timer[from->path[i].timer],
					      parent == PROFILE_FLAT ? parent : as.path[parent]);
	}
	for (size_t i = 0; i < from->counter_n; i++)
		as.counter[i] = profile_copy_counter(into, from, (uint32_t)i);
	for (size_t i = 0; i < from->thread_n; i++)
		join_thread(into, from, &from->thread[i], &as);
	for (size_t i = 0; i < from->meta_n; i++)
		profile_set_meta(into, UINT32_MAX, from->meta[i].name, from->meta[i].value);
	free(as.timer);
	free(as.path);
	free(as.counter);
}

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static int node_order(const void *x, const void *y)
{
	return ORDER(*(const int32_t *)x, *(const int32_t *)y);
}

static int is_no_pe(const struct profile_thread *t)
{
	for (size_t i = 0; i < t->meta_n; i++)
		if (!strcmp(t->meta[i].name, TAU_META_NOT_A_PE))
			return 1;
	return 0;
}

/* no_pe: of the nodes that are no PE; 0: of the others. */
static size_t nodes_distinct(const struct profile *p, int no_pe)
{
	int32_t *node = mem_alloc((p->thread_n + 1) * sizeof(*node));
	size_t n = 0, distinct = 0;

	for (size_t i = 0; i < p->thread_n; i++)
		if (p->thread[i].node >= 0 && is_no_pe(&p->thread[i]) == no_pe)
			node[n++] = p->thread[i].node;
	qsort(node, n, sizeof(*node), node_order);
	for (size_t i = 0; i < n; i++)
		distinct += !i || node[i] != node[i - 1];
	free(node);
	return distinct;
}

size_t profile_pes(const struct profile *p)
{
	size_t n = p->summary.pes;

	for (int no_pe = 0; no_pe < 2 && !n; no_pe++)
		n = nodes_distinct(p, no_pe);
	return n;
}
