/* db_trials.c: finds trials by number or name. */
#include "cmd/db/db_trials.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyze/base/nearest.h"

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

char *db_date(double us, char buf[32])
{
	time_t seconds;
	struct tm tm;

	*buf = 0;
	if (us >= 0 && us < 4e17) {
		seconds = (time_t)(us / 1e6);
		if (gmtime_r(&seconds, &tm))
			strftime(buf, 32, "%Y-%m-%d %H:%M:%S", &tm);
	}
	return buf;
}
