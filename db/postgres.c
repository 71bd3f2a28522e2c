/*
 * postgres.c: the tables of TAU's schema for PostgreSQL (tools/src/perfdmf/etc/taudb.sql) as rows,
 * and COPY of their values. Tables of ours that TAU does not have are made from their declarations
 * here.
 */
#include "db/postgres.h"

#include <math.h>
#include <string.h>

#include "analyze/base/mem_stream.h"
#include "analyze/base/number.h"
#include "db/percents.h"
#include "db/private.h"
#include "db/tables.h"

struct pg_column {
	const char *name,
		*type;      /* name NULL ends the list; type: of PostgreSQL, with constraints */
	const char *source; /* expression on the table here; NULL: the column of that name */
	const char *wide;   /* type if a value is not an integer of 32 bits (INT) or 64 (BIGINT);
			       NULL: error of psql */
};

struct pg_table {
	const char *name;
	struct pg_column column[14];
	const char *keys; /* foreign keys; NULL: none */
};

#define ID                                                                                         \
	{                                                                                          \
		"id", "SERIAL NOT NULL PRIMARY KEY", NULL, NULL                                    \
	}
#define INT(n)                                                                                     \
	{                                                                                          \
		n, "INT", NULL, "DOUBLE PRECISION"                                                 \
	}
#define MUST(n)                                                                                    \
	{                                                                                          \
		n, "INT NOT NULL", NULL, NULL                                                      \
	}
#define TEXT(n)                                                                                    \
	{                                                                                          \
		n, "VARCHAR", NULL, NULL                                                           \
	}
#define TEXT_MUST(n)                                                                               \
	{                                                                                          \
		n, "VARCHAR NOT NULL", NULL, NULL                                                  \
	}
#define NUMBER(n)                                                                                  \
	{                                                                                          \
		n, "DOUBLE PRECISION", NULL, NULL                                                  \
	}

static const struct pg_table tables[] = {
	{"schema_version", {MUST("version"), TEXT_MUST("description")}, NULL},
	{"data_source",
	 {{"id", "INT UNIQUE NOT NULL", NULL, NULL}, TEXT_MUST("name"), TEXT("description")},
	 NULL},
	{"derived_thread_type", {MUST("id"), TEXT_MUST("name"), TEXT_MUST("description")}, NULL},
	{"trial",
	 {ID, TEXT("name"), INT("data_source"), INT("node_count"), INT("contexts_per_node"),
	  INT("threads_per_context"), INT("total_threads"), TEXT("content"), TEXT("source_path"),
	  TEXT("source_host"), TEXT("stored_by"), TEXT("stored_command"), TEXT("stored_options")},
	 "data_source data_source"},
	{"thread",
	 {ID, MUST("trial"), MUST("node_rank"), MUST("context_rank"), MUST("thread_rank"),
	  MUST("thread_index"), INT("waiting")},
	 "trial trial"},
	{"metric",
	 {ID,
	  MUST("trial"),
	  TEXT_MUST("name"),
	  {"derived", "BOOLEAN NOT NULL DEFAULT FALSE", "CASE WHEN derived THEN 't' ELSE 'f' END",
	   NULL}},
	 "trial trial"},
	{"timer",
	 {ID, MUST("trial"), TEXT_MUST("name"), TEXT_MUST("short_name"), TEXT("source_file"),
	  INT("line_number"), INT("line_number_end"), INT("column_number"),
	  INT("column_number_end")},
	 "trial trial"},
	{"timer_group", {INT("timer"), TEXT_MUST("group_name")}, "timer timer"},
	{"timer_parameter",
	 {INT("timer"), TEXT_MUST("parameter_name"), TEXT_MUST("parameter_value")},
	 "timer timer"},
	{"timer_callpath", {ID, MUST("timer"), INT("parent")}, "timer timer parent timer_callpath"},
	{"time_range",
	 {ID,
	  {"iteration_start", "INT NOT NULL", "CASE type WHEN 1 THEN 0 ELSE start END", NULL},
	  {"iteration_end", "INT", "CASE type WHEN 1 THEN NULL ELSE \"end\" END", NULL},
	  {"time_start", "BIGINT NOT NULL", "CASE type WHEN 1 THEN start ELSE 0 END",
	   "DOUBLE PRECISION NOT NULL"},
	  {"time_end", "BIGINT", "CASE type WHEN 1 THEN \"end\" END", "DOUBLE PRECISION"},
	  INT("trial"),
	  TEXT("name"),
	  INT("overlapping"),
	  NUMBER("exact_start"),
	  NUMBER("exact_end")},
	 NULL},
	{"timer_call_data",
	 {ID, MUST("timer_callpath"), MUST("thread"), INT("calls"), INT("subroutines"),
	  INT("time_range")},
	 "timer_callpath timer_callpath thread thread time_range time_range"},
	{"timer_value",
	 {MUST("timer_call_data"), MUST("metric"), NUMBER("inclusive_value"),
	  NUMBER("exclusive_value"), NUMBER("inclusive_percent"), NUMBER("exclusive_percent"),
	  NUMBER("sum_exclusive_squared")},
	 "timer_call_data timer_call_data metric metric"},
	{"counter", {ID, MUST("trial"), TEXT_MUST("name")}, "trial trial"},
	{"counter_value",
	 {MUST("counter"), INT("timer_callpath"), MUST("thread"), INT("sample_count"),
	  NUMBER("maximum_value"), NUMBER("minimum_value"), NUMBER("mean_value"),
	  NUMBER("standard_deviation"), NUMBER("sum_of_squares"), INT("time_range")},
	 "counter counter timer_callpath timer_callpath thread thread"},
	{"primary_metadata",
	 {MUST("trial"), TEXT_MUST("name"), TEXT("value"), INT("thread")},
	 "trial trial"},
	{"secondary_metadata",
	 {{"id", "VARCHAR NOT NULL PRIMARY KEY", NULL, NULL},
	  MUST("trial"),
	  INT("thread"),
	  {"timer_callpath", "INT",
	   "(SELECT d.timer_callpath FROM timer_call_data d WHERE d.id = timer_call_data)", NULL},
	  INT("time_range"),
	  {"parent", "VARCHAR", NULL, NULL},
	  TEXT_MUST("name"),
	  TEXT("value"),
	  {"is_array", "BOOLEAN DEFAULT FALSE", "CASE WHEN is_array THEN 't' ELSE 'f' END", NULL}},
	 "trial trial thread thread timer_callpath timer_callpath parent secondary_metadata "
	 "time_range time_range"},
	{"taudb_view",
	 {ID, {"parent", "INTEGER NULL", NULL, NULL}, TEXT_MUST("name"), TEXT_MUST("conjoin")},
	 "parent taudb_view"},
	{"taudb_view_parameter",
	 {{"taudb_view", "INTEGER NOT NULL", NULL, NULL},
	  TEXT_MUST("table_name"),
	  TEXT_MUST("column_name"),
	  {"operator", "VARCHAR NOT NULL", NULL, NULL},
	  TEXT_MUST("value")},
	 "taudb_view taudb_view"},
};
enum { TABLES = sizeof(tables) / sizeof(tables[0]) };

struct printing {
	struct db *db;
	struct error *e;
	FILE *f;
	struct db_postgres *report;
	struct db_tables here;
	char *trials; /* "3, 7"; NULL: all */
};

/* ---- values ---- */

/* Bytes of the UTF-8 character at s, or 0 if it is none. */
static size_t utf8_length(const unsigned char *s)
{
	size_t n = s[0] < 0x80   ? 1
		   : s[0] < 0xc2 ? 0
		   : s[0] < 0xe0 ? 2
		   : s[0] < 0xf0 ? 3
		   : s[0] < 0xf5 ? 4
				 : 0;

	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

static void print_text(struct printing *p, const char *text)
{
	int wrong = 0;

	for (const unsigned char *s = (const unsigned char *)text; *s;) {
		static const char escaped[] = "\b\f\n\r\t\v\\", letters[] = "bfnrtv\\";
		const char *at = strchr(escaped, *s);
		size_t n = utf8_length(s);

		if (at)
			fprintf(p->f, "\\%c", letters[at - escaped]);
		else if (n)
			fwrite(s, 1, n, p->f);
		else
			fputs("\xef\xbf\xbd", p->f);
		wrong |= !n;
		s += n ? n : 1;
	}
	p->report->replaced += wrong;
}

/* As "%lld", which takes most of the time of an export otherwise. */
static void print_integer(FILE *f, int64_t v)
{
	char text[24], *at = text + sizeof(text);
	uint64_t rest = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

	do
		*--at = (char)('0' + rest % 10);
	while (rest /= 10);
	if (v < 0)
		*--at = '-';
	fwrite(at, 1, (size_t)(text + sizeof(text) - at), f);
}

/* Reads back as the same number. */
static void print_number(FILE *f, double v)
{
	if (isinf(v))
		fputs(v > 0 ? "Infinity" : "-Infinity", f);
	else
		number_print(f, v);
}

static void print_value(struct printing *p, sqlite3_stmt *q, int column)
{
	const unsigned char *bytes;

	switch (sqlite3_column_type(q, column)) {
	case SQLITE_NULL:
		fwrite("\\N", 1, 2, p->f);
		break;
	case SQLITE_INTEGER:
		print_integer(p->f, sqlite3_column_int64(q, column));
		break;
	case SQLITE_FLOAT:
		print_number(p->f, sqlite3_column_double(q, column));
		break;
	case SQLITE_BLOB:
		bytes = sqlite3_column_blob(q, column);
		fputs("\\\\x", p->f);
		for (int i = 0; i < sqlite3_column_bytes(q, column); i++)
			fprintf(p->f, "%02x", bytes[i]);
		break;
	default:
		print_text(p, db_text(q, column));
	}
}

/* ---- which rows ---- */

/*
 * "WHERE ..." for the rows of the trials, found by the first column that leads to a trial. depth:
 * of the chain of tables. NULL: all rows. To be freed.
 */
static char *rows_of(const struct printing *p, const struct db_table *t, int depth)
{
	const struct db_column *trial = db_table_column(t, "trial");

	if (!p->trials || t->fixed || depth > 8)
		return NULL;
	if (!strcmp(t->name, "trial"))
		return mem_printf("WHERE \"id\" IN (%s)", p->trials);
	if (trial && strcmp(t->name, "time_range") != 0)
		return mem_printf("WHERE \"trial\" IN (%s)", p->trials);
	if (trial)
		return mem_printf("WHERE \"trial\" IN (%s) OR \"trial\" IS NULL", p->trials);
	for (size_t c = 0; c < t->column_n; c++) {
		const struct db_column *column = &t->column[c];
		char *inner, *name, *from, *sql;

		if (column->target == TABLE_NONE || &p->here.v[column->target] == t)
			continue;
		inner = rows_of(p, &p->here.v[column->target], depth + 1);
		if (!inner)
			continue;
		name = db_quoted(column->name);
		from = db_quoted(p->here.v[column->target].name);
		sql = mem_printf("WHERE %s IN (SELECT id FROM %s %s)", name, from, inner);
		free(inner);
		free(name);
		free(from);
		return sql;
	}
	return NULL;
}

/* ---- tables ---- */

/* The expression of a column, NULL if the database does not have it. To be freed. */
static char *expression(const struct db_table *t, const struct pg_column *c)
{
	if (!c->source)
		return db_table_column(t, c->name) ? db_quoted(c->name) : mem_string("NULL");
	return mem_string(c->source);
}

/* 1: a value of the column is no integer of its type. */
static int is_wide(struct printing *p, const struct db_table *t, const struct pg_column *c,
		   int *wide)
{
	int big = !strncmp(c->type, "BIGINT", 6);
	char *what, *table, *rows, *sql;
	sqlite3_stmt *q = NULL;
	int code;

	*wide = 0;
	if (!c->wide)
		return 0;
	what = expression(t, c);
	table = db_quoted(t->name);
	rows = rows_of(p, t, 0);
	sql = mem_printf("SELECT 1 FROM (SELECT %s AS x FROM %s %s) WHERE typeof(x) = 'real' OR x "
			 "NOT BETWEEN %s LIMIT 1",
			 what, table, rows ? rows : "",
			 big ? "-9223372036854775807 AND 9223372036854775807"
			     : "-2147483648 AND 2147483647");
	code = db_prepare(p->db, &q, p->e, sql);
	if (code == 0)
		code = db_step(p->db, q, p->e);
	*wide = code == 1;
	sqlite3_finalize(q);
	free(sql);
	free(rows);
	free(table);
	free(what);
	return code < 0 ? code : 0;
}

static void note_wide(struct printing *p, const char *table, const char *column)
{
	char *more = mem_printf("%s%s%s.%s", p->report->wide ? p->report->wide : "",
				p->report->wide ? ", " : "", table, column);

	free(p->report->wide);
	p->report->wide = more;
}

static int print_create(struct printing *p, const struct db_table *t, const struct pg_table *to)
{
	int code = 0, wide;

	fprintf(p->f, "CREATE TABLE %s (", to->name);
	for (const struct pg_column *c = to->column; code == 0 && c->name; c++) {
		code = is_wide(p, t, c, &wide);
		fprintf(p->f, "%s\n\t%s %s", c == to->column ? "" : ",", c->name,
			wide ? c->wide : c->type);
		if (wide)
			note_wide(p, to->name, c->name);
	}
	fputs("\n);\n", p->f);
	return code;
}

/* COPY of what sql yields. */
static int print_copy(struct printing *p, const char *head, const char *sql)
{
	sqlite3_stmt *q = NULL;
	int code = db_prepare(p->db, &q, p->e, sql);

	if (code < 0)
		return code;
	fprintf(p->f, "COPY %s FROM stdin;\n", head);
	while ((code = db_step(p->db, q, p->e)) == 1) {
		for (int c = 0; c < sqlite3_column_count(q); c++) {
			if (c)
				putc('\t', p->f);
			print_value(p, q, c);
		}
		putc('\n', p->f);
	}
	fputs("\\.\n\n", p->f);
	sqlite3_finalize(q);
	return code;
}

/* What rows are read from. To be freed. The view timer_value would find the thread of each row twice. */
static char *from_of(const struct printing *p, const struct db_table *t)
{
	return p->db->values && !strcmp(t->name, "timer_value") ? mem_string(percents_rows)
							       : db_quoted(t->name);
}

static int print_rows(struct printing *p, const struct db_table *t, const struct pg_table *to)
{
	char *head, *sql, *rows = rows_of(p, t, 0), *table = from_of(p, t),
			  *order = db_table_order(t);
	size_t head_n, sql_n;
	FILE *h = mem_stream(&head, &head_n), *s = mem_stream(&sql, &sql_n);
	int code;

	fprintf(h, "%s (", to->name);
	fputs("SELECT ", s);
	for (const struct pg_column *c = to->column; c->name; c++) {
		char *what = expression(t, c);

		fprintf(h, "%s%s", c == to->column ? "" : ", ", c->name);
		fprintf(s, "%s%s", c == to->column ? "" : ", ", what);
		free(what);
	}
	fputs(")", h);
	fprintf(s, " FROM %s %s%s", table, rows ? rows : "", order);
	fclose(h);
	fclose(s);
	code = print_copy(p, head, sql);
	free(head);
	free(sql);
	free(rows);
	free(table);
	free(order);
	return code;
}

/* ---- tables that TAU does not have ---- */

static const char *type_of(const char *declared)
{
	static const struct {
		const char *word, *type;
	} known[] = {{"INT", "BIGINT"},
		     {"DOUB", "DOUBLE PRECISION"},
		     {"REAL", "DOUBLE PRECISION"},
		     {"BOOL", "SMALLINT"},
		     {"BLOB", "BYTEA"}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcasestr(declared, known[i].word))
			return known[i].type;
	return "VARCHAR";
}

static int print_other(struct printing *p, const struct db_table *t)
{
	char *name = db_quoted(t->name), *rows = rows_of(p, t, 0), *sql, *columns;
	size_t n;
	FILE *f = mem_stream(&columns, &n);
	int code;

	fprintf(p->f, "CREATE TABLE %s (", name);
	for (size_t c = 0; c < t->column_n; c++) {
		char *column = db_quoted(t->column[c].name);

		fprintf(p->f, "%s\n\t%s %s%s", c ? "," : "", column, type_of(t->column[c].type),
			t->column[c].is_id ? " PRIMARY KEY" : "");
		fprintf(f, "%s%s", c ? ", " : "", column);
		free(column);
	}
	fclose(f);
	fputs("\n);\n", p->f);
	sql = mem_printf("%s (%s)", name, columns);
	free(columns);
	columns = mem_printf("SELECT * FROM %s %s", name, rows ? rows : "");
	code = print_copy(p, sql, columns);
	free(sql);
	free(columns);
	free(rows);
	free(name);
	return code;
}

static const struct pg_table *known_table(const char *name)
{
	for (size_t i = 0; i < TABLES; i++)
		if (!strcmp(tables[i].name, name))
			return &tables[i];
	return NULL;
}

/* After the rows: the next numbers, indexes, and foreign keys as pairs of words. */
static void print_ends(struct printing *p, const struct pg_table *t)
{
	char *keys = mem_string(t->keys ? t->keys : ""), *save = NULL;

	if (!strncmp(t->column[0].type, "SERIAL", 6))
		fprintf(p->f,
			"SELECT setval(pg_get_serial_sequence('%s', 'id'), greatest((SELECT "
			"max(id) "
			"FROM %s), 1));\n",
			t->name, t->name);
	for (char *c = strtok_r(keys, " ", &save); c; c = strtok_r(NULL, " ", &save)) {
		const char *to = strtok_r(NULL, " ", &save);

		fprintf(p->f, "ALTER TABLE %s ADD FOREIGN KEY (%s) REFERENCES %s (id);\n", t->name,
			c, to);
		fprintf(p->f, "CREATE INDEX %s_%s_index ON %s (%s);\n", t->name, c, t->name, c);
	}
	free(keys);
}

/* Tables whose rows are printed under TAU's names, or that only explain numbers. */
static int is_printed(const char *name)
{
	return known_table(name) || !strcmp(name, "time_range_type") ||
	       !strcmp(name, "counter_base") || !strcmp(name, "counter_value_base") ||
	       !strcmp(name, "timer_value_base");
}

static int print_tables(struct printing *p)
{
	int code = 0;

	for (size_t i = 0; code == 0 && i < TABLES; i++) {
		int at = db_tables_find(&p->here, tables[i].name);

		if (at == TABLE_NONE)
			continue;
		code = print_create(p, &p->here.v[at], &tables[i]);
		if (code == 0)
			code = print_rows(p, &p->here.v[at], &tables[i]);
	}
	for (size_t i = 0; code == 0 && i < p->here.v_n; i++)
		if (!is_printed(p->here.v[i].name))
			code = print_other(p, &p->here.v[i]);
	for (size_t i = 0; code == 0 && i < TABLES; i++)
		if (db_tables_find(&p->here, tables[i].name) != TABLE_NONE)
			print_ends(p, &tables[i]);
	return code;
}

int db_postgres_print(struct db *db, const int64_t *trial, size_t n, FILE *f,
		      struct db_postgres *out, struct error *e)
{
	struct printing p = {.db = db, .e = e, .f = f, .report = out};
	struct percents *percents = NULL;
	size_t length;
	FILE *list = mem_stream(&p.trials, &length);
	int code;

	*out = (struct db_postgres){0};
	for (size_t i = 0; i < n; i++)
		fprintf(list, "%s%jd", i ? ", " : "", (intmax_t)trial[i]);
	fclose(list);
	if (!n) {
		free(p.trials);
		p.trials = NULL;
	}
	fputs("-- TauDB, schema version 2, for PostgreSQL: psql -v ON_ERROR_STOP=1 -f THIS "
	      "DATABASE\n"
	      "SET client_encoding = 'UTF8';\nBEGIN;\n\n",
	      f);
	code = db_run(db, "BEGIN", e);
	if (code == 0) {
		code = db_tables_read(db, "main", &p.here, e);
		if (code == 0 && db->memory)
			code = db_tables_add_view(db, "main", "counter", &p.here, e);
		if (code == 0 && db->memory)
			code = db_tables_add_view(db, "main", "counter_value", &p.here, e);
		if (code == 0 && db->values)
			code = db_tables_add_view(db, "main", "timer_value", &p.here, e);
		if (code == 0)
			code = percents_begin(db, &percents, e);
		if (code == 0)
			code = print_tables(&p);
		percents_end(percents);
		code = db_end(db, code, e);
		db_tables_release(&p.here);
	}
	fputs("COMMIT;\n", f);
	free(p.trials);
	return code;
}
