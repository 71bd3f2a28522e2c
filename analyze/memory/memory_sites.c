/* memory_sites.c: finds call sites that have a type in some runs and none in others. */
#include "analyze/memory/memory_sites.h"

#include <math.h>
#include <string.h>

/* The memory of a site in one run: bits of enum memory_kind, and blocks per PE. */
struct held {
	unsigned kinds;
	double blocks;
};

struct memory_site {
	const struct memory_row *slab;	/* in the first run in which the site has one */
	double blocks;			/* per PE, in the first run in which it has nothing else;
					 * NAN: there is none */
	int several;			/* different types, over the runs */
	struct held *held;		/* [run] */
};

struct memory_sites {
	struct names names;
	struct memory_site *site;
	size_t site_n, site_cap;
	enum memory_measure measure;
};

/* Adds a run: the memory of each site, and a row of the slab that it has. */
static void sites_add(struct memory_sites *m, const struct memory *run, size_t k, size_t run_n)
{
	for (size_t i = 0; i < run->row_n; i++) {
		const struct memory_row *r = &run->row[i];
		const struct memory_value *v = &r->value[m->measure];
		struct memory_site *s;
		uint32_t id;

		if (!r->site || !v->known || !(v->bytes > 0))
			continue;
		id = names_add(&m->names, r->site, strlen(r->site));
		if (id == m->site_n) {
			s = array_add(m, site);
			s->held = mem_alloc(run_n * sizeof(*s->held));
		}
		s = &m->site[id];
		s->held[k].kinds |= 1u << r->kind;
		s->held[k].blocks += v->objects / (double)run->pes_counted;
		if (r->kind != MEMORY_SLAB)
			continue;
		s->several |= s->slab && strcmp(s->slab->type, r->type) != 0;
		s->slab = s->slab ? s->slab : r;
	}
}

struct memory_sites *memory_sites_new(const struct memory *const *run, size_t run_n,
				      enum memory_measure measure)
{
	struct memory_sites *m = mem_alloc(sizeof(*m));

	m->measure = measure;
	for (size_t k = 0; k < run_n; k++)
		sites_add(m, run[k], k, run_n);
	/* The number of blocks comes from a run in which the site has nothing but the slab. */
	for (size_t i = 0; i < m->site_n; i++) {
		struct memory_site *s = &m->site[i];

		s->blocks = NAN;
		for (size_t k = 0; k < run_n && isnan(s->blocks); k++)
			if (s->held[k].kinds == 1u << MEMORY_SLAB)
				s->blocks = s->held[k].blocks;
	}
	return m;
}

void memory_sites_free(struct memory_sites *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->site_n; i++)
		free(m->site[i].held);
	free(m->site);
	names_release(&m->names);
	free(m);
}

const struct memory_row *memory_sites_type(const struct memory_sites *m, size_t k,
					   const struct memory_row *r)
{
	int64_t id = r->kind == MEMORY_UNTYPED && r->site
			     ? names_find(&m->names, r->site, strlen(r->site))
			     : -1;
	const struct memory_site *s = id < 0 ? NULL : &m->site[id];

	if (!s || s->several || s->held[k].kinds != 1u << MEMORY_UNTYPED)
		return NULL;
	/* also false if the number of blocks is unknown */
	return fabs(s->held[k].blocks - s->blocks) <= 1e-9 * s->blocks ? s->slab : NULL;
}
