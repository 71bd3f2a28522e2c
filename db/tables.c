/* tables.c: reads the tables of a database and which of their columns refer to others. */
#include "db/tables.h"

#include <string.h>

void db_tables_release(struct db_tables *t)
{
	for (size_t i = 0; i < t->v_n; i++) {
		for (size_t c = 0; c < t->v[i].column_n; c++) {
			free(t->v[i].column[c].name);
			free(t->v[i].column[c].type);
		}
		free(t->v[i].column);
		free(t->v[i].name);
	}
	free(t->v);
	*t = (struct db_tables){0};
}

int db_tables_find(const struct db_tables *t, const char *name)
{
	for (size_t i = 0; i < t->v_n; i++)
		if (!sqlite3_stricmp(t->v[i].name, name))
			return (int)i;
	return TABLE_NONE;
}

const struct db_column *db_table_column(const struct db_table *t, const char *name)
{
	for (size_t c = 0; c < t->column_n; c++)
		if (!sqlite3_stricmp(t->column[c].name, name))
			return &t->column[c];
	return NULL;
}

char *db_quoted(const char *name)
{
	char *s = sqlite3_mprintf("\"%w\"", name), *out = mem_string(s ? s : "");

	sqlite3_free(s);
	return out;
}

static int is_fixed(const char *name)
{
	static const char *const known[] = {
		"schema_version",      "data_source",   "time_range_type",
		"derived_thread_type", "taudb_view",    "taudb_view_parameter",
		"memory_kind",         "memory_family", "memory_number",
		"message_kind"};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i], name))
			return 1;
	return 0;
}

static int prepare_for(struct db *db, sqlite3_stmt **q, const char *sql, const char *table,
		       const char *schema, struct error *e)
{
	int code = db_prepare(db, q, e, sql);

	if (code == 0) {
		db_bind_text(*q, 1, table);
		db_bind_text(*q, 2, schema);
	}
	return code;
}

static int read_columns(struct db *db, const char *schema, struct db_table *t, struct error *e)
{
	sqlite3_stmt *q = NULL;
	int code = prepare_for(db, &q, "SELECT name, pk, type FROM pragma_table_info(?, ?)",
			       t->name, schema, e);

	while (code == 0 && (code = db_step(db, q, e)) == 1) {
		struct db_column *c = array_add(t, column);

		c->name = mem_string(db_text(q, 0));
		c->type = mem_string(db_text(q, 2));
		c->target = TABLE_NONE;
		c->key = sqlite3_column_int(q, 1);
		c->is_id = !strcmp(c->name, "id") && !sqlite3_stricmp(c->type, "INTEGER") &&
			   c->key == 1;
		t->has_id |= c->is_id;
		code = 0;
	}
	sqlite3_finalize(q);
	return code;
}

static int read_keys(struct db *db, const char *schema, struct db_tables *all, struct db_table *t,
		     struct error *e)
{
	sqlite3_stmt *q = NULL;
	int code =
		prepare_for(db, &q, "SELECT \"from\", \"table\" FROM pragma_foreign_key_list(?, ?)",
			    t->name, schema, e);

	for (size_t c = 0; c < t->column_n; c++) {
		int target = db_tables_find(all, t->column[c].name);

		if (target != TABLE_NONE && all->v[target].has_id)
			t->column[c].target = target;
	}
	while (code == 0 && (code = db_step(db, q, e)) == 1) {
		for (size_t c = 0; c < t->column_n; c++)
			if (!sqlite3_stricmp(t->column[c].name, db_text(q, 0)))
				t->column[c].target = db_tables_find(all, db_text(q, 1));
		code = 0;
	}
	sqlite3_finalize(q);
	return code;
}

int db_tables_read(struct db *db, const char *schema, struct db_tables *out, struct error *e)
{
	sqlite3_stmt *q = NULL;
	char *sql = mem_printf("SELECT name FROM %s.sqlite_master WHERE type = 'table' AND name "
			       "NOT LIKE 'sqlite\\_%%' ESCAPE '\\' ORDER BY rowid",
			       schema);
	int code = db_prepare(db, &q, e, sql);

	*out = (struct db_tables){0};
	while (code == 0 && (code = db_step(db, q, e)) == 1) {
		struct db_table *t = array_add(out, v);

		t->name = mem_string(db_text(q, 0));
		t->fixed = is_fixed(t->name);
		code = 0;
	}
	sqlite3_finalize(q);
	free(sql);
	for (size_t i = 0; code == 0 && i < out->v_n; i++)
		code = read_columns(db, schema, &out->v[i], e);
	for (size_t i = 0; code == 0 && i < out->v_n; i++)
		code = read_keys(db, schema, out, &out->v[i], e);
	return code;
}

int db_tables_add_view(struct db *db, const char *schema, const char *name, struct db_tables *all,
		       struct error *e)
{
	struct db_table *t = array_add(all, v);
	int code;

	t->name = mem_string(name);
	t->is_view = 1;
	code = read_columns(db, schema, t, e);
	for (size_t c = 0; c < t->column_n; c++) {
		t->column[c].is_id = !strcmp(t->column[c].name, "id");
		t->has_id |= t->column[c].is_id;
	}
	return code < 0 ? code : read_keys(db, schema, all, t, e);
}

char *db_table_order(const struct db_table *t)
{
	char *order = NULL;
	size_t n = 0;

	for (size_t at = 1; at <= t->column_n; at++)
		for (size_t c = 0; c < t->column_n; c++)
			if (t->column[c].key == (int)at && !t->column[c].is_id) {
				char *name = db_quoted(t->column[c].name);
				char *more = mem_printf("%s%s%s", order ? order : " ORDER BY ",
							n++ ? ", " : "", name);

				free(name);
				free(order);
				order = more;
			}
	return order ? order : mem_string(t->is_view ? "" : " ORDER BY rowid");
}
