/*
 * cubex.c: reads Cube files (Score-P, Scalasca) into a struct profile. A .cubex is a tar archive of
 *
 *	anchor.xml	the definitions (cube_anchor.h), with or without gzip
 *	M.index		of metric M: "CUBEX.INDEX", u32 1, u16 version, u8 1 (a list follows)
 *			or another (all nodes), u32 n, n u32
 *	M.data		"CUBEX.DATA" and n rows; or "ZCUBEX.DATA", u64 n, n times { u64 place
 *			unpacked, place, size }, and n zlib streams of a row each
 *
 * in the byte order in which the 1 is a 1. A row has a value for each location, sorted by id. The
 * numbers in an index count the nodes of the call tree in a special order: for exclusive metrics
 * depth first; for inclusive ones all children of a node, then the same below the first child, the
 * second, and so on. A metric whose index or data are damaged is excluded.
 */
#include <string.h>

#include "analyze/profile/profile.h"
#include "convert/cube/cube.h"
#include "convert/cube/cube_anchor.h"
#include "convert/io/blob.h"
#include "convert/profile_format.h"
#include "convert/io/tar.h"

struct cubex_reader {
	struct cube c;
	const unsigned char *start;
	struct tar tar;
	uint32_t *deep, *wide; /* the two orders: number -> node */
};

static int bad(struct cubex_reader *r, const unsigned char *at, const char *what)
{
	return error_set(r->c.e, ERROR_INPUT, "%s: offset %zu: %s", r->c.path,
			 (size_t)(at - r->start), what);
}

/* ---- the archive ---- */

static int read_anchor(struct cubex_reader *r)
{
	const struct tar_member *m = tar_get(&r->tar, "anchor.xml");
	char *path = mem_printf("%s: anchor.xml", r->c.path);
	struct blob b = {0};
	int code;

	if (!m)
		code = error_set(r->c.e, ERROR_INPUT, "%s: offset 0: the archive has no anchor.xml",
				 r->c.path);
	else if (m->n < 2 || m->p[0] != 0x1f || m->p[1] != 0x8b)
		code = cube_anchor_read(path, m->p, m->n, NULL, &r->c.a, r->c.e);
	else if (!blob_inflate(m->p, m->n, 15 + 16, blob_most(m->n), &b) && b.n > blob_most(m->n))
		code = error_set(
			r->c.e, ERROR_INPUT,
			"%s: offset %zu: anchor.xml unpacks to more than %d times its size",
			r->c.path, (size_t)(m->p - r->start), BLOB_RATIO);
	else if (!blob_inflate(m->p, m->n, 15 + 16, blob_most(m->n), &b))
		code = bad(r, m->p, "anchor.xml is damaged: its gzip stream");
	else
		code = cube_anchor_read(path, b.p, b.n, NULL, &r->c.a, r->c.e);
	blob_release(&b);
	free(path);
	return code;
}

/* ---- the two orders ---- */

/* See the first comment. In the order of the file, nodes are already depth first. */
static void number_nodes(struct cubex_reader *r)
{
	size_t n = r->c.a.node_n, made = 0;
	uint32_t *first = mem_resize(NULL, n + 1, sizeof(*first));
	uint32_t *next = mem_resize(NULL, n + 1, sizeof(*next));

	r->deep = mem_resize(NULL, n + 1, sizeof(*r->deep));
	r->wide = mem_resize(NULL, n + 1, sizeof(*r->wide));
	for (size_t i = 0; i < n; i++) {
		r->deep[i] = (uint32_t)i;
		first[i] = PROFILE_FLAT;
	}
	for (size_t i = n; i-- > 0;) {
		uint32_t up = r->c.a.node[i].parent;

		if (up == PROFILE_FLAT)
			continue;
		next[i] = first[up];
		first[up] = (uint32_t)i;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (r->c.a.node[i].parent == PROFILE_FLAT)
			r->wide[made++] = i;
		for (uint32_t c = first[i]; c != PROFILE_FLAT; c = next[c])
			r->wide[made++] = c;
	}
	free(first);
	free(next);
}

/* ---- values ---- */

static int read_index(struct cubex_reader *r, struct cube_column *c, const struct tar_member *m,
		      size_t *rows)
{
	static const char mark[] = "CUBEX.INDEX";
	const size_t head = sizeof(mark) - 1 + 4 + 2 + 1;
	const uint32_t *order = c->metric->inclusive ? r->wide : r->deep;

	if (m->n < head || memcmp(m->p, mark, sizeof(mark) - 1) != 0)
		return bad(r, m->p, "this is not an index of a metric");
	c->swapped = cube_number(m->p + 11, 4, 0) != 1;
	if (cube_number(m->p + 11, 4, c->swapped) != 1)
		return bad(r, m->p + 11, "the index has no byte order");
	c->row = mem_alloc((r->c.a.node_n + 1) * sizeof(*c->row));
	if (m->p[head - 1] != 1) {
		*rows = r->c.a.node_n;
		for (size_t i = 0; i < *rows; i++)
			c->row[order[i]] = (uint32_t)i + 1;
		return 0;
	}
	*rows = m->n >= head + 4 ? cube_number(m->p + head, 4, c->swapped) : 0;
	if (m->n < head + 4 || (m->n - head - 4) / 4 != *rows || m->n % 4 != (head + 4) % 4)
		return bad(r, m->p + head, "the length of the index differs from its header");
	for (size_t i = 0; i < *rows; i++) {
		const unsigned char *at = m->p + head + 4 + 4 * i;
		uint64_t id = cube_number(at, 4, c->swapped);

		if (id >= r->c.a.node_n || c->row[order[id]])
			return bad(r, at, "the index names no node of the call tree, or one twice");
		c->row[order[id]] = (uint32_t)i + 1;
	}
	return 0;
}

static int unpack(struct cubex_reader *r, struct cube_column *c, const struct tar_member *m,
		  size_t expected)
{
	const unsigned char *p = m->p + 11, *end = m->p + m->n, *stream;
	uint64_t n = end - p >= 8 ? cube_number(p, 8, c->swapped) : 0;

	if (end - p < 8 || n > (size_t)(end - p - 8) / 24)
		return bad(r, p, "the table of compressed rows is cut short");
	p += 8;
	stream = p + 24 * n;
	for (uint64_t i = 0; i < n; i++, p += 24) {
		uint64_t size = cube_number(p + 16, 8, c->swapped);

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
		       : bad(r, m->p, "the number of rows differs from the index");
}

/* Early writers of Cube 4 leave room for rows that the index does not have; these are zero. */
static int only_zeros(const unsigned char *p, const unsigned char *end)
{
	while (p < end && !*p)
		p++;
	return p == end;
}

static int read_data(struct cubex_reader *r, struct cube_column *c, const struct tar_member *m,
		     size_t rows)
{
	size_t size = c->type->size * r->c.a.location_n, expected = rows * size;

	if (size && rows > blob_most(m->n) / size)
		return bad(r, m->p, "the index requires over 100 times the data's size");
	if (m->n >= 11 && !memcmp(m->p, "ZCUBEX.DATA", 11))
		return unpack(r, c, m, expected);
	if (m->n < 10 || memcmp(m->p, "CUBEX.DATA", 10) != 0)
		return bad(r, m->p, "these are not the data of a metric");
	if (m->n - 10 < expected || (size && (m->n - 10) % size) ||
	    !only_zeros(m->p + 10 + expected, m->p + m->n))
		return bad(r, m->p, "the length of the data differs from the index");
	c->data = m->p + 10;
	return 0;
}

static int read_rows(struct cubex_reader *r, struct cube_column *c, const struct tar_member *index,
		     const struct tar_member *data)
{
	size_t rows = 0;
	int code = read_index(r, c, index, &rows);

	return code ? code : read_data(r, c, data, rows);
}

/*
 * A metric without index and data has no values, or is derived from others. A damaged metric is excluded and
 * named; the other metrics are still read.
 */
static void read_column(struct cubex_reader *r, const struct cube_metric *m)
{
	char *index_name = mem_printf("%u.index", m->id), *data_name = mem_printf("%u.data", m->id);
	const struct tar_member *index = tar_get(&r->tar, index_name),
				*data = tar_get(&r->tar, data_name);
	struct cube_column c = {.metric = m, .type = cube_type_of(m->type)};

	free(index_name);
	free(data_name);
	if (!index || !data) {
		if (index || data || m->derived)
			cube_leave_out(&r->c, m, data ? "it has no index" : NULL);
		return;
	}
	if (cube_role_of(&r->c, m) == ROLE_NONE) {
		cube_leave_out(&r->c, m, NULL);
	} else if (read_rows(r, &c, index, data)) {
		size_t path_n = strlen(r->c.path) + 2;

		cube_leave_out(&r->c, m,
			       strlen(r->c.e->text) > path_n ? r->c.e->text + path_n : "damaged");
		*r->c.e = (struct error){0};
		cube_column_release(&c);
	} else {
		cube_add_column(&r->c, &c);
	}
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
	struct cubex_reader r = {.c = {.path = path, .e = e, .p = profile_new()}, .start = p};
	int code = tar_read(path, p, n, &r.tar, e);

	r.c.p->source = 8;
	code = code ? code : read_anchor(&r);
	if (!code)
		number_nodes(&r);
	for (int turn = 0; turn < 2; turn++)
		for (size_t i = 0; i < r.c.a.metric_n && !code; i++)
			if (turn == !cube_is_time(&r.c.a.metric[i]))
				read_column(&r, &r.c.a.metric[i]);
	code = cube_finish(&r.c, code, out);
	tar_release(&r.tar);
	free(r.deep);
	free(r.wide);
	return code;
}
