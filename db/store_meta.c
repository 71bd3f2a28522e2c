/* store_meta.c: metadata of a trial -> rows: what all windows share once, the rest with its window; views of trials. */
#include <string.h>

#include "analyze/profile/profile.h"
#include "db/private.h"
#include "db/store.h"

/* t NULL: the trial. Number of the attribute; adds it. */
static uint32_t attribute_id(struct attributes *x, const struct profile_thread *t, const char *name)
{
	const int32_t who[] = {t ? t->node : -1, t ? t->context : 0, t ? t->thread : 0};
	size_t n = strlen(name);
	uint32_t id;

	if (x->text_cap < sizeof(who) + n) {
		x->text_cap = sizeof(who) + 2 * n;
		x->text = mem_resize(x->text, x->text_cap, 1);
	}
	memcpy(x->text, who, sizeof(who));
	memcpy(x->text + sizeof(who), name, n);
	id = names_add(&x->key, x->text, sizeof(who) + n);
	if (id == x->v_n)
		array_add(x, v);
	return id;
}

static void attributes_note(struct attributes *x, const struct profile_thread *t,
			    const struct profile_attribute *a, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t id = attribute_id(x, t, a[i].name);
		struct attribute *to = &x->v[id];

		if (!to->windows++)
			to->value = mem_string(a[i].value);
		else
			to->differs |= strcmp(to->value, a[i].value) != 0;
	}
}

void store_note_metadata(struct db_store *s, const struct profile *p)
{
	attributes_note(&s->attributes, NULL, p->meta, p->meta_n);
	for (size_t i = 0; i < p->thread_n && !s->summary; i++)
		if (p->thread[i].node >= 0)
			attributes_note(&s->attributes, &p->thread[i], p->thread[i].meta,
					p->thread[i].meta_n);
	for (size_t i = 0; s->span_n == 1 && i < p->meta_n; i++)
		profile_set_meta(s->all, UINT32_MAX, p->meta[i].name, p->meta[i].value);
}

void store_forget_metadata(struct db_store *s)
{
	struct attributes *x = &s->attributes;

	for (size_t i = 0; i < x->v_n; i++)
		free(x->v[i].value);
	names_release(&x->key);
	free(x->v);
	free(x->text);
}

/* An attribute that is the same in all windows, and has therefore no time_range. */
static int is_common(struct db_store *s, const struct profile_thread *t, const char *name)
{
	uint32_t id = attribute_id(&s->attributes, t, name);
	const struct attribute *a = &s->attributes.v[id];

	return s->span_n == 1 || (a->windows == s->span_n && !a->differs);
}

static int store_primary(struct db_store *s, sqlite3_stmt *q, const struct profile_attribute *a,
			 int64_t thread)
{
	sqlite3_bind_int64(q, 1, s->trial);
	db_bind_text(q, 2, a->name);
	db_bind_text(q, 3, a->value);
	db_bind_known(q, 4, thread);
	return db_insert(s->db, q, NULL, s->e);
}

static int store_secondary(struct db_store *s, sqlite3_stmt *q, const struct profile_attribute *a,
			   int64_t thread, int64_t range)
{
	sqlite3_bind_int64(q, 1, s->trial);
	db_bind_known(q, 2, thread);
	db_bind_known(q, 3, range);
	db_bind_text(q, 4, a->name);
	db_bind_text(q, 5, a->value);
	return db_insert(s->db, q, NULL, s->e);
}

/* Attributes of the trial or of a thread (number in s->all) in a window; those equal in all windows once, with the first. */
static int store_attributes(struct db_store *s, sqlite3_stmt *const q[2], const struct profile *p,
			    const struct profile_thread *t, uint32_t number)
{
	sqlite3_stmt *primary = q[0], *secondary = q[1];
	int64_t thread = t ? s->thread.v[number] : 0;
	const struct profile_attribute *a = t ? t->meta : p->meta;
	size_t n = t ? t->meta_n : p->meta_n;
	int code = 0;

	for (size_t i = 0; code == 0 && i < n; i++) {
		int common = is_common(s, t, a[i].name);

		if (common && s->at > 0)
			continue;
		if (common && !t)
			code = store_primary(s, primary, &a[i], 0);
		else
			code = store_secondary(s, secondary, &a[i], thread,
					       common ? 0 : s->range.v[s->at]);
		/* TAU's users look for attributes of the first thread among the primary ones. */
		if (code == 0 && common && t && thread == s->thread.v[0] &&
		    !profile_meta(s->all, UINT32_MAX, a[i].name))
			code = store_primary(s, primary, &a[i], thread);
	}
	return code;
}

int store_metadata(struct db_store *s, const struct profile *p, const struct joined *joined)
{
	sqlite3_stmt *q[2] = {NULL, NULL};
	int code = db_prepare(
		s->db, &q[0], s->e,
		"INSERT INTO primary_metadata (trial, name, value, thread) VALUES (?, ?, ?, ?)");

	if (code == 0)
		code = db_prepare(
			s->db, &q[1], s->e,
			"INSERT INTO secondary_metadata (trial, thread, time_range, name, value) "
			"VALUES (?, ?, ?, ?, ?)");
	if (code == 0)
		code = store_attributes(s, q, p, NULL, PROFILE_FLAT);
	for (size_t i = 0; code == 0 && i < p->thread_n; i++)
		if (p->thread[i].node >= 0)
			code = store_attributes(s, q, p, &p->thread[i], joined->thread[i]);
	sqlite3_finalize(q[0]);
	sqlite3_finalize(q[1]);
	return code;
}

/* Runs sql, whose parameters are a view's number (0: NULL), KIND and NAME. *id: what it found or made, 0 for none. */
static int run_view(struct db_store *s, const char *sql, int64_t number, const char *kind,
		    const char *name, int64_t *id)
{
	sqlite3_stmt *q = NULL;
	int code = db_prepare(s->db, &q, s->e, sql);

	*id = 0;
	if (code == 0) {
		db_bind_known(q, 1, number);
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
static int store_view(struct db_store *s, const char *kind, int64_t parent, int64_t *id)
{
	const char *name = profile_meta(s->all, UINT32_MAX, kind);
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

int store_views(struct db_store *s)
{
	int64_t application, experiment;
	int code = store_view(s, "Application", 0, &application);

	return code < 0 ? code : store_view(s, "Experiment", application, &experiment);
}
