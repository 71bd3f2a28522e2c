/* load_rows.c: rows of a trial one by one, and what their numbers became. */
#include <string.h>

#include "db/load.h"
#include "db/private.h"

void numbers_add(struct row_numbers *m, int64_t id, uint32_t index)
{
	*array_add(m, entry) = (struct map_entry){id, index};
}

/* 1 and *index, or 0. Numbers mostly follow each other without gaps: that is tried first. */
int numbers_find(const struct row_numbers *m, int64_t id, uint32_t *index)
{
	size_t low = 0, high = m->entry_n;

	if (!high || id < m->entry[0].id || id > m->entry[high - 1].id)
		return 0;
	if ((uint64_t)(id - m->entry[0].id) < high && m->entry[id - m->entry[0].id].id == id) {
		*index = m->entry[id - m->entry[0].id].index;
		return 1;
	}
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (m->entry[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == m->entry_n || m->entry[low].id != id)
		return 0;
	*index = m->entry[low].index;
	return 1;
}

int load_bad(struct load *l, const char *table, int64_t id, const char *what)
{
	return error_set(l->e, ERROR_INPUT, "%s: %s %jd: %s", l->db->file, table, (intmax_t)id,
			 what);
}

int load_rows(struct load *l, const char *sql, int (*row)(struct load *l, sqlite3_stmt *q))
{
	sqlite3_stmt *q = NULL;
	int code = db_prepare(l->db, &q, l->e, sql);

	if (code == 0 && sqlite3_bind_parameter_count(q) >= 1)
		sqlite3_bind_int64(q, 1, l->trial);
	if (code == 0 && sqlite3_bind_parameter_count(q) >= 2) {
		if (l->range)
			sqlite3_bind_int64(q, 2, l->range);
		else
			sqlite3_bind_null(q, 2);
	}
	while (code == 0 && (code = db_step(l->db, q, l->e)) == 1)
		code = row(l, q);
	sqlite3_finalize(q);
	return code;
}

int load_thread_at(const struct load *l, int64_t node, int32_t context, int32_t thread,
		   uint32_t *index)
{
	const int32_t key[] = {(int32_t)node, context, thread};
	int64_t found = names_find(&l->p->thread_names, (const char *)key, sizeof(key));

	if (found < 0 || node != (int32_t)node)
		return 0;
	*index = (uint32_t)found;
	return 1;
}
