/* merge_known.c: finds the trials of another database that are here already. */
#include "db/merge_known.h"

#include <string.h>

#include "db/private.h"

static int find(struct db *db, struct db_merged *out, struct error *e)
{
	sqlite3_stmt *q = NULL;
	int code = db_prepare(db, &q, e,
			      "SELECT s.id, k.id FROM temp.merge_known k JOIN source.trial s "
			      "ON s.content = k.content ORDER BY s.id");

	while (code == 0 && (code = db_step(db, q, e)) == 1) {
		*array_add(out, known) = (struct db_merged_known){sqlite3_column_int64(q, 0),
								  sqlite3_column_int64(q, 1)};
		code = 0;
	}
	sqlite3_finalize(q);
	return code;
}

int merge_known_find(struct db *db, const struct db_tables *there, struct db_merged *out,
		     struct error *e)
{
	int trial = db_tables_find(there, "trial"), code;

	/* Noted before the copy: trials of one merge may be equal. */
	code = db_run(db,
		      "CREATE TEMP TABLE IF NOT EXISTS merge_known "
		      "(content TEXT PRIMARY KEY, id INT);"
		      "DELETE FROM temp.merge_known",
		      e);
	if (code < 0 || trial == TABLE_NONE || !db_table_column(&there->v[trial], "content"))
		return code;
	code = db_run(db,
		      "INSERT INTO temp.merge_known SELECT content, min(id) FROM main.trial "
		      "WHERE content IN (SELECT content FROM source.trial) GROUP BY content",
		      e);
	return code < 0 ? code : find(db, out, e);
}

/* By table: the column through which its rows belong to a trial, by the fewest tables between. NULL: they belong to none. */
static const struct db_column **columns_to_trial(const struct db_tables *there)
{
	const struct db_column **to = mem_alloc((there->v_n + 1) * sizeof(*to));
	size_t *hops = mem_alloc((there->v_n + 1) * sizeof(*hops));
	int trial = db_tables_find(there, "trial");

	for (size_t round = 0; round < there->v_n; round++)
		for (size_t i = 0; i < there->v_n; i++)
			for (size_t c = 0; c < there->v[i].column_n && !to[i]; c++) {
				int target = there->v[i].column[c].target;

				if (target == TABLE_NONE || (size_t)target == i)
					continue;
				if (target != trial && (!to[target] || hops[target] >= round))
					continue;
				to[i] = &there->v[i].column[c];
				hops[i] = round;
			}
	free(hops);
	return to;
}

char *merge_known_where(const struct db_tables *there, size_t table)
{
	const struct db_column **to = columns_to_trial(there);
	char *sql = mem_string("SELECT id FROM source.trial WHERE content IS NULL OR "
			       "content NOT IN (SELECT content FROM temp.merge_known)"),
	     *open = mem_string(""), *all;
	size_t trial = (size_t)db_tables_find(there, "trial"), depth = 0;

	if (table == trial) {
		free(open);
		open = mem_string("id IN (");
		depth = 1;
	}
	while (table != trial && to[table]) {
		char *column = db_quoted(to[table]->name), *more;

		table = (size_t)to[table]->target;
		if (table == trial) {
			more = mem_printf("%s(%s IS NULL OR %s IN (", open, column, column);
			depth += 2;
		} else {
			char *name = db_quoted(there->v[table].name);

			more = mem_printf("%s%s IN (SELECT id FROM source.%s WHERE ", open, column,
					  name);
			depth++;
			free(name);
		}
		free(column);
		free(open);
		open = more;
	}
	all = depth ? mem_printf(" WHERE %s%s%.*s", open, sql, (int)depth, "))))))))))))))))")
		    : mem_string("");
	free(open);
	free(sql);
	free(to);
	return all;
}
