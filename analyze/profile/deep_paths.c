/* deep_paths.c: adds up call paths of more than a number of levels. */
#include "analyze/profile/deep_paths.h"

#include <math.h>
#include <string.h>

#include "analyze/base/map.h"
#include "analyze/base/tree_ids.h"

struct deep {
	struct profile *p;
	uint32_t levels;
	uint32_t *level; /* by path: number of its regions */
	uint32_t *to;    /* by path: what it becomes */
	char *outermost; /* by path that becomes another: none above it becomes the same */
	uint32_t *at;    /* by path: 1 + the row of the thread at hand */
	size_t path_n;   /* when it began; paths that are added follow these */
};

static int is_deep(const struct deep *d, uint32_t path)
{
	return path < d->path_n && d->level[path] > d->levels;
}

/* Only regions between two calls of the same region are looked at, which are different ones. */
static int is_outermost(const struct deep *d, uint32_t path)
{
	const struct profile_path *v = d->p->path;

	for (uint32_t up = v[path].parent; is_deep(d, up); up = v[up].parent)
		if (v[up].timer == v[path].timer)
			return 0;
	return 1;
}

/* Levels and targets of all paths; parents are before their children. Returns the number of paths that become others. */
static size_t targets_find(struct deep *d)
{
	uint32_t *above = mem_alloc((d->path_n + 1) * sizeof(*above)); /* the path at the last level */
	size_t n = 0;

	for (uint32_t i = 0; i < d->path_n; i++) {
		uint32_t parent = d->p->path[i].parent;

		d->level[i] = parent == PROFILE_FLAT ? 1 : d->level[parent] + 1;
		d->to[i] = i;
		if (!is_deep(d, i))
			continue;
		above[i] = d->level[i] == d->levels + 1 ? parent : above[parent];
		d->to[i] = profile_add_path(d->p, d->p->path[i].timer, above[i]);
		d->outermost[i] = (char)is_outermost(d, i);
		n += d->to[i] != i;
	}
	free(above);
	return n;
}

static void row_merge(struct deep *d, struct profile_thread *t, struct profile_row *to,
		      const struct profile_row *from, int outermost)
{
	size_t metrics = d->p->metric_n;
	double *squares = profile_squares(t, to), *more = profile_squares(t, from);

	to->calls += from->calls;
	to->subrs += from->subrs;
	for (size_t m = 0; m < metrics; m++) {
		t->values[to->first + m] += outermost ? t->values[from->first + m] : 0;
		t->values[to->first + metrics + m] += t->values[from->first + metrics + m];
		if (squares)
			squares[m] += more[m];
	}
}

/* The rows of paths that become one are added to the first of them; the others are removed. */
static void rows_merge(struct deep *d, struct profile_thread *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->row_n; i++) {
		struct profile_row r = t->row[i];
		uint32_t to = d->to[r.path];
		int outermost = d->to[r.path] == r.path || d->outermost[r.path];

		if (d->at[to]) {
			row_merge(d, t, &t->row[d->at[to] - 1], &r, outermost);
			continue;
		}
		for (size_t m = 0; m < d->p->metric_n && !outermost; m++)
			t->values[r.first + m] = 0;
		r.path = to;
		t->row[n] = r;
		d->at[to] = (uint32_t)++n;
	}
	for (size_t i = 0; i < n; i++)
		d->at[t->row[i].path] = 0;
	t->row_n = n;
}

static void sample_merge(struct profile_sample *to, const struct profile_sample *from)
{
	double sum = to->mean * to->n + from->mean * from->n;

	to->n += from->n;
	to->mean = to->n > 0 ? sum / to->n : 0;
	to->max = fmax(to->max, from->max);
	to->min = fmin(to->min, from->min);
	to->sumsq += from->sumsq;
}

/* The same of counters in their context. */
static void samples_merge(struct deep *d, struct profile_thread *t)
{
	struct map seen = {0};
	size_t n = 0;

	for (size_t i = 0; i < t->sample_n; i++) {
		struct profile_sample s = t->sample[i];
		uint64_t key;
		uint32_t k;

		if (s.path != PROFILE_FLAT)
			s.path = d->to[s.path];
		key = (uint64_t)s.counter << 32 | s.path;
		k = map_get(&seen, key);
		if (k != MAP_NONE) {
			sample_merge(&t->sample[k], &s);
			continue;
		}
		map_set(&seen, key, (uint32_t)n);
		t->sample[n++] = s;
	}
	t->sample_n = n;
	map_release(&seen);
}

/* Removes the paths that became others. */
static void paths_remove(struct deep *d)
{
	struct profile *p = d->p;
	uint32_t *now = mem_alloc((p->path_n + 1) * sizeof(*now));
	size_t n = 0;

	for (size_t i = 0; i < p->path_n; i++) {
		struct profile_path v = p->path[i];

		if (i < d->path_n && d->to[i] != i)
			continue;
		if (v.parent != PROFILE_FLAT)
			v.parent = now[v.parent];
		now[i] = (uint32_t)n;
		p->path[n++] = v;
	}
	p->path_n = n;
	tree_ids_release(&p->path_ids);
	for (size_t i = 0; i < p->thread_n; i++) {
		struct profile_thread *t = &p->thread[i];

		for (size_t k = 0; k < t->row_n; k++)
			t->row[k].path = now[t->row[k].path];
		for (size_t k = 0; k < t->sample_n; k++)
			if (t->sample[k].path != PROFILE_FLAT)
				t->sample[k].path = now[t->sample[k].path];
	}
	free(now);
}

size_t deep_paths_merge(struct profile *p, uint32_t levels)
{
	struct deep d = {.p = p, .levels = levels, .path_n = p->path_n};
	size_t n;

	d.level = mem_alloc((p->path_n + 1) * sizeof(*d.level));
	d.to = mem_alloc((p->path_n + 1) * sizeof(*d.to));
	d.outermost = mem_alloc(p->path_n + 1);
	n = targets_find(&d);
	d.at = mem_alloc((p->path_n + 1) * sizeof(*d.at));
	for (size_t i = 0; i < p->thread_n && n; i++) {
		rows_merge(&d, &p->thread[i]);
		samples_merge(&d, &p->thread[i]);
	}
	if (n)
		paths_remove(&d);
	free(d.level);
	free(d.to);
	free(d.outermost);
	free(d.at);
	return n;
}
