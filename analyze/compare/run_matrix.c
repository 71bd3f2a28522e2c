/* run_matrix.c: matches the regions of several runs and collects their values. */
#include "analyze/compare/run_matrix.h"

#include <math.h>
#include <string.h>

#include "analyze/compare/name_family.h"
#include "analyze/profile/derived_threads.h"
#include "analyze/profile/profile.h"
#include "analyze/profile/waiting_threads.h"
#include "analyze/trace/region_work.h"

#define NEW UINT32_MAX

/* A run that is being added, and its regions. */
struct adding {
	struct run_matrix *m;
	const struct profile *p;
	char *has;    /* by timer of p: it has rows */
	uint32_t *is; /* by timer of p: number of the region; NEW: not matched yet */
	char *taken;  /* by known region: this run has it */
	size_t known;
};

/* A name without a partner, by family. */
struct single {
	char *family;
	const char *name;
	uint32_t number; /* index of the timer of p, or of the region */
	int old;
};

void run_matrix_begin(struct run_matrix *m, enum run_rows by, enum profile_timer_kind kind)
{
	memset(m, 0, sizeof(*m));
	m->by = by;
	m->kind = kind;
}

static const char *key_of(const struct run_matrix *m, const struct profile_timer *t)
{
	if (m->by != RUN_GROUPS)
		return t->name;
	return t->groups && *t->groups ? t->groups : "(no group)";
}

static void alias_set(struct run_matrix *m, const char *name, uint32_t region)
{
	uint32_t id = names_add(&m->alias, name, strlen(name));

	while (m->alias_of_n <= id)
		*array_add(m, alias_of) = NEW;
	if (m->alias_of[id] == NEW)
		m->alias_of[id] = region;
}

static uint32_t region_add(struct run_matrix *m, const struct profile_timer *t)
{
	const char *key = key_of(m, t);
	uint32_t id = names_add(&m->timer, key, strlen(key));

	while (m->group_n <= id)
		*array_add(m, group) = mem_string(t->groups ? t->groups : "");
	alias_set(m, key, id);
	return id;
}

static void region_claim(struct adding *a, size_t timer, uint32_t region)
{
	a->is[timer] = region;
	if (region < a->known)
		a->taken[region] = 1;
}

static void match_names(struct adding *a)
{
	const struct run_matrix *m = a->m;

	for (size_t i = 0; i < a->p->timer_n; i++) {
		const char *key = key_of(m, &a->p->timer[i]);
		int64_t id = names_find(&m->timer, key, strlen(key));

		if (a->has[i] && id >= 0)
			region_claim(a, i, (uint32_t)id);
	}
	for (size_t i = 0; i < a->p->timer_n; i++) {
		const char *key = key_of(m, &a->p->timer[i]);
		int64_t id = names_find(&m->alias, key, strlen(key));

		if (a->has[i] && a->is[i] == NEW && id >= 0 && !a->taken[m->alias_of[id]])
			region_claim(a, i, m->alias_of[id]);
	}
}

static int compare_singles(const void *va, const void *vb)
{
	const struct single *a = va, *b = vb;
	int order = strcmp(a->family, b->family);

	return order ? order : a->old != b->old ? b->old - a->old : strverscmp(a->name, b->name);
}

/* Matches families with equally many names on both sides. */
static void match_families(struct adding *a)
{
	const struct run_matrix *m = a->m;
	struct {
		struct single *v;
		size_t v_n, v_cap;
	} s = {0};

	for (uint32_t i = 0; i < a->known; i++)
		if (!a->taken[i])
			*array_add(&s, v) = (struct single){
				name_family(m->timer.name[i], NAME_RULES), m->timer.name[i], i, 1};
	for (uint32_t i = 0; i < a->p->timer_n; i++)
		if (a->has[i] && a->is[i] == NEW)
			*array_add(&s, v) =
				(struct single){name_family(a->p->timer[i].name, NAME_RULES),
						a->p->timer[i].name, i, 0};
	if (s.v_n)
		qsort(s.v, s.v_n, sizeof(*s.v), compare_singles);
	for (size_t from = 0, to; from < s.v_n; from = to) {
		size_t old = 0;

		for (to = from; to < s.v_n && !strcmp(s.v[to].family, s.v[from].family); to++)
			old += (size_t)s.v[to].old;
		for (size_t i = 0; 2 * old == to - from && i < old; i++)
			region_claim(a, s.v[from + old + i].number, s.v[from + i].number);
	}
	for (size_t i = 0; i < s.v_n; i++)
		free(s.v[i].family);
	free(s.v);
}

/* Gives all regions of the run their numbers, and keeps the names that differ. */
static void match(struct adding *a, struct run_column *c)
{
	struct run_matrix *m = a->m;

	match_names(a);
	if (m->by != RUN_GROUPS && a->known)
		match_families(a);
	for (size_t i = 0; i < a->p->timer_n; i++)
		if (a->has[i] && a->is[i] == NEW)
			a->is[i] = region_add(m, &a->p->timer[i]);
	c->as_n = m->timer.name_n;
	c->as = mem_alloc((c->as_n + 1) * sizeof(*c->as));
	for (size_t i = 0; i < a->p->timer_n; i++) {
		const char *key = key_of(m, &a->p->timer[i]);

		if (!a->has[i] || !strcmp(m->timer.name[a->is[i]], key))
			continue;
		free(c->as[a->is[i]]);
		c->as[a->is[i]] = mem_string(key);
		alias_set(m, key, a->is[i]);
	}
}

/* The row of a path; adds rows for the paths above it. */
static uint32_t row_of(const struct adding *a, uint32_t path)
{
	struct run_matrix *m = a->m;
	const struct profile_path *p = &a->p->path[path];
	uint32_t timer = a->is[p->timer], parent = PROFILE_FLAT, found;
	uint64_t key;

	if (m->by == RUN_PATHS && p->parent != PROFILE_FLAT)
		parent = row_of(a, p->parent);
	key = (uint64_t)parent << 32 | timer;
	found = map_get(&m->paths, key);
	if (found != MAP_NONE)
		return found;
	found = (uint32_t)m->row_n;
	map_set(&m->paths, key, found);
	*array_add(m, row) = (struct run_row){
		timer, parent,
		parent == PROFILE_FLAT
			? mem_string(m->timer.name[timer])
			: mem_printf("%s => %s", m->row[parent].name, m->timer.name[timer])};
	return found;
}

/* Rows of a profile without threads of its own: from TauDB's derived threads. */
static void rows_of_summary(struct region_rows *r, const struct profile *p, size_t metric,
			    enum region_rows_which which, double *largest)
{
	memset(r, 0, sizeof(*r));
	*largest = 0;
	for (uint32_t i = 0; i < p->thread_n; i++) {
		const struct profile_thread *t = &p->thread[i];

		if (t->node == STATS_TOTAL)
			region_rows_thread(r, p, i, metric, which);
		for (size_t k = 0; t->node == STATS_MAX && k < t->row_n && p->metric_n; k++)
			*largest = fmax(*largest, t->values[t->row[k].first + metric]);
	}
	r->threads = (uint32_t)p->summary.threads;
}

/* The longest inclusive time of a thread; queues of devices are none. */
static void elapsed_of(const struct profile *p, struct run_column *c, size_t metric)
{
	for (uint32_t i = 0; i < p->thread_n && p->metric_n; i++) {
		const struct profile_thread *thread = &p->thread[i];
		int counts = thread->node >= 0 && !waiting_is_queue(thread);

		for (size_t k = 0; counts && k < thread->row_n; k++) {
			const struct profile_row *r = &thread->row[k];
			double incl = thread->values[r->first + metric];
			const struct profile_timer *t = &p->timer[p->path[r->path].timer];

			if (p->path[r->path].parent != PROFILE_FLAT ||
			    profile_timer_kind(t) != TIMER_MEASURED || !(incl > c->elapsed))
				continue;
			c->elapsed = incl;
			free(c->elapsed_in);
			c->elapsed_in = mem_string(t->name);
		}
	}
}

static int is_setup(const struct profile_timer *t)
{
	return region_sets_up(t->name) || region_is_recorder(t->name, t->groups);
}

static int is_apart(const struct profile_timer *t)
{
	return is_setup(t) || region_work_of(t->name, t->groups) == WORK_MESSAGES;
}

/*
 * By path, 1: its row is a part of the timers that `is_one` selects, with what they call. So each time counts once: the
 * flat rows of such timers, and below them the paths to others. The caller frees it.
 */
static char *paths_of(const struct run_matrix *m, const struct profile *p,
		      int (*is_one)(const struct profile_timer *))
{
	char *is = mem_alloc(p->timer_n + 1), *below = mem_alloc(p->path_n + 1),
	     *counts = mem_alloc(p->path_n + 1);

	for (size_t i = 0; i < p->timer_n; i++)
		is[i] = (char)is_one(&p->timer[i]);
	for (size_t i = 0; i < p->path_n; i++) {
		const struct profile_path *path = &p->path[i];
		int flat = path->parent == PROFILE_FLAT, above = !flat && below[path->parent];

		below[i] = (char)(is[path->timer] || above);
		counts[i] = (char)((flat ? is[path->timer] : !is[path->timer] && above) &&
				   profile_timer_kind(&p->timer[path->timer]) == m->kind);
	}
	free(is);
	free(below);
	return counts;
}

/* w NULL: the profile has sums only. */
static double sum_of(const struct run_matrix *m, const struct profile *p, const struct waiting *w,
		     size_t metric, int (*is_one)(const struct profile_timer *))
{
	char *counts = paths_of(m, p, is_one);
	double sum = 0;

	for (uint32_t i = 0; i < p->thread_n && p->metric_n; i++) {
		const struct profile_thread *t = &p->thread[i];

		if (p->summary.pes ? t->node != STATS_TOTAL : t->node < 0)
			continue;
		for (size_t k = 0; k < t->row_n; k++)
			if (counts[t->row[k].path] &&
			    (p->summary.pes ||
			     waiting_row_counts(waiting_class(w, t), NULL, p,
						p->path[t->row[k].path].timer)))
				sum += t->values[t->row[k].first + p->metric_n + metric];
	}
	free(counts);
	return sum;
}

static void cells_fill(const struct adding *a, struct run_column *c, const struct region_rows *r)
{
	struct run_matrix *m = a->m;
	const struct region_row *row = &r->v[region_rows_first(r, m->kind)];
	size_t n = r->kind_n[m->kind];
	uint32_t *at = mem_alloc((n + 1) * sizeof(*at));

	for (size_t i = 0; i < n; i++)
		at[i] = row_of(a, row[i].path);
	c->cell_n = m->row_n;
	c->cell = mem_alloc((c->cell_n + 1) * sizeof(*c->cell));
	for (size_t i = 0; i < n; i++) {
		struct run_cell *cell = &c->cell[at[i]];

		cell->calls += row[i].calls;
		cell->excl += row[i].excl;
		cell->incl = m->by == RUN_GROUPS ? NAN : cell->incl + row[i].incl;
		cell->threads = row[i].threads > cell->threads ? row[i].threads : cell->threads;
		c->excl += row[i].excl;
	}
	free(at);
}

/* Marks the regions of the rows, and of their parent paths. */
static void note_regions(struct adding *a, const struct region_rows *r)
{
	const struct region_row *row = &r->v[region_rows_first(r, a->m->kind)];

	for (size_t i = 0; i < r->kind_n[a->m->kind]; i++) {
		uint32_t path = row[i].path;

		do {
			a->has[a->p->path[path].timer] = 1;
			path = a->p->path[path].parent;
		} while (a->m->by == RUN_PATHS && path != PROFILE_FLAT);
	}
}

void run_matrix_add(struct run_matrix *m, const struct profile *p, size_t metric)
{
	enum region_rows_which which = m->by == RUN_PATHS ? ROWS_PATHS : ROWS_FLAT;
	struct run_column *c = array_add(m, run);
	struct adding a = {.m = m, .p = p, .known = m->timer.name_n};
	struct region_rows r;

	if (p->summary.pes) {
		rows_of_summary(&r, p, metric, which, &c->elapsed);
		c->setup = sum_of(m, p, NULL, metric, is_setup);
		c->apart = sum_of(m, p, NULL, metric, is_apart);
	} else {
		struct waiting *w = waiting_find(&p, 1, m->kind);

		region_rows_with_devices(&r, p, w, metric, which);
		c->setup = sum_of(m, p, w, metric, is_setup);
		c->apart = sum_of(m, p, w, metric, is_apart);
		waiting_free(w);
		elapsed_of(p, c, metric);
	}
	a.has = mem_alloc(p->timer_n + 1);
	a.is = mem_alloc((p->timer_n + 1) * sizeof(*a.is));
	memset(a.is, 0xff, (p->timer_n + 1) * sizeof(*a.is));
	a.taken = mem_alloc(a.known + 1);
	note_regions(&a, &r);
	match(&a, c);
	cells_fill(&a, c, &r);
	c->pes = profile_pes(p);
	c->threads = r.threads;
	region_rows_release(&r);
	free(a.has);
	free(a.is);
	free(a.taken);
}

void run_matrix_release(struct run_matrix *m)
{
	for (size_t k = 0; k < m->run_n; k++) {
		struct run_column *c = &m->run[k];

		for (size_t i = 0; i < c->as_n; i++)
			free(c->as[i]);
		free(c->as);
		free(c->cell);
		free(c->elapsed_in);
	}
	for (size_t i = 0; i < m->row_n; i++)
		free(m->row[i].name);
	for (size_t i = 0; i < m->group_n; i++)
		free(m->group[i]);
	names_release(&m->timer);
	names_release(&m->alias);
	map_release(&m->paths);
	free(m->group);
	free(m->alias_of);
	free(m->row);
	free(m->run);
	memset(m, 0, sizeof(*m));
}

const struct run_cell *run_matrix_cell(const struct run_matrix *m, size_t row, size_t run)
{
	static const struct run_cell none = {NAN, NAN, NAN, 0};
	const struct run_column *c = &m->run[run];

	return row < c->cell_n && c->cell[row].threads ? &c->cell[row] : &none;
}

int run_matrix_same(const struct run_matrix *m, size_t run, size_t other)
{
	int same = m->run[run].elapsed > 0 && m->run[run].elapsed == m->run[other].elapsed;

	for (size_t i = 0; i < m->row_n && same; i++) {
		const struct run_cell *a = run_matrix_cell(m, i, run),
				      *b = run_matrix_cell(m, i, other);

		same = a->threads == b->threads && (!a->threads || a->excl == b->excl);
	}
	return same;
}

static const char *name_in(const struct run_column *c, const struct run_matrix *m, uint32_t timer)
{
	return timer < c->as_n && c->as[timer] ? c->as[timer] : m->timer.name[timer];
}

char *run_matrix_other_name(const struct run_matrix *m, size_t row, size_t run)
{
	const struct run_column *c = &m->run[run];
	char *name = mem_string(name_in(c, m, m->row[row].timer));
	int same;

	for (uint32_t up = m->row[row].parent; up != PROFILE_FLAT; up = m->row[up].parent) {
		char *longer = mem_printf("%s => %s", name_in(c, m, m->row[up].timer), name);

		free(name);
		name = longer;
	}
	same = !strcmp(name, m->row[row].name);
	if (!same && run_matrix_cell(m, row, run)->threads)
		return name;
	free(name);
	return NULL;
}

const char *run_matrix_groups(const struct run_matrix *m, size_t row)
{
	return m->group[m->row[row].timer];
}
