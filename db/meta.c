/* meta.c: reads metadata over all trials; changes names and tags of trials. */
#include "db/meta.h"

#include <string.h>

#include "db/private.h"

int db_meta_values(struct db *db, const char *name,
		   void (*receive)(void *to, int64_t trial, const char *value), void *to,
		   struct error *e)
{
	sqlite3_stmt *q = NULL;
	int code = db_prepare(db, &q, e,
			      "SELECT trial, value FROM primary_metadata WHERE name = ? COLLATE "
			      "NOCASE ORDER BY trial");

	if (code == 0) {
		db_bind_text(q, 1, name);
		while ((code = db_step(db, q, e)) == 1)
			receive(to, sqlite3_column_int64(q, 0), db_text(q, 1));
	}
	sqlite3_finalize(q);
	return code;
}

int db_meta_each(struct db *db,
		 void (*receive)(void *to, int64_t trial, const char *name, const char *value),
		 void *to, struct error *e)
{
	sqlite3_stmt *q = NULL;
	int code = db_prepare(db, &q, e, "SELECT trial, name, value FROM primary_metadata");

	while (code == 0 && (code = db_step(db, q, e)) == 1) {
		receive(to, sqlite3_column_int64(q, 0), db_text(q, 1), db_text(q, 2));
		code = 0;
	}
	sqlite3_finalize(q);
	return code;
}

int db_meta_names(struct db *db, struct names *out, struct error *e)
{
	sqlite3_stmt *q = NULL;
	int code = db_prepare(db, &q, e, "SELECT DISTINCT name FROM primary_metadata ORDER BY 1");

	while (code == 0 && (code = db_step(db, q, e)) == 1) {
		names_add(out, db_text(q, 0), strlen(db_text(q, 0)));
		code = 0;
	}
	sqlite3_finalize(q);
	return code;
}

/* Runs one statement that changes a trial: its number is ?1, the texts ?2 and ?3. */
static int change(struct db *db, const char *sql, int64_t trial, const char *a, const char *b,
		  struct error *e)
{
	sqlite3_stmt *q = NULL;
	int code = db_prepare(db, &q, e, sql);

	if (code == 0) {
		sqlite3_bind_int64(q, 1, trial);
		db_bind_text(q, 2, a);
		if (b)
			db_bind_text(q, 3, b);
		code = db_step(db, q, e);
	}
	sqlite3_finalize(q);
	return code;
}

static int begin(struct db *db, struct error *e)
{
	int code = db_run(db, "BEGIN IMMEDIATE", e);

	return code < 0 ? code : db_upgrade(db, e);
}

int db_rename(struct db *db, int64_t trial, const char *name, struct error *e)
{
	int code = begin(db, e);

	if (code == 0)
		code = change(db, "UPDATE trial SET name = ?2 WHERE id = ?1", trial, name, NULL, e);
	return db_end(db, code, e);
}

int db_has_tag(const char *tags, const char *tag)
{
	size_t n = strlen(tag);

	for (const char *at = tags; n && at; at = strchr(at, ','), at += at != NULL)
		if (!strncmp(at, tag, n) && (!at[n] || at[n] == ','))
			return 1;
	return 0;
}

static int word_order(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The tags of old without, or with, these n. had[n]: counts the lists that have each; may be NULL.
 */
static char *new_tags(const char *old, char *const *tag, size_t n, int remove, size_t *had)
{
	char *list = mem_string(old), *save = NULL, *out = mem_string("");
	char **word = NULL;
	size_t words = 0, cap = 0;

	for (char *w = strtok_r(list, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
		size_t i = 0;

		while (i < n && strcmp(tag[i], w) != 0)
			i++;
		if (i < n && had)
			had[i]++;
		if (i < n)
			continue;
		if (words == cap)
			word = array_grow(word, &cap, sizeof(*word));
		word[words++] = w;
	}
	for (size_t i = 0; !remove && i < n; i++) {
		if (words == cap)
			word = array_grow(word, &cap, sizeof(*word));
		word[words++] = tag[i];
	}
	if (words)
		qsort(word, words, sizeof(*word), word_order);
	for (size_t i = 0; i < words; i++) {
		char *more;

		if (i && !strcmp(word[i], word[i - 1]))
			continue;
		more = mem_printf("%s%s%s", out, *out ? "," : "", word[i]);
		free(out);
		out = more;
	}
	free(word);
	free(list);
	return out;
}

char *db_tags_text(const char *old, char *const *tag, size_t n)
{
	return new_tags(old, tag, n, 0, NULL);
}

static int tags_of(struct db *db, int64_t trial, char **out, struct error *e)
{
	sqlite3_stmt *q = NULL;
	int code = db_prepare(db, &q, e,
			      "SELECT value FROM primary_metadata WHERE trial = ?1 AND name = "
			      "'" DB_META_TAGS "'");

	*out = NULL;
	if (code == 0) {
		sqlite3_bind_int64(q, 1, trial);
		code = db_step(db, q, e);
		*out = mem_string(code == 1 ? db_text(q, 0) : "");
	}
	sqlite3_finalize(q);
	return code < 0 ? code : 0;
}

int db_tag(struct db *db, const int64_t *trial, size_t trials, char *const *tag, size_t n,
	   int remove, size_t *had, struct error *e)
{
	int code = begin(db, e);

	for (size_t i = 0; code == 0 && i < trials; i++) {
		char *old, *tags;

		code = tags_of(db, trial[i], &old, e);
		if (code < 0)
			break;
		tags = new_tags(old, tag, n, remove, had);
		code = change(db, "DELETE FROM primary_metadata WHERE trial = ?1 AND name = ?2",
			      trial[i], DB_META_TAGS, NULL, e);
		if (code == 0 && *tags)
			code = change(db,
				      "INSERT INTO primary_metadata (trial, name, value) VALUES "
				      "(?1, ?2, ?3)",
				      trial[i], DB_META_TAGS, tags, e);
		free(tags);
		free(old);
	}
	return db_end(db, code, e);
}
