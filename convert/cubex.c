/*
 * cubex.c: Cube files (Score-P, Scalasca) -> struct profile. A .cubex is a tar archive of
 *
 *	anchor.xml	what is defined (cube_anchor.h), in gzip or not
 *	M.index		of metric M: "CUBEX.INDEX", u32 1, u16 version, u8 1 (a list follows) or
 *another (all nodes), u32 n, n u32
 *	M.data		"CUBEX.DATA" and n rows; or "ZCUBEX.DATA", u64 n, n times { u64 place
 *unpacked, place, size }, and n zlib streams of a row each
 *
 * in the byte order in which the 1 is a 1. A row has a value for each location, sorted by id. The
 *numbers in an index count the nodes of the call tree in an order of their own: of exclusive
 *metrics depth first; of inclusive ones a node's children one after the other, then the same below
 *the first child, the second, and so on.
 *
 * "visits" are calls; numbers become metrics, seconds as microseconds; minima, maxima and
 *TAU_ATOMIC become counters of the call path; other types (rates, histograms ...), and metrics that
 *the file derives from others by formulas, are named in the metadata "Cube Metrics Left Out".
 */
#include <string.h>

#include "blob.h"
#include "calltree.h"
#include "cube_anchor.h"
#include "profile_format.h"
#include "tar.h"

#define METRICS_MAX 256 /* rows are as wide as there are metrics */

enum role { ROLE_NONE, ROLE_CALLS, ROLE_METRIC, ROLE_SINGLE, ROLE_ATOMIC };

static const struct cube_type {
	const char *name;
	uint32_t size;
	char code; /* u unsigned, i signed, d double, a TAU_ATOMIC */
	enum role role;
} types[] = {
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

/* The values of one metric. */
struct column {
	const struct cube_metric *metric;
	const struct cube_type *type;
	enum role role;
	double scale;
	uint32_t target; /* metric or counter of the profile */
	uint32_t *row;   /* per node: 1 + its row, 0: none */
	struct blob unpacked;
	const unsigned char *data;
	int swapped;
};

struct reader {
	const char *path;
	struct error *e;
	const unsigned char *start;
	struct tar tar;
	struct cube_anchor a;
	struct column *column;
	size_t column_n, column_cap;
	uint32_t *deep, *wide; /* the two orders: number -> node */
	struct profile *p;
	struct calltree_node *node;
	char *left_out;
};

static int bad(struct reader *r, const unsigned char *at, const char *what)
{
	return error_set(r->e, ERROR_INPUT, "%s: offset %zu: %s", r->path, (size_t)(at - r->start),
			 what);
}

/* ---- the archive ---- */

static int read_anchor(struct reader *r)
{
	const struct tar_member *m = tar_get(&r->tar, "anchor.xml");
	char *path = mem_printf("%s: anchor.xml", r->path);
	struct blob b = {0};
	int code;

	if (!m)
		code = error_set(r->e, ERROR_INPUT, "%s: offset 0: the archive has no anchor.xml",
				 r->path);
	else if (m->n < 2 || m->p[0] != 0x1f || m->p[1] != 0x8b)
		code = cube_anchor_read(path, m->p, m->n, &r->a, r->e);
	else if (!blob_inflate(m->p, m->n, 15 + 16, SIZE_MAX - 1, &b))
		code = bad(r, m->p, "anchor.xml is damaged: its gzip stream");
	else
		code = cube_anchor_read(path, b.p, b.n, &r->a, r->e);
	blob_release(&b);
	free(path);
	return code;
}

/* ---- the two orders ---- */

/* See the head of the file. In the order of the file nodes are depth first already. */
static void number_nodes(struct reader *r)
{
	size_t n = r->a.node_n, made = 0;
	uint32_t *first = mem_resize(NULL, n + 1, sizeof(*first));
	uint32_t *next = mem_resize(NULL, n + 1, sizeof(*next));

	r->deep = mem_resize(NULL, n + 1, sizeof(*r->deep));
	r->wide = mem_resize(NULL, n + 1, sizeof(*r->wide));
	for (size_t i = 0; i < n; i++) {
		r->deep[i] = (uint32_t)i;
		first[i] = PROFILE_FLAT;
	}
	for (size_t i = n; i-- > 0;) {
		uint32_t up = r->a.node[i].parent;

		if (up == PROFILE_FLAT)
			continue;
		next[i] = first[up];
		first[up] = (uint32_t)i;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (r->a.node[i].parent == PROFILE_FLAT)
			r->wide[made++] = i;
		for (uint32_t c = first[i]; c != PROFILE_FLAT; c = next[c])
			r->wide[made++] = c;
	}
	free(first);
	free(next);
}

/* ---- values ---- */

static uint64_t get(const unsigned char *p, size_t size, int swapped)
{
	uint64_t v = 0;

	for (size_t i = 0; i < size; i++)
		v |= (uint64_t)p[i] << 8 * (swapped ? size - 1 - i : i);
	return v;
}

static double get_double(const unsigned char *p, int swapped)
{
	uint64_t bits = get(p, 8, swapped);
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

static double get_value(const struct column *c, const unsigned char *p)
{
	uint64_t v;
	unsigned unused = 64 - 8 * c->type->size;

	if (c->type->code == 'd')
		return get_double(p, c->swapped);
	v = get(p, c->type->size, c->swapped);
	return c->type->code == 'i' ? (double)((int64_t)(v << unused) >> unused) : (double)v;
}

/* The cell of a node and a location; NULL: there is none. */
static const unsigned char *cell(const struct reader *r, const struct column *c, size_t node,
				 size_t location)
{
	size_t at;

	if (!c->row[node])
		return NULL;
	at = (size_t)(c->row[node] - 1) * r->a.location_n + location;
	return c->data + at * c->type->size;
}

static int read_index(struct reader *r, struct column *c, const struct tar_member *m, size_t *rows)
{
	static const char mark[] = "CUBEX.INDEX";
	const size_t head = sizeof(mark) - 1 + 4 + 2 + 1;
	const uint32_t *order = c->metric->inclusive ? r->wide : r->deep;

	if (m->n < head || memcmp(m->p, mark, sizeof(mark) - 1) != 0)
		return bad(r, m->p, "this is no index of a metric");
	c->swapped = get(m->p + 11, 4, 0) != 1;
	if (get(m->p + 11, 4, c->swapped) != 1)
		return bad(r, m->p + 11, "the index tells no byte order");
	c->row = mem_alloc((r->a.node_n + 1) * sizeof(*c->row));
	if (m->p[head - 1] != 1) {
		*rows = r->a.node_n;
		for (size_t i = 0; i < *rows; i++)
			c->row[order[i]] = (uint32_t)i + 1;
		return 0;
	}
	*rows = m->n >= head + 4 ? get(m->p + head, 4, c->swapped) : 0;
	if (m->n < head + 4 || (m->n - head - 4) / 4 != *rows || m->n % 4 != (head + 4) % 4)
		return bad(r, m->p + head, "the index has not the length that it gives");
	for (size_t i = 0; i < *rows; i++) {
		const unsigned char *at = m->p + head + 4 + 4 * i;
		uint64_t id = get(at, 4, c->swapped);

		if (id >= r->a.node_n || c->row[order[id]])
			return bad(r, at, "the index names no node of the call tree, or one twice");
		c->row[order[id]] = (uint32_t)i + 1;
	}
	return 0;
}

static int unpack(struct reader *r, struct column *c, const struct tar_member *m, size_t expected)
{
	const unsigned char *p = m->p + 11, *end = m->p + m->n, *stream;
	uint64_t n = end - p >= 8 ? get(p, 8, c->swapped) : 0;

	if (end - p < 8 || n > (size_t)(end - p - 8) / 24)
		return bad(r, p, "the table of compressed rows is cut short");
	p += 8;
	stream = p + 24 * n;
	for (uint64_t i = 0; i < n; i++, p += 24) {
		uint64_t size = get(p + 16, 8, c->swapped);

		if (size > (size_t)(end - stream))
			return bad(r, p + 16, "a compressed row is cut short");
		if (size &&
		    blob_inflate(stream, size, 15, expected - c->unpacked.n, &c->unpacked) != size)
			return bad(r, stream, "a compressed row is damaged");
		stream += size;
	}
	c->data = c->unpacked.p;
	return c->unpacked.n == expected
		       ? 0
		       : bad(r, m->p, "the rows are not as many as the index has");
}

static int read_data(struct reader *r, struct column *c, const struct tar_member *m, size_t rows)
{
	size_t size = c->type->size * r->a.location_n, expected = rows * size;

	/* Packed data may be small for what they hold, but not smaller than deflate can make them.
	 */
	if (size && rows > (m->n + 64) * 1100 / size)
		return bad(r, m->p, "the data are shorter than the index says");
	if (m->n >= 11 && !memcmp(m->p, "ZCUBEX.DATA", 11))
		return unpack(r, c, m, expected);
	if (m->n < 10 || memcmp(m->p, "CUBEX.DATA", 10) != 0)
		return bad(r, m->p, "these are no data of a metric");
	if (m->n - 10 != expected)
		return bad(r, m->p,
			   "the data have not the length that index and locations ask for");
	c->data = m->p + 10;
	return 0;
}

static void leave_out(struct reader *r, const char *name)
{
	char *more =
		mem_printf("%s%s%s", r->left_out ? r->left_out : "", r->left_out ? ", " : "", name);

	free(r->left_out);
	r->left_out = more;
}

static const struct cube_type *type_of(const char *name)
{
	for (size_t i = 0; name && i < sizeof(types) / sizeof(*types); i++)
		if (!strcmp(types[i].name, name))
			return &types[i];
	return NULL;
}

/* Of metrics without data nothing happened, or they are derived from others. */
static int read_column(struct reader *r, const struct cube_metric *m)
{
	char *name = mem_printf("%u.index", m->id);
	const struct tar_member *index = tar_get(&r->tar, name), *data;
	const char *shown = m->name ? m->name : "?";
	struct column c = {.metric = m, .type = type_of(m->type), .scale = 1};
	size_t rows = 0;
	int code;

	free(name);
	name = mem_printf("%u.data", m->id);
	data = tar_get(&r->tar, name);
	free(name);
	if (!data && (index || m->derived))
		leave_out(r, shown);
	if (!index || !data)
		return 0;
	c.role = c.type && m->name && *m->name ? c.type->role : ROLE_NONE;
	if (c.role == ROLE_METRIC && !strcmp(m->name, "visits"))
		c.role = ROLE_CALLS;
	if (c.role == ROLE_METRIC && r->p->metric_n == METRICS_MAX)
		c.role = ROLE_NONE;
	if (m->unit && !strcmp(m->unit, "sec") && c.role != ROLE_CALLS)
		c.scale = 1e6;
	if (c.role == ROLE_METRIC) {
		size_t before = r->p->metric_n;

		c.target = profile_add_metric(r->p, strcmp(m->name, "time") ? m->name : "TIME");
		c.role = r->p->metric_n > before ? ROLE_METRIC : ROLE_NONE;
	} else if (c.role > ROLE_METRIC) {
		c.target = profile_add_counter(r->p, m->name, COUNTER_EVENT);
	}
	if (c.role == ROLE_NONE) {
		leave_out(r, shown);
		return 0;
	}
	code = read_index(r, &c, index, &rows);
	code = code ? code : read_data(r, &c, data, rows);
	*array_add(r, column) = c;
	return code;
}

/* A profile is of something: without any other metric of how often nodes were visited. */
static void measure_visits(struct reader *r)
{
	for (size_t i = 0; i < r->column_n && !r->p->metric_n; i++) {
		struct column copy = r->column[i];

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

/* Regions of the same name in different places are told apart by the place. */
static uint32_t add_region(struct reader *r, const struct cube_region *g)
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

static int add_nodes(struct reader *r)
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

static void add_sample(struct reader *r, uint32_t thread, const struct column *c, uint32_t path,
		       const unsigned char *p)
{
	struct profile_sample *s, v = {0};

	if (c->role == ROLE_SINGLE) {
		double x = get_double(p, c->swapped);

		/* What never happened is stored as the largest or the smallest number there is. */
		if (x > 1e300 || x < -1e300 || x == 0)
			return;
		x *= c->scale;
		v = (struct profile_sample){.n = 1, .max = x, .min = x, .mean = x, .sumsq = x * x};
	} else {
		double sum = get_double(p + 20, c->swapped) * c->scale;

		v.n = (double)get(p, 4, c->swapped);
		if (!v.n)
			return;
		v.min = get_double(p + 4, c->swapped) * c->scale;
		v.max = get_double(p + 12, c->swapped) * c->scale;
		v.mean = sum / v.n;
		v.sumsq = get_double(p + 28, c->swapped) * c->scale * c->scale;
	}
	v.counter = c->target;
	v.path = path;
	s = profile_add_sample(r->p, thread, c->target, path);
	*s = v;
}

/* Two nodes of one region below one parent share a path; the first one's counters hold there. */
static void add_samples(struct reader *r, uint32_t thread, size_t location)
{
	char *taken = mem_alloc(r->p->path_n + 1);

	for (size_t k = 0; k < r->column_n; k++) {
		const struct column *c = &r->column[k];

		if (c->role != ROLE_SINGLE && c->role != ROLE_ATOMIC)
			continue;
		memset(taken, 0, r->p->path_n);
		for (size_t i = 0; i < r->a.node_n; i++) {
			const unsigned char *p = cell(r, c, i, location);

			if (p && !taken[r->node[i].path]) {
				taken[r->node[i].path] = 1;
				add_sample(r, thread, c, r->node[i].path, p);
			}
		}
	}
	free(taken);
}

static void add_location(struct reader *r, size_t location, uint32_t *in_group, char *inclusive)
{
	const struct cube_location *l = &r->a.location[location];
	size_t n = r->a.node_n, metrics = r->p->metric_n;
	int32_t rank = r->a.group[l->group].rank;
	uint32_t thread = profile_add_thread(r->p, rank < 0 ? (int32_t)l->group : rank, 0,
					     (int32_t)in_group[l->group]++);
	double *calls = mem_alloc((n + 1) * sizeof(*calls));
	double *value = mem_alloc((n * metrics + 1) * sizeof(*value));

	for (size_t k = 0; k < r->column_n; k++) {
		const struct column *c = &r->column[k];

		for (size_t i = 0; i < n; i++) {
			const unsigned char *p = cell(r, c, i, location);

			if (p && c->role == ROLE_CALLS)
				calls[i] = get_value(c, p);
			else if (p && c->role == ROLE_METRIC)
				value[i * metrics + c->target] = get_value(c, p) * c->scale;
		}
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

static int make_profile(struct reader *r)
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
	if (r->left_out)
		profile_set_meta(r->p, UINT32_MAX, "Cube Metrics Left Out", r->left_out);
	free(in_group);
	return code;
}

int cubex_is(const unsigned char *p, size_t n)
{
	static const char *const endings[] = {".xml", ".index", ".data", ".spec"};

	p = tar_first(p, n);
	if (!p || memcmp(p + 257, "ustar", 5) != 0 || !memchr(p, 0, 100))
		return 0;
	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		size_t length = strlen((const char *)p), end = strlen(endings[i]);

		if (length >= end && !memcmp(p + length - end, endings[i], end))
			return 1;
	}
	return 0;
}

int cubex_read(const char *path, const unsigned char *p, size_t n, struct profile **out,
	       struct error *e)
{
	struct reader r = {.path = path, .e = e, .start = p, .p = profile_new()};
	int code = tar_read(path, p, n, &r.tar, e);

	r.p->source = 8;
	code = code ? code : read_anchor(&r);
	if (!code)
		number_nodes(&r);
	/* Time is the metric that everything looks at first. */
	for (int turn = 0; turn < 2; turn++)
		for (size_t i = 0; i < r.a.metric_n && !code; i++) {
			const char *name = r.a.metric[i].name;

			if (turn == !(name && !strcmp(name, "time")))
				code = read_column(&r, &r.a.metric[i]);
		}
	if (!code)
		measure_visits(&r);
	if (!code && !r.p->metric_n)
		code = error_set(e, ERROR_INPUT,
				 "%s: none of its metrics has numbers that can be read", path);
	code = code ? code : make_profile(&r);
	for (size_t i = 0; i < r.column_n; i++) {
		free(r.column[i].row);
		blob_release(&r.column[i].unpacked);
	}
	cube_anchor_release(&r.a);
	free(r.column);
	free(r.tar.member);
	free(r.deep);
	free(r.wide);
	free(r.node);
	free(r.left_out);
	if (code) {
		profile_free(r.p);
		return code;
	}
	profile_sort(r.p);
	*out = r.p;
	return 0;
}
