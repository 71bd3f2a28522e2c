/*
 * cube.c: turns the columns of a Cube file into a struct profile. "visits" or "CALLS" are calls; numbers
 * become metrics, seconds are converted to microseconds; minima, maxima and TAU_ATOMIC become
 * counters of the call path. Columns of other types (rates, histograms ...), metrics that the file
 * derives from others by formulas, and damaged ones are named in the metadata "Cube Metrics Left
 * Out".
 */
#include "convert/cube/cube.h"

#include <string.h>
#include <strings.h>

#include "analyze/profile/profile.h"
#include "convert/profile_format.h"
#include "record/metadata.h"

#define METRICS_MAX 256 /* limit, because each row has a value per metric; tau-formats(5) names it */

static const struct cube_type types[] = {
	{"DOUBLE", 8, 'd', ROLE_METRIC},
	{"FLOAT", 8, 'd', ROLE_METRIC},
	{"UINT64", 8, 'u', ROLE_METRIC},
	{"INT64", 8, 'i', ROLE_METRIC},
	{"UINT32", 4, 'u', ROLE_METRIC},
	{"INT32", 4, 'i', ROLE_METRIC},
	{"UINT16", 2, 'u', ROLE_METRIC},
	{"INT16", 2, 'i', ROLE_METRIC},
	{"UINT8", 1, 'u', ROLE_METRIC},
	{"INT8", 1, 'i', ROLE_METRIC},
	{"INTEGER", 8, 'i', ROLE_METRIC},
	{"SIGNED INTEGER", 8, 'i', ROLE_METRIC},
	{"UNSIGNED INTEGER", 8, 'u', ROLE_METRIC},
	{"INT", 4, 'i', ROLE_METRIC},
	{"MINDOUBLE", 8, 'd', ROLE_SINGLE},
	{"MAXDOUBLE", 8, 'd', ROLE_SINGLE},
	{"TAU_ATOMIC", 36, 'a', ROLE_ATOMIC},
};

const struct cube_type *cube_type_of(const char *name)
{
	for (size_t i = 0; name && i < sizeof(types) / sizeof(*types); i++)
		if (!strcmp(types[i].name, name))
			return &types[i];
	return NULL;
}

/* ---- columns ---- */

/* Also "32Visits": early writers put the number of the metric before its name. */
static int is_named(const struct cube_metric *m, const char *name)
{
	return m->name && !strcasecmp(m->name + strspn(m->name, "0123456789"), name);
}

/* Calls are "visits"; in files that were made of profiles of TAU, which have none, "CALLS". */
static int is_calls(const struct cube *c, const struct cube_metric *m)
{
	if (is_named(m, "visits"))
		return 1;
	if (!is_named(m, "calls") || !m->unit || strcmp(m->unit, "occ"))
		return 0;
	for (size_t i = 0; i < c->a.metric_n; i++)
		if (is_named(&c->a.metric[i], "visits"))
			return 0;
	return 1;
}

int cube_is_time(const struct cube_metric *m)
{
	return is_named(m, "time");
}

enum cube_role cube_role_of(const struct cube *c, const struct cube_metric *m)
{
	const struct cube_type *type = cube_type_of(m->type);
	enum cube_role role = type && m->name && *m->name ? type->role : ROLE_NONE;

	if (role != ROLE_METRIC)
		return role;
	if (is_calls(c, m))
		return ROLE_CALLS;
	return c->p->metric_n < METRICS_MAX ? ROLE_METRIC : ROLE_NONE;
}

void cube_leave_out(struct cube *c, const struct cube_metric *m, const char *why)
{
	const char *const part[] = {c->left_out_n ? ", " : "", m->name ? m->name : "?",
				    why ? " (" : "", why ? why : "", why ? ")" : ""};

	for (size_t i = 0; i < sizeof(part) / sizeof(*part); i++)
		for (const char *s = part[i]; *s; s++)
			*array_add(c, left_out) = *s;
	if (why && !c->damage)
		c->damage = mem_printf("%s: %s", c->path, why);
}

void cube_column_release(struct cube_column *column)
{
	free(column->row);
	blob_release(&column->unpacked);
}

void cube_add_column(struct cube *c, struct cube_column *column)
{
	const struct cube_metric *m = column->metric;

	column->role = cube_role_of(c, m);
	column->scale = m->unit && !strcmp(m->unit, "sec") && column->role != ROLE_CALLS ? 1e6 : 1;
	if (column->role == ROLE_METRIC) {
		size_t before = c->p->metric_n;

		column->target = profile_add_metric(c->p, cube_is_time(m) ? "TIME" : m->name);
		column->role = c->p->metric_n > before ? ROLE_METRIC : ROLE_NONE;
	} else if (column->role > ROLE_METRIC) {
		column->target = profile_add_counter(c->p, m->name, COUNTER_EVENT);
	}
	if (column->role != ROLE_NONE) {
		*array_add(c, column) = *column;
		return;
	}
	cube_leave_out(c, m, NULL);
	cube_column_release(column);
}

/* ---- values ---- */

uint64_t cube_number(const unsigned char *p, size_t size, int swapped)
{
	uint64_t v = 0;

	for (size_t i = 0; i < size; i++)
		v |= (uint64_t)p[i] << 8 * (swapped ? size - 1 - i : i);
	return v;
}

static double get_double(const unsigned char *p, int swapped)
{
	uint64_t bits = cube_number(p, 8, swapped);
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

/*
 * Differences of counters that decrease are stored modulo 2^64, -1 as 2^64 - 1, and so are the sums
 * that writers make, so 64-bit values are read as signed, whatever the type is.
 */
static double get_value(const struct cube_column *c, const unsigned char *p)
{
	uint64_t v;
	unsigned unused = 64 - 8 * c->type->size;

	if (c->type->code == 'd')
		return get_double(p, c->swapped);
	v = cube_number(p, c->type->size, c->swapped);
	return c->type->code == 'i' || !unused ? (double)((int64_t)(v << unused) >> unused)
					       : (double)v;
}

/* The cell of a node and a location; NULL: there is none. */
static const unsigned char *cell(const struct cube *r, const struct cube_column *c, size_t node,
				 size_t location)
{
	size_t at;

	if (!c->row[node])
		return NULL;
	at = (size_t)(c->row[node] - 1) * r->a.location_n + location;
	return c->data + at * c->type->size;
}

/* A profile needs a metric: if the file has no other one, the number of visits is used. */
static void measure_visits(struct cube *r)
{
	for (size_t i = 0; i < r->column_n && !r->p->metric_n; i++) {
		struct cube_column copy = r->column[i];

		if (copy.role != ROLE_CALLS)
			continue;
		copy.role = ROLE_METRIC;
		copy.target = profile_add_metric(r->p, copy.metric->name);
		copy.row = NULL;
		copy.unpacked = (struct blob){0};
		*array_add(r, column) = copy;
		r->column[r->column_n - 1].row = mem_alloc((r->a.node_n + 1) * sizeof(*copy.row));
		memcpy(r->column[r->column_n - 1].row, r->column[i].row,
		       (r->a.node_n + 1) * sizeof(*copy.row));
	}
}

/* ---- the profile ---- */

static const char *group_of(const char *paradigm)
{
	static const char *const known[][2] = {
		{"mpi", "MPI"},         {"shmem", "SHMEM"}, {"openmp", "OPENMP"},
		{"pthread", "PTHREAD"}, {"cuda", "CUDA"},   {"opencl", "OPENCL"},
		{"openacc", "OPENACC"}, {"io", "TAU_IO"},
	};

	for (size_t i = 0; paradigm && i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(paradigm, known[i][0]))
			return known[i][1];
	return "TAU_USER";
}

/* Regions of the same name in different places get names with the place. */
static uint32_t add_region(struct cube *r, const struct cube_region *g)
{
	const char *name = g->name && *g->name ? g->name : "?", *groups = group_of(g->paradigm);
	int64_t there = names_find(&r->p->timer_names, name, strlen(name));
	char *placed;
	uint32_t id;

	if (there < 0 || !g->file)
		return profile_add_timer(r->p, name, groups, g->file, g->line);
	placed = mem_printf("%s [{%s} {%u}]", name, g->file, g->line);
	id = profile_add_timer(r->p, placed, groups, g->file, g->line);
	free(placed);
	return id;
}

static int add_nodes(struct cube *r)
{
	const struct cube_anchor *a = &r->a;
	struct names ids = {0};
	uint32_t *timer = mem_resize(NULL, a->region_n + 1, sizeof(*timer));
	int code = 0;

	for (size_t i = 0; i < a->region_n; i++) {
		timer[i] = PROFILE_FLAT;
		if (names_add(&ids, (const char *)&a->region[i].id, 4) != i) {
			code = error_set(r->e, ERROR_INPUT,
					 "%s: anchor.xml: region %u is defined twice", r->path,
					 a->region[i].id);
			break;
		}
	}
	r->node = mem_alloc((a->node_n + 1) * sizeof(*r->node));
	for (size_t i = 0; i < a->node_n && !code; i++) {
		int64_t g = names_find(&ids, (const char *)&a->node[i].callee, 4);

		if (g < 0) {
			code = error_set(
				r->e, ERROR_INPUT,
				"%s: anchor.xml: node %u calls region %u, which is not defined",
				r->path, a->node[i].id, a->node[i].callee);
			break;
		}
		if (timer[g] == PROFILE_FLAT)
			timer[g] = add_region(r, &a->region[g]);
		r->node[i].timer = timer[g];
		r->node[i].parent = a->node[i].parent;
	}
	if (!code)
		calltree_paths(r->p, r->node, a->node_n);
	names_release(&ids);
	free(timer);
	return code;
}

/* Two nodes of one region below one parent share a path: their values together. */
static void combine(struct profile_sample *to, const struct profile_sample *v,
		    const struct cube_column *c)
{
	double n = to->n + v->n;

	if (c->role == ROLE_SINGLE) {
		if (strncmp(c->metric->type, "MIN", 3) ? v->max > to->max : v->min < to->min)
			*to = *v;
		return;
	}
	to->mean = (to->mean * to->n + v->mean * v->n) / n;
	to->n = n;
	to->min = v->min < to->min ? v->min : to->min;
	to->max = v->max > to->max ? v->max : to->max;
	to->sumsq += v->sumsq;
}

/* at: by path: 1 + index of its sample of this column. */
static void add_sample(struct cube *r, uint32_t thread, const struct cube_column *c, uint32_t path,
		       const unsigned char *p, uint32_t *at)
{
	struct profile_sample *s, v = {0};

	if (c->role == ROLE_SINGLE) {
		double x = get_double(p, c->swapped);

		/* values that never occurred are stored as the largest or the smallest number */
		if (x > 1e300 || x < -1e300 || x == 0)
			return;
		x *= c->scale;
		v = (struct profile_sample){.n = 1, .max = x, .min = x, .mean = x, .sumsq = x * x};
	} else {
		double sum = get_double(p + 20, c->swapped) * c->scale;

		v.n = (double)cube_number(p, 4, c->swapped);
		if (!v.n)
			return;
		v.min = get_double(p + 4, c->swapped) * c->scale;
		v.max = get_double(p + 12, c->swapped) * c->scale;
		v.mean = sum / v.n;
		v.sumsq = get_double(p + 28, c->swapped) * c->scale * c->scale;
	}
	v.counter = c->target;
	v.path = path;
	if (at[path]) {
		combine(&r->p->thread[thread].sample[at[path] - 1], &v, c);
		return;
	}
	s = profile_add_sample(r->p, thread, c->target, path);
	*s = v;
	at[path] = (uint32_t)r->p->thread[thread].sample_n;
}

static void add_samples(struct cube *r, uint32_t thread, size_t location)
{
	uint32_t *at = mem_alloc((r->p->path_n + 1) * sizeof(*at));

	for (size_t k = 0; k < r->column_n; k++) {
		const struct cube_column *c = &r->column[k];

		if (c->role != ROLE_SINGLE && c->role != ROLE_ATOMIC)
			continue;
		memset(at, 0, r->p->path_n * sizeof(*at));
		for (size_t i = 0; i < r->a.node_n; i++) {
			const unsigned char *p = cell(r, c, i, location);

			if (p)
				add_sample(r, thread, c, r->node[i].path, p, at);
		}
	}
	free(at);
}

/*
 * Subtracts the calls of the children from inclusive numbers of calls, as some metrics have them.
 */
static void calls_exclusive(const struct cube *r, const struct cube_column *c, double *calls)
{
	for (size_t i = 0; i < r->a.node_n && c->metric->inclusive; i++)
		if (r->a.node[i].parent != PROFILE_FLAT)
			calls[r->a.node[i].parent] -= calls[i];
}

static void add_location(struct cube *r, size_t location, uint32_t *in_group, char *inclusive)
{
	const struct cube_location *l = &r->a.location[location];
	size_t n = r->a.node_n, metrics = r->p->metric_n;
	int32_t rank = r->a.group[l->group].rank;
	uint32_t thread = profile_add_thread(r->p, rank < 0 ? (int32_t)l->group : rank, 0,
					     (int32_t)in_group[l->group]++);
	double *calls = mem_alloc((n + 1) * sizeof(*calls));
	double *value = mem_alloc((n * metrics + 1) * sizeof(*value));

	for (size_t k = 0; k < r->column_n; k++) {
		const struct cube_column *c = &r->column[k];

		for (size_t i = 0; i < n; i++) {
			const unsigned char *p = cell(r, c, i, location);

			if (p && c->role == ROLE_CALLS)
				calls[i] = get_value(c, p);
			else if (p && c->role == ROLE_METRIC)
				value[i * metrics + c->target] = get_value(c, p) * c->scale;
		}
		if (c->role == ROLE_CALLS)
			calls_exclusive(r, c, calls);
		if (c->role == ROLE_METRIC)
			inclusive[c->target] = (char)c->metric->inclusive;
	}
	calltree_rows(r->p, thread, r->node, n, calls, value, inclusive);
	add_samples(r, thread, location);
	if (l->name && *l->name)
		profile_set_meta(r->p, thread, "Location", l->name);
	free(calls);
	free(value);
}

static void note_parameters(struct cube *r)
{
	char *list = mem_string("");

	for (size_t i = 0; i < r->a.parameter.name_n; i++) {
		char *longer = mem_printf("%s%s%s", list, i ? ", " : "", r->a.parameter.name[i]);

		free(list);
		list = longer;
	}
	if (r->a.parameter.name_n)
		profile_set_meta(r->p, UINT32_MAX, TAU_META_CUBE_PARAMETERS_LEFT_OUT, list);
	free(list);
}

static int make_profile(struct cube *r)
{
	char inclusive[METRICS_MAX] = {0};
	uint32_t *in_group = mem_alloc((r->a.group_n + 1) * sizeof(*in_group));
	int code = add_nodes(r);

	if (!code && !r->a.location_n)
		code = error_set(r->e, ERROR_INPUT, "%s: anchor.xml: no location is defined",
				 r->path);
	for (size_t i = 0; i < r->a.location_n && !code; i++)
		add_location(r, i, in_group, inclusive);
	if (!code && r->p->thread_n != r->a.location_n)
		code = error_set(r->e, ERROR_INPUT,
				 "%s: anchor.xml: two processes have the same rank", r->path);
	for (size_t i = 0; i < r->a.meta_n; i++)
		profile_set_meta(r->p, UINT32_MAX, r->a.meta[i].name, r->a.meta[i].value);
	if (r->left_out_n) {
		*array_add(r, left_out) = 0;
		profile_set_meta(r->p, UINT32_MAX, TAU_META_CUBE_METRICS_LEFT_OUT, r->left_out);
	}
	note_parameters(r);
	free(in_group);
	return code;
}

int cube_finish(struct cube *c, int code, struct profile **out)
{
	if (!code)
		measure_visits(c);
	if (!code && !c->p->metric_n)
		code = c->damage ? error_set(c->e, ERROR_INPUT, "%s", c->damage)
				 : error_set(c->e, ERROR_INPUT,
					     "%s: none of its metrics has numbers that can be read",
					     c->path);
	code = code ? code : make_profile(c);
	for (size_t i = 0; i < c->column_n; i++)
		cube_column_release(&c->column[i]);
	cube_anchor_release(&c->a);
	free(c->column);
	free(c->node);
	free(c->left_out);
	free(c->damage);
	if (code) {
		profile_free(c->p);
		return code;
	}
	profile_sort(c->p);
	*out = c->p;
	return 0;
}
