/*
 * cube_anchor.c: reads the XML of a Cube file into a struct cube_anchor, and the rows of values in
 * it.
 */
#include "convert/cube/cube_anchor.h"

#include <string.h>

#include "convert/io/xml.h"

/* A <name>, a <rank> or a <uom> belongs to the innermost open element of these kinds. */
enum kind {
	KIND_OTHER,
	KIND_CUBE,
	KIND_METRIC,
	KIND_REGION,
	KIND_NODE,
	KIND_GROUP,
	KIND_LOCATION,
	KIND_MATRIX,
	KIND_ROW
};

struct open_element {
	enum kind kind;
	uint32_t index; /* of the metric, region ...; the id to which a matrix or a row refers */
};

struct anchor_reader {
	struct cube_anchor *a;
	const struct cube_rows *rows;
	struct open_element *open;
	size_t open_n, open_cap;
};

static const struct {
	const char *name;
	enum kind kind;
} kinds[] = {
	{"cube", KIND_CUBE},  {"metric", KIND_METRIC},       {"region", KIND_REGION},
	{"cnode", KIND_NODE}, {"locationgroup", KIND_GROUP}, {"location", KIND_LOCATION},
	/* of version 3 */
	{"process", KIND_GROUP}, {"thread", KIND_LOCATION},
	{"matrix", KIND_MATRIX}, {"row", KIND_ROW},
};

static int number_of(const char *text, uint32_t *out)
{
	char *end;
	unsigned long v =
		text && *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : UINT32_MAX;

	*out = v < UINT32_MAX ? (uint32_t)v : 0;
	return v < UINT32_MAX && !*end;
}

/* Reads an id in either spelling. */
static int id_of(const struct xml_attribute *x, size_t n, uint32_t *out)
{
	const char *text = xml_get(x, n, "id");

	return number_of(text ? text : xml_get(x, n, "Id"), out);
}

static char *copy_of(const struct xml_attribute *x, size_t n, const char *name)
{
	const char *text = xml_get(x, n, name);

	return text && *text ? mem_string(text) : NULL;
}

/* The index of the innermost open element of that kind; PROFILE_FLAT: none is open. */
static uint32_t inside(const struct anchor_reader *r, enum kind kind)
{
	for (size_t i = r->open_n; i-- > 0;)
		if (r->open[i].kind == kind)
			return r->open[i].index;
	return PROFILE_FLAT;
}

static char *open_metric(struct cube_anchor *a, const struct xml_attribute *x, size_t n)
{
	struct cube_metric *m = array_add(a, metric);
	const char *type = xml_get(x, n, "type");

	m->derived = type && strstr(type, "DERIVED") != NULL;
	m->inclusive = !type || strcmp(type, "EXCLUSIVE") != 0;
	return id_of(x, n, &m->id) ? NULL : mem_string("a metric without a number");
}

static char *open_region(struct cube_anchor *a, const struct xml_attribute *x, size_t n)
{
	struct cube_region *r = array_add(a, region);

	r->file = copy_of(x, n, "mod");
	number_of(xml_get(x, n, "begin"), &r->line);
	return id_of(x, n, &r->id) ? NULL : mem_string("a region without a number");
}

static char *open_node(struct anchor_reader *r, const struct xml_attribute *x, size_t n)
{
	uint32_t parent = inside(r, KIND_NODE);
	struct cube_node *c = array_add(r->a, node);

	c->parent = parent;
	return id_of(x, n, &c->id) && number_of(xml_get(x, n, "calleeId"), &c->callee)
		       ? NULL
		       : mem_string("a call tree node without its number or its region's");
}

static char *open_location(struct anchor_reader *r, const struct xml_attribute *x, size_t n)
{
	uint32_t group = inside(r, KIND_GROUP);
	struct cube_location *l = array_add(r->a, location);

	l->group = group;
	return id_of(x, n, &l->id) && group != PROFILE_FLAT
		       ? NULL
		       : mem_string("a location without a number or outside of a process");
}

static char *on_open(void *arg, const char *name, const struct xml_attribute *x, size_t n)
{
	struct anchor_reader *r = arg;
	struct cube_anchor *a = r->a;
	struct open_element at = {KIND_OTHER, 0};
	char *wrong = NULL;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(name, kinds[i].name))
			at.kind = kinds[i].kind;
	if (at.kind == KIND_METRIC) {
		wrong = open_metric(a, x, n);
		at.index = (uint32_t)a->metric_n - 1;
	} else if (at.kind == KIND_REGION) {
		wrong = open_region(a, x, n);
		at.index = (uint32_t)a->region_n - 1;
	} else if (at.kind == KIND_NODE) {
		wrong = open_node(r, x, n);
		at.index = (uint32_t)a->node_n - 1;
	} else if (at.kind == KIND_GROUP) {
		array_add(a, group)->rank = -1;
		at.index = (uint32_t)a->group_n - 1;
	} else if (at.kind == KIND_LOCATION) {
		wrong = open_location(r, x, n);
		at.index = (uint32_t)a->location_n - 1;
	} else if (at.kind == KIND_CUBE && !a->version) {
		a->version = copy_of(x, n, "version");
	} else if (at.kind == KIND_MATRIX || at.kind == KIND_ROW) {
		const char *id = at.kind == KIND_ROW ? "cnodeId" : "metricId";

		if (!number_of(xml_get(x, n, id), &at.index))
			wrong = mem_printf("values without %s", id);
	} else if (!strcmp(name, "parameter") && inside(r, KIND_NODE) != PROFILE_FLAT) {
		const char *key = xml_get(x, n, "parkey");

		key = key && *key ? key : "(without name)";
		names_add(&a->parameter, key, strlen(key));
	} else if (!strcmp(name, "attr") && r->open_n == 1 && r->open[0].kind == KIND_CUBE) {
		char *key = copy_of(x, n, "key"), *value = copy_of(x, n, "value");

		if (key)
			*array_add(a, meta) =
				(struct profile_attribute){key, value ? value : mem_string("")};
		else
			free(value);
	}
	*array_add(r, open) = at;
	return wrong;
}

static void keep_first(char **at, const char *text)
{
	if (!*at)
		*at = mem_string(text);
}

static char *on_close(void *arg, const char *name, char *text, size_t length)
{
	struct anchor_reader *r = arg;
	struct cube_anchor *a = r->a;
	struct open_element in;

	(void)length;
	r->open_n--;
	if (r->rows && r->open[r->open_n].kind == KIND_ROW)
		r->rows->receive(r->rows->to, inside(r, KIND_MATRIX), r->open[r->open_n].index,
				 text);
	if (!r->open_n)
		return NULL;
	in = r->open[r->open_n - 1];
	if (in.kind == KIND_METRIC && !strcmp(name, "uniq_name"))
		keep_first(&a->metric[in.index].name, text);
	else if (in.kind == KIND_METRIC && !strcmp(name, "dtype"))
		keep_first(&a->metric[in.index].type, text);
	else if (in.kind == KIND_METRIC && !strcmp(name, "uom"))
		keep_first(&a->metric[in.index].unit, text);
	else if (in.kind == KIND_REGION && !strcmp(name, "name"))
		keep_first(&a->region[in.index].name, text);
	else if (in.kind == KIND_REGION && !strcmp(name, "paradigm"))
		keep_first(&a->region[in.index].paradigm, text);
	else if (in.kind == KIND_LOCATION && !strcmp(name, "name"))
		keep_first(&a->location[in.index].name, text);
	else if (in.kind == KIND_GROUP && !strcmp(name, "rank")) {
		uint32_t rank;

		if (number_of(text, &rank) && rank <= INT32_MAX)
			a->group[in.index].rank = (int32_t)rank;
	}
	return NULL;
}

static int by_id(const void *va, const void *vb)
{
	const struct cube_location *a = va, *b = vb;

	return (a->id > b->id) - (a->id < b->id);
}

int cube_anchor_read(const char *path, const unsigned char *p, size_t n,
		     const struct cube_rows *rows, struct cube_anchor *out, struct error *e)
{
	struct anchor_reader r = {.a = out, .rows = rows};
	struct xml_handler h = {&r, on_open, on_close};
	int code;

	memset(out, 0, sizeof(*out));
	code = xml_read(path, p, n, &h, e);
	free(r.open);
	if (out->location_n)
		qsort(out->location, out->location_n, sizeof(*out->location), by_id);
	for (size_t i = 1; i < out->location_n && !code; i++)
		if (out->location[i].id == out->location[i - 1].id)
			code = error_set(e, ERROR_INPUT, "%s: location %u is defined twice", path,
					 out->location[i].id);
	return code;
}

void cube_anchor_release(struct cube_anchor *a)
{
	for (size_t i = 0; i < a->metric_n; i++) {
		free(a->metric[i].name);
		free(a->metric[i].type);
		free(a->metric[i].unit);
	}
	for (size_t i = 0; i < a->region_n; i++) {
		free(a->region[i].name);
		free(a->region[i].file);
		free(a->region[i].paradigm);
	}
	for (size_t i = 0; i < a->location_n; i++)
		free(a->location[i].name);
	for (size_t i = 0; i < a->meta_n; i++) {
		free(a->meta[i].name);
		free(a->meta[i].value);
	}
	names_release(&a->parameter);
	free(a->version);
	free(a->metric);
	free(a->region);
	free(a->node);
	free(a->location);
	free(a->group);
	free(a->meta);
	memset(a, 0, sizeof(*a));
}
