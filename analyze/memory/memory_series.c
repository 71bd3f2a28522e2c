/* memory_series.c: joins the memory rows of several runs by name, models their growth and sorts them. */
#include "analyze/memory/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/base/quantity.h"
#include "analyze/memory/memory_sites.h"
#include "analyze/profile/memory_object.h"
#include "analyze/scaling/scaling.h"
#include "analyze/scaling/scaling_series.h"

#define UNACCOUNTED "(unaccounted)"
#define MISSING_PCT 10 /* a sum of which a larger share has no forecast has none */
#define FIXED_SHARE                                                                                \
	0.01 /* a slab that grows by no more than this from the fewest to the most PEs is fixed */

double memory_bytes(const struct memory *run, const struct memory_value *v, enum memory_per per)
{
	if (!v->known)
		return NAN;
	return per == MEMORY_PER_JOB   ? v->bytes
	       : per == MEMORY_PER_MAX ? v->bytes_max
				       : v->bytes / (double)run->pes_counted;
}

double memory_objects(const struct memory *run, const struct memory_value *v, enum memory_per per)
{
	if (!v->known)
		return NAN;
	return per == MEMORY_PER_JOB   ? v->objects
	       : per == MEMORY_PER_MAX ? v->objects_max
				       : v->objects / (double)run->pes_counted;
}

/* Rows of all runs by name. If a run lacks a row that others have, its value there is 0. */
struct joiner {
	struct memory_series *s;
	struct names names;
	struct names refined;	/* types that have owners (sites) in some run */
	struct memory_sites *sites;	/* NULL: the measure is peaks, which cannot be subtracted */
};

/* The row of that name; a new one gets type, kind and side from `like`. like NULL: unaccounted. */
static struct memory_growth *joined(struct joiner *j, const char *name,
				    const struct memory_row *like)
{
	uint32_t id = names_add(&j->names, name, strlen(name));

	if (id == j->s->row_n) {
		struct memory_growth *g = array_add(j->s, row);

		g->name = mem_string(name);
		g->type = mem_string(like ? like->type : name);
		g->kind = like ? like->kind : MEMORY_UNACCOUNTED;
		g->side = like ? like->side : MEMORY_OTHER;
		g->value = mem_alloc(j->s->run_n * sizeof(*g->value));
	}
	return &j->s->row[id];
}

/* By what a partition distinguishes rows besides types, and the name of a type's remainder. */
static const struct partition {
	int owners, sites; /* rows are distinguished by them; owners 2: by the immediate one only */
	const char *rest;  /* of a type that has such rows: the name of its remainder */
} partitions[MEMORY_BYS] = {
	[MEMORY_BY_TYPE] = {0, 0, ""},
	[MEMORY_BY_OWNER] = {1, 0, " <= (no known owner)"},
	[MEMORY_BY_PARENT] = {2, 0, " <= (no known owner)"},
	[MEMORY_BY_SITE] = {0, 1, " @ (no known site)"},
	[MEMORY_BY_ALL] = {1, 1, " @ (not known)"},
};

/* Has some PE a counter of it? Trials have the counters of all their windows, also of those in which the row is empty. */
static int seen(const struct memory_row *r)
{
	for (enum memory_measure k = 0; k < MEMORY_MEASURES; k++)
		if (r->value[k].known)
			return 1;
	return 0;
}

/* Does the row refine its type in this partition? With MEMORY_BY_ALL, sites refine owners, if there are sites. */
static int refines(const struct memory *m, const struct memory_row *r, const struct partition *p)
{
	if (p->sites && m->sites)
		return r->site != NULL;
	return p->owners && r->owner && !r->site;
}

/* The remainder of a type has the same name in all runs, also in runs in which no owner (site) is known. */
static void refined_add(struct joiner *j, const struct memory *m)
{
	const struct partition *p = &partitions[j->s->query.by];

	for (size_t i = 0; i < m->row_n; i++)
		if (seen(&m->row[i]) && refines(m, &m->row[i], p))
			names_add(&j->refined, m->row[i].type, strlen(m->row[i].type));
}

/* The owner of a row in the partition; NULL: it has none there. */
static const char *owner_in(const struct partition *p, const struct memory_row *r)
{
	return p->owners == 2 ? r->parent : p->owners ? r->owner : NULL;
}

/* The row of the partition for a finest row r, if r has the type of `like`. rest: the name of the remainder of that type. */
static struct memory_growth *atom_row(struct joiner *j, const struct memory_row *r,
				      const struct memory_row *like, const struct partition *p,
				      const char *rest)
{
	const char *owner = owner_in(p, like), *site = p->sites ? r->site : NULL;
	char *text = memory_text(like->type, owner, site);
	char *name = mem_printf("%s%s", text, owner || site ? "" : rest);
	struct memory_growth *g = joined(j, name, like);

	if (owner && !g->owner) {
		g->owner = mem_string(owner);
		g->parent = mem_string(like->parent);
	}
	if (site && !g->site)
		g->site = mem_string(site);
	free(text);
	free(name);
	return g;
}

/* The largest PE of a sum is unknown, and peaks at different moments have no sum. */
static void value_add(struct memory_value *to, const struct memory_value *v, int peak)
{
	double unknown = peak && to->known ? NAN : 0;

	if (!v->known)
		return;
	to->bytes_max = to->known ? NAN : v->bytes_max;
	to->objects_max = to->known ? NAN : v->objects_max;
	to->known = 1;
	to->bytes += v->bytes + unknown;
	to->objects += v->objects + unknown;
}

static void value_subtract(struct memory_value *from, const struct memory_value *v)
{
	from->bytes -= v->bytes;
	from->objects -= v->objects;
	from->bytes_max = from->objects_max = NAN;
}

/* The row whose type row r of run k has, according to the other runs; r itself if they do not show one. */
static const struct memory_row *atom_like(const struct joiner *j, size_t k,
					  const struct memory_row *r)
{
	const struct memory_row *other = j->sites ? memory_sites_type(j->sites, k, r) : NULL;

	return other ? other : r;
}

/*
 * Adds the rows that refine a type, and for each type the remainder. The largest PE of a remainder cannot be computed from
 * the largest PEs of its parts.
 */
static void join(struct joiner *j, size_t k)
{
	const struct partition *p = &partitions[j->s->query.by];
	const struct memory *m = j->s->run[k];
	enum memory_measure measure = j->s->query.measure;
	struct memory_value *rest = mem_alloc(m->row_n * sizeof(*rest));
	char *refined = mem_alloc(m->row_n);

	for (size_t i = 0; i < m->row_n; i++)
		if (memory_row_whole(&m->row[i]))
			rest[i] = m->row[i].value[measure];
	for (size_t i = 0; i < m->row_n; i++) {
		const struct memory_row *r = &m->row[i];
		int64_t of = names_find(&m->names, r->type, strlen(r->type));

		if (!seen(r) || !refines(m, r, p))
			continue;
		value_add(&atom_row(j, r, atom_like(j, k, r), p, "")->value[k], &r->value[measure],
			  measure == MEMORY_PEAK);
		if (of < 0)
			continue;
		rest[of].bytes -= measure == MEMORY_PEAK ? NAN : r->value[measure].bytes;
		rest[of].objects -= measure == MEMORY_PEAK ? NAN : r->value[measure].objects;
		rest[of].bytes_max = rest[of].objects_max = NAN;
		refined[of] = 1;
	}
	for (size_t i = 0; i < m->row_n; i++) {
		char *name;
		int64_t of;

		if (!memory_row_whole(&m->row[i]) || !seen(&m->row[i]) ||
		    (refined[i] && rest[i].bytes == 0 &&
		     (rest[i].objects == 0 || isnan(rest[i].objects))))
			continue;
		of = names_find(&j->refined, m->row[i].name, strlen(m->row[i].name));
		name = mem_printf("%s%s", m->row[i].name, of >= 0 ? p->rest : "");
		joined(j, name, &m->row[i])->value[k] = rest[i];
		free(name);
	}
	free(refined);
	free(rest);
}

/* The ending of the name of a type's row without owner: that of a remainder if the partition has one of this type. */
static const char *refined_rest(const struct joiner *j, const struct memory_row *r,
				const struct partition *p)
{
	char *name = mem_printf("%s%s", r->type, p->rest);
	int there = names_find(&j->names, name, strlen(name)) >= 0;

	free(name);
	return there ? p->rest : "";
}

/* In a partition without sites: moves rows with sites whose type is known from other runs to that type. */
static void join_sites(struct joiner *j, size_t k)
{
	const struct partition *p = &partitions[j->s->query.by];
	const struct memory *m = j->s->run[k];

	if (p->sites && m->sites)
		return;
	for (size_t i = 0; i < m->row_n; i++) {
		const struct memory_row *r = &m->row[i], *like = atom_like(j, k, r);
		const struct memory_value *v = &r->value[j->s->query.measure];

		if (like == r)
			continue;
		value_subtract(&atom_row(j, r, r, p, refined_rest(j, r, p))->value[k], v);
		value_add(&atom_row(j, r, like, p, refined_rest(j, like, p))->value[k], v, 0);
	}
}

/* Adds the part of the total that the partition does not explain, if the total was counted itself. */
static void join_unaccounted(struct joiner *j, size_t k)
{
	const struct memory *m = j->s->run[k];
	const struct memory_value *all = &m->all[j->s->query.measure];
	double bytes = all->bytes;
	struct memory_growth *g;

	if (!all->known || j->s->query.measure != MEMORY_LIVE)
		return;
	for (size_t i = 0; i < m->row_n; i++)
		if (memory_row_whole(&m->row[i]))
			bytes -= m->row[i].value[MEMORY_LIVE].bytes;
	if (bytes == 0)
		return;
	g = joined(j, UNACCOUNTED, NULL);
	g->value[k] = (struct memory_value){1, bytes, NAN, NAN, NAN};
}

/* Mean of the queried number over the runs with n PEs. */
static double mean_at(const struct memory_series *s, const struct memory_growth *g, size_t pes)
{
	double sum = 0;
	size_t n = 0;

	for (size_t k = 0; k < s->run_n; k++) {
		double v = memory_bytes(s->run[k], &g->value[k], s->query.per);

		if (s->run[k]->pes == pes && isfinite(v)) {
			sum += v;
			n++;
		}
	}
	return n ? sum / (double)n : NAN;
}

/* The points for the model: one per run. Returns their number; the caller frees *out. */
static size_t points(const struct memory_series *s, const struct memory_growth *g,
		     struct scaling_point **out)
{
	enum memory_per fitted = s->query.per == MEMORY_PER_JOB ? MEMORY_PER_PE : s->query.per;
	size_t n = 0;

	*out = mem_alloc(s->run_n * sizeof(**out));
	for (size_t k = 0; k < s->run_n; k++) {
		double v = memory_bytes(s->run[k], &g->value[k], fitted);

		if (isfinite(v))
			(*out)[n++] = (struct scaling_point){(double)s->run[k]->pes, v};
	}
	return n;
}

static void grow(const struct memory_series *s, struct memory_growth *g)
{
	struct scaling_point *point;
	size_t n = points(s, g, &point);

	scaling_fit(point, n, scaling_options(point, n), &g->model);
	g->first = mean_at(s, g, s->fewest);
	g->last = mean_at(s, g, s->most);
	free(point);
}

/* Mean size of all blocks of the row, on the most PEs on which it has any. */
static double mean_block(const struct memory_series *s, const struct memory_growth *g)
{
	double mean = 0;
	size_t pes = 0;

	for (size_t k = 0; k < s->run_n; k++) {
		const struct memory_value *v = &g->value[k];

		if (s->run[k]->pes < pes || !(v->objects > 0) || !(v->bytes > 0))
			continue;
		pes = s->run[k]->pes;
		mean = v->bytes / v->objects;
	}
	return mean;
}

/*
 * The grain is the mean block size by bytes, because most bytes may be in large blocks while most blocks are small. If
 * sites were recorded, each has the size of its own blocks, so the mean over the bytes of a type is that over its sites.
 * names: of the rows.
 */
static void find_grains(struct memory_series *s, const struct names *names)
{
	double *bytes = mem_alloc((s->row_n + 1) * sizeof(*bytes)),
	       *squares = mem_alloc((s->row_n + 1) * sizeof(*squares));

	for (size_t k = 0; k < s->run_n && s->query.by == MEMORY_BY_TYPE; k++)
		for (size_t i = 0; s->run[k]->pes == s->most && i < s->run[k]->row_n; i++) {
			const struct memory_row *r = &s->run[k]->row[i];
			const struct memory_value *v = &r->value[s->query.measure];
			int64_t id = r->site ? names_find(names, r->type, strlen(r->type)) : -1;

			if (id < 0 || !v->known || !(v->objects > 0) || !(v->bytes > 0))
				continue;
			bytes[id] += v->bytes;
			squares[id] += v->bytes * (v->bytes / v->objects);
		}
	for (size_t i = 0; i < s->row_n; i++)
		s->row[i].grain = bytes[i] > 0 ? squares[i] / bytes[i]
					       : mean_block(s, &s->row[i]);
	free(bytes);
	free(squares);
}

static void forecast_row(const struct memory_series *s, const struct memory_growth *g, double p,
			 struct scaling_forecast *f)
{
	struct scaling_point *point;
	size_t n = points(s, g, &point);

	scaling_forecast(point, n, scaling_options(point, n), &g->model, g->grain, p, f);
	free(point);
	if (s->query.per != MEMORY_PER_JOB)
		return;
	f->value *= p;
	f->low *= p;
	f->high *= p;
}

/* A total that is not the sum of its rows, as for peaks, is at least as large as each of them. */
static void forecast_check(const struct memory_series *s, double p, struct scaling_forecast *f)
{
	struct scaling_forecast row;

	for (size_t i = 0; i < s->row_n && f->credible; i++) {
		forecast_row(s, &s->row[i], p, &row);
		f->credible = !row.credible || row.value <= f->high;
		if (!f->credible)
			snprintf(f->why, sizeof(f->why), "%.100s alone is larger", s->row[i].name);
	}
}

/* A number of PEs below p on which more than `value` was measured (the largest such value); NULL: none. */
static const struct memory *measured_above(const struct memory_series *s,
					   const struct memory_growth *g, double p, double value)
{
	const struct memory *above = NULL;

	for (size_t k = 0; k < s->run_n; k++) {
		double v = (double)s->run[k]->pes < p ? mean_at(s, g, s->run[k]->pes) : NAN;

		if (!(v > value))
			continue;
		value = v;
		above = s->run[k];
	}
	return above;
}

/* A sum without much of it, or below what was measured although it grows, is none. missing: in percent. */
static void sum_check(const struct memory_series *s, const struct memory_growth *g, double p,
		      double missing, struct scaling_forecast *f)
{
	int grows = g->model.verdict != SCALING_CONSTANT && g->last > g->first;
	const struct memory *above;
	char share[QUANTITY_TEXT];

	if (!f->credible)
		return;
	above = grows ? measured_above(s, g, p, f->value) : NULL;
	if (missing > MISSING_PCT)
		snprintf(f->why, sizeof(f->why), "%s of it has no model",
			 quantity_percent_text(missing, share));
	else if (above)
		snprintf(f->why, sizeof(f->why), "less than measured on %zu", above->pes);
	else
		return;
	f->credible = 0;
	f->low = -INFINITY;
	f->high = INFINITY;
}

double memory_forecast(const struct memory_series *s, const struct memory_growth *g, double p,
		       struct scaling_forecast *f)
{
	struct scaling_sum sum = {0};
	double without = 0, bytes = 0;

	if (g == &s->all && !g->part) {
		forecast_row(s, g, p, f);
		forecast_check(s, p, f);
		return f->credible ? 0 : 100;
	}
	if (!g->part) {
		forecast_row(s, g, p, f);
		return f->credible ? 0 : 100;
	}
	for (size_t i = 0; i < g->part_n; i++) {
		const struct memory_growth *part = &s->row[g->part[i]];

		forecast_row(s, part, p, f);
		scaling_sum_add(&sum, f);
		bytes += part->last;
		without += f->credible ? 0 : part->last;
	}
	scaling_sum_forecast(&sum, p, f);
	without = without > 0 ? 100 * without / bytes : 0;
	sum_check(s, g, p, without, f);
	return without;
}

/* Sets the model of a sum: none of its own, unless all parts are constant. */
static void grow_sum(const struct memory_series *s, struct memory_growth *g)
{
	struct scaling_term fastest = {0, 1, 0};
	size_t credible = 0, constant = 0;

	grow(s, g);
	for (size_t i = 0; i < g->part_n; i++) {
		const struct scaling_model *m = &s->row[g->part[i]].model;

		credible += scaling_credible(m);
		constant += m->verdict == SCALING_CONSTANT;
		if (scaling_credible(m) && m->c1 > 0 &&
		    scaling_term_compare(&m->term, &fastest) > 0)
			fastest = m->term;
	}
	if (!credible || (constant == g->part_n && g->model.verdict == SCALING_CONSTANT))
		return;
	g->model.verdict = SCALING_SUM;
	g->model.term = g->model.least = g->model.most = fastest;
	g->model.c0 = g->model.c1 = 0;
	g->model.why[0] = 0;
}

/* Is the slab constant? Decided by the mean per PE, whatever is queried, because a job's slabs always grow with the job. */
static int is_fixed(const struct memory_series *s, const struct memory_growth *g)
{
	struct memory_series per_pe = *s;
	double first, last;

	per_pe.query.per = MEMORY_PER_PE;
	first = mean_at(&per_pe, g, s->fewest);
	last = mean_at(&per_pe, g, s->most);
	return g->kind == MEMORY_SLAB &&
	       (s->fewest == s->most || last <= first * (1 + FIXED_SHARE));
}

/* NaN sorts after all numbers. */
static int compare_down(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return a > b ? -1 : a < b;
}

static int compare_growth(const void *a, const void *b)
{
	const struct memory_growth *x = a, *y = b;
	int by_growth = compare_down(x->last - x->first, y->last - y->first);
	int by_size = compare_down(x->last, y->last);

	return by_growth ? by_growth : by_size ? by_size : strcmp(x->name, y->name);
}

void memory_series_init(struct memory_series *s, const struct memory *const *run, size_t run_n,
			const struct memory_query *q)
{
	struct joiner j = {.s = s};

	memset(s, 0, sizeof(*s));
	s->query = *q;
	s->run = run;
	s->run_n = run_n;
	s->fewest = SIZE_MAX;
	if (q->measure != MEMORY_PEAK)
		j.sites = memory_sites_new(run, run_n, q->measure);
	s->all.name = mem_string("all");
	s->all.value = mem_alloc(run_n * sizeof(*s->all.value));
	for (size_t k = 0; k < run_n; k++)
		if (run[k]->all[q->measure].known)
			refined_add(&j, run[k]);
	for (size_t k = 0; k < run_n; k++) {
		s->fewest = run[k]->pes < s->fewest ? run[k]->pes : s->fewest;
		s->most = run[k]->pes > s->most ? run[k]->pes : s->most;
		s->all.value[k] = run[k]->all[q->measure];
		if (!run[k]->all[q->measure].known)
			continue;
		join(&j, k);
		join_unaccounted(&j, k);
	}
	for (size_t k = 0; k < run_n && j.sites; k++)
		if (run[k]->all[q->measure].known)
			join_sites(&j, k);
	for (size_t i = 0; i < s->row_n; i++) {
		/* missing, but the measure is known for other rows: the value is 0 */
		for (size_t k = 0; k < run_n; k++)
			if (!s->row[i].value[k].known)
				s->row[i].value[k].known = s->all.value[k].known;
		grow(s, &s->row[i]);
		s->row[i].fixed = is_fixed(s, &s->row[i]);
	}
	find_grains(s, &j.names);
	if (s->row_n)
		qsort(s->row, s->row_n, sizeof(*s->row), compare_growth);
	/* Rows have their peaks at different moments, and their largest values on different PEs. */
	if (q->measure != MEMORY_PEAK && q->per != MEMORY_PER_MAX) {
		s->all.part = mem_alloc(s->row_n * sizeof(*s->all.part));
		for (s->all.part_n = 0; s->all.part_n < s->row_n; s->all.part_n++)
			s->all.part[s->all.part_n] = s->all.part_n;
	}
	grow_sum(s, &s->all);
	names_release(&j.names);
	names_release(&j.refined);
	memory_sites_free(j.sites);
}

void memory_growth_release(struct memory_growth *g)
{
	free(g->name);
	free(g->type);
	free(g->owner);
	free(g->parent);
	free(g->site);
	free(g->value);
	free(g->part);
	memset(g, 0, sizeof(*g));
}

void memory_series_release(struct memory_series *s)
{
	for (size_t i = 0; i < s->row_n; i++)
		memory_growth_release(&s->row[i]);
	free(s->row);
	memory_growth_release(&s->all);
	memset(s, 0, sizeof(*s));
}

void memory_series_sum(const struct memory_series *s, const size_t *row, size_t n, const char *name,
		       struct memory_growth *out)
{
	memset(out, 0, sizeof(*out));
	out->name = mem_string(name);
	out->value = mem_alloc(s->run_n * sizeof(*out->value));
	out->part = mem_alloc(n * sizeof(*out->part));
	out->part_n = n;
	if (n)
		memcpy(out->part, row, n * sizeof(*out->part));
	for (size_t i = 0; i < n; i++) {
		const struct memory_growth *g = &s->row[row[i]];

		out->kind = g->kind;
		out->side = g->side;
		for (size_t k = 0; k < s->run_n; k++) {
			struct memory_value *v = &out->value[k];

			v->known |= g->value[k].known;
			v->bytes += g->value[k].bytes;
			v->objects += g->value[k].objects;
			v->bytes_max = n == 1 ? g->value[k].bytes_max : NAN;
			v->objects_max = n == 1 ? g->value[k].objects_max : NAN;
		}
	}
	grow_sum(s, out);
}
