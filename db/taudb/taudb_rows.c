/* taudb_rows.c: reads rows of SQL into arrays of structures. */
#include "db/taudb/taudb_rows.h"

#include <string.h>

/* An id has place in a reference, until all elements are there. */
_Static_assert(sizeof(void *) >= sizeof(int64_t), "64 bits");

const void *taudb_find(const struct taudb_list *list, int64_t id)
{
	size_t low = 0, high = list->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const char *at = (const char *)list->v + middle * list->size;
		int64_t found;

		memcpy(&found, at, sizeof(found));
		if (found == id)
			return at;
		if (found < id)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static const char *text_of(struct taudb_connection *c, sqlite3_stmt *q, int column)
{
	const char *text = (const char *)sqlite3_column_text(q, column);

	uint32_t at = text ? names_add(&c->texts, text, strlen(text)) : 0;

	return text ? c->texts.name[at] : NULL;
}

static int no_element(struct taudb_connection *c, const struct taudb_rows *r, int64_t id)
{
	return error_set(&c->error, ERROR_INPUT,
			 "%s: a row of %s refers to number %jd, which its trial does not have",
			 c->db->file, r->table, (intmax_t)id);
}

static int read_field(struct taudb_connection *c, const struct taudb_rows *r, sqlite3_stmt *q,
		      size_t i, char *to)
{
	const struct taudb_field *f = &r->field[i];
	int column = (int)i, known = sqlite3_column_type(q, column) != SQLITE_NULL;
	int64_t integer = known ? sqlite3_column_int64(q, column) : TAUDB_UNKNOWN;
	double number;
	const void *at = NULL;

	switch (f->type) {
	case FIELD_INTEGER:
	case FIELD_SIBLING:
		memcpy(to + f->offset, &integer, sizeof(integer));
		return 0;
	case FIELD_NUMBER:
		number = db_number(q, column);
		memcpy(to + f->offset, &number, sizeof(number));
		return 0;
	case FIELD_TEXT:
		at = text_of(c, q, column);
		break;
	case FIELD_ELEMENT:
		at = known ? taudb_find(f->list, integer) : NULL;
		if (known && !at)
			return no_element(c, r, integer);
		break;
	}
	memcpy(to + f->offset, &at, sizeof(at));
	return 0;
}

static int read_row(struct taudb_connection *c, struct taudb_rows *r, sqlite3_stmt *q)
{
	int code = 0;

	if (r->v_n == r->v_cap)
		r->v = array_grow(r->v, &r->v_cap, r->size);
	memset(r->v + r->v_n * r->size, 0, r->size);
	for (size_t i = 0; code == 0 && i < r->field_n; i++)
		code = read_field(c, r, q, i, r->v + r->v_n * r->size);
	r->v_n++;
	return code;
}

/* The array no longer moves: ids of its own elements become references. */
static int join_siblings(struct taudb_connection *c, struct taudb_rows *r,
			 const struct taudb_field *f)
{
	struct taudb_list list = {r->v, r->v_n, r->size};

	for (size_t i = 0; i < r->v_n; i++) {
		char *to = r->v + i * r->size + f->offset;
		int64_t id;
		const void *at;

		memcpy(&id, to, sizeof(id));
		at = id == TAUDB_UNKNOWN ? NULL : taudb_find(&list, id);
		if (id != TAUDB_UNKNOWN && !at)
			return no_element(c, r, id);
		memset(to, 0, sizeof(id));
		memcpy(to, &at, sizeof(at));
	}
	return 0;
}

/* Who follows references comes to an end: O(elements), because each is followed until one that was checked. */
static int check_siblings(struct taudb_connection *c, struct taudb_rows *r, size_t offset)
{
	size_t *round = mem_alloc((r->v_n + 1) * sizeof(*round));
	int code = 0;

	for (size_t i = 0; code == 0 && i < r->v_n; i++)
		for (size_t at = i; !round[at];) {
			const char *next;

			round[at] = i + 1;
			memcpy(&next, r->v + at * r->size + offset, sizeof(next));
			if (!next)
				break;
			at = (size_t)(next - r->v) / r->size;
			if (round[at] == i + 1)
				code = error_set(&c->error, ERROR_INPUT,
						 "%s: rows of %s form a cycle", c->db->file,
						 r->table);
		}
	free(round);
	return code;
}

int taudb_rows_read(struct taudb_connection *c, struct taudb_rows *r, const char *sql,
		    const int64_t *bind, size_t n)
{
	sqlite3_stmt *q = NULL;
	int code = db_prepare(c->db, &q, &c->error, sql);

	for (size_t i = 0; code == 0 && i < n; i++)
		sqlite3_bind_int64(q, (int)i + 1, bind[i]);
	while (code == 0 && (code = db_step(c->db, q, &c->error)) == 1)
		code = read_row(c, r, q);
	sqlite3_finalize(q);
	if (!r->v)
		r->v = array_grow(r->v, &r->v_cap, r->size);
	for (size_t i = 0; code == 0 && i < r->field_n; i++)
		if (r->field[i].type == FIELD_SIBLING) {
			code = join_siblings(c, r, &r->field[i]);
			if (code == 0)
				code = check_siblings(c, r, r->field[i].offset);
		}
	return code;
}

void *taudb_rows_end(struct taudb_rows *r, int code, size_t *count)
{
	if (code < 0) {
		free(r->v);
		r->v = NULL;
		r->v_n = 0;
	}
	*count = r->v_n;
	return r->v;
}
