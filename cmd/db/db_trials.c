/* db_trials.c: finds trials by number or name. */
#include "cmd/db/db_trials.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/base/nearest.h"
#include "cmd/shared/trial_facts.h"
#include "cmd/shared/trial_where.h"

/* The one trial of that number or name. A name that several trials have is no answer. */
static int find_trial(const char *file, const struct db_trial *t, size_t n, const char *word,
		      int64_t *trial, struct error *e)
{
	struct nearest near;
	size_t found = 0;
	char *end;
	long long number = strtoll(word, &end, 10);

	for (size_t i = 0; i < n; i++)
		if (*word && !*end && t[i].id == number) {
			*trial = t[i].id;
			return 0;
		}
	nearest_begin(&near, word);
	for (size_t i = 0; i < n; i++) {
		nearest_try(&near, t[i].name, strlen(t[i].name), t[i].name);
		if (strcmp(t[i].name, word) != 0)
			continue;
		if (found++)
			return error_set(
				e, ERROR_INPUT,
				"%s: trials %jd and %jd are both named '%s': use the number", file,
				(intmax_t)*trial, (intmax_t)t[i].id, word);
		*trial = t[i].id;
	}
	if (found)
		return 0;
	return error_set(e, ERROR_INPUT, "%s: there is no trial %s%s%s%s", file, word,
			 near.best ? "; did you mean '" : "", near.best ? near.best : "",
			 near.best ? "'?" : "");
}

int db_trials_find(struct db *db, const char *file, char *const *word, size_t n, int64_t *trial,
		   struct error *e)
{
	struct db_trial *t;
	size_t trials;
	int code = db_list(db, 0, &t, &trials, e);

	if (code < 0)
		return code;
	for (size_t i = 0; i < n && code == 0; i++)
		code = find_trial(file, t, trials, word[i], &trial[i], e);
	db_trials_free(t, trials);
	return code;
}

static int add_selected(struct db *db, const char *condition, struct trial_list *out,
			struct error *e)
{
	struct facts f;
	struct where *w = NULL;
	size_t before = out->v_n;
	int code = facts_open(db, &f, e);

	if (code == 0)
		code = where_parse(condition, &f, &w, e);
	for (size_t i = 0; code == 0 && i < f.trial_n; i++)
		if (where_holds(w, &f, i))
			*array_add(out, v) = f.trial[i].id;
	if (code == 0 && out->v_n == before)
		code = error_set(e, ERROR_INPUT, "--where: no trial is '%s'", condition);
	where_free(w);
	facts_release(&f);
	return code;
}

static int number_order(const void *x, const void *y)
{
	const int64_t *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

int db_trials_select(struct db *db, const char *file, char *const *word, size_t n,
		     const char *condition, struct trial_list *out, struct error *e)
{
	size_t kept = 0;
	int code = 0;

	*out = (struct trial_list){0};
	if (!n && !condition)
		return error_set(e, ERROR_USAGE,
				 "name trials by number or name, or select them by --where");
	if (n) {
		out->v = mem_resize(NULL, n, sizeof(*out->v));
		out->v_n = out->v_cap = n;
		code = db_trials_find(db, file, word, n, out->v, e);
	}
	if (code == 0 && condition)
		code = add_selected(db, condition, out, e);
	if (code < 0) {
		free(out->v);
		out->v = NULL;
		return code;
	}
	qsort(out->v, out->v_n, sizeof(*out->v), number_order);
	for (size_t i = 0; i < out->v_n; i++)
		if (!i || out->v[i] != out->v[i - 1])
			out->v[kept++] = out->v[i];
	out->v_n = kept;
	return 0;
}
