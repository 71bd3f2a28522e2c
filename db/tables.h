/*
 * tables.h: which tables a database has and which of their columns are numbers of rows in other tables.
 *
 * A column is such a number if it has a foreign key, or if it has the name of a table with a column id, as everywhere in TauDB
 * (timer_value.metric is a row of metric). The tables that only explain numbers (data_source, time_range_type ...) are fixed:
 * their rows are the same in all databases.
 */
#ifndef DB_TABLES_H
#define DB_TABLES_H

#include "db/private.h"

enum { TABLE_NONE = -1 };

struct db_column {
	char *name, *type;
	int is_id;	/* the number of the row itself */
	int key;	/* its place in the primary key, from 1; 0: not in it */
	int target;	/* index of the table that it is a row of, or TABLE_NONE */
};

struct db_table {
	char *name;
	int fixed;	/* explains numbers, or is about views of trials */
	int has_id;
	int is_view;
	struct db_column *column;
	size_t column_n, column_cap;
};

struct db_tables {
	struct db_table *v;
	size_t v_n, v_cap;
};

/* schema: "main", or the name of an attached database. db_tables_release() frees what *out holds in any case. */
int db_tables_read(struct db *db, const char *schema, struct db_tables *out, struct error *e);
void db_tables_release(struct db_tables *t);

/* Adds a view to what was read, as if it were a table; its column id, if it has one, is the number of its rows. */
int db_tables_add_view(struct db *db, const char *schema, const char *name, struct db_tables *all,
		       struct error *e);

/* Index of a table, or TABLE_NONE; a column of it, or NULL. */
int db_tables_find(const struct db_tables *t, const char *name);
const struct db_column *db_table_column(const struct db_table *t, const char *name);

/* " ORDER BY ..." for the order in which a table has its rows, "" for a view; to be freed. */
char *db_table_order(const struct db_table *t);

/* A name as SQL has it, in double quotes; to be freed. */
char *db_quoted(const char *name);

#endif
