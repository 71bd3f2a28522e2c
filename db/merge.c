/*
 * merge.c: copies all rows of another database. Each table's numbers move by one distance, the largest number here, so rows stay
 * in order and one INSERT ... SELECT copies a table.
 */
#include "db/merge.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "analyze/base/mem_stream.h"
#include "db/call_index.h"
#include "db/check.h"
#include "db/merge_known.h"
#include "db/private.h"
#include "db/tables.h"

struct merge {
	struct db *db;
	struct error *e;
	struct db_tables here, there;
	int64_t *distance;	/* by table of here */
	char *omitted;
	int known;		/* some trials are here */
};

static int number_of(struct merge *m, const char *sql, int64_t *out)
{
	sqlite3_stmt *q = NULL;
	int code = db_prepare(m->db, &q, m->e, sql);

	*out = 0;
	if (code == 0 && (code = db_step(m->db, q, m->e)) == 1)
		*out = sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	return code < 0 ? code : 0;
}

/* Tables of TAU and of earlier versions whose rows are in another table now. */
static const struct {
	const char *there, *here;
} moved[] = {{"counter", "counter_base"},
	     {"counter_value", "counter_value_base"},
	     {"timer_value", "timer_value_base"}};
enum { MOVED = sizeof(moved) / sizeof(moved[0]) };

/* The table here that has the rows of one there, or TABLE_NONE. */
static int table_here(const struct merge *m, const char *there)
{
	for (size_t i = 0; i < MOVED; i++)
		if (!strcmp(moved[i].there, there))
			return db_tables_find(&m->here, moved[i].here);
	return db_tables_find(&m->here, there);
}

/* And the other way round. */
static int table_there(const struct merge *m, const char *here)
{
	int found = db_tables_find(&m->there, here);

	for (size_t i = 0; found == TABLE_NONE && i < MOVED; i++)
		if (!strcmp(moved[i].here, here))
			found = db_tables_find(&m->there, moved[i].there);
	return found;
}

static void omit(struct merge *m, const char *table, const char *column)
{
	char *more = mem_printf("%s%s%s%s%s", m->omitted ? m->omitted : "",
				m->omitted ? ", " : "", table, column ? "." : "",
				column ? column : "");

	free(m->omitted);
	m->omitted = more;
}

/* How far the numbers of a table move: beyond the largest that was ever used here. */
static int find_distance(struct merge *m, size_t table)
{
	const struct db_table *t = &m->here.v[table];
	char *name, *text, *sql;
	int64_t last, first;
	int there = table_there(m, t->name), code;

	if (t->fixed || !t->has_id || there == TABLE_NONE)
		return 0;
	name = db_quoted(t->name);
	text = sqlite3_mprintf("%Q", t->name);
	sql = mem_printf("SELECT max(coalesce((SELECT max(id) FROM main.%s), 0), coalesce((SELECT "
			 "seq FROM main.sqlite_sequence WHERE name = %s), 0))",
			 name, text ? text : "NULL");
	sqlite3_free(text);
	code = number_of(m, sql, &last);
	free(sql);
	free(name);
	name = db_quoted(m->there.v[there].name);
	sql = mem_printf("SELECT min(id) FROM source.%s", name);
	if (code == 0)
		code = number_of(m, sql, &first);
	free(sql);
	free(name);
	if (code == 0)
		m->distance[table] = last + (first < 1 ? 1 - first : 0);
	return code;
}

/*
 * Do the numbers of the rows follow one another from 1? Then SQLite gives them the same numbers as a copy of
 * the column would, without a search for each.
 */
static int is_dense(struct merge *m, size_t from, int64_t *rows)
{
	const struct db_table *t = &m->there.v[from];
	char *name, *sql;
	int code;

	*rows = 0;
	if (!t->has_id || m->known)
		return 0;
	name = db_quoted(t->name);
	/* HAVING without GROUP BY would need SQLite 3.39. */
	sql = mem_printf("SELECT CASE WHEN min(id) = 1 AND max(id) = count(*) THEN max(id) END "
			 "FROM source.%s",
			 name);
	code = number_of(m, sql, rows);
	free(sql);
	free(name);
	return code;
}

/* One term of the SELECT: a column as it is, or moved. */
static void print_term(FILE *f, const struct merge *m, const struct db_table *t,
		       const struct db_column *c)
{
	char *name = db_quoted(c->name);
	int64_t distance = c->is_id ? m->distance[db_tables_find(&m->here, t->name)]
			   : c->target != TABLE_NONE ? m->distance[c->target]
						     : 0;

	if (distance)
		fprintf(f, "%s + %jd", name, (intmax_t)distance);
	else
		fputs(name, f);
	free(name);
}

/* The column here that a column of another database is copied to; NULL: none. */
static const struct db_column *column_to(const struct db_table *to, const struct db_column *from,
					 int dense)
{
	const struct db_column *c = db_table_column(to, from->name);

	return c && c->is_id && dense ? NULL : c;
}

/* INSERT INTO main.t (a, b) SELECT a + 7, b FROM source.t; dense: without the number of the row. */
static char *copy_sql(struct merge *m, const struct db_table *to, const struct db_table *from,
		      int dense)
{
	char *sql, *name = db_quoted(to->name), *where;
	size_t length, n = 0;
	FILE *f = mem_stream(&sql, &length);

	/*
	 * If a database of TAU has two values of a metric in a row, the last one counts, as when
	 * it is loaded. FAIL: the transaction is rolled back in any case.
	 */
	fprintf(f, "INSERT OR %s INTO main.%s (",
		strcmp(to->name, "timer_value_base") ? "FAIL" : "REPLACE", name);
	for (size_t c = 0; c < from->column_n; c++) {
		char *column = db_quoted(from->column[c].name);

		if (column_to(to, &from->column[c], dense))
			fprintf(f, "%s%s", n++ ? ", " : "", column);
		else if (!db_table_column(to, from->column[c].name))
			omit(m, from->name, from->column[c].name);
		free(column);
	}
	n = 0;
	fputs(") SELECT ", f);
	for (size_t c = 0; c < from->column_n; c++) {
		const struct db_column *column = column_to(to, &from->column[c], dense);

		if (!column)
			continue;
		fputs(n++ ? ", " : "", f);
		print_term(f, m, to, column);
	}
	free(name);
	name = db_quoted(from->name);
	where = m->known ? merge_known_where(&m->there, (size_t)(from - m->there.v))
			 : mem_string("");
	fprintf(f, " FROM source.%s%s%s", name, where, dense ? " ORDER BY id" : "");
	fclose(f);
	free(where);
	free(name);
	return sql;
}

static int copy_table(struct merge *m, const struct db_table *from)
{
	int to = table_here(m, from->name), code;
	int64_t rows;
	char *sql;

	if (from->fixed)
		return 0;
	if (to == TABLE_NONE) {
		omit(m, from->name, NULL);
		return 0;
	}
	code = is_dense(m, (size_t)(from - m->there.v), &rows);
	sql = copy_sql(m, &m->here.v[to], from, rows > 0);
	if (code == 0)
		code = db_run(m->db, sql, m->e);
	free(sql);
	if (code == 0 && rows &&
	    sqlite3_last_insert_rowid(m->db->handle) != m->distance[to] + rows)
		code = error_set(m->e, ERROR_INPUT,
				 "%s: the numbers of rows of %s are not the expected ones",
				 m->db->file, m->here.v[to].name);
	return code;
}

/*
 * Views of trials, parents first: one that has the same name and parent is the same. Those that cannot be reached from the top
 * are not copied.
 */
static int copy_views(struct merge *m)
{
	static const char *const steps[] = {
		"CREATE TEMP TABLE IF NOT EXISTS merged_view (old INT PRIMARY KEY, new INT)",
		"DELETE FROM temp.merged_view",
	};
	static const char *const rounds[] = {
		/* Those that are there. */
		"INSERT INTO temp.merged_view SELECT s.id, min(v.id) FROM source.taudb_view s "
		"JOIN main.taudb_view v ON v.name = s.name AND v.parent IS (SELECT p.new FROM "
		"temp.merged_view p WHERE p.old = s.parent) WHERE s.id NOT IN (SELECT old FROM "
		"temp.merged_view) AND (s.parent IS NULL OR s.parent IN (SELECT old FROM "
		"temp.merged_view)) GROUP BY s.id",
		/* The first one that is not. */
		"INSERT INTO main.taudb_view (parent, name, conjoin) SELECT (SELECT p.new FROM "
		"temp.merged_view p WHERE p.old = s.parent), s.name, s.conjoin FROM "
		"source.taudb_view s WHERE s.id NOT IN (SELECT old FROM temp.merged_view) AND "
		"(s.parent IS NULL OR s.parent IN (SELECT old FROM temp.merged_view)) "
		"ORDER BY s.id LIMIT 1",
		"INSERT INTO temp.merged_view SELECT s.id, last_insert_rowid() FROM "
		"source.taudb_view s WHERE changes() = 1 AND s.id NOT IN (SELECT old FROM "
		"temp.merged_view) AND (s.parent IS NULL OR s.parent IN (SELECT old FROM "
		"temp.merged_view)) ORDER BY s.id LIMIT 1",
		"INSERT INTO main.taudb_view_parameter (taudb_view, table_name, column_name, "
		"operator, value) SELECT n.new, p.table_name, p.column_name, p.operator, p.value "
		"FROM temp.merged_view n JOIN source.taudb_view_parameter p ON p.taudb_view = "
		"n.old WHERE changes() = 1 AND n.rowid = last_insert_rowid()",
	};
	int64_t before, after = -1;
	int code = 0;

	for (size_t i = 0; code == 0 && i < sizeof(steps) / sizeof(steps[0]); i++)
		code = db_run(m->db, steps[i], m->e);
	do {
		before = after;
		for (size_t i = 0; code == 0 && i < sizeof(rounds) / sizeof(rounds[0]); i++)
			code = db_run(m->db, rounds[i], m->e);
		if (code == 0)
			code = number_of(m, "SELECT count(*) FROM temp.merged_view", &after);
	} while (code == 0 && after > before);
	return code;
}

/* What both have; and which trials are here, unless they are copied again. */
static int compare(struct merge *m, int again, struct db_merged *out)
{
	int code = db_upgrade(m->db, m->e);

	if (code == 0)
		code = db_tables_read(m->db, "main", &m->here, m->e);
	if (code == 0)
		code = db_tables_read(m->db, "source", &m->there, m->e);
	m->distance = mem_alloc((m->here.v_n + 1) * sizeof(*m->distance));
	for (size_t i = 0; code == 0 && i < m->here.v_n; i++)
		code = find_distance(m, i);
	if (code == 0 && !again)
		code = merge_known_find(m->db, &m->there, out, m->e);
	m->known = out->known_n > 0;
	return code;
}

/* The numbers of the trials that came. */
static int number_trials(struct merge *m, size_t n, struct db_merged *out)
{
	char *where = m->known ? merge_known_where(&m->there,
						   (size_t)db_tables_find(&m->there, "trial"))
			       : mem_string("");
	char *least = mem_printf("SELECT min(id) FROM source.trial%s", where);
	char *most = mem_printf("SELECT max(id) FROM source.trial%s", where);
	int64_t distance = m->distance[db_tables_find(&m->here, "trial")];
	int code = number_of(m, least, &out->first);

	if (code == 0)
		code = number_of(m, most, &out->last);
	out->trials = n;
	out->first += distance;
	out->last += distance;
	free(where);
	free(least);
	free(most);
	return code;
}

/* The tables of TauDB; of the trials there, some are new and some known. */
static int copy_tables(struct merge *m, int64_t new, int64_t known)
{
	char *index = NULL;
	int64_t rows;
	int code = number_of(m, "SELECT max(id) FROM source.timer_call_data", &rows);

	if (code == 0)
		code = call_index_drop(m->db, new ? rows / (new + known) * new : 0, &index, m->e);
	for (size_t i = 0; code == 0 && i < m->there.v_n; i++)
		code = copy_table(m, &m->there.v[i]);
	if (code == 0 && index)
		code = db_run(m->db, index, m->e);
	free(index);
	return code;
}

static int copy_all(struct merge *m, int again, struct db_merged *out)
{
	int64_t n = 0;
	int code = compare(m, again, out);

	if (code == 0)
		code = number_of(m, "SELECT count(*) FROM source.trial", &n);
	n -= (int64_t)out->known_n;
	if (code < 0 || (!n && out->known_n))
		return code;
	code = copy_tables(m, n, (int64_t)out->known_n);
	if (code == 0)
		code = db_run(m->db,
			      "INSERT OR IGNORE INTO main.data_source SELECT * FROM "
			      "source.data_source",
			      m->e);
	if (code == 0)
		code = copy_views(m);
	if (code == 0)
		code = db_round_ranges(m->db, m->e);
	/* Earlier versions have no such table. */
	if (code == 0 && db_tables_find(&m->there, "message_value") == TABLE_NONE)
		code = db_move_messages(m->db, m->e);
	return code < 0 || !n ? code : number_trials(m, (size_t)n, out);
}

static int same_file(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static int attach(struct merge *m, const char *from)
{
	sqlite3_stmt *q = NULL;
	char *name = db_reading_uri(from);
	int code = db_prepare(m->db, &q, m->e, "ATTACH ? AS source");

	if (code == 0) {
		db_bind_text(q, 1, name);
		code = db_step(m->db, q, m->e);
	}
	sqlite3_finalize(q);
	free(name);
	return code;
}

void db_merged_release(struct db_merged *m)
{
	free(m->known);
	free(m->omitted);
}

/* The first defect of a database, as a sentence; NULL: it has none. */
struct refusal {
	const char *file;
	char *first;
};

static void refuse(void *to, const struct db_defect *d)
{
	struct refusal *r = to;

	if (d->imported || r->first)
		return;
	r->first = d->sentence ? mem_string(d->what)
		   : d->trial  ? mem_printf("%s: trial %jd: %s", r->file, (intmax_t)d->trial,
					    d->what)
			       : mem_printf("%s: %s", r->file, d->what);
}

/* What does not hold in the other database would not hold here. */
static int check_source(struct db *other, struct error *e)
{
	struct db_check_result result;
	struct refusal r = {.file = other->file};
	int code = db_check(other, refuse, &r, &result, e);

	if (code == 0 && r.first)
		code = error_set(e, ERROR_INPUT,
				 "%s; not merged (tau-db check --db %s shows all defects, merge "
				 "--unchecked copies them)",
				 r.first, other->file);
	free(r.first);
	return code;
}

int db_merge(struct db *db, const char *from, int how, struct db_merged *out, struct error *e)
{
	struct merge m = {.db = db, .e = e};
	struct db *other;
	int code;

	*out = (struct db_merged){0};
	if (same_file(db->file, from))
		return error_set(e, ERROR_USAGE, "%s: a database cannot be merged into itself",
				 from);
	code = db_open_within(from, DB_READ, db->limit_ns, &other, e);
	if (code < 0)
		return code;
	if (!(how & MERGE_UNCHECKED))
		code = check_source(other, e);
	db_close(other);
	if (code < 0)
		return code;
	code = attach(&m, from);
	if (code < 0)
		return code;
	code = db_run(db, "BEGIN IMMEDIATE", e);
	if (code == 0)
		code = db_end(db, copy_all(&m, how & MERGE_AGAIN, out), e);
	sqlite3_exec(db->handle, "DETACH source", NULL, NULL, NULL);
	db_tables_release(&m.here);
	db_tables_release(&m.there);
	free(m.distance);
	out->omitted = m.omitted;
	return code;
}
