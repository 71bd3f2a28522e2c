/*
 * cube3.c: reads Cube files of version 3 (Scalasca, KOJAK, TAU and the export of Cube 4) into a
 * struct profile. One XML file has the definitions (cube_anchor.h) and then the values:
 *
 *	<severity>
 *	  <matrix metricId="0">
 *	    <row cnodeId="0">
 *	      1.5
 *	      2.5
 *	    </row>
 *
 * A row has a number for each thread, in the order of their ids; a node without a row has only
 * zeros. Values are exclusive in the call tree, whatever the type of the metric is.
 */
#include <string.h>

#include "analyze/base/map.h"
#include "analyze/profile/profile.h"
#include "convert/cube/cube.h"
#include "convert/cube/cube_anchor.h"
#include "convert/profile_format.h"
#include "convert/io/xml.h"

/* Values of one metric in the order of the file. Its type and its index are set later. */
struct matrix {
	struct {
		double *v;
		size_t v_n, v_cap;
	} value;
	struct {
		uint32_t *v; /* ids of nodes */
		size_t v_n, v_cap;
	} node;
	int wraps;   /* numbers have 64 bits, and negative ones are stored modulo 2^64, as in
		      * cube.c */
	char *wrong; /* the first error */
};

struct cube3_reader {
	struct cube c;
	struct matrix *matrix;
	size_t matrix_n, matrix_cap;
	struct map nodes;     /* id -> index */
	struct map matrix_of; /* id of a metric -> index */
	struct map metrics;   /* id -> index, of the first metric_n */
	uint32_t metric_n;
};

/* Do numbers of the metric with this id wrap around? */
static int wraps(struct cube3_reader *r, uint32_t id)
{
	const struct cube_type *type;
	uint32_t at;

	for (; r->metric_n < r->c.a.metric_n; r->metric_n++)
		map_set(&r->metrics, r->c.a.metric[r->metric_n].id, r->metric_n);
	at = map_get(&r->metrics, id);
	type = at == MAP_NONE ? NULL : cube_type_of(r->c.a.metric[at].type);
	return type && type->code == 'u' && type->size == 8;
}

static struct matrix *matrix_of(struct cube3_reader *r, uint32_t metric)
{
	uint32_t at = map_get(&r->matrix_of, metric);
	struct matrix *m;

	if (at != MAP_NONE)
		return &r->matrix[at];
	map_set(&r->matrix_of, metric, (uint32_t)r->matrix_n);
	m = array_add(r, matrix);
	m->wraps = wraps(r, metric);
	return m;
}

static double number_of(const struct matrix *m, const char *text, char **end)
{
	double v = strtod(text, end);

	/* a double would lose the last digits of 2^64 - 1 */
	return m->wraps && v >= 0x1p63 ? (double)(int64_t)strtoull(text, NULL, 10) : v;
}

static void row_parse(void *to, uint32_t metric, uint32_t node, const char *text)
{
	struct cube3_reader *r = to;
	struct matrix *m = matrix_of(r, metric);
	size_t n = 0;

	for (;; n++) {
		char *end;
		double v;

		text += strspn(text, " \t\r\n");
		if (!*text)
			break;
		v = number_of(m, text, &end);
		if (end == text || (*end && !strchr(" \t\r\n", *end))) {
			if (!m->wrong)
				m->wrong = mem_printf("node %u: '%.40s' is not a number", node,
						      text);
			return;
		}
		*array_add(&m->value, v) = v;
		text = end;
	}
	*array_add(&m->node, v) = node;
	if (n != r->c.a.location_n && !m->wrong)
		m->wrong = mem_printf("node %u: %zu numbers for %zu threads", node, n,
				      r->c.a.location_n);
}

/* Numbers are stored as 8 bytes, little endian, as in an archive. */
static void put_double(struct cube_column *c, size_t at, double v)
{
	uint64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	for (unsigned i = 0; i < 8; i++)
		c->unpacked.p[8 * at + i] = (unsigned char)(bits >> 8 * i);
}

/* NULL: no error; otherwise the message, which the caller frees. */
static char *fill(const struct cube3_reader *r, struct matrix *m, struct cube_column *c)
{
	if (m->wrong)
		return mem_string(m->wrong);
	if (m->value.v_n != m->node.v_n * r->c.a.location_n)
		return mem_string("threads are defined after its values");
	c->type = cube_type_of("DOUBLE");
	c->row = mem_alloc((r->c.a.node_n + 1) * sizeof(*c->row));
	c->unpacked.n = m->value.v_n * 8;
	c->unpacked.p = mem_alloc(c->unpacked.n + 1);
	c->data = c->unpacked.p;
	for (size_t i = 0; i < m->value.v_n; i++)
		put_double(c, i, m->value.v[i]);
	for (size_t i = 0; i < m->node.v_n; i++) {
		uint32_t node = map_get(&r->nodes, m->node.v[i]);

		if (node == MAP_NONE || c->row[node])
			return mem_printf("node %u %s", m->node.v[i],
					  node == MAP_NONE ? "is not defined" : "has two rows");
		c->row[node] = (uint32_t)i + 1;
	}
	return NULL;
}

static void add_matrix(struct cube3_reader *r, struct cube_metric *metric)
{
	struct cube_column c = {.metric = metric};
	uint32_t at = map_get(&r->matrix_of, metric->id);
	enum cube_role role = cube_role_of(&r->c, metric);
	char *wrong;

	if (at == MAP_NONE) {
		if (metric->derived)
			cube_leave_out(&r->c, metric, NULL);
		return;
	}
	if (role == ROLE_NONE || role == ROLE_ATOMIC) {
		cube_leave_out(&r->c, metric, NULL);
		return;
	}
	metric->inclusive = 0;
	wrong = fill(r, &r->matrix[at], &c);
	if (wrong) {
		cube_leave_out(&r->c, metric, wrong);
		cube_column_release(&c);
		free(wrong);
		return;
	}
	cube_add_column(&r->c, &c);
}

static int number_nodes(struct cube3_reader *r)
{
	for (size_t i = 0; i < r->c.a.node_n; i++) {
		uint32_t id = r->c.a.node[i].id;

		if (map_get(&r->nodes, id) != MAP_NONE)
			return error_set(r->c.e, ERROR_INPUT, "%s: node %u is defined twice",
					 r->c.path, id);
		map_set(&r->nodes, id, (uint32_t)i);
	}
	return 0;
}

int cube3_is(const unsigned char *p, size_t n)
{
	const unsigned char *at = xml_start(p, n);

	return (size_t)(at - p) + 6 <= n && !memcmp(at, "<cube", 5) &&
	       memchr(" >\n\t\r", at[5], 5) != NULL;
}

int cube3_read(const char *path, const unsigned char *p, size_t n, struct profile **out,
	       struct error *e)
{
	struct cube3_reader r = {.c = {.path = path, .e = e, .p = profile_new()}};
	struct cube_rows rows = {&r, row_parse};
	int code = cube_anchor_read(path, p, n, &rows, &r.c.a, e);

	r.c.p->source = 17;
	if (!code && r.c.a.version && strtod(r.c.a.version, NULL) < 3)
		code = error_set(e, ERROR_INPUT,
				 "%s: a Cube file of version %.20s; versions 3 and 4 are read",
				 path, r.c.a.version);
	code = code ? code : number_nodes(&r);
	for (int turn = 0; turn < 2; turn++)
		for (size_t i = 0; i < r.c.a.metric_n && !code; i++)
			if (turn == !cube_is_time(&r.c.a.metric[i]))
				add_matrix(&r, &r.c.a.metric[i]);
	code = cube_finish(&r.c, code, out);
	for (size_t i = 0; i < r.matrix_n; i++) {
		free(r.matrix[i].value.v);
		free(r.matrix[i].node.v);
		free(r.matrix[i].wrong);
	}
	free(r.matrix);
	map_release(&r.nodes);
	map_release(&r.matrix_of);
	map_release(&r.metrics);
	return code;
}
