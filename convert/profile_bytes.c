/* profile_bytes.c: profiles to bytes and back, as they are in memory. */
#include "convert/profile_bytes.h"

#include <string.h>

#include "analyze/profile/memory_object.h"
#include "analyze/profile/profile.h"
#include "analyze/trace/trace.h"
#include "convert/io/bytes.h"

#define NONE UINT64_MAX /* instead of the length of a text that there is none of */

/* ---- writing ---- */

static void put(struct packed_bytes *o, const void *from, size_t n)
{
	if (o->v_n + n > o->v_cap) {
		o->v_cap = (o->v_n + n) * 2 + 4096;
		o->v = mem_resize(o->v, o->v_cap, 1);
	}
	if (n)
		memcpy(o->v + o->v_n, from, n);
	o->v_n += n;
}

static void put_u64(struct packed_bytes *o, uint64_t v)
{
	put(o, &v, sizeof(v));
}

static void put_f64(struct packed_bytes *o, double v)
{
	put(o, &v, sizeof(v));
}

static void put_text(struct packed_bytes *o, const char *s)
{
	put_u64(o, s ? strlen(s) : NONE);
	put(o, s, s ? strlen(s) : 0);
}

static void put_meta(struct packed_bytes *o, const struct profile_attribute *a, size_t n)
{
	put_u64(o, n);
	for (size_t i = 0; i < n; i++) {
		put_text(o, a[i].name);
		put_text(o, a[i].value);
	}
}

static void put_thread(struct packed_bytes *o, const struct profile *p,
		       const struct profile_thread *t)
{
	put_u64(o, (uint32_t)t->node);
	put_u64(o, (uint32_t)t->context);
	put_u64(o, (uint32_t)t->thread);
	put_u64(o, t->row_n);
	for (size_t i = 0; i < t->row_n; i++) {
		const struct profile_row *r = &t->row[i];

		put_u64(o, r->path);
		put_f64(o, r->calls);
		put_f64(o, r->subrs);
		put(o, &t->values[r->first], 2 * p->metric_n * sizeof(*t->values));
		if (p->squares)
			put(o, &t->squares[r->first / 2], p->metric_n * sizeof(*t->squares));
	}
	put_u64(o, t->sample_n);
	for (size_t i = 0; i < t->sample_n; i++) {
		const struct profile_sample *s = &t->sample[i];
		const double v[] = {s->n, s->max, s->min, s->mean, s->sumsq};

		put_u64(o, s->counter);
		put_u64(o, s->path);
		put(o, v, sizeof(v));
	}
	put_meta(o, t->meta, t->meta_n);
}

static void put_object(struct packed_bytes *o, const struct memory_object *m)
{
	put_text(o, m->type);
	put_u64(o, m->kind);
	put_u64(o, m->family);
	put_text(o, m->library);
	put_text(o, m->site);
	put_u64(o, m->owner_n);
	for (size_t i = 0; i < m->owner_n; i++)
		put_text(o, m->owner[i]);
}

void profile_put(struct packed_bytes *o, const struct profile *p)
{
	put_text(o, p->name);
	put_u64(o, p->source);
	put_text(o, p->window);
	put_u64(o, p->repaired);
	put_f64(o, p->begin_us);
	put_f64(o, p->end_us);
	put_u64(o, (uint64_t)p->squares);
	put_u64(o, p->metric_n);
	for (size_t i = 0; i < p->metric_n; i++)
		put_text(o, p->metric[i].name);
	put_u64(o, p->timer_n);
	for (size_t i = 0; i < p->timer_n; i++) {
		put_text(o, p->timer[i].name);
		put_text(o, p->timer[i].groups);
		put_text(o, p->timer[i].file);
		put_u64(o, p->timer[i].line);
	}
	put_u64(o, p->path_n);
	for (size_t i = 0; i < p->path_n; i++) {
		put_u64(o, p->path[i].timer);
		put_u64(o, p->path[i].parent);
	}
	put_u64(o, p->object.v_n);
	for (size_t i = 0; i < p->object.v_n; i++)
		put_object(o, &p->object.v[i]);
	put_u64(o, p->counter_n);
	for (size_t i = 0; i < p->counter_n; i++) {
		put_text(o, p->counter[i].name);
		put_u64(o, p->counter[i].kind);
		put_u64(o, p->counter[i].number);
		put_u64(o, p->counter[i].object);
	}
	put_u64(o, p->thread_n);
	for (size_t i = 0; i < p->thread_n; i++)
		put_thread(o, p, &p->thread[i]);
	put_meta(o, p->meta, p->meta_n);
}

/* A late note: it has no window, and its text begins with its file. */
static void put_note(struct packed_bytes *out, const struct note *n)
{
	put_u64(out, n->stream);
	put_u64(out, n->kind);
	put_u64(out, n->process);
	put_f64(out, n->number);
	put_f64(out, n->seconds);
	put_text(out, n->text);
}

void part_put(struct packed_bytes *out, const struct replay_part *p, const struct trace *t,
	      const struct part_read *read)
{
	put_u64(out, read->events);
	put_u64(out, read->bytes);
	put_u64(out, read->index_bytes);
	put_u64(out, p->repaired);
	put_u64(out, t->late_n);
	for (size_t i = 0; i < t->late_n; i++)
		put_note(out, &t->late[i].note);
	put_u64(out, p->n);
	for (size_t i = 0; i < p->n; i++)
		profile_put(out, p->profile[i]);
}

/* ---- reading ---- */

/* A number of elements, each of at least `least` bytes. */
static size_t get_n(struct bytes *b, size_t least)
{
	uint64_t n = bytes_u64(b);

	if (n > bytes_left(b) / least)
		b->bad = 1;
	return b->bad ? 0 : (size_t)n;
}

/* A number below a limit, or UINT32_MAX if that may be. */
static uint32_t get_id(struct bytes *b, size_t limit, int none)
{
	uint64_t v = bytes_u64(b);

	if (v >= limit && !(none && v == UINT32_MAX))
		b->bad = 1;
	return b->bad ? 0 : (uint32_t)v;
}

/* The caller frees it; NULL: there is none, or the bytes are bad. */
static char *get_text(struct bytes *b)
{
	uint64_t n = bytes_u64(b);
	struct bytes s;

	if (n == NONE || b->bad)
		return NULL;
	s = bytes_part(b, n);
	return b->bad ? NULL : mem_printf("%.*s", (int)n, (const char *)s.p);
}

/* Their names differ, as they did in the profile that was put. */
static void get_meta(struct bytes *b, struct profile *p, struct profile_thread *t)
{
	for (size_t n = get_n(b, 16), i = 0; i < n && !b->bad; i++) {
		struct profile_attribute *a = t ? array_add(t, meta) : array_add(p, meta);

		a->name = get_text(b);
		a->value = get_text(b);
		b->bad |= !a->name || !a->value;
	}
}

static void get_row(struct bytes *b, struct profile *p, uint32_t thread)
{
	uint32_t path = get_id(b, p->path_n, 0);
	size_t width = 2 * p->metric_n * sizeof(double);
	double calls = bytes_f64(b), subrs = bytes_f64(b);
	struct bytes values = bytes_part(b, width);
	struct bytes squares = bytes_part(b, p->squares ? width / 2 : 0);
	struct profile_row *r;

	if (b->bad)
		return;
	r = profile_add_row(p, thread, path);
	r->calls = calls;
	r->subrs = subrs;
	memcpy(&p->thread[thread].values[r->first], values.p, width);
	if (p->squares)
		memcpy(&p->thread[thread].squares[r->first / 2], squares.p, width / 2);
}

static void get_sample(struct bytes *b, struct profile *p, uint32_t thread)
{
	uint32_t counter = get_id(b, p->counter_n, 0), path = get_id(b, p->path_n, 1);
	struct profile_sample *s;

	if (b->bad || bytes_left(b) < 5 * sizeof(double)) {
		b->bad = 1;
		return;
	}
	s = profile_add_sample(p, thread, counter, path);
	s->n = bytes_f64(b);
	s->max = bytes_f64(b);
	s->min = bytes_f64(b);
	s->mean = bytes_f64(b);
	s->sumsq = bytes_f64(b);
}

static void get_thread(struct bytes *b, struct profile *p)
{
	int32_t node = (int32_t)bytes_u64(b), context = (int32_t)bytes_u64(b),
		thread = (int32_t)bytes_u64(b);
	uint32_t at = profile_add_thread(p, node, context, thread);

	for (size_t n = get_n(b, 24), i = 0; i < n && !b->bad; i++)
		get_row(b, p, at);
	for (size_t n = get_n(b, 56), i = 0; i < n && !b->bad; i++)
		get_sample(b, p, at);
	get_meta(b, p, &p->thread[at]);
}

static void get_timer(struct bytes *b, struct profile *p)
{
	char *name = get_text(b), *groups = get_text(b), *file = get_text(b);
	uint32_t line = (uint32_t)bytes_u64(b);

	if (!name)
		b->bad = 1;
	else
		profile_add_timer(p, name, groups, file, line);
	free(name);
	free(groups);
	free(file);
}

static void get_object(struct bytes *b, struct profile *p)
{
	struct memory_object m = {.type = get_text(b)};
	uint64_t kind = bytes_u64(b), family = bytes_u64(b);
	size_t n;

	m.library = get_text(b);
	m.site = get_text(b);
	n = get_n(b, 8);
	m.owner = mem_alloc((n + 1) * sizeof(*m.owner));
	while (m.owner_n < n && !b->bad) {
		m.owner[m.owner_n] = get_text(b);
		if (m.owner[m.owner_n])
			m.owner_n++;
		else
			b->bad = 1;
	}
	b->bad |= kind >= MEMORY_KINDS || family >= MEMORY_FAMILIES;
	if (!b->bad) {
		m.kind = (enum memory_kind)kind;
		m.family = (enum memory_family)family;
		profile_add_object(p, &m);
	}
	memory_object_release(&m);
}

static void get_counter(struct bytes *b, struct profile *p)
{
	char *name = get_text(b);
	uint64_t kind = bytes_u64(b), number = bytes_u64(b), object = bytes_u64(b);

	b->bad |= !name || number >= NUMBERS || (number && object >= p->object.v_n);
	if (!b->bad) {
		uint32_t id = profile_add_counter(p, name, (uint32_t)kind);

		p->counter[id].number = (enum memory_number)number;
		p->counter[id].object = (uint32_t)object;
	}
	free(name);
}

static void get_named(struct bytes *b, struct profile *p)
{
	char *name = get_text(b);

	if (!name)
		b->bad = 1;
	else
		profile_add_metric(p, name);
	free(name);
}

static struct profile *get_profile(struct bytes *b)
{
	struct profile *p = profile_new();

	p->name = get_text(b);
	p->source = (uint32_t)bytes_u64(b);
	p->window = get_text(b);
	p->repaired = bytes_u64(b);
	p->begin_us = bytes_f64(b);
	p->end_us = bytes_f64(b);
	p->squares = bytes_u64(b) == 1;
	for (size_t n = get_n(b, 8), i = 0; i < n && !b->bad; i++)
		get_named(b, p);
	for (size_t n = get_n(b, 32), i = 0; i < n && !b->bad; i++)
		get_timer(b, p);
	for (size_t n = get_n(b, 16), i = 0; i < n && !b->bad; i++) {
		uint32_t timer = get_id(b, p->timer_n, 0), parent = get_id(b, p->path_n, 1);

		if (!b->bad)
			profile_add_path(p, timer, parent);
	}
	for (size_t n = get_n(b, 48), i = 0; i < n && !b->bad; i++)
		get_object(b, p);
	for (size_t n = get_n(b, 32), i = 0; i < n && !b->bad; i++)
		get_counter(b, p);
	for (size_t n = get_n(b, 48), i = 0; i < n && !b->bad; i++)
		get_thread(b, p);
	get_meta(b, p, NULL);
	return p;
}

struct profile *profile_get(const void *from, size_t n)
{
	struct bytes b = bytes_of(from, n);
	struct profile *p = get_profile(&b);

	if (!b.bad && !bytes_left(&b))
		return p;
	profile_free(p);
	return NULL;
}

static void get_note(struct bytes *b, struct trace *t)
{
	uint64_t stream = bytes_u64(b), kind = bytes_u64(b);
	struct note n = {.kind = (enum note_kind)kind, .process = bytes_u64(b)};
	char *text;

	n.number = bytes_f64(b);
	n.seconds = bytes_f64(b);
	text = get_text(b);
	if (text && stream <= t->stream_n && n.process <= t->process_n && kind <= NOTE_RUNNING)
		trace_late_note(t, stream ? &t->stream[stream - 1] : NULL, n, "%s", text);
	else
		b->bad = 1;
	free(text);
}

int part_get(const void *from, size_t n, struct replay_part *out, struct trace *t)
{
	struct bytes b = bytes_of(from, n);
	uint64_t events = bytes_u64(&b), bytes = bytes_u64(&b), index_bytes = bytes_u64(&b);
	size_t windows;

	*out = (struct replay_part){.repaired = bytes_u64(&b)};
	for (size_t notes = get_n(&b, 48), i = 0; i < notes && !b.bad; i++)
		get_note(&b, t);
	windows = get_n(&b, 16);
	out->profile = mem_alloc((windows + 1) * sizeof(*out->profile));
	for (; out->n < windows && !b.bad; out->n++)
		out->profile[out->n] = get_profile(&b);
	if (!b.bad && !bytes_left(&b)) {
		trace_count(t, events, bytes);
		trace_count_index(t, index_bytes);
		return 0;
	}
	replay_part_release(out);
	return -1;
}
