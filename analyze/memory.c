/* memory.c: reads the memory counters of one profile into rows. What grows over several: memory_series.c. */
#include "memory.h"

#include <math.h>
#include <string.h>

#define OWNED_BY " <= "
#define SITE     " @ " /* rows with sites refine others, and are not read here */

/* How a counter's name begins, and which number it is. The longer prefix stands first. */
enum part { ALLOC, RETYPED, LIVE, LIVE_OBJECTS, PEAK, PEAK_OBJECTS, PARTS };
static const struct {
	const char *prefix;
	enum part part;
} prefixes[] = {
	{"alloc ", ALLOC}, {"retyped ", RETYPED},           {"live objects ", LIVE_OBJECTS},
	{"live ", LIVE},   {"peak objects ", PEAK_OBJECTS}, {"peak ", PEAK},
};

/* Libraries by the start of their file name. Everything else is the program's or the system's. */
static const struct {
	const char *prefix;
	enum memory_side side;
} libraries[] = {
	{"libmpi", MEMORY_OPENMPI},        {"libopen-", MEMORY_OPENMPI},
	{"liboshmem", MEMORY_OPENMPI},     {"libshmem", MEMORY_OPENMPI},
	{"libompi", MEMORY_OPENMPI},       {"libmca_", MEMORY_OPENMPI},
	{"mca_", MEMORY_OPENMPI},          {"libpmix", MEMORY_SUPPORT},
	{"pmix_", MEMORY_SUPPORT},         {"libprrte", MEMORY_SUPPORT},
	{"libpmi", MEMORY_SUPPORT},        {"libevent", MEMORY_SUPPORT},
	{"libhwloc", MEMORY_SUPPORT},      {"hwloc_", MEMORY_SUPPORT},
	{"libucp", MEMORY_SUPPORT},        {"libucs", MEMORY_SUPPORT},
	{"libuct", MEMORY_SUPPORT},        {"libucm", MEMORY_SUPPORT},
	{"libfabric", MEMORY_SUPPORT},     {"libpsm", MEMORY_SUPPORT},
	{"libinfinipath", MEMORY_SUPPORT}, {"libibverbs", MEMORY_SUPPORT},
	{"librdmacm", MEMORY_SUPPORT},     {"libmlx", MEMORY_SUPPORT},
	{"libnl-", MEMORY_SUPPORT},        {"libmunge", MEMORY_SUPPORT},
	{"libxpmem", MEMORY_SUPPORT},      {"libhcoll", MEMORY_SUPPORT},
};

const char *memory_side_get(size_t k, enum memory_side *side)
{
	if (k >= sizeof(libraries) / sizeof(*libraries))
		return NULL;
	*side = libraries[k].side;
	return libraries[k].prefix;
}

enum memory_side memory_side(const char *library)
{
	const char *slash = strrchr(library, '/'), *name = slash ? slash + 1 : library;
	enum memory_side side;
	const char *prefix;

	for (size_t k = 0; (prefix = memory_side_get(k, &side)); k++)
		if (!strncmp(name, prefix, strlen(prefix)))
			return side;
	return MEMORY_OTHER;
}

/* Kind, side and depth follow from the name alone, so that they survive files and databases. */
static void classify(struct memory_row *r)
{
	static const char untyped[] = "untyped [";
	const char *owner = strstr(r->name, OWNED_BY);
	size_t first = owner ? (size_t)(owner - r->name) : strlen(r->name);

	for (; owner; owner = strstr(owner + 1, OWNED_BY))
		r->owners++;
	r->side = !strncmp(r->name, "pmix_", 5) ? MEMORY_SUPPORT : MEMORY_OPENMPI;
	if (!strncmp(r->name, untyped, sizeof(untyped) - 1)) {
		char *library = mem_string(r->name + sizeof(untyped) - 1);

		r->kind = MEMORY_UNTYPED;
		library[strcspn(library, "]")] = 0;
		r->side = memory_side(library);
		free(library);
	} else if (first > 2 && !strncmp(r->name + first - 2, "[]", 2)) {
		r->kind = MEMORY_SLAB;
	}
}

static size_t row_of(struct memory *m, const char *name)
{
	uint32_t id = names_add(&m->names, name, strlen(name));

	if (id == m->row_n) {
		struct memory_row *r = array_add(m, row);

		r->name = mem_string(name);
		classify(r);
	}
	return id;
}

/* What a counter of the profile means. */
struct role {
	int used;
	enum part part;
	size_t row;	/* SIZE_MAX: (all) */
};

static struct role *roles_make(const struct profile *p, struct memory *m)
{
	struct role *role = mem_alloc(p->counter_n * sizeof(*role));

	for (size_t c = 0; c < p->counter_n; c++) {
		const char *name = p->counter[c].name;

		for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
			size_t n = strlen(prefixes[i].prefix);

			if (strncmp(name, prefixes[i].prefix, n) != 0 || !name[n] ||
			    strstr(name + n, SITE))
				continue;
			role[c].used = 1;
			role[c].part = prefixes[i].part;
			role[c].row = !strcmp(name + n, "(all)") ? SIZE_MAX : row_of(m, name + n);
			break;
		}
	}
	return role;
}

/* What one PE has of one row. A set bit says that the part has a counter. */
struct tally {
	unsigned seen;
	double bytes[PARTS], blocks[PARTS];
};

static void value_add(struct memory_value *v, double bytes, double objects)
{
	v->known = 1;
	v->bytes += bytes;
	v->objects += objects;
	v->bytes_max = fmax(v->bytes_max, bytes);
	v->objects_max = fmax(v->objects_max, objects);
}

/* Adds a PE's tally to the row and clears it. */
static void tally_flush(struct tally *t, struct memory_value value[MEMORY_MEASURES])
{
	if (t->seen & (1 << LIVE | 1 << LIVE_OBJECTS))
		value_add(&value[MEMORY_LIVE], t->bytes[LIVE], t->bytes[LIVE_OBJECTS]);
	if (t->seen & (1 << PEAK | 1 << PEAK_OBJECTS))
		value_add(&value[MEMORY_PEAK], t->bytes[PEAK], t->bytes[PEAK_OBJECTS]);
	if (t->seen & (1 << ALLOC | 1 << RETYPED))
		value_add(&value[MEMORY_CUMULATIVE], t->bytes[ALLOC] - t->bytes[RETYPED],
			  t->blocks[ALLOC] - t->blocks[RETYPED]);
	memset(t, 0, sizeof(*t));
}

/* A thread's samples, contexts left out: the sample over all contexts holds them. Returns how many were of memory. */
static size_t tally_thread(const struct profile_thread *t, const struct role *role,
			   struct tally *tally, struct tally *all)
{
	size_t n = 0;

	for (size_t i = 0; i < t->sample_n; i++) {
		const struct profile_sample *s = &t->sample[i];
		const struct role *r = &role[s->counter];
		struct tally *to;

		if (!r->used || s->path != PROFILE_FLAT)
			continue;
		to = r->row == SIZE_MAX ? all : &tally[r->row];
		to->seen |= 1u << r->part;
		/* Blocks have whole bytes: the product only lost them to the mean's rounding. */
		to->bytes[r->part] += round(s->mean * s->n);
		to->blocks[r->part] += s->n;
		n++;
	}
	return n;
}

static double lost_events(const struct profile *p)
{
	const char *text = profile_meta(p, UINT32_MAX, "TAU Lost Events");
	double sum = 0;
	int found = 0;

	for (size_t t = 0; t < p->thread_n; t++) {
		const char *own = p->thread[t].node >= 0
					  ? profile_meta(p, (uint32_t)t, "TAU Lost Events")
					  : NULL;

		if (own) {
			sum += strtod(own, NULL);
			found = 1;
		}
	}
	return found ? sum : text ? strtod(text, NULL) : 0;
}

/* What (all) has no counters of its own for is the sum over the partition; its largest PE is then unknown. */
static void complete_all(struct memory *m)
{
	for (size_t k = 0; k < MEMORY_MEASURES; k++) {
		struct memory_value *all = &m->all[k], sum = { 0 };

		for (size_t i = 0; i < m->row_n; i++)
			if (!m->row[i].owners && m->row[i].value[k].known) {
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

struct memory *memory_new(const struct profile *p)
{
	struct memory *m = mem_alloc(sizeof(*m));
	struct role *role = roles_make(p, m);
	struct tally *tally = mem_alloc(m->row_n * sizeof(*tally)), all = { 0 };

	for (size_t t = 0; t < p->thread_n; t++)
		if (p->thread[t].node >= 0 && (size_t)p->thread[t].node >= m->pes)
			m->pes = (size_t)p->thread[t].node + 1;
	m->lost = lost_events(p);
	for (size_t t = 0, end; t < p->thread_n; t = end) {
		size_t n = 0;

		for (end = t; end < p->thread_n && p->thread[end].node == p->thread[t].node; end++)
			if (p->thread[end].node >= 0)
				n += tally_thread(&p->thread[end], role, tally, &all);
		if (!n)
			continue;
		m->pes_counted++;
		for (size_t i = 0; i < m->row_n; i++)
			tally_flush(&tally[i], m->row[i].value);
		tally_flush(&all, m->all);
	}
	complete_all(m);
	free(tally);
	free(role);
	return m;
}

void memory_free(struct memory *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->row_n; i++)
		free(m->row[i].name);
	free(m->row);
	names_release(&m->names);
	free(m);
}
