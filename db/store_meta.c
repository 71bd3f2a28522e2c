/* store_meta.c: metadata of a trial -> rows: what all windows share once, the rest with its window; views of trials. */
#include <string.h>

#include "store.h"

static const struct profile_thread *thread_in(const struct profile *p,
					      const struct profile_thread *t)
{
	int32_t key[3] = { t->node, t->context, t->thread };
	int64_t i = names_find(&p->thread_names, (const char *)key, sizeof(key));

	return i < 0 ? NULL : &p->thread[i];
}

/* Metadata of the trial (thread NULL) or of a thread in window w. */
static const char *meta_in(const struct store *s, size_t w, const struct profile_thread *t,
			   const char *name)
{
	const struct profile *p = s->window[w];

	if (t && !(t = thread_in(p, t)))
		return NULL;
	return profile_meta(p, t ? (uint32_t)(t - p->thread) : UINT32_MAX, name);
}

/* An attribute that is the same in all windows, and has therefore no time_range. */
static int is_common(const struct store *s, const struct profile_thread *t,
		     const struct profile_attribute *a)
{
	for (size_t w = 0; s->window_n > 1 && w < s->window_n; w++) {
		const char *value = meta_in(s, w, t, a->name);

		if (!value || strcmp(value, a->value) != 0)
			return 0;
	}
	return 1;
}

static int store_primary(struct store *s, sqlite3_stmt *q, const struct profile_attribute *a,
			 int64_t thread)
{
	sqlite3_bind_int64(q, 1, s->trial);
	db_bind_text(q, 2, a->name);
	db_bind_text(q, 3, a->value);
	store_bind(q, 4, thread);
	return store_insert(s, q, NULL);
}

static int store_secondary(struct store *s, sqlite3_stmt *q, const struct profile_attribute *a,
			   int64_t thread, int64_t range)
{
	sqlite3_bind_int64(q, 1, s->trial);
	store_bind(q, 2, thread);
	store_bind(q, 3, range);
	db_bind_text(q, 4, a->name);
	db_bind_text(q, 5, a->value);
	return store_insert(s, q, NULL);
}

/* What a trial or thread says in window w, and what it says in all windows once, with the first. */
static int store_attributes(struct store *s, sqlite3_stmt *primary, sqlite3_stmt *secondary,
			    size_t w, const struct profile_thread *t, int64_t thread)
{
	const struct profile *p = s->window[w];
	const struct profile_attribute *a = t ? t->meta : p->meta;
	size_t n = t ? t->meta_n : p->meta_n;
	int code = 0;

	for (size_t i = 0; code == 0 && i < n; i++) {
		int common = is_common(s, t, &a[i]);

		if (common && w > 0)
			continue;
		if (common && !t)
			code = store_primary(s, primary, &a[i], 0);
		else
			code = store_secondary(s, secondary, &a[i], thread,
					       common ? 0 : s->range.v[w]);
		/* TAU's users look for what the first thread says among the primary. */
		if (code == 0 && common && t && thread == s->thread.v[0] &&
		    !meta_in(s, 0, NULL, a[i].name))
			code = store_primary(s, primary, &a[i], thread);
	}
	return code;
}

int store_metadata(struct store *s, const struct joined *joined)
{
	sqlite3_stmt *primary = NULL, *secondary = NULL;
	int code = db_prepare(
		s->db, &primary, s->e,
		"INSERT INTO primary_metadata (trial, name, value, thread) VALUES (?, ?, ?, ?)");

	if (code == 0)
		code = db_prepare(
			s->db, &secondary, s->e,
			"INSERT INTO secondary_metadata (trial, thread, time_range, name, value) "
			"VALUES (?, ?, ?, ?, ?)");
	for (size_t w = 0; code == 0 && w < s->window_n; w++) {
		const struct profile *p = s->window[w];

		code = store_attributes(s, primary, secondary, w, NULL, 0);
		for (size_t i = 0; code == 0 && i < p->thread_n; i++)
			if (p->thread[i].node >= 0)
				code = store_attributes(s, primary, secondary, w, &p->thread[i],
							s->thread.v[joined[w].thread[i]]);
	}
	sqlite3_finalize(primary);
	sqlite3_finalize(secondary);
	return code;
}

/* Runs sql, whose parameters are a view's number (0: NULL), KIND and NAME. *id: what it found or made, 0 for none. */
static int run_view(struct store *s, const char *sql, int64_t number, const char *kind,
		    const char *name, int64_t *id)
{
	sqlite3_stmt *q = NULL;
	int code = db_prepare(s->db, &q, s->e, sql);

	*id = 0;
	if (code == 0) {
		store_bind(q, 1, number);
		db_bind_text(q, 2, kind);
		db_bind_text(q, 3, name);
		code = db_step(s->db, q, s->e);
		*id = code == 1 ? sqlite3_column_int64(q, 0)
				: sqlite3_last_insert_rowid(s->db->handle);
	}
	sqlite3_finalize(q);
	return code;
}

/* The view "KIND-NAME" of all trials whose metadata KIND is NAME, below parent; it is made once. */
static int store_view(struct store *s, const char *kind, int64_t parent, int64_t *id)
{
	const char *name = profile_meta(s->window[0], UINT32_MAX, kind);
	int64_t ignored;
	int code;

	*id = parent;
	if (!name)
		return 0;
	code = run_view(s,
			"SELECT id FROM taudb_view WHERE name = ?2 || '-' || ?3 AND parent IS ?1",
			parent, kind, name, id);
	if (code != 0)
		return code < 0 ? code : 0;
	code = run_view(s,
			"INSERT INTO taudb_view (parent, name, conjoin) VALUES (?1, ?2 || '-' || "
			"?3, 'and')",
			parent, kind, name, id);
	if (code < 0)
		return code;
	return run_view(s,
			"INSERT INTO taudb_view_parameter (taudb_view, table_name, column_name, "
			"operator, value) "
			"VALUES (?1, 'primary_metadata', ?2, '=', ?3)",
			*id, kind, name, &ignored);
}

int store_views(struct store *s)
{
	int64_t application, experiment;
	int code = store_view(s, "Application", 0, &application);

	return code < 0 ? code : store_view(s, "Experiment", application, &experiment);
}
