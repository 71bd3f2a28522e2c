/*
 * memory.c: reads the memory counters of one profile into rows. memory_series.c computes what grows
 * over several profiles.
 */
#include "analyze/memory/memory.h"
#include "analyze/profile/derived_threads.h"
#include "analyze/profile/memory_object.h"
#include "analyze/trace/memory_type.h"
#include "record/metadata.h"

#include <math.h>
#include <string.h>

enum part { ALLOC, RETYPED, INNER, LIVE, LIVE_OBJECTS, PEAK, PEAK_OBJECTS, PARTS };

/* The row of an object. Its fields are copied, because rows outlive the profile. */
static size_t row_of(struct memory *m, const struct memory_object *o, const char *text)
{
	uint32_t id = names_add(&m->names, text, strlen(text));

	if (id == m->row_n) {
		struct memory_row *r = array_add(m, row);

		r->name = mem_string(text);
		r->type = mem_string(o->type);
		r->owner = memory_object_owners(o, o->owner_n);
		r->parent = memory_object_owners(o, 1);
		r->site = o->site ? mem_string(o->site) : NULL;
		r->kind = o->kind;
		r->side = memory_object_side(o);
		r->held = o->owner_n && memory_class_read(o->owner[0]).kind == MEMORY_VARIABLE;
		m->sites |= r->site != NULL;
	}
	return id;
}

/* The meaning of a counter of the profile. */
struct role {
	int used;
	enum part part;
	size_t row; /* SIZE_MAX: (all) */
};

static struct role *roles_make(const struct profile *p, struct memory *m)
{
	static const struct {
		int used;
		enum part part;
	} parts[NUMBERS] = {
		[NUMBER_ALLOC] = {1, ALLOC},
		[NUMBER_RETYPED] = {1, RETYPED},
		[NUMBER_INNER] = {1, INNER},
		[NUMBER_LIVE] = {1, LIVE},
		[NUMBER_LIVE_OBJECTS] = {1, LIVE_OBJECTS},
		[NUMBER_PEAK] = {1, PEAK},
		[NUMBER_PEAK_OBJECTS] = {1, PEAK_OBJECTS},
	};
	struct role *role = mem_alloc(p->counter_n * sizeof(*role));

	for (size_t c = 0; c < p->counter_n; c++) {
		const struct profile_counter *counter = &p->counter[c];
		const struct memory_object *o;

		role[c].used = parts[counter->number].used;
		if (!role[c].used)
			continue;
		o = &p->object.v[counter->object];
		role[c].part = parts[counter->number].part;
		role[c].row = o->type ? row_of(m, o, p->object.names.name[counter->object])
				      : SIZE_MAX;
	}
	return role;
}

/* The counters of one row on one PE. A set bit: that part has a counter. */
struct part_tally {
	unsigned seen;
	double bytes[PARTS], blocks[PARTS];
};

/*
 * Does the tally have the counters that make a measure known? If so, sets its values; a number of
 * blocks that nothing counts is NAN.
 */
static int tally_value(const struct part_tally *t, enum memory_measure measure, double *bytes,
		       double *objects)
{
	static const unsigned need[MEMORY_MEASURES] = {
		[MEMORY_LIVE] = 1 << LIVE | 1 << LIVE_OBJECTS,
		[MEMORY_PEAK] = 1 << PEAK | 1 << PEAK_OBJECTS,
		[MEMORY_CUMULATIVE] = 1 << ALLOC | 1 << RETYPED,
	};

	*bytes = measure == MEMORY_LIVE   ? t->bytes[LIVE]
		 : measure == MEMORY_PEAK ? t->bytes[PEAK]
					  : t->bytes[ALLOC] - t->bytes[RETYPED] - t->bytes[INNER];
	*objects = measure == MEMORY_LIVE   ? t->bytes[LIVE_OBJECTS]
		   : measure == MEMORY_PEAK ? t->bytes[PEAK_OBJECTS]
					    : t->blocks[ALLOC] - t->blocks[RETYPED];
	if (measure != MEMORY_CUMULATIVE &&
	    !(t->seen & 1u << (measure == MEMORY_LIVE ? LIVE_OBJECTS : PEAK_OBJECTS)))
		*objects = NAN;
	return (t->seen & need[measure]) != 0;
}

/* Adds a PE's tally to the values and clears it. */
static void tally_flush(struct part_tally *t, struct memory_value value[MEMORY_MEASURES])
{
	for (enum memory_measure k = 0; k < MEMORY_MEASURES; k++) {
		struct memory_value *v = &value[k];
		double bytes, objects;

		if (!tally_value(t, k, &bytes, &objects))
			continue;
		v->known = 1;
		v->bytes += bytes;
		v->objects += objects;
		v->bytes_max = fmax(v->bytes_max, bytes);
		v->objects_max = isnan(v->objects) ? NAN : fmax(v->objects_max, objects);
	}
	memset(t, 0, sizeof(*t));
}

/* The current PE: tallies of rows, and which of them are not empty. */
struct pe {
	struct part_tally *row, all;
	size_t *seen, seen_n;
	size_t samples;
};

/* Adds a thread's samples without contexts: the sample over all contexts includes them. */
static void tally_thread(const struct profile_thread *t, const struct role *role, struct pe *pe)
{
	for (size_t i = 0; i < t->sample_n; i++) {
		const struct profile_sample *s = &t->sample[i];
		const struct role *r = &role[s->counter];
		struct part_tally *to;

		if (!r->used || s->path != PROFILE_FLAT)
			continue;
		to = r->row == SIZE_MAX ? &pe->all : &pe->row[r->row];
		if (!to->seen && r->row != SIZE_MAX)
			pe->seen[pe->seen_n++] = r->row;
		to->seen |= 1u << r->part;
		/*
		 * Blocks have whole bytes: the product differs from a whole number only because the
		 * mean is rounded.
		 */
		to->bytes[r->part] += round(s->mean * s->n);
		to->blocks[r->part] += s->n;
		pe->samples++;
	}
}

/* The total of a PE: its own counters for (all), or the sum over the partition. */
static void pe_total(struct memory *m, const struct pe *pe, int32_t node)
{
	struct memory_pe *out = array_add(m, pe);

	out->node = node;
	for (enum memory_measure k = 0; k < MEMORY_MEASURES; k++) {
		double bytes, objects;
		int known = 0;

		for (size_t i = 0; i < pe->seen_n; i++) {
			if (!memory_row_whole(&m->row[pe->seen[i]]) ||
			    !tally_value(&pe->row[pe->seen[i]], k, &bytes, &objects))
				continue;
			out->bytes[k] += bytes;
			out->objects[k] += objects;
			known = 1;
		}
		if (tally_value(&pe->all, k, &bytes, &objects))
			out->bytes[k] = bytes;
		else if (!known)
			out->bytes[k] = NAN;
		if (!known)
			out->objects[k] = NAN;
	}
}

static void pe_flush(struct memory *m, struct pe *pe, int32_t node)
{
	m->pes_counted++;
	pe_total(m, pe, node);
	for (size_t i = 0; i < pe->seen_n; i++)
		tally_flush(&pe->row[pe->seen[i]], m->row[pe->seen[i]].value);
	tally_flush(&pe->all, m->all);
	pe->seen_n = pe->samples = 0;
}

static double lost_events(const struct profile *p)
{
	double lost = profile_meta_sum(p, TAU_META_LOST_EVENTS);

	return isnan(lost) ? 0 : lost;
}

/* The note of a process about memory that its records exclude. */
static char *unseen_copy(const struct profile *p)
{
	const char *text = profile_meta(p, UINT32_MAX, TAU_META_MEMORY_CPYTHON);

	for (size_t t = 0; !text && t < p->thread_n; t++)
		text = profile_meta(p, (uint32_t)t, TAU_META_MEMORY_CPYTHON);
	return text ? mem_string(text) : NULL;
}

/*
 * Measures for which (all) has no counters are the sum over the partition; the largest PE is then
 * unknown.
 */
static void complete_all(struct memory *m)
{
	for (size_t k = 0; k < MEMORY_MEASURES; k++) {
		struct memory_value *all = &m->all[k], sum = {0};

		for (size_t i = 0; i < m->row_n; i++)
			if (memory_row_whole(&m->row[i]) && m->row[i].value[k].known) {
				sum.known = 1;
				sum.bytes += m->row[i].value[k].bytes;
				sum.objects += m->row[i].value[k].objects;
			}
		sum.bytes_max = sum.objects_max = NAN;
		if (!all->known || k == MEMORY_CUMULATIVE)
			*all = sum;
		all->objects = sum.known ? sum.objects : NAN;
		all->objects_max = NAN;
	}
}

/* ---- summaries ---- */

static const struct profile_thread *derived_thread(const struct profile *p,
						   enum derived_thread number)
{
	for (size_t t = 0; t < p->thread_n; t++)
		if (p->thread[t].node == (int32_t)number)
			return &p->thread[t];
	return NULL;
}

/*
 * The largest sum on one thread, if all threads have the same number of samples; otherwise unknown.
 */
static double largest_sum(const struct profile *p, const struct profile_sample *s)
{
	const struct profile_thread *most = derived_thread(p, STATS_MAX),
				    *least = derived_thread(p, STATS_MIN);
	const struct profile_sample *high, *low;

	if (!most || !least)
		return NAN;
	high = profile_sample_get(most, s->counter, s->path);
	low = profile_sample_get(least, s->counter, s->path);
	return high && low && high->n == low->n ? round(high->mean * high->n) : NAN;
}

/*
 * Adds a counter's part to a row, as a PE's tally would have done: bytes or blocks of one measure.
 */
static void summary_add(const struct profile *p, const struct profile_sample *s, enum part part,
			struct memory_value value[MEMORY_MEASURES])
{
	static const struct {
		enum memory_measure measure;
		int bytes, objects, sign;
	} to[PARTS] = {
		[ALLOC] = {MEMORY_CUMULATIVE, 1, 1, 1},
		[RETYPED] = {MEMORY_CUMULATIVE, 1, 1, -1},
		[INNER] = {MEMORY_CUMULATIVE, 1, 0, -1},
		[LIVE] = {MEMORY_LIVE, 1, 0, 1},
		[LIVE_OBJECTS] = {MEMORY_LIVE, 0, 1, 1},
		[PEAK] = {MEMORY_PEAK, 1, 0, 1},
		[PEAK_OBJECTS] = {MEMORY_PEAK, 0, 1, 1},
	};
	struct memory_value *v = &value[to[part].measure];
	double sum = round(s->mean * s->n), most = largest_sum(p, s);
	int level = to[part].measure != MEMORY_CUMULATIVE;

	v->known = 1;
	if (to[part].bytes) {
		v->bytes += sum * to[part].sign;
		/* The retyped bytes of one PE are not known to be on the PE with the most. */
		v->bytes_max = level ? most : NAN;
	}
	if (to[part].objects) {
		v->objects += (level ? sum : s->n) * to[part].sign;
		v->objects_max = level ? most : NAN;
	}
}

static void memory_summary(struct memory *m, const struct profile *p, const struct role *role)
{
	const struct profile_thread *total = derived_thread(p, STATS_TOTAL);
	char *counted = mem_alloc(m->row_n * PARTS);

	m->pes = p->summary.pes;
	m->pes_counted = m->row_n ? m->pes : 0;
	for (size_t i = 0; total && i < total->sample_n; i++) {
		const struct profile_sample *s = &total->sample[i];
		const struct role *r = &role[s->counter];

		if (r->used && s->path == PROFILE_FLAT) {
			summary_add(p, s, r->part,
				    r->row == SIZE_MAX ? m->all : m->row[r->row].value);
			if (r->row != SIZE_MAX)
				counted[r->row * PARTS + r->part] = 1;
		}
		/*
		 * Each PE that has memory counters has one sample of a level; another number is
		 * damage.
		 */
		if (r->used && s->path == PROFILE_FLAT && r->part == LIVE && r->row == SIZE_MAX &&
		    s->n >= 1 && s->n <= (double)m->pes)
			m->pes_counted = (size_t)s->n;
	}
	for (size_t i = 0; i < m->row_n; i++) {
		struct memory_value *v = m->row[i].value;

		if (v[MEMORY_LIVE].known && !counted[i * PARTS + LIVE_OBJECTS])
			v[MEMORY_LIVE].objects = v[MEMORY_LIVE].objects_max = NAN;
		if (v[MEMORY_PEAK].known && !counted[i * PARTS + PEAK_OBJECTS])
			v[MEMORY_PEAK].objects = v[MEMORY_PEAK].objects_max = NAN;
	}
	free(counted);
}

struct memory *memory_new(const struct profile *p)
{
	struct memory *m = mem_alloc(sizeof(*m));
	struct role *role = roles_make(p, m);
	struct pe pe = {0};

	pe.row = mem_alloc(m->row_n * sizeof(*pe.row));
	pe.seen = mem_alloc(m->row_n * sizeof(*pe.seen));
	for (size_t t = 0; t < p->thread_n; t++)
		if (p->thread[t].node >= 0 && (size_t)p->thread[t].node >= m->pes)
			m->pes = (size_t)p->thread[t].node + 1;
	m->lost = lost_events(p);
	m->unseen = unseen_copy(p);
	if (p->summary.pes)
		memory_summary(m, p, role);
	for (size_t t = 0, end; t < p->thread_n; t = end) {
		for (end = t; end < p->thread_n && p->thread[end].node == p->thread[t].node; end++)
			if (p->thread[end].node >= 0)
				tally_thread(&p->thread[end], role, &pe);
		if (pe.samples)
			pe_flush(m, &pe, p->thread[t].node);
	}
	complete_all(m);
	free(pe.row);
	free(pe.seen);
	free(role);
	return m;
}

void memory_free(struct memory *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->row_n; i++) {
		free(m->row[i].name);
		free(m->row[i].type);
		free(m->row[i].owner);
		free(m->row[i].parent);
		free(m->row[i].site);
	}
	free(m->row);
	free(m->pe);
	free(m->unseen);
	names_release(&m->names);
	free(m);
}
